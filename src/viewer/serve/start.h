/* SPDX-License-Identifier: Apache-2.0 */
/* start.h - what a page knows of a document from the start: its small members, texts by their numbers, and
 * a row for each goroutine. The same as gosnap html puts into a page, from the model. */
#ifndef GOSNAP_SERVE_START_H
#define GOSNAP_SERVE_START_H

struct head_page;
struct model;

/* As JSON: an object with "head", "texts" and "columns"; see page/data/server_source.js. The caller frees
 * it. */
char *start_of(struct model *m, const struct head_page *page);

#endif
