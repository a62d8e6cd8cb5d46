/* SPDX-License-Identifier: Apache-2.0 */
/* where.h - which goroutines an expression selects; gosnap-filter(7) has the language. Others can be answered
 * meanwhile, so it is done in steps, each of which is short. */
#ifndef GOSNAP_SERVE_WHERE_H
#define GOSNAP_SERVE_WHERE_H

#include <stdbool.h>

struct http_reply;
struct model;
struct where;

/* NULL: it is wrong, and ret has {"error": a sentence, "column": from 1 on, "unfinished": more text may make it right}. */
struct where *where_new(struct model *m, const char *expr, bool takes_gzip,
			struct http_reply *ret);
void where_free(struct where *w);

/* True: it is done. Then ret has {"rows": [...]}, and "looked_at": how many goroutines there was time for, if not for
 * all. */
bool where_step(struct where *w, struct http_reply *ret);

#endif
