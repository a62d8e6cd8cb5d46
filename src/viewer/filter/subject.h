/* SPDX-License-Identifier: Apache-2.0 */
/* subject.h - the goroutine that conditions are about: what the model has of it, and what was parsed for
 * it, which is kept until the next one. */
#ifndef GOSNAP_FILTER_SUBJECT_H
#define GOSNAP_FILTER_SUBJECT_H

#include "lib/document/reader.h"
#include "src/viewer/filter/facts.h"
#include "src/viewer/filter/findings.h"
#include "src/viewer/model/model.h"

enum { SUBJECT_HELD = 1024 };
#define SUBJECT_NO_FRAME SIZE_MAX

struct subject {
	struct model *model;
	const char *module; /* of the program; NULL: unknown */
	struct findings findings;
	const struct model_goroutine
		*row; /* NULL: conditions are about a group's frames */
	const struct model_frame *frames; /* NULL: only the goroutine has them */
	size_t frame_count;
	size_t frame; /* the one that conditions are about; SUBJECT_NO_FRAME */
	char *words;  /* of a fact that no document has */
	/* The goroutine as it is written, and its members; NULL: not read yet. */
	char *written;
	struct reader_member members[READER_MEMBERS];
	size_t member_count;
	/* What was parsed of it. */
	struct held {
		const char *name; /* of a member; NULL: an object; "seen": see values.c */
		uint64_t number;
		const struct reader_node *node; /* NULL: there is none */
	} * held;
	size_t held_count, held_cap;
};

/* Has to be zero before, or done with. */
void subject_init(struct subject *s, struct model *m);
void subject_done(struct subject *s);
/* From now on it is about this row, or about the frames of this group. */
void subject_set(struct subject *s, uint32_t row);
void subject_set_group(struct subject *s, uint32_t group);

/* Of a field with a row. False: absent. */
bool subject_row(struct subject *s, const struct field *field, struct fact *ret);
/* Of the frame. */
bool subject_frame(struct subject *s, const struct field *field, struct fact *ret);
size_t subject_frame_count(struct subject *s);
/* What is held under that name or number. False: nothing yet. */
bool subject_held(const struct subject *s, const char *name, uint64_t number,
		  const struct reader_node **ret);
/* Takes the reference, and gives it back as borrowed; NULL: there is no room. */
const struct reader_node *subject_hold(struct subject *s, const char *name,
				       uint64_t number, const struct reader_node *node);
/* A member of the goroutine; NULL: it has none. Borrowed until the next subject_set(). */
const struct reader_node *subject_member(struct subject *s, const char *name);
/* Its frames, with their values, if one of these may be called so; NULL: none. */
const struct reader_node *subject_values(struct subject *s, const char *name);
/* It waits for several things. */
bool subject_selects(const struct subject *s);
/* objects[number]; NULL: there is none. */
const struct reader_node *subject_object(struct subject *s, uint64_t number);

#endif
