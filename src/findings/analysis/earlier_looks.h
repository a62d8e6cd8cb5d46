/* SPDX-License-Identifier: Apache-2.0 */
/* earlier_looks.h - remembers the goroutines whose wait matters, from one snapshot of a
 * series to the next, until they are seen to have run. It does for a series what
 * second_look.h does for a single snapshot, without its wait of two seconds. It is in
 * memory that the processes of the series share. All snapshots must be of one process:
 * forget the goroutines if it may have called execve. */
#ifndef GOSNAP_EARLIER_LOOKS_H
#define GOSNAP_EARLIER_LOOKS_H

#include "src/findings/analysis/second_look.h"

struct earlier_looks;

struct earlier_looks *earlier_looks_new(void);
void earlier_looks_free(struct earlier_looks *e);
void earlier_looks_forget(struct earlier_looks *e);

/* Looks at the remembered goroutines of c a few times while the process runs, and
 * forgets those that have run. Takes at most half a second, or most_ns if that is
 * less. Call it before and after each snapshot. */
void earlier_looks_go_on(struct earlier_looks *e, const struct capture *c,
			 uint64_t most_ns);

/* Sets *ret, which is empty, to how long the goroutines of a snapshot have stayed, if
 * that is two seconds or more. */
void earlier_looks_tell(const struct earlier_looks *e, const struct capture *c,
			struct second_look *ret);
/* Call it after earlier_looks_tell(). Remembers the goroutines for which wanted[] is not
 * 0, and those already remembered that have not run; forgets all others. */
void earlier_looks_keep(struct earlier_looks *e, const struct capture *c,
			const uint8_t *wanted);

#endif
