/* SPDX-License-Identifier: Apache-2.0 */
/* skip.h - finds where JSON values end, by brackets and quotes, without parsing them: what is inside
 * brackets need not be valid. Private to lib/document. */
#ifndef GOSNAP_SKIP_H
#define GOSNAP_SKIP_H

#include "lib/document/input.h"
#include "lib/document/reader.h"

enum skip {
	SKIP_DONE,
	SKIP_END,    /* of the input, within the value */
	SKIP_DAMAGE, /* at in->at */
};

static inline bool is_space(int c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* The character behind. */
int skip_space(struct input *in);
/* A value of any kind. A number or literal only ends if something follows: otherwise 12 would be
 * accepted for a truncated 123. */
MUST_CHECK enum skip skip_value(struct input *in);
/* An object that begins at in->mark, and where its members are: offsets from there. Members beyond
 * READER_MEMBERS are left out. */
struct skip_member {
	size_t name, name_bytes, value, bytes;
};
MUST_CHECK enum skip skip_object(struct input *in, struct skip_member *ret,
				 size_t *ret_count);

static inline struct reader_member reader_member_at(const char *object,
						    const struct skip_member *m)
{
	return (struct reader_member){ object + m->name, m->name_bytes, object + m->value,
				       m->bytes };
}

#endif
