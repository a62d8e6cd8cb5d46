/* SPDX-License-Identifier: Apache-2.0 */
/* shared.h - JSON values that occur often, such as frames and names: each once, by a number. */
#ifndef GOSNAP_SHARED_H
#define GOSNAP_SHARED_H

#include "lib/base/table.h"

struct reader_node;
struct sink;

struct shared {
	struct sink *all; /* in the order of their numbers */
	struct sink *one;
	struct table numbers;
	uint32_t count;
};

void shared_init(struct shared *texts);
void shared_done(struct shared *texts);
/* From 1 on; 0: node is NULL. */
uint32_t shared_add_string(struct shared *texts, const char *text);
uint32_t shared_add(struct shared *texts, const struct reader_node *node);

#endif
