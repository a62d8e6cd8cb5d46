/* SPDX-License-Identifier: Apache-2.0 */
/* explain.h - the texts of which a document's fingerprints are made, for who wonders why two of them
 * differ. */
#ifndef GOSNAP_EXPLAIN_H
#define GOSNAP_EXPLAIN_H

#include <stdio.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct reader;

/* False: the document is damaged; what comes before has been printed. */
MUST_CHECK bool explain(struct reader *reader, FILE *out, struct err *err);

#endif
