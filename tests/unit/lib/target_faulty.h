/* SPDX-License-Identifier: Apache-2.0 */
/* target_faulty.h - another target, of which chosen reads fail: whoever reads must cope. */
#ifndef GOSNAP_TEST_TARGET_FAULTY_H
#define GOSNAP_TEST_TARGET_FAULTY_H

#include "lib/target/target.h"

/* Copies the lists of inner, which stays the caller's and must outlive it. */
struct target *target_faulty_new(struct target *inner);
/* From now on: fails the kth read (1 is the next), and every kth after it when again.
 * 0: none. */
void target_faulty_set(struct target *t, uint64_t k, bool again);
/* How many reads there were since then. */
uint64_t target_faulty_reads(const struct target *t);

#endif
