/* SPDX-License-Identifier: Apache-2.0 */
/* value_plausible.h - could this memory hold a value of that type? For places whose type is
 * only a guess. Private to goruntime. */
#ifndef GOSNAP_VALUE_PLAUSIBLE_H
#define GOSNAP_VALUE_PLAUSIBLE_H

#include "goruntime/values/values.h"

/* Checks that bools are 0 or 1, lengths do not exceed capacities, pointers lead to
 * memory, maps and channels are well-formed; inside structs too, and through up to that
 * many pointers. What it reads counts as searched: it may be no such value. */
bool value_is_plausible(struct runtime *rt, const struct value *v, int pointers);

#endif
