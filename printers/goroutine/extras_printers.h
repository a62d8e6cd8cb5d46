/* SPDX-License-Identifier: Apache-2.0 */
/* extras_printers.h - prints what few goroutines have, as members of the goroutine's open
 * object, each only if there is something to say. An array item with only `unreadable` or
 * `omitted` stands for items that could not be read, or were too many. Private to
 * printers. */
#ifndef GOSNAP_EXTRAS_PRINTERS_H
#define GOSNAP_EXTRAS_PRINTERS_H

#include "printers/goroutine/print_goroutine.h"

/* The last item of an incomplete array: the rest was unreadable, or that many were left
 * out. */
void print_rest(struct sink *out, const struct runtime *rt, uint32_t unreadable,
		uint64_t omitted);
/* The text as member key of the open object, or why it is missing. */
void print_text(struct sink *out, const struct runtime *rt, const char *key,
		const struct go_text *text);
/* The same with secrets redacted. rule: redacts all of it; NULL: none. */
void print_text_masked(struct sink *out, const struct goroutine_printing *p,
		       const char *key, const struct go_text *text, const char *rule);

void print_labels(struct sink *out, const struct goroutine_printing *p,
		  const struct goroutine *g);
void print_ancestors(struct sink *out, struct runtime *rt, const struct goroutine *g);
void print_bubble(struct sink *out, struct runtime *rt, const struct goroutine *g);
void print_defers(struct sink *out, struct runtime *rt, const struct goroutine *g);
void print_panics(struct sink *out, const struct goroutine_printing *p,
		  const struct goroutine *g);

#endif
