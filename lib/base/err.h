/* SPDX-License-Identifier: Apache-2.0 */
/* err.h - one error value: a code for programs and a sentence for people.
 * The struct is the caller's; nothing is allocated and nothing needs freeing.
 * Only cmd_*.c print it. */
#ifndef GOSNAP_ERR_H
#define GOSNAP_ERR_H

#include <stdbool.h>

enum err_code {
	ERR_NONE,
	ERR_SYS,	 /* a system call or a file failed */
	ERR_NOT_FOUND,	 /* the thing asked for does not exist */
	ERR_FAULT,	 /* the subject has no readable memory there */
	ERR_LIMIT,	 /* more than limit.h allows */
	ERR_UNSUPPORTED, /* known, but not handled: this Go has no such field, ... */
	ERR_BAD_DATA,	 /* bytes that contradict themselves */
	ERR_PERMISSION,	 /* the kernel does not let us */
	ERR_GONE,	 /* the subject ended meanwhile */
	ERR_CANNOT, /* a process that cannot be examined: zombie, kernel thread, ... */
	ERR_USAGE,  /* the user's words */
};

struct err {
	enum err_code code;
	char text[512];
};

/* Sets *err and returns false, so that failing is one statement. */
bool err_set(struct err *err, enum err_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Like err_set(ERR_SYS), with ": " and the words for errno appended. */
bool err_sys(struct err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts "words: " before the text. For layer borders only. */
bool err_prefix(struct err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Did it fail with that? For errors that are expected; others are passed on. */
static inline bool err_is(const struct err *err, enum err_code code)
{
	return err->code == code;
}

#endif
