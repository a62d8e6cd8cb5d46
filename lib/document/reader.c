/* SPDX-License-Identifier: Apache-2.0 */
/* reader.c - splits the top level of a document here, by brackets and quotes; each
 * element is then parsed by jansson, which is slow, needs memory for all its input, and
 * cannot stream elements. */
#include "lib/document/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/document/input.h"
#include "lib/document/reader_text.h"
#include "lib/document/skip.h"

enum {
	VERSION = 1,
	NAME_SHOWN = 40,
};

struct reader {
	struct input in;

	/* What has been scanned, for messages. */
	char *member; /* NULL: none yet */
	bool in_array, member_done;
	size_t elements;

	/* Of the element that is visited as a text. */
	struct skip_member places[READER_MEMBERS];
	size_t place_count;
	struct reader_member members[READER_MEMBERS];
};

void reader_close(struct reader *r)
{
	if (!r)
		return;
	input_done(&r->in);
	free(r->member);
	xfree(r);
}

static inline int peek(struct reader *r)
{
	return input_peek(&r->in);
}

/* A name from the document, safe for a terminal. */
static const char *printable(const char *name, char ret[NAME_SHOWN + 1])
{
	size_t i;
	for (i = 0; name[i] && i < NAME_SHOWN; i++)
		ret[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] : '?';
	ret[i] = '\0';
	return ret;
}

/* "after 3 elements of "goroutines"" */
static const char *place(const struct reader *r, char *ret, size_t size)
{
	char name[NAME_SHOWN + 1];
	if (!r->member)
		snprintf(ret, size, "at the beginning");
	else if (r->in_array && r->elements > 0)
		snprintf(ret, size, "after %zu element%s of \"%s\"", r->elements,
			 r->elements == 1 ? "" : "s", printable(r->member, name));
	else
		snprintf(ret, size, "%s \"%s\"", r->member_done ? "after" : "in",
			 printable(r->member, name));
	return ret;
}

static bool cut_off(const struct reader *r, struct err *err)
{
	char where[NAME_SHOWN + 64];
	if (!err_is(&r->in.broken, ERR_NONE)) {
		*err = r->in.broken;
		return false;
	}
	return err_set(err, ERR_BAD_DATA, "%s: truncated %s", r->in.name,
		       place(r, where, sizeof(where)));
}

static bool damaged(struct reader *r, const char *what, struct err *err)
{
	char where[NAME_SHOWN + 64];
	if (peek(r) == END_OF_INPUT)
		return cut_off(r, err);
	return err_set(err, ERR_BAD_DATA, "%s: damaged %s, at byte %" PRIu64 ": %s",
		       r->in.name, place(r, where, sizeof(where)),
		       r->in.offset + r->in.at, what);
}

/* A value, and its members if they are wanted and it is an object. */
static bool skip(struct reader *r, bool members, struct err *err)
{
	enum skip done = members && peek(r) == '{'
				 ? skip_object(&r->in, r->places, &r->place_count)
				 : skip_value(&r->in);

	if (done == SKIP_DAMAGE)
		return damaged(r, "invalid JSON", err);
	return done == SKIP_DONE ? true : cut_off(r, err);
}

static const char *words_for(const json_error_t *why)
{
	switch (json_error_code(why)) {
	case json_error_stack_overflow:
		return "nested too deeply";
	case json_error_invalid_utf8:
		return "invalid UTF-8";
	case json_error_numeric_overflow:
		return "number too large";
	case json_error_out_of_memory:
		return "out of memory";
	case json_error_null_byte_in_key:
		return "NUL byte in a name";
	default:
		return "invalid JSON";
	}
}

/* Ids from damaged memory may exceed INT64_MAX, which jansson rejects: only for these,
 * parse the numbers of the element as doubles. */
static json_t *parse(const char *text, size_t len, size_t flags, json_error_t *why)
{
	json_t *value = json_loadb(text, len, flags, why);
	if (!value && json_error_code(why) == json_error_numeric_overflow)
		value = json_loadb(text, len, flags | JSON_DECODE_INT_AS_REAL, why);
	return value;
}

/* Parses the value that starts here; NULL: err is set. Release with json_decref(). */
static json_t *take_value(struct reader *r, size_t flags, struct err *err)
{
	json_error_t why;
	json_t *value = NULL;
	r->in.mark = r->in.at;
	r->in.marked = true;
	if (skip(r, false, err)) {
		value = parse(r->in.buf + r->in.mark, r->in.at - r->in.mark,
			      JSON_DECODE_ANY | flags, &why);
		if (!value) {
			r->in.at = r->in.mark;
			damaged(r, words_for(&why), err);
		}
	}
	r->in.marked = false;
	return value;
}

static bool expect(struct reader *r, int c, const char *what, struct err *err)
{
	if (skip_space(&r->in) != c)
		return damaged(r, what, err);
	r->in.at++;
	return true;
}

/* Reads a name and its colon into r->member. */
static bool take_name(struct reader *r, struct err *err)
{
	json_t *name;
	if (skip_space(&r->in) != '"')
		return damaged(r, "missing name", err);
	name = take_value(r, 0, err);
	if (!name)
		return false;
	free(r->member);
	r->member = xstrdup(json_string_value(name));
	json_decref(name);
	r->member_done = r->in_array = false;
	r->elements = 0;
	return expect(r, ':', "missing colon", err);
}

enum step { STEP_ON, STEP_ENOUGH, STEP_FAILED };

static struct reader_text text_here(struct reader *r)
{
	const char *text = r->in.buf + r->in.mark;

	for (size_t i = 0; i < r->place_count; i++)
		r->members[i] = reader_member_at(text, &r->places[i]);
	return (struct reader_text){ r->in.offset + r->in.mark, text,
				     r->in.at - r->in.mark, r->members, r->place_count };
}

/* Is all valid that was skipped? Its elements are not asked that, for there may be many. What is long may become
 * a hundred times as long when it is parsed, so only of what is short is said what is wrong with it. */
static bool check_text(struct reader *r, struct err *err)
{
	enum { SHORT = 1 << 20 };
	const char *text = r->in.buf + r->in.mark;
	const size_t len = r->in.at - r->in.mark;
	json_error_t why;

	if (text_is_json(text, len))
		return true;
	json_t *value = len < SHORT
				? parse(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why)
				: NULL;
	const char *words = len < SHORT && !value ? words_for(&why) : "invalid JSON";
	json_decref(value);
	r->in.at = r->in.mark;
	return damaged(r, words, err);
}

static enum step visit_text(struct reader *r, const struct reader_calls *calls,
			    struct err *err)
{
	enum step step = STEP_FAILED;

	r->place_count = 0;
	r->in.mark = r->in.at;
	r->in.marked = true;
	if (skip(r, true, err) && (r->in_array || check_text(r, err))) {
		const struct reader_text text = text_here(r);
		step = calls->text(calls->arg, r->member, r->elements, &text)
			       ? STEP_ON
			       : STEP_ENOUGH;
	}
	r->in.marked = false;
	return step;
}

static enum step visit(struct reader *r, const struct reader_calls *calls,
		       struct err *err)
{
	if (calls->text)
		return visit_text(r, calls, err);
	json_t *value = take_value(r, JSON_ALLOW_NUL, err);
	bool more;
	if (!value)
		return STEP_FAILED;
	more = calls->element(calls->arg, r->member, r->elements,
			      (const struct reader_node *)value);
	json_decref(value);
	return more ? STEP_ON : STEP_ENOUGH;
}

static enum step visit_elements(struct reader *r, const struct reader_calls *calls,
				struct err *err)
{
	r->in.at++; /* [ */
	r->in_array = true;
	if (skip_space(&r->in) == ']') {
		r->in.at++;
		return STEP_ON;
	}
	for (;;) {
		enum step step;
		int c;
		skip_space(&r->in);
		step = visit(r, calls, err);
		if (step != STEP_ON)
			return step;
		r->elements++;
		c = skip_space(&r->in);
		if (c != ',' && c != ']') {
			damaged(r, "missing comma between elements", err);
			return STEP_FAILED;
		}
		r->in.at++;
		if (c == ']')
			return STEP_ON;
	}
}

static enum step visit_array(struct reader *r, const struct reader_calls *calls,
			     struct err *err)
{
	if (calls->array)
		calls->array(calls->arg, r->member, true);
	enum step step = visit_elements(r, calls, err);
	if (calls->array)
		calls->array(calls->arg, r->member, false);
	return step;
}

static enum step visit_member(struct reader *r, const struct reader_calls *calls,
			      struct err *err)
{
	enum step step;
	if (!take_name(r, err))
		return STEP_FAILED;
	step = skip_space(&r->in) == '[' ? visit_array(r, calls, err)
					 : visit(r, calls, err);
	if (step == STEP_ON) {
		r->member_done = true;
		r->in_array = false;
	}
	return step;
}

bool reader_each(struct reader *r, reader_fn *fn, void *arg, struct err *err)
{
	return reader_visit(r, &(struct reader_calls){ .element = fn, .arg = arg }, err);
}

bool reader_visit(struct reader *r, const struct reader_calls *calls, struct err *err)
{
	int c;
	if (!input_rewind(&r->in, err))
		return false;
	free(r->member);
	r->member = NULL;
	if (!expect(r, '{', "missing object", err))
		return false;
	do {
		switch (visit_member(r, calls, err)) {
		case STEP_FAILED:
			return false;
		case STEP_ENOUGH:
			return true;
		case STEP_ON:
			break;
		}
		c = skip_space(&r->in);
		if (c != ',' && c != '}')
			return damaged(r, "missing comma between members", err);
		r->in.at++;
	} while (c == ',');
	if (strcmp(r->member, "end") != 0)
		return err_set(err, ERR_BAD_DATA, "%s: incomplete: \"end\" is missing",
			       r->in.name);
	return skip_space(&r->in) == END_OF_INPUT && err_is(&r->in.broken, ERR_NONE)
		       ? true
		       : damaged(r, "trailing data after the document", err);
}

const char *reader_name(const struct reader *r)
{
	return r->in.name;
}

char *reader_text_at(struct reader *r, uint64_t offset, size_t bytes)
{
	AUTO(xfree) char *text = xmalloc(bytes + 1);

	if (!input_read_at(&r->in, offset, text, bytes))
		return NULL;
	text[bytes] = '\0';
	return TAKE(text);
}

const struct reader_node *reader_at(struct reader *r, uint64_t offset, size_t bytes)
{
	AUTO(xfree) char *text = reader_text_at(r, offset, bytes);
	json_error_t why;

	return text ? (const struct reader_node *)parse(
			      text, bytes, JSON_DECODE_ANY | JSON_ALLOW_NUL, &why)
		    : NULL;
}

struct opening {
	bool gosnap;
	int64_t version;
};

static bool look_at_opening(void *arg, const char *member, size_t index,
			    const struct reader_node *node)
{
	struct opening *opening = arg;
	(void)index;
	if (!opening->gosnap)
		return opening->gosnap = strcmp(member, "format") == 0 &&
					 strcmp(node_string(node, ""), "gosnap") == 0;
	if (strcmp(member, "version") == 0)
		opening->version = node_int(node, -1);
	return false;
}

static bool is_document(struct reader *r, struct err *err)
{
	struct opening opening = { .version = -1 };
	bool read = reader_each(r, look_at_opening, &opening, err);
	if (!read && (err_is(err, ERR_SYS) || !err_is(&r->in.broken, ERR_NONE)))
		return false;
	if (r->in.offset + r->in.end == 0)
		return err_set(err, ERR_BAD_DATA, "%s: empty", r->in.name);
	if (!opening.gosnap)
		return err_set(err, ERR_BAD_DATA,
			       "%s: not a snapshot: it does not begin with \"format\": "
			       "\"gosnap\"",
			       r->in.name);
	if (!read)
		return false;
	if (opening.version > VERSION)
		return err_set(err, ERR_BAD_DATA,
			       "%s: format version %" PRId64
			       ", but this gosnap reads version %d: use a newer gosnap",
			       r->in.name, opening.version, VERSION);
	if (opening.version != VERSION)
		return err_set(err, ERR_BAD_DATA, "%s: unknown format version",
			       r->in.name);
	return true;
}

bool reader_unpack(struct reader *r, struct err *err)
{
	return input_unpack(&r->in, err);
}

struct reader *reader_open_fd(int fd, const char *name, struct err *err)
{
	AUTO(reader_close) struct reader *r = xcalloc(1, sizeof(*r));
	if (!input_init(&r->in, fd, name, err) || !is_document(r, err))
		return NULL;
	return TAKE(r);
}

int reader_find(const char *path, const char **ret_name, struct err *err)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			  : open(path, O_RDONLY | O_CLOEXEC);
	*ret_name = is_stdin ? "standard input" : path;
	if (fd < 0)
		err_sys(err, "cannot open %s", *ret_name);
	return fd;
}
