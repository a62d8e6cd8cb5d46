/* SPDX-License-Identifier: Apache-2.0 */
/* writing.h - writes the rows of a pane to a file. A key is answered meanwhile, so each step is short. */
#ifndef GOSNAP_WRITING_H
#define GOSNAP_WRITING_H

#include <stdbool.h>

struct tui;
struct writing;

enum writing_how {
	WRITING_MARKDOWN = 1,
	WRITING_LIST = 2,   /* all rows, not only the one that is chosen */
	WRITING_STACKS = 4, /* with them, of such a list */
};

/* Takes fd. how: several of those above. */
struct writing *writing_new(struct tui *t, int fd, unsigned how);
/* NULL is allowed. What is not written yet is not written. */
void writing_free(struct writing *w);

/* True: it is done, and was said. */
bool writing_step(struct writing *w, struct tui *t);

#endif
