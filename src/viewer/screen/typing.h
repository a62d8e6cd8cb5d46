/* SPDX-License-Identifier: Apache-2.0 */
/* typing.h - whether a key is a command, or only a letter of what the user types. Of the process that has the
 * terminal, which does not take the word of what reads the document for it. */
#ifndef GOSNAP_TYPING_H
#define GOSNAP_TYPING_H

#include <stdbool.h>
#include <stddef.h>

struct key;

/* Zero it. */
struct typing {
	enum { TYPING_NOTHING, TYPING_WORDS, TYPING_IN_HELP } what;
	size_t len; /* of the words, as far as is known */
};

/* Follows the key. True: it is a command. */
bool typing_is_command(struct typing *typing, const struct key *key);
/* The user types on, whatever the last key was. */
void typing_goes_on(struct typing *typing);

#endif
