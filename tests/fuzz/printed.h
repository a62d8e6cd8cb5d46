/* SPDX-License-Identifier: Apache-2.0 */
/* printed.h - prints a value as gosnap print does, and ends the process when that is no JSON or
 * more of it than its bounds allow. */
#ifndef GOSNAP_FUZZ_PRINTED_H
#define GOSNAP_FUZZ_PRINTED_H

#include "goruntime/goruntime.h"

void printed(struct runtime *rt, const struct value *v);

#endif
