/* SPDX-License-Identifier: Apache-2.0 */
/* shared.h - JSON values that occur often, such as frames and names: each once, by a number, from 1 on; 0 is
 * none. */
#ifndef GOSNAP_SHARED_H
#define GOSNAP_SHARED_H

#include "lib/base/table.h"
#include "src/viewer/model/model.h"

struct sink;

struct shared {
	struct sink *all; /* in the order of their numbers */
	/* private */
	struct model *m;
	struct sink *one;
	struct table numbers;
	uint32_t count;
	uint32_t *strings,
		*written; /* by numbers of the model's texts; 0: not yet, or nothing */
};

void shared_init(struct shared *texts, struct model *m);
void shared_done(struct shared *texts);
/* JSON as the document has it written; none, if that is damaged. */
uint32_t shared_json(struct shared *texts, const char *json, size_t len);
/* A text of the model; one that is JSON. */
uint32_t shared_string(struct shared *texts, model_text number);
uint32_t shared_written(struct shared *texts, model_text number);
uint32_t shared_address(struct shared *texts, uint64_t address);

#endif
