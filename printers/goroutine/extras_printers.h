/* SPDX-License-Identifier: Apache-2.0 */
/* extras_printers.h - what few goroutines have: members of the goroutine's open object, each
 * only where there is something. In their arrays an item with nothing but `unreadable` or
 * `elided` stands for those that could not be had, or were too many. Private to printers. */
#ifndef GOSNAP_EXTRAS_PRINTERS_H
#define GOSNAP_EXTRAS_PRINTERS_H

#include "printers/goroutine/print_goroutine.h"

/* The item that ends an incomplete array: what follows could not be read, or that many
 * more were left out. */
void print_rest(struct sink *out, const struct runtime *rt, uint32_t unreadable,
		uint64_t elided);
/* The text as that member of the open object, or why it is not there. */
void print_text(struct sink *out, const struct runtime *rt, const char *key,
		const struct go_text *text);
/* The same without secrets; rule: what withholds all of it, NULL: nothing. */
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
