/* SPDX-License-Identifier: Apache-2.0 */
/* reasons.h - why stacks are incomplete: each sentence is kept once, and goroutine
 * records refer to it by number. A hostile stack can fail in as many ways as there are
 * addresses, so the number of sentences is limited; past the limit, one sentence says so.
 * Private to goruntime. */
#ifndef GOSNAP_REASONS_H
#define GOSNAP_REASONS_H

#include <stdint.h>

struct reasons;

struct reasons *reasons_new(void);
void reasons_free(struct reasons *r);

/* The number of this sentence, the same for equal sentences; 0 is the empty one. */
uint32_t reasons_add(struct reasons *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *reasons_get(const struct reasons *r, uint32_t reason); /* never NULL */

#endif
