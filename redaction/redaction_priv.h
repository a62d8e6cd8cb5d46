/* SPDX-License-Identifier: Apache-2.0 */
/* redaction_priv.h - the parts of redaction. Private to redaction. */
#ifndef GOSNAP_REDACTION_PRIV_H
#define GOSNAP_REDACTION_PRIV_H

#include "redaction.h"

/* names.c. Case styles, plurals and numbers at the end make no difference. */
bool is_secret_name(const char *name, size_t len);

/* secrets.c. */
struct secrets;
struct secrets *secrets_new(void);
void secrets_free(struct secrets *s);
void secrets_learn(struct secrets *s, uint64_t addr, uint64_t size, const void *bytes,
		   size_t len);
size_t secrets_count(const struct secrets *s);
bool secrets_at(const struct secrets *s, uint64_t addr, uint64_t size);
/* How many bytes from the first of text on are a secret that was learned; text may end
 * in the middle of it. */
size_t secrets_here(const struct secrets *s, const char *text, size_t len);
/* Is the whole text a part of one? Of any text it is said when there are too many. */
bool secrets_hold(const struct secrets *s, const char *text, size_t len);

/* shapes.c. What looks like a secret and begins at text[at]; false: nothing does. Text may end in
 * the middle of it. */
struct span {
	size_t begin, end;
	const char *rule;
};
/* Says whether a name is a secret's: of what stands before a colon or equals sign. */
typedef bool secret_name_fn(void *arg, const char *name, size_t len);
bool shape_at(const char *text, size_t len, size_t at, secret_name_fn *is_secret,
	      void *arg, struct span *ret);
/* By its first digits and its check digit, ISO/IEC 7812-1. */
bool is_card_number(const char *digits, size_t len);

/* rules.c. The user's. */
struct rules;
struct rules *rules_read(const char *path, struct err *err);
void rules_free(struct rules *rules);
enum verdict { VERDICT_NONE, VERDICT_KEEP, VERDICT_WITHHOLD };
enum verdict rules_of_name(const struct rules *rules, const char *name);
enum verdict rules_of_type(const struct rules *rules, const char *type);
/* The first that is at text or behind it; text ends with a NUL, as regexec() may expect. */
bool rules_find(const struct rules *rules, const char *text, size_t len,
		struct span *ret);

#endif
