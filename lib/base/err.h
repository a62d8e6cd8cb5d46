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
	ERR_NOT_FOUND,	 /* what was asked for does not exist */
	ERR_FAULT,	 /* no readable memory there in the subject */
	ERR_MISSED,	 /* not read before the subject ran on */
	ERR_ABSENT,	 /* there was memory, but the core does not have it */
	ERR_LIMIT,	 /* exceeds a limit in limit.h */
	ERR_UNSUPPORTED, /* known but not handled: this Go has no such field, ... */
	ERR_BAD_DATA,	 /* inconsistent data */
	ERR_PERMISSION,	 /* refused by the kernel */
	ERR_GONE,	 /* the subject has exited */
	ERR_CANNOT, /* a process that cannot be examined: zombie, kernel thread, ... */
	ERR_USAGE,  /* invalid usage */
};

struct err {
	enum err_code code;
	char text[512];
};

/* Sets *err and returns false, so that callers can fail in one statement. */
bool err_set(struct err *err, enum err_code code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Like err_set(ERR_SYS), with ": " and the description of errno appended. */
bool err_sys(struct err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Prepends "words: " to the text. Only for use at layer boundaries. */
bool err_prefix(struct err *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Did it fail with that? For errors that are expected; others are passed on. */
static inline bool err_is(const struct err *err, enum err_code code)
{
	return err->code == code;
}

#endif
