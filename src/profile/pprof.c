/* SPDX-License-Identifier: Apache-2.0 */
/* As runtime/pprof does, frames of one pc are one location, and functions are told apart by name. */
#include "src/profile/pprof.h"

#include <string.h>

#include "lib/base/table.h"
#include "lib/document/gzip.h"
#include "src/profile/wire.h"

/* proto/profile.proto */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME = 9,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT, LABEL_NUMBER };
enum {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_END,
	MAPPING_OFFSET,
	MAPPING_FILE,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum {
	FUNCTION_ID = 1,
	FUNCTION_NAME,
	FUNCTION_SYSTEM_NAME,
	FUNCTION_FILE,
	FUNCTION_START_LINE
};

struct mapping {
	uint64_t start, end, offset, file, build_id;
	bool used, has_unknown;
};

struct text {
	char *bytes;
	size_t len;
};

struct pprof {
	struct wire out, message, part; /* the whole, and what is being made of it */
	struct text *strings;
	size_t string_count, string_cap;
	struct table numbers;		   /* of strings, each one more: 0 is none */
	struct table functions, locations; /* their ids */
	uint64_t function_count, location_count;
	struct mapping *mappings;
	size_t mapping_count, mapping_cap;
	struct wire labels; /* these two: of the sample */
	uint64_t *stack;
	size_t stack_count, stack_cap;
	struct {
		struct profile_frame first, last;
		struct wire lines;
		uint64_t hash;
		size_t count; /* of lines; 0: there is none */
	} location;
};

static uint64_t add_string(struct pprof *p, const char *text, size_t len)
{
	GROW(p->strings, p->string_count, p->string_cap);
	p->strings[p->string_count] = (struct text){ xmalloc(len + 1), len };
	if (len)
		memcpy(p->strings[p->string_count].bytes, text, len);
	return p->string_count++;
}

static uint64_t number_of_bytes(struct pprof *p, const char *text, size_t len)
{
	const uint64_t hash = table_hash_bytes(text, len);

	for (uint64_t try = 0;; try++) {
		const uint64_t found = table_get(&p->numbers, hash, try);
		if (!found) {
			const uint64_t number = add_string(p, text, len);
			table_set(&p->numbers, hash, try, number + 1);
			return number;
		}
		const struct text *other = &p->strings[found - 1];
		if (other->len == len && memcmp(other->bytes, text, len) == 0)
			return found - 1;
	}
}

static uint64_t number_of(struct pprof *p, const char *text)
{
	return number_of_bytes(p, text, strlen(text));
}

/* The first string is empty. */
struct pprof *pprof_new(void)
{
	struct pprof *p = xcalloc(1, sizeof(*p));

	number_of(p, "");
	return p;
}

void pprof_free(struct pprof *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->string_count; i++)
		xfree(p->strings[i].bytes);
	xfree(p->strings);
	xfree(p->mappings);
	xfree(p->stack);
	table_free(&p->numbers);
	table_free(&p->functions);
	table_free(&p->locations);
	wire_done(&p->out);
	wire_done(&p->message);
	wire_done(&p->part);
	wire_done(&p->labels);
	wire_done(&p->location.lines);
	xfree(p);
}

void pprof_time(struct pprof *p, uint64_t realtime_ns)
{
	wire_number(&p->out, PROFILE_TIME, realtime_ns);
}

static void add_type(struct pprof *p, unsigned field, const char *type, const char *unit)
{
	wire_number(&p->part, TYPE_TYPE, number_of(p, type));
	wire_number(&p->part, TYPE_UNIT, number_of(p, unit));
	wire_message(&p->out, field, &p->part);
}

void pprof_period(struct pprof *p, const char *type, const char *unit, uint64_t value)
{
	add_type(p, PROFILE_PERIOD_TYPE, type, unit);
	wire_number(&p->out, PROFILE_PERIOD, value);
}

void pprof_sample_type(struct pprof *p, const char *type, const char *unit)
{
	add_type(p, PROFILE_SAMPLE_TYPE, type, unit);
}

void pprof_mapping(struct pprof *p, const struct pprof_mapping *m)
{
	GROW(p->mappings, p->mapping_count, p->mapping_cap);
	p->mappings[p->mapping_count++] =
		(struct mapping){ .start = m->start,
				  .end = m->end,
				  .offset = m->offset,
				  .file = number_of_bytes(p, m->path, m->path_len),
				  .build_id = number_of(p, m->build_id) };
}

/* 0: none. */
static uint64_t mapping_at(struct pprof *p, uint64_t pc, bool is_known)
{
	for (size_t i = 0; i < p->mapping_count; i++) {
		struct mapping *m = &p->mappings[i];
		if (pc < m->start || pc >= m->end)
			continue;
		m->used = true;
		m->has_unknown = m->has_unknown || !is_known;
		return i + 1;
	}
	return 0;
}

static uint64_t function_of(struct pprof *p, const struct profile_frame *f)
{
	const uint64_t name = number_of(p, f->function);
	const uint64_t known = table_get(&p->functions, name, 0);

	if (known)
		return known;
	wire_number(&p->part, FUNCTION_ID, ++p->function_count);
	wire_number(&p->part, FUNCTION_NAME, name);
	wire_number(&p->part, FUNCTION_SYSTEM_NAME, name);
	wire_number(&p->part, FUNCTION_FILE, number_of(p, f->file ? f->file : ""));
	wire_number(&p->part, FUNCTION_START_LINE, f->start_line);
	wire_message(&p->out, PROFILE_FUNCTION, &p->part);
	table_set(&p->functions, name, 0, p->function_count);
	return p->function_count;
}

static void finish_location(struct pprof *p)
{
	const struct profile_frame *first = &p->location.first;
	uint64_t id;

	if (!p->location.count)
		return;
	p->location.count = 0;
	id = table_get(&p->locations, first->pc, p->location.hash);
	if (!id) {
		id = ++p->location_count;
		table_set(&p->locations, first->pc, p->location.hash, id);
		wire_number(&p->message, LOCATION_ID, id);
		wire_number(&p->message, LOCATION_MAPPING,
			    mapping_at(p, first->pc, first->function != NULL));
		wire_number(&p->message, LOCATION_ADDRESS, first->pc);
		wire_append(&p->message, &p->location.lines);
		wire_message(&p->out, PROFILE_LOCATION, &p->message);
	}
	p->location.lines.len = 0;
	GROW(p->stack, p->stack_count, p->stack_cap);
	p->stack[p->stack_count++] = id;
}

/* runtime/pprof.pcDeck.tryAdd */
static bool is_inlined_in(const struct profile_frame *inner,
			  const struct profile_frame *outer)
{
	return inner->inlined && inner->entry && inner->entry == outer->entry &&
	       inner->function && outer->function &&
	       strcmp(inner->function, outer->function) != 0;
}

void pprof_frame(void *arg, const struct profile_frame *f)
{
	struct pprof *p = arg;
	uint64_t function = 0;

	if (p->location.count && !is_inlined_in(&p->location.last, f))
		finish_location(p);
	if (!p->location.count) {
		p->location.first = *f;
		p->location.hash = 0;
	}
	if (f->function) {
		function = function_of(p, f);
		wire_number(&p->part, LINE_FUNCTION, function);
		wire_number(&p->part, LINE_LINE, f->line);
		wire_message(&p->location.lines, LOCATION_LINE, &p->part);
	}
	p->location.last = *f;
	p->location.hash = table_hash(p->location.hash, table_hash(function, f->line));
	p->location.count++;
}

void pprof_label_text(struct pprof *p, const char *key, size_t key_len, const char *value,
		      size_t value_len)
{
	wire_number(&p->part, LABEL_KEY, number_of_bytes(p, key, key_len));
	wire_number(&p->part, LABEL_TEXT, number_of_bytes(p, value, value_len));
	wire_message(&p->labels, SAMPLE_LABEL, &p->part);
}

void pprof_label_number(struct pprof *p, const char *key, uint64_t value)
{
	wire_number(&p->part, LABEL_KEY, number_of(p, key));
	wire_number(&p->part, LABEL_NUMBER, value);
	wire_message(&p->labels, SAMPLE_LABEL, &p->part);
}

void pprof_sample(struct pprof *p, const uint64_t *values, size_t n)
{
	finish_location(p);
	wire_numbers(&p->message, SAMPLE_LOCATION, p->stack, p->stack_count);
	wire_numbers(&p->message, SAMPLE_VALUE, values, n);
	wire_append(&p->message, &p->labels);
	wire_message(&p->out, PROFILE_SAMPLE, &p->message);
	p->stack_count = 0;
	p->labels.len = 0;
}

static void add_mapping(struct pprof *p, uint64_t id, const struct mapping *m)
{
	wire_number(&p->part, MAPPING_ID, id);
	wire_number(&p->part, MAPPING_START, m->start);
	wire_number(&p->part, MAPPING_END, m->end);
	wire_number(&p->part, MAPPING_OFFSET, m->offset);
	wire_number(&p->part, MAPPING_FILE, m->file);
	wire_number(&p->part, MAPPING_BUILD_ID, m->build_id);
	wire_number(&p->part, MAPPING_HAS_FUNCTIONS, m->used && !m->has_unknown);
	wire_message(&p->out, PROFILE_MAPPING, &p->part);
}

void *pprof_finish(struct pprof *p, size_t *ret_len)
{
	for (size_t i = 0; i < p->mapping_count; i++)
		add_mapping(p, i + 1, &p->mappings[i]);
	for (size_t i = 0; i < p->string_count; i++)
		wire_bytes(&p->out, PROFILE_STRING, p->strings[i].bytes,
			   p->strings[i].len);
	return gzip_compress(p->out.bytes, p->out.len, ret_len);
}
