/* SPDX-License-Identifier: Apache-2.0 */
/* model.h - a document in memory, for whoever looks at it more than once: the listing, the
 * terminal, the server. The main header of src/viewer/model. A row of some hundred bytes
 * for each goroutine; functions, files and states are numbers of texts, kept once; frames
 * belong to groups. Everything else stays in the file, and is parsed when it is opened: damage
 * within a value is only seen then. Knows the fields of the document; prints nothing. Documents
 * are untrusted: a member that is missing or of another type is absent. */
#ifndef GOSNAP_MODEL_H
#define GOSNAP_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct reader;
struct reader_node;
struct model;

enum {
	MODEL_NONE = UINT32_MAX, /* no such row */
	MODEL_NO_TEXT = 0,	 /* the text "" */
};

/* The number of a text of this model: equal texts have equal numbers. */
typedef uint32_t model_text;

/* An element of the document, in the file. */
struct model_place {
	uint64_t offset;
	uint32_t bytes; /* 0: none */
};

struct model_frame {
	uint64_t pc; /* 0: unknown */
	model_text function, file;
	uint32_t line; /* 0: unknown */
	bool hidden, inlined, is_c;
};

struct model_group {
	int64_t id;
	uint64_t count; /* goroutines, as the document says */
	struct model_place place;
	uint32_t first_frame, frame_count;   /* in model_frames(); innermost first */
	uint32_t first_member, member_count; /* in model_members() */
};

struct model_goroutine {
	int64_t id;
	struct model_place place;
	uint32_t group;				/* row in model_groups(), or MODEL_NONE */
	model_text status, reason;		/* "waiting", "chan receive" */
	model_text waits_kind, waits_operation; /* "channel", "send"; of waiting_for */
	model_text labels;  /* the document's array, as it is written */
	model_text runtime; /* likewise: a text; none: of the first */
	model_text
		creator; /* function with the go statement; if that is unknown, its pc */
	model_text creator_file;
	uint32_t creator_line;		 /* 0: unknown */
	model_text entry;		 /* function that it began with */
	int64_t waiting_ns, runnable_ns; /* -1: unknown */
	int64_t parent;		/* id of the goroutine that created it; -1: unknown */
	int64_t thread;		/* -1: none */
	int64_t stack_bytes;	/* -1: unknown */
	uint64_t waits_address; /* 0: not an object in memory */
	bool system, locked;
	bool panics;	 /* has some, perhaps recovered */
	bool has_values; /* frames of its own */
	bool incomplete; /* its stack could not be unwound to the end */
};

/* What is read whole: NULL if the document has none. Borrowed. */
struct model_heads {
	const struct reader_node *snapshot, *trigger, *process, *go, *fault, *runtime,
		*verdict, *verification, *end;
};

/* Arrays whose elements stay in the file. */
enum model_list {
	MODEL_FINDINGS,
	MODEL_WAITS,
	MODEL_THREADS,
	MODEL_WARNINGS,
	MODEL_GLOBALS,
	MODEL_LISTS
};

/* Loads what is there. Takes ownership of reader, also if it fails. NULL: nothing can be read; a document
 * that is damaged or cut off is loaded as far as it goes, see model_damage(). */
struct model *model_load(struct reader *reader, struct err *err);
void model_free(struct model *m);
DEFINE_AUTO(struct model, model_free)

/* Why the document is not whole, in a sentence; NULL: it is, as far as it has been opened. */
const char *model_damage(const struct model *m);
/* The same as an error. */
MUST_CHECK bool model_is_whole(const struct model *m, struct err *err);
const struct model_heads *model_heads(const struct model *m);

const struct model_goroutine *model_goroutines(const struct model *m, size_t *ret_count);
const struct model_group *model_groups(const struct model *m, size_t *ret_count);
const struct model_frame *model_frames(const struct model *m, size_t *ret_count);
/* Rows of goroutines, those of one group together, in the order of the document. */
const uint32_t *model_members(const struct model *m);
/* Valid until model_free(). */
const char *model_text_of(const struct model *m, model_text number);
/* How many numbers of texts there are. */
size_t model_text_count(const struct model *m);
/* The row of a goroutine, of a group, by its id; MODEL_NONE: there is none. */
uint32_t model_find_goroutine(struct model *m, int64_t id);
uint32_t model_find_group(struct model *m, int64_t id);
/* What state it is in, in a word or two: its reason if it waits. */
model_text model_state(const struct model_goroutine *g);

/* The document has it, even if it is empty. */
bool model_has_list(const struct model *m, enum model_list list);
size_t model_list_count(const struct model *m, enum model_list list);
struct model_place model_list_at(const struct model *m, enum model_list list, size_t i);

/* What values refer to. */
size_t model_object_count(const struct model *m);
struct model_place model_object_at(const struct model *m, size_t i);

/* Parses an element; NULL: it is damaged, which model_damage() says from then on. The caller drops it. */
const struct reader_node *model_open(struct model *m, struct model_place place);
/* An element as it is written. The caller frees it; NULL: it cannot be read. */
char *model_written(struct model *m, struct model_place place);
/* The same as model_open(), with what its values refer to, `depth` references deep; see reader_inline.h. */
const struct reader_node *model_open_inline(struct model *m, struct model_place place,
					    unsigned depth);
/* objects[number] of the document; NULL: there is none. The caller drops it. */
const struct reader_node *model_open_object(struct model *m, uint64_t number);
/* An element as it is written, which is JSON. NULL: as of model_open(). The caller frees it. */
char *model_read(struct model *m, struct model_place place);
/* One member of an element, without parsing the rest; NULL: it has none. The caller drops it. */
const struct reader_node *model_open_member(struct model *m, struct model_place place,
					    const char *name);

#endif
