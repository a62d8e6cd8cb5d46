/* SPDX-License-Identifier: Apache-2.0 */
/* head.h - the beginning of a core, up to the end of its notes, out of a pipe that still has it
 * afterwards: whoever reads the pipe next gets all of the core. */
#ifndef GOSNAP_HEAD_H
#define GOSNAP_HEAD_H

#include "lib/base/err.h"
#include "lib/base/util.h"

/* Bytes of a core up to the end of its notes, by its first len bytes; more than len: so many must be
 * seen to tell. 0: this is no core. */
uint64_t head_length(const uint8_t *core, size_t len);

/* The signal and the thread that it came to, which is the first in the notes; 0: they do not say. */
void head_signal(const uint8_t *core, size_t len, uint16_t *ret_signal,
		 uint32_t *ret_tid);

/* A file with these bytes. -1: err says why. */
int head_keep(const uint8_t *bytes, size_t len, struct err *err);
/* Waits until the kernel has written it. A file with it, or with all that there is of it, if the stream
 * ends before; -1: err says why. ERR_CANNOT: not a pipe, or
 * head_length() cannot tell, as with more than 65,534 segments. */
int head_copy(int pipe, struct err *err);

#endif
