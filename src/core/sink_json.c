/* SPDX-License-Identifier: Apache-2.0 */
/* sink_json.c - the streaming JSON writer of sink.h. */
#include "sink.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "utf8.h"
#include "writer.h"

enum {
	TEXT_CHUNK = 4096, /* bytes of text escaped at a time: six times this fits the
			      buffer */
	MARK_ROOM = 6 * TEXT_CHUNK + 64, /* the longest that is written at once */
	DEPTH_MAX = 512, /* deeper is a mistake of ours: printers limit what the subject
			      may ask */
	PART_FIRST = 64 * 1024, /* bytes of a part */
	PART_DEPTH = 2,		/* its elements are those of a top-level array */
};

struct level {
	enum sink_kind kind;
	bool empty;
};

struct sink {
	struct writer *writer; /* NULL: it is a part */
	char *buf;	       /* the writer's, or its own */
	size_t used, size;
	uint64_t flushed;
	bool named;	   /* a name was written, its value was not */
	struct mark *mark; /* NULL: none */
	unsigned depth;
	struct level levels[DEPTH_MAX];
};

struct mark {
	size_t used; /* in the buffer, before it */
	char *held;  /* what followed and had no room in the buffer */
	size_t held_len, held_cap;
	bool named;
	unsigned depth;
	struct level level;
};

struct sink *sink_json_new(int fd, bool zstd)
{
	struct sink *out = xcalloc(1, sizeof(*out));

	out->writer = writer_new(fd, zstd);
	out->buf = writer_buffer(out->writer);
	out->size = WRITER_BUFFER;
	return out;
}

struct sink *sink_part_new(void)
{
	struct sink *out = xcalloc(1, sizeof(*out));

	out->size = PART_FIRST;
	out->buf = xmalloc(out->size);
	out->depth = PART_DEPTH;
	out->levels[0] = (struct level){ .kind = SINK_OBJECT };
	out->levels[1] = (struct level){ .kind = SINK_ARRAY, .empty = true };
	return out;
}

void sink_free(struct sink *out)
{
	if (!out)
		return;
	if (!out->writer)
		xfree(out->buf);
	writer_free(out->writer);
	if (out->mark)
		xfree(out->mark->held);
	xfree(out->mark);
	xfree(out);
}

static void hold(struct sink *out, struct mark *m)
{
	size_t len = out->used - m->used;

	if (m->held_len + len > m->held_cap) {
		m->held_cap = 2 * (m->held_len + len);
		m->held = xreallocarray(m->held, m->held_cap, 1);
	}
	memcpy(m->held + m->held_len, out->buf + m->used, len);
	m->held_len += len;
	out->used = m->used;
}

static void flush(struct sink *out)
{
	if (!out->writer) {
		out->size *= 2;
		out->buf = xreallocarray(out->buf, out->size, 1);
		return;
	}
	if (out->mark) {
		hold(out, out->mark);
		return;
	}
	out->buf = writer_next(out->writer, out->used);
	out->flushed += out->used;
	out->used = 0;
}

/* Room for len bytes at the returned place; the caller adds what it used to out->used. */
static inline char *room(struct sink *out, size_t len)
{
	if (out->size - out->used < len) {
		assert(len <= out->size);
		flush(out);
	}
	return out->buf + out->used;
}

static inline void put_char(struct sink *out, char c)
{
	*room(out, 1) = c;
	out->used++;
}

static void put(struct sink *out, const char *p, size_t len)
{
	while (len > 0) {
		size_t n = len < TEXT_CHUNK ? len : TEXT_CHUNK;
		memcpy(room(out, n), p, n);
		out->used += n;
		p += n;
		len -= n;
	}
}

/* One line for each top-level member, and for each element of a top-level array. */
static inline bool has_own_lines(const struct sink *out)
{
	return out->depth == 1 || (out->depth == 2 && out->levels[1].kind == SINK_ARRAY);
}

static inline void separate(struct sink *out)
{
	struct level *level = &out->levels[out->depth - 1];
	if (!level->empty)
		put_char(out, ',');
	level->empty = false;
	if (has_own_lines(out))
		put_char(out, '\n');
}

static inline void before_value(struct sink *out)
{
	if (out->named) {
		out->named = false;
	} else if (out->depth > 0) {
		assert(out->levels[out->depth - 1].kind == SINK_ARRAY);
		separate(out);
	}
}

void sink_name(struct sink *out, const char *name)
{
	size_t len = strlen(name);
	assert(out->depth > 0 && out->levels[out->depth - 1].kind == SINK_OBJECT &&
	       !out->named);
	separate(out);
	char *to = room(out, len + 3);
	*to++ = '"';
	memcpy(to, name, len);
	memcpy(to + len, "\":", 2);
	out->used += len + 3;
	out->named = true;
}

void sink_begin(struct sink *out, enum sink_kind kind)
{
	before_value(out);
	assert(out->depth < DEPTH_MAX);
	out->levels[out->depth++] = (struct level){ .kind = kind, .empty = true };
	put_char(out, kind == SINK_OBJECT ? '{' : '[');
}

void sink_end(struct sink *out)
{
	assert(out->depth > 0 && !out->named);
	struct level level = out->levels[out->depth - 1];
	if (!level.empty && has_own_lines(out))
		put_char(out, '\n');
	out->depth--;
	put_char(out, level.kind == SINK_OBJECT ? '}' : ']');
}

/* Writes the digits in front of end; returns where they begin. */
static char *format_decimal(char *end, uint64_t value)
{
	do
		*--end = (char)('0' + value % 10);
	while (value /= 10);
	return end;
}

void sink_uint(struct sink *out, uint64_t value)
{
	char text[20], *end = text + sizeof(text), *start = format_decimal(end, value);
	before_value(out);
	put(out, start, (size_t)(end - start));
}

/* As short as reads back the same. */
void sink_float(struct sink *out, double value, enum sink_precision precision)
{
	char text[40];

	if (!isfinite(value)) {
		sink_string(out, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
		return;
	}
	for (int digits = 1; digits <= (int)precision; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		double back = precision == SINK_SINGLE ? strtof(text, NULL)
						       : strtod(text, NULL);
		if (back == value)
			break;
	}
	before_value(out);
	put(out, text, strlen(text));
}

void sink_int(struct sink *out, int64_t value)
{
	char text[21], *end = text + sizeof(text);
	char *start = format_decimal(end, value < 0 ? -(uint64_t)value : (uint64_t)value);
	if (value < 0)
		*--start = '-';
	before_value(out);
	put(out, start, (size_t)(end - start));
}

void sink_bool(struct sink *out, bool value)
{
	before_value(out);
	put(out, value ? "true" : "false", value ? 4 : 5);
}

void sink_null(struct sink *out)
{
	before_value(out);
	put(out, "null", 4);
}

static const char hex_digits[16] = "0123456789abcdef";

void sink_address(struct sink *out, uint64_t addr)
{
	char text[20], *end = text + sizeof(text), *start = end;
	*--start = '"';
	do
		*--start = hex_digits[addr & 15];
	while (addr >>= 4);
	*--start = 'x';
	*--start = '0';
	*--start = '"';
	before_value(out);
	put(out, start, (size_t)(end - start));
}

void sink_hex(struct sink *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	before_value(out);
	put_char(out, '"');
	for (size_t i = 0; i < len; i++) {
		char *to = room(out, 2);
		to[0] = hex_digits[p[i] >> 4];
		to[1] = hex_digits[p[i] & 15];
		out->used += 2;
	}
	put_char(out, '"');
}

static inline bool is_plain(uint8_t c)
{
	return c >= 0x20 && c != '"' && c != '\\';
}

/* The high bit of each byte of x that is zero is set, and perhaps that of one behind it. */
static inline uint64_t zero_bytes(uint64_t x)
{
	return (x - 0x0101010101010101) & ~x & 0x8080808080808080;
}

/* ASCII that needs no escaping, as nearly all names and paths are: eight bytes at a time. */
static bool is_all_plain(const uint8_t *p, size_t len)
{
	for (; len >= sizeof(uint64_t); p += sizeof(uint64_t), len -= sizeof(uint64_t)) {
		uint64_t x;
		memcpy(&x, p, sizeof(x));
		uint64_t control = (x - 0x2020202020202020) & ~x;
		if (((x | control) & 0x8080808080808080) |
		    zero_bytes(x ^ 0x2222222222222222) |
		    zero_bytes(x ^ 0x5c5c5c5c5c5c5c5c))
			return false;
	}
	for (; len > 0; p++, len--)
		if (*p >= 0x80 || !is_plain(*p))
			return false;
	return true;
}

static char *escape(char *to, uint8_t c)
{
	static const char letters[] = "\"\"\\\\\bb\ff\nn\rr\tt";
	*to++ = '\\';
	for (const char *l = letters; *l; l += 2) {
		if ((uint8_t)*l == c) {
			*to++ = l[1];
			return to;
		}
	}
	memcpy(to, "u00", 3);
	to[3] = hex_digits[c >> 4];
	to[4] = hex_digits[c & 15];
	return to + 5;
}

static void put_escaped(struct sink *out, const uint8_t *p, size_t len)
{
	while (len > 0) {
		size_t n = len < TEXT_CHUNK ? len : TEXT_CHUNK;
		char *start = room(out, n * 6), *to = start;
		for (size_t i = 0; i < n; i++) {
			if (is_plain(p[i]))
				*to++ = (char)p[i];
			else
				to = escape(to, p[i]);
		}
		out->used += (size_t)(to - start);
		p += n;
		len -= n;
	}
}

void sink_text(struct sink *out, const void *s, size_t len)
{
	if (is_all_plain(s, len)) {
		sink_plain(out, s, len);
		return;
	}
	if (!utf8_valid(s, len)) {
		sink_begin(out, SINK_OBJECT);
		sink_name(out, "hex");
		sink_hex(out, s, len);
		sink_end(out);
		return;
	}
	before_value(out);
	put_char(out, '"');
	put_escaped(out, s, len);
	put_char(out, '"');
}

void sink_plain(struct sink *out, const char *s, size_t len)
{
	before_value(out);
	put_char(out, '"');
	put(out, s, len);
	put_char(out, '"');
}

void sink_string(struct sink *out, const char *s)
{
	sink_text(out, s, strlen(s));
}

void sink_time(struct sink *out, uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / 1000000000);
	char text[64], nanoseconds[9], *digits = nanoseconds + sizeof(nanoseconds);
	struct tm tm;
	size_t len;
	gmtime_r(&seconds, &tm);
	len = strftime(text, sizeof(text), "\"%Y-%m-%dT%H:%M:%S.", &tm);
	digits = format_decimal(digits, realtime_ns % 1000000000);
	while (digits > nanoseconds)
		*--digits = '0';
	before_value(out);
	put(out, text, len);
	put(out, nanoseconds, sizeof(nanoseconds));
	put(out, "Z\"", 2);
}

void sink_named_uint(struct sink *out, const char *name, uint64_t value)
{
	sink_name(out, name);
	sink_uint(out, value);
}

void sink_named_int(struct sink *out, const char *name, int64_t value)
{
	sink_name(out, name);
	sink_int(out, value);
}

void sink_named_bool(struct sink *out, const char *name, bool value)
{
	sink_name(out, name);
	sink_bool(out, value);
}

void sink_named_address(struct sink *out, const char *name, uint64_t addr)
{
	sink_name(out, name);
	sink_address(out, addr);
}

void sink_named_string(struct sink *out, const char *name, const char *s)
{
	if (!s)
		return;
	sink_name(out, name);
	sink_string(out, s);
}

void sink_named_begin(struct sink *out, const char *name, enum sink_kind kind)
{
	sink_name(out, name);
	sink_begin(out, kind);
}

void sink_mark(struct sink *out)
{
	struct level level = { .empty = true };

	assert(!out->mark);
	if (out->size - out->used < MARK_ROOM)
		flush(out);
	if (out->depth > 0)
		level = out->levels[out->depth - 1];
	out->mark = xcalloc(1, sizeof(*out->mark));
	*out->mark = (struct mark){ .used = out->used,
				    .named = out->named,
				    .depth = out->depth,
				    .level = level };
}

void sink_rewind(struct sink *out)
{
	struct mark *m = out->mark;

	out->used = m->used;
	m->held_len = 0;
	out->named = m->named;
	out->depth = m->depth;
	if (out->depth > 0)
		out->levels[out->depth - 1] = m->level;
}

void sink_release(struct sink *out)
{
	struct mark *m = out->mark;

	if (m->held_len > 0)
		hold(out, m);
	out->mark = NULL;
	put(out, m->held, m->held_len);
	xfree(m->held);
	xfree(m);
}

size_t sink_part_bytes(const struct sink *part)
{
	assert(!part->writer && part->depth == PART_DEPTH);
	return part->used;
}

void sink_part_cut(struct sink *part, size_t bytes)
{
	assert(!part->writer && part->depth == PART_DEPTH && bytes <= part->used);
	part->used = bytes;
	part->levels[PART_DEPTH - 1].empty = bytes == 0;
}

const char *sink_part_text(const struct sink *part)
{
	return part->buf;
}

void sink_add_part(struct sink *out, const char *text, size_t bytes)
{
	struct level *level = &out->levels[out->depth - 1];

	assert(out->depth == PART_DEPTH && level->kind == SINK_ARRAY);
	if (!bytes)
		return;
	if (!level->empty)
		put_char(out, ',');
	level->empty = false;
	put(out, text, bytes);
}

uint64_t sink_bytes(const struct sink *out)
{
	return out->flushed + out->used + (out->mark ? out->mark->held_len : 0);
}

bool sink_finish(struct sink *out, int *errno_ret, struct err *err)
{
	assert(out->depth == 0 && !out->named);
	put_char(out, '\n');
	int error = writer_finish(out->writer, out->used);
	out->flushed += out->used;
	out->used = 0;
	if (errno_ret)
		*errno_ret = error;
	if (!error)
		return true;
	errno = error;
	return err_sys(err, "cannot write the document");
}
