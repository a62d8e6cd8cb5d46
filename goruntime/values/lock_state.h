/* SPDX-License-Identifier: Apache-2.0 */
/* lock_state.h - the state of a lock from its words. Private to goruntime. */
#ifndef GOSNAP_LOCK_STATE_H
#define GOSNAP_LOCK_STATE_H

#include "goruntime/values/lock.h"

/* Each sets only its own members. */
void lock_state_of_mutex(uint64_t state, struct wait_lock *ret);
void lock_state_of_rwmutex(uint64_t count, uint64_t leaving, struct wait_lock *ret);
void lock_state_of_waitgroup(uint64_t state, struct wait_lock *ret);
void lock_state_of_cond(uint64_t given, uint64_t called, struct wait_lock *ret);
/* Up to 1.17 a WaitGroup is three words; the two that start at a multiple of 8 are the
 * state (sync/waitgroup.go state). words: the address of the three. */
uint64_t lock_state_old_waitgroup(uint64_t words);

#endif
