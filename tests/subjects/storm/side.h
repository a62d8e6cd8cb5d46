/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

struct storm_tally {
	uint64_t sent, received, sent_sum, received_sum;
};

void storm_begin(void);
void storm_end(void); /* returns when the last has been sent */
struct storm_tally storm_tally(void);
