/* SPDX-License-Identifier: Apache-2.0 */
/* search.h - binary search. */
#ifndef GOSNAP_SEARCH_H
#define GOSNAP_SEARCH_H

#include <stddef.h>

/* The first index i of [0, n) for which the condition `before` is false, or n. It has to be true for
 * all indexes before that, and false from there on:
 *   size_t at = LOWER_BOUND(i, count, list[i].addr < addr); */
#define LOWER_BOUND(i, n, before)                                                        \
	({                                                                               \
		size_t low_ = 0, high_ = (n);                                            \
		while (low_ < high_) {                                                   \
			const size_t i = low_ + (high_ - low_) / 2;                      \
			if (before)                                                      \
				low_ = i + 1;                                            \
			else                                                             \
				high_ = i;                                               \
		}                                                                        \
		low_;                                                                    \
	})

#endif
