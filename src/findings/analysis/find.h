/* SPDX-License-Identifier: Apache-2.0 */
/* find.h - looks for each of the findings that findings.def lists. */
#ifndef GOSNAP_FIND_H
#define GOSNAP_FIND_H

#include "src/findings/findings.h"

/* Finds all problems. Call findings_free() afterwards. */
void findings_find(struct findings *ret, const struct findings_about *about);

#endif
