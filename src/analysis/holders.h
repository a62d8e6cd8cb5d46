/* SPDX-License-Identifier: Apache-2.0 */
/* holders.h - finds the goroutines that hold the locks others wait for, and those that will do
 * something with what others wait for. Fills partners of struct wait_graph; private to
 * src/analysis.
 *
 * A goroutine surely holds a lock if its code has locked it, has not unlocked it since, in this frame
 * or one further in, and unlocks it in every case, and no other goroutine has as good a claim. Calls that
 * have returned, functions that are not known, and other goroutines may have unlocked it, too: operations_doubt(). It
 * probably holds the lock if one of the two is so, and no other goroutine has a better claim:
 * doc/findings.md. Of a goroutine that waits for the lock itself, only unlocking that is deferred
 * already counts. */
#ifndef GOSNAP_HOLDERS_H
#define GOSNAP_HOLDERS_H

#include "src/analysis/wait_graph.h"

void holders_find(struct wait_graph *w, const struct groups *groups);

#endif
