/* SPDX-License-Identifier: Apache-2.0 */
/* profile_variables.h - the variables beside the records. Private to goruntime. */
#ifndef GOSNAP_PROFILE_VARIABLES_H
#define GOSNAP_PROFILE_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

struct runtime;

/* The number of the cycle that is published next, or was last; see runtime.memRecord. False: not
 * known. It matters only between the end of a collection and what the runtime does right after it. */
bool profile_cycle(struct runtime *rt, uint64_t *ret);

#endif
