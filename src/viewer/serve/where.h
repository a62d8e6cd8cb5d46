/* SPDX-License-Identifier: Apache-2.0 */
/* where.h - which goroutines an expression selects; gosnap-filter(7) has the language. */
#ifndef GOSNAP_SERVE_WHERE_H
#define GOSNAP_SERVE_WHERE_H

#include <stdbool.h>

struct http_reply;
struct model;

/* {"rows": [...]}, and "looked_at": how many goroutines there was time for, if not for all. Or {"error": a sentence,
 * "column": from 1 on, "unfinished": more text may make it right}. */
void where_answer(struct model *m, const char *expr, bool takes_gzip,
		  struct http_reply *ret);

#endif
