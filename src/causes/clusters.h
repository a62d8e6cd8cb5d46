/* SPDX-License-Identifier: Apache-2.0 */
/* clusters.h - documents with the same probable cause: how many, of which programs, and since
 * when. Keeps some lines per cause and nothing per document. */
#ifndef GOSNAP_CLUSTERS_H
#define GOSNAP_CLUSTERS_H

#include "lib/base/table.h"
#include "src/causes/cause.h"

struct page;
struct sink;

enum {
	CLUSTERS = 10000,     /* causes; further ones are counted only */
	CLUSTER_VERSIONS = 8, /* kept of each, the last ones seen */
};

struct clusters {
	struct cluster *list;
	size_t count, cap;
	struct table by_key;
	uint64_t documents, damaged, unreadable, left_out;
};

/* path: where the document is. */
void clusters_add(struct clusters *all, const struct cause *cause, const char *path);
/* The most frequent first, then the latest. */
void clusters_sort(struct clusters *all);
void clusters_print(const struct page *page, const struct clusters *all);
void clusters_write(struct sink *out, const struct clusters *all);
void clusters_done(struct clusters *all);

#endif
