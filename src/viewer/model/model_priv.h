/* SPDX-License-Identifier: Apache-2.0 */
/* model_priv.h - the model from within. Private to src/viewer/model. */
#ifndef GOSNAP_MODEL_PRIV_H
#define GOSNAP_MODEL_PRIV_H

#include "lib/document/reader_inline.h"
#include "lib/document/reader.h"
#include "src/viewer/model/model.h"
#include "src/viewer/model/texts.h"

struct place_list {
	struct model_place *list;
	size_t count, cap;
	bool present; /* even if it is empty */
};

struct model {
	struct reader *reader;
	struct inliner *objects;
	struct model_heads heads;
	uint64_t head_bytes;
	struct err damage;
	size_t element_count, object_count; /* that were met */
	struct texts texts;

	struct model_goroutine *goroutines;
	size_t goroutine_count, goroutine_cap;
	struct model_group *groups;
	size_t group_count, group_cap;
	struct model_frame *frames;
	size_t frame_count, frame_cap;
	uint32_t *members; /* as many as goroutines */
	struct place_list lists[MODEL_LISTS];

	/* Rows plus one, by id. While loading, groups are in the document's order, and of goroutines
	 * the id of the group is kept. */
	struct table goroutine_rows, group_rows;
	int64_t *group_ids;
	size_t group_id_cap;
};

/* Rows from elements of the document. */
void rows_add_goroutine(struct model *m, const struct reader_text *text);
void rows_add_group(struct model *m, const struct reader_text *text);
/* When all are there: who belongs to which group. */
void rows_done(struct model *m);

#endif
