/* SPDX-License-Identifier: Apache-2.0 */
/* raw_parts.h - which part of a variable each of its words is. Private to printers. */
#ifndef GOSNAP_RAW_PARTS_H
#define GOSNAP_RAW_PARTS_H

#include "goruntime/goruntime.h"
#include "lib/document/sink.h"

/* Member parts, of a variable that has some. */
void print_raw_parts(struct sink *out, const struct raw_place *place);

#endif
