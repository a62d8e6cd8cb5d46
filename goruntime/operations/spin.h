/* SPDX-License-Identifier: Apache-2.0 */
/* spin.h - finds out whether a goroutine that runs, or could run, spins: goes round a
 * loop without waiting. The result is what its code and the state of channels show at
 * that instant. Knows amd64 only, as operations.h does. */
#ifndef GOSNAP_SPIN_H
#define GOSNAP_SPIN_H

#include "goruntime/operations/operations.h"

enum spin_kind {
	SPIN_NONE,
	/* A loop that never waits, and that only a panic can leave: */
	SPIN_CLOSED, /* it receives from a channel that is closed and empty */
	SPIN_EMPTY,  /* it does nothing */
	/* A loop that receives from such a channel, and only receives again if that gives zero: */
	SPIN_ZERO,
	/* A loop that changes nothing itself, and ends once another goroutine has made a
	 * change: */
	SPIN_TRIES, /* to send or to receive */
	SPIN_LOOKS, /* at memory */
};

struct spin {
	enum spin_kind kind;
	uint64_t channel; /* of SPIN_CLOSED and SPIN_ZERO */
};

struct spin operations_spin(struct operations *a, const struct goroutine *g);

#endif
