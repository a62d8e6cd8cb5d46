/* SPDX-License-Identifier: Apache-2.0 */
/* holders.h - who holds the locks that goroutines wait for, and who else will do something
 * with what they wait for. Fills partners of struct wait_graph; private to src/analysis.
 *
 * A goroutine surely holds a lock if its code has locked it, has not unlocked it since,
 * and unlocks it in every case, and nobody else has as good a claim. Else it probably holds
 * it, if one of the two is so and nobody has a better claim: doc/findings.md. Of one that
 * waits for the lock itself, only unlocking that is deferred already counts. */
#ifndef GOSNAP_HOLDERS_H
#define GOSNAP_HOLDERS_H

#include "src/analysis/wait_graph.h"

void holders_find(struct wait_graph *w, const struct groups *groups);

#endif
