/* SPDX-License-Identifier: Apache-2.0 */
/* earlier_looks.h - what the snapshots of a series before have seen of goroutines whose wait matters, as far as these
 * have not run since. It is to a series what second_look.h is to a single snapshot, and takes no time of its own. In
 * memory that the processes of the series share; of one process that has not called execve since. */
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

/* Of a snapshot: how long goroutines have stayed, if that is at least two seconds, to *ret, which is empty. */
void earlier_looks_tell(const struct earlier_looks *e, const struct capture *c,
			struct second_look *ret);
/* Then: those for which wanted[] is not 0, and those that stay, are to be remembered; nobody else. */
void earlier_looks_keep(struct earlier_looks *e, const struct capture *c,
			const uint8_t *wanted);

#endif
