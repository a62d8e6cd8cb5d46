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
#include <zstd.h>

#include "lib/document/reader_priv.h"

enum {
	VERSION = 1,
	BUFFER_SIZE = 64 * 1024,
	/* bytes; our largest element is the id list of a group of millions. jansson needs
	 * up to ten times as much. */
	ELEMENT_MAX = 128 << 20,
	NAME_SHOWN = 40,
	END_OF_INPUT = -1,
};

struct reader {
	int fd;
	char *name; /* for messages */
	off_t start;
	ZSTD_DCtx *zstd; /* NULL: plain */
	ZSTD_inBuffer packed;
	char *packed_buf;

	/* buf[at..end) has been read but not scanned; from mark on, data must be kept. */
	char *buf;
	size_t mark, at, end, cap;
	bool marked;
	uint64_t offset;   /* of buf[0] in the uncompressed document */
	struct err broken; /* why reading ended; ERR_NONE: end of input */

	/* What has been scanned, for messages. */
	char *member; /* NULL: none yet */
	bool in_array, member_done;
	size_t elements;
};

static struct reader *reader_new(int fd, const char *name)
{
	struct reader *r = xcalloc(1, sizeof(*r));
	r->fd = fd;
	r->name = xstrdup(name);
	r->cap = BUFFER_SIZE;
	r->buf = xmalloc(r->cap);
	return r;
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	close(r->fd);
	ZSTD_freeDCtx(r->zstd);
	free(r->member);
	xfree(r->packed_buf);
	xfree(r->buf);
	xfree(r->name);
	xfree(r);
}

/* Reads from the file into p; 0: end of file or error. */
static size_t read_file(struct reader *r, char *p, size_t len)
{
	ssize_t n;
	do
		n = read(r->fd, p, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		err_sys(&r->broken, "cannot read %s", r->name);
	return n < 0 ? 0 : (size_t)n;
}

static size_t read_packed(struct reader *r, char *p, size_t len)
{
	ZSTD_outBuffer plain = { .dst = p, .size = len };
	for (;;) {
		/* First, what the decompressor still holds: the file may be at its
		 * end. */
		size_t left = ZSTD_decompressStream(r->zstd, &plain, &r->packed);
		if (ZSTD_isError(left)) {
			err_set(&r->broken, ERR_BAD_DATA, "%s: damaged compression: %s",
				r->name, ZSTD_getErrorName(left));
			return 0;
		}
		if (plain.pos > 0)
			return plain.pos;
		if (r->packed.pos < r->packed.size)
			continue;
		r->packed.pos = 0;
		r->packed.size = read_file(r, r->packed_buf, BUFFER_SIZE);
		if (r->packed.size == 0)
			return 0;
	}
}

/* Makes room after r->end by moving what is still needed to the front. */
static bool make_room(struct reader *r)
{
	size_t from = r->marked ? r->mark : r->at;
	memmove(r->buf, r->buf + from, r->end - from);
	r->offset += from;
	r->mark = 0;
	r->at -= from;
	r->end -= from;
	if (r->end < r->cap)
		return true;
	if (r->cap >= ELEMENT_MAX)
		return err_set(&r->broken, ERR_BAD_DATA,
			       "%s: element larger than %d MB at byte %" PRIu64, r->name,
			       ELEMENT_MAX >> 20, r->offset);
	r->cap *= 2;
	r->buf = xreallocarray(r->buf, r->cap, 1);
	return true;
}

static int fill(struct reader *r)
{
	size_t n;
	if (!err_is(&r->broken, ERR_NONE) || !make_room(r))
		return END_OF_INPUT;
	n = r->zstd ? read_packed(r, r->buf + r->end, r->cap - r->end)
		    : read_file(r, r->buf + r->end, r->cap - r->end);
	r->end += n;
	return n == 0 ? END_OF_INPUT : (unsigned char)r->buf[r->at];
}

static inline int peek(struct reader *r)
{
	return r->at < r->end ? (unsigned char)r->buf[r->at] : fill(r);
}

static inline bool is_space(int c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static int skip_space(struct reader *r)
{
	while (is_space(peek(r)))
		r->at++;
	return peek(r);
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
	if (!err_is(&r->broken, ERR_NONE)) {
		*err = r->broken;
		return false;
	}
	return err_set(err, ERR_BAD_DATA, "%s: truncated %s", r->name,
		       place(r, where, sizeof(where)));
}

static bool damaged(struct reader *r, const char *what, struct err *err)
{
	char where[NAME_SHOWN + 64];
	if (peek(r) == END_OF_INPUT)
		return cut_off(r, err);
	return err_set(err, ERR_BAD_DATA, "%s: damaged %s, at byte %" PRIu64 ": %s",
		       r->name, place(r, where, sizeof(where)), r->offset + r->at, what);
}

/* Skips a string, from its opening quote. */
static bool skip_string(struct reader *r, struct err *err)
{
	r->at++;
	for (;;) {
		int c = peek(r);
		if (c == END_OF_INPUT)
			return cut_off(r, err);
		r->at++;
		if (c == '"')
			return true;
		if (c == '\\') {
			if (peek(r) == END_OF_INPUT)
				return cut_off(r, err);
			r->at++;
		}
	}
}

/* Skips a number or literal. It only ends if something follows: otherwise 12 would be
 * accepted for a truncated 123. */
static bool skip_scalar(struct reader *r, struct err *err)
{
	int c = peek(r);
	while (c != END_OF_INPUT && !is_space(c) && !strchr(",:[]{}\"", c)) {
		r->at++;
		c = peek(r);
	}
	return c == END_OF_INPUT ? cut_off(r, err) : true;
}

/* Skips a value. jansson validates what is inside brackets. */
static bool skip_value(struct reader *r, struct err *err)
{
	size_t depth = 0;
	int c = peek(r);
	if (c != '{' && c != '[' && c != '"')
		return skip_scalar(r, err);
	do {
		c = peek(r);
		if (c == END_OF_INPUT)
			return cut_off(r, err);
		if (c == '"') {
			if (!skip_string(r, err))
				return false;
			continue;
		}
		if (c == '{' || c == '[')
			depth++;
		else if (c == '}' || c == ']')
			depth--;
		r->at++;
	} while (depth > 0);
	return true;
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
	r->mark = r->at;
	r->marked = true;
	if (skip_value(r, err)) {
		value = parse(r->buf + r->mark, r->at - r->mark, JSON_DECODE_ANY | flags,
			      &why);
		if (!value) {
			r->at = r->mark;
			damaged(r, words_for(&why), err);
		}
	}
	r->marked = false;
	return value;
}

static bool expect(struct reader *r, int c, const char *what, struct err *err)
{
	if (skip_space(r) != c)
		return damaged(r, what, err);
	r->at++;
	return true;
}

/* Reads a name and its colon into r->member. */
static bool take_name(struct reader *r, struct err *err)
{
	json_t *name;
	if (skip_space(r) != '"')
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

static enum step visit(struct reader *r, const struct reader_calls *calls,
		       struct err *err)
{
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
	r->at++; /* [ */
	r->in_array = true;
	if (skip_space(r) == ']') {
		r->at++;
		return STEP_ON;
	}
	for (;;) {
		enum step step;
		int c;
		skip_space(r);
		step = visit(r, calls, err);
		if (step != STEP_ON)
			return step;
		r->elements++;
		c = skip_space(r);
		if (c != ',' && c != ']') {
			damaged(r, "missing comma between elements", err);
			return STEP_FAILED;
		}
		r->at++;
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
	step = skip_space(r) == '[' ? visit_array(r, calls, err) : visit(r, calls, err);
	if (step == STEP_ON) {
		r->member_done = true;
		r->in_array = false;
	}
	return step;
}

static bool rewind_input(struct reader *r, struct err *err)
{
	if (lseek(r->fd, r->start, SEEK_SET) < 0)
		return err_sys(err, "cannot rewind %s", r->name);
	if (r->zstd)
		ZSTD_DCtx_reset(r->zstd, ZSTD_reset_session_only);
	r->packed = (ZSTD_inBuffer){ .src = r->packed_buf };
	r->mark = r->at = r->end = 0;
	r->offset = 0;
	r->broken.code = ERR_NONE;
	free(r->member);
	r->member = NULL;
	return true;
}

bool reader_each(struct reader *r, reader_fn *fn, void *arg, struct err *err)
{
	return reader_visit(r, &(struct reader_calls){ fn, NULL, arg }, err);
}

bool reader_visit(struct reader *r, const struct reader_calls *calls, struct err *err)
{
	int c;
	if (!rewind_input(r, err) || !expect(r, '{', "missing object", err))
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
		c = skip_space(r);
		if (c != ',' && c != '}')
			return damaged(r, "missing comma between members", err);
		r->at++;
	} while (c == ',');
	if (strcmp(r->member, "end") != 0)
		return err_set(err, ERR_BAD_DATA, "%s: incomplete: \"end\" is missing",
			       r->name);
	return skip_space(r) == END_OF_INPUT && err_is(&r->broken, ERR_NONE)
		       ? true
		       : damaged(r, "trailing data after the document", err);
}

uint64_t reader_offset(const struct reader *r)
{
	return r->offset + r->mark;
}

size_t reader_bytes(const struct reader *r)
{
	return r->at - r->mark;
}

const struct reader_node *reader_at(struct reader *r, uint64_t offset, size_t bytes)
{
	AUTO(xfree) char *text = xmalloc(bytes + 1);
	json_error_t why;

	if (r->zstd || bytes > ELEMENT_MAX ||
	    pread(r->fd, text, bytes, r->start + (off_t)offset) != (ssize_t)bytes)
		return NULL;
	return (const struct reader_node *)parse(text, bytes,
						 JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
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
	if (!read && (err_is(err, ERR_SYS) || !err_is(&r->broken, ERR_NONE)))
		return false;
	if (r->offset + r->end == 0)
		return err_set(err, ERR_BAD_DATA, "%s: empty", r->name);
	if (!opening.gosnap)
		return err_set(err, ERR_BAD_DATA,
			       "%s: not a snapshot: it does not begin with \"format\": "
			       "\"gosnap\"",
			       r->name);
	if (!read)
		return false;
	if (opening.version > VERSION)
		return err_set(err, ERR_BAD_DATA,
			       "%s: format version %" PRId64
			       ", but this gosnap reads version %d: use a newer gosnap",
			       r->name, opening.version, VERSION);
	if (opening.version != VERSION)
		return err_set(err, ERR_BAD_DATA, "%s: unknown format version", r->name);
	return true;
}

static bool starts_packed(struct reader *r, struct err *err)
{
	static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
	char head[sizeof(magic)];
	ssize_t n = pread(r->fd, head, sizeof(head), r->start);
	if (n < 0)
		return err_sys(err, "cannot read %s", r->name);
	if (n != sizeof(head) || memcmp(head, magic, sizeof(magic)) != 0)
		return true;
	r->zstd = ZSTD_createDCtx();
	r->packed_buf = xmalloc(BUFFER_SIZE);
	return r->zstd ? true
		       : err_set(err, ERR_SYS, "cannot decompress %s: out of memory",
				 r->name);
}

/* A pipe cannot be read twice: copy it to an anonymous file. */
static bool spool(struct reader *r, struct err *err)
{
	int fd = spool_open(err);
	size_t n;
	if (fd < 0)
		return false;
	while ((n = read_file(r, r->buf, r->cap)) > 0) {
		if (!write_fully(fd, r->buf, n)) {
			err_sys(err, "cannot write a temporary file");
			close(fd);
			return false;
		}
	}
	close(r->fd);
	r->fd = fd;
	if (err_is(&r->broken, ERR_NONE))
		return true;
	*err = r->broken;
	return false;
}

/* What is damaged stays packed: then who reads the document says so. */
bool reader_unpack(struct reader *r, struct err *err)
{
	size_t n;

	if (!r->zstd)
		return true;
	int fd = spool_open(err);
	if (fd < 0 || !rewind_input(r, err))
		return false;
	while ((n = read_packed(r, r->buf, r->cap)) > 0) {
		if (!write_fully(fd, r->buf, n)) {
			close(fd);
			return err_sys(err, "cannot write a temporary file");
		}
	}
	if (!err_is(&r->broken, ERR_NONE)) {
		close(fd);
		return true;
	}
	close(r->fd);
	ZSTD_freeDCtx(r->zstd);
	r->zstd = NULL;
	r->fd = fd;
	r->start = 0;
	return true;
}

struct reader *reader_open_fd(int fd, const char *name, struct err *err)
{
	AUTO(reader_close) struct reader *r = reader_new(fd, name);
	r->start = lseek(fd, 0, SEEK_CUR);
	if (r->start < 0) {
		r->start = 0;
		if (!spool(r, err))
			return NULL;
	}
	if (!starts_packed(r, err) || !is_document(r, err))
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
