/* SPDX-License-Identifier: Apache-2.0 */
/* panic_words.h - a value in an interface, as the runtime prints it for a panic:
 * printpanicval in runtime/error.go (1.27), printany (up to 1.23). Private to
 * goruntime. */
#ifndef GOSNAP_PANIC_WORDS_H
#define GOSNAP_PANIC_WORDS_H

#include "goruntime/types/type_name.h"

enum { WORDS_BYTES = 8 << 10 };

/* elided counts the bytes that do not fit. */
struct panic_words {
	char bytes[WORDS_BYTES];
	size_t len;
	uint64_t elided;
};

void panic_words_add(struct panic_words *w, const char *bytes, size_t len);
void panic_words_addf(struct panic_words *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A string of the subject. */
MUST_CHECK bool panic_words_add_string(struct runtime *rt, struct panic_words *w,
				       uint64_t header, struct err *err);

/* data: the second word of the interface. */
MUST_CHECK bool panic_words_of_value(struct runtime *rt, const struct go_type *type,
				     uint64_t data, struct panic_words *w,
				     struct err *err);

/* known_errors.c: the message of an error whose Error method is known by the name of its
 * type. *ret_known: whether it is. The runtime calls the method before printing; that is
 * not possible here. */
MUST_CHECK bool panic_words_of_error(struct runtime *rt, const struct go_type *type,
				     uint64_t data, struct panic_words *w,
				     bool *ret_known, struct err *err);

#endif
