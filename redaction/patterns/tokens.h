/* SPDX-License-Identifier: Apache-2.0 */
/* tokens.h - keys and tokens as their issuers document them: a prefix, and at least so many
 * characters after it. Data only; token.c looks for them. Private to redaction/patterns and redaction. */
#ifndef GOSNAP_REDACTION_TOKENS_H
#define GOSNAP_REDACTION_TOKENS_H

#include <stddef.h>

enum token_flags {
	TOKEN_WHOLE = 1, /* exactly so many, letters and digits: words begin so, too */
	TOKEN_LONG = 2,	 /* not fewer where the text ends */
	TOKEN_SCOPE = 4, /* public before the scope of a signature */
};

enum { TOKEN_MIN = 20 }; /* characters, with the prefix */

struct token_format {
	const char *prefix, *letters;
	size_t least;
	unsigned flags;
};

/* Those whose prefix begins with this character. */
const struct token_format *token_formats(char first, size_t *ret_count);

#endif
