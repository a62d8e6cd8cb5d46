/* SPDX-License-Identifier: Apache-2.0 */
/* states.h - how many goroutines of a document do what, for a page that does not have them all. */
#ifndef GOSNAP_PAGE_STATES_H
#define GOSNAP_PAGE_STATES_H

struct model;
struct sink;

/* The member "states": pairs of a state and how many goroutines are in it, most first; those of the runtime itself
 * are one, whose state is null, and those beyond the first ones are not there. */
enum { STATES_BYTES = 20 * 1024 }; /* at most */
void states_write(struct sink *out, const struct model *m);

#endif
