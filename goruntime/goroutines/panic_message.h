/* SPDX-License-Identifier: Apache-2.0 */
/* panic_message.h - a value in an interface, as the runtime prints it for a panic:
 * printpanicval in runtime/error.go (1.27), printany (up to 1.23). Private to
 * goruntime. */
#ifndef GOSNAP_PANIC_MESSAGE_H
#define GOSNAP_PANIC_MESSAGE_H

#include "goruntime/types/type_name.h"

enum { WORDS_BYTES = 8 << 10 };

/* omitted counts the bytes that do not fit. */
struct panic_message {
	char bytes[WORDS_BYTES];
	size_t len;
	uint64_t omitted;
};

void panic_message_add(struct panic_message *w, const char *bytes, size_t len);
void panic_message_addf(struct panic_message *w, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A string of the subject. */
MUST_CHECK bool panic_message_add_string(struct runtime *rt, struct panic_message *w,
					 uint64_t header, struct err *err);

/* data: the second word of the interface. */
MUST_CHECK bool panic_message_of_value(struct runtime *rt, const struct go_type *type,
				       uint64_t data, struct panic_message *w,
				       struct err *err);

/* known_errors.c: the message of an error whose Error method is known by the name of its
 * type. *ret_known: whether it is. The runtime calls the method before printing; that is
 * not possible here. */
MUST_CHECK bool panic_message_of_error(struct runtime *rt, const struct go_type *type,
				       uint64_t data, struct panic_message *w,
				       bool *ret_known, struct err *err);

#endif
