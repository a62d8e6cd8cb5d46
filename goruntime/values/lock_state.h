/* SPDX-License-Identifier: Apache-2.0 */
/* lock_state.h - what the words of a lock mean, wherever they were read. Private to
 * goruntime. */
#ifndef GOSNAP_LOCK_STATE_H
#define GOSNAP_LOCK_STATE_H

#include "goruntime/values/lock.h"

/* Each sets its own members. */
void lock_state_of_mutex(uint64_t state, struct wait_lock *ret);
void lock_state_of_rwmutex(uint64_t count, uint64_t leaving, struct wait_lock *ret);
void lock_state_of_waitgroup(uint64_t state, struct wait_lock *ret);
void lock_state_of_cond(uint64_t given, uint64_t called, struct wait_lock *ret);
/* Up to 1.17 a WaitGroup is three words, two of which are the state: those that begin at a
 * multiple of 8 (sync/waitgroup.go state). words: the address of the three. */
uint64_t lock_state_old_waitgroup(uint64_t words);

#endif
