/* SPDX-License-Identifier: Apache-2.0 */
/* value_sense.h - could this memory hold a value of that type? For places of which something else
 * only suggests the type. Private to goruntime. */
#ifndef GOSNAP_VALUE_SENSE_H
#define GOSNAP_VALUE_SENSE_H

#include "goruntime/values/values.h"

/* Bools are 0 or 1, lengths not above capacities, what pointers lead to is there, maps and
 * channels are in order; inside structs and behind so many pointers. */
bool value_makes_sense(struct runtime *rt, const struct value *v, int pointers);

#endif
