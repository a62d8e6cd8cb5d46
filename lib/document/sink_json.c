/* SPDX-License-Identifier: Apache-2.0 */
/* sink_json.c - the streaming JSON writer of sink.h. */
#include "lib/document/sink.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/utf8.h"
#include "lib/document/remains.h"
#include "lib/document/writer.h"

enum {
	TEXT_CHUNK = 4096, /* bytes escaped at a time: six times this fits the buffer */
	MARK_ROOM = 6 * TEXT_CHUNK + 64, /* longest single write */
	DEPTH_MAX = 512,	/* deeper is a bug of ours: printers limit the subject */
	PART_FIRST = 64 * 1024, /* bytes of a part */
	PART_DEPTH = 2,		/* its elements are in a top-level array */
	NUMBER_ROOM = 24,	/* for any number, with quotes */
	SHORT_TEXT = 256,	/* written in one piece, with separators */
};

struct level {
	enum sink_kind kind;
	bool empty;
	bool lines; /* one per top-level member, and per element of a top-level array */
};

struct sink {
	struct writer *writer; /* NULL: a part */
	char *buf;	       /* the writer's, or our own */
	size_t used, size;
	uint64_t flushed;
	bool named;		 /* after a name, before its value */
	struct mark *mark;	 /* NULL: none */
	struct remains *remains; /* NULL: none */
	size_t kept, whole; /* bytes of the buffer that are there; that are elements */
	unsigned depth;
	struct level levels[DEPTH_MAX];
};

struct mark {
	size_t used; /* bytes in the buffer before the mark */
	char *held;  /* later data that did not fit in the buffer */
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

void sink_keep_remains(struct sink *out, struct remains *remains)
{
	out->remains = remains;
	writer_tell(out->writer, remains);
}

struct sink *sink_part_new(void)
{
	struct sink *out = xcalloc(1, sizeof(*out));

	out->size = PART_FIRST;
	out->buf = xmalloc(out->size);
	out->depth = PART_DEPTH;
	out->levels[0] = (struct level){ .kind = SINK_OBJECT, .lines = true };
	out->levels[1] = (struct level){ SINK_ARRAY, .empty = true, .lines = true };
	return out;
}

struct sink *sink_members_new(void)
{
	struct sink *out = sink_part_new();

	out->levels[out->depth++] = (struct level){ .kind = SINK_OBJECT, .empty = true };
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

static void keep(struct sink *out)
{
	remains_add(out->remains, out->buf + out->kept, out->used - out->kept);
	out->kept = out->used;
}

/* What has just been closed may be a whole member or element. */
static void note_whole(struct sink *out)
{
	if (!out->remains || out->mark || out->depth > PART_DEPTH ||
	    (out->depth == PART_DEPTH && out->levels[1].kind != SINK_ARRAY))
		return;
	keep(out);
	out->whole = out->used;
	remains_whole(out->remains, out->depth);
}

/* An element that is not whole goes to the next buffer, unless it has filled this one. */
static void write_out(struct sink *out)
{
	const char *from = out->buf;
	const size_t n = out->whole ? out->whole : out->used;

	if (out->remains)
		keep(out);
	out->buf = writer_next(out->writer, n);
	out->flushed += n;
	out->used -= n;
	memmove(out->buf, from + n, out->used);
	out->kept = out->used;
	out->whole = 0;
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
	write_out(out);
}

/* Reserves len bytes and returns their start; the caller adds the bytes used to
 * out->used. */
static inline char *room(struct sink *out, size_t len)
{
	while (out->size - out->used < len) {
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

/* Separators before a member or element: at most two characters. */
enum { BEFORE = 2 };
static inline char *separate(struct sink *out, char *to)
{
	struct level *level = &out->levels[out->depth - 1];

	if (!level->empty)
		*to++ = ',';
	level->empty = false;
	if (level->lines)
		*to++ = '\n';
	return to;
}

/* Reserves room for a value of at most len bytes; end_value() ends it. */
static inline char *begin_value(struct sink *out, size_t len)
{
	char *to = room(out, len + BEFORE);

	if (!out->named && out->depth > 0) {
		assert(out->levels[out->depth - 1].kind == SINK_ARRAY);
		to = separate(out, to);
	}
	out->named = false;
	return to;
}

static inline void end_value(struct sink *out, const char *to)
{
	out->used = (size_t)(to - out->buf);
}

static inline char *add(char *to, const char *text, size_t len)
{
	memcpy(to, text, len);
	return to + len;
}

void sink_name_of(struct sink *out, const char *name, size_t len)
{
	assert(out->depth > 0 && out->levels[out->depth - 1].kind == SINK_OBJECT &&
	       !out->named);
	char *to = separate(out, room(out, len + BEFORE + 3));
	*to++ = '"';
	to = add(to, name, len);
	*to++ = '"';
	*to++ = ':';
	end_value(out, to);
	out->named = true;
}

void sink_add_members(struct sink *out, const char *text, size_t len)
{
	assert(out->depth > 0 && out->levels[out->depth - 1].kind == SINK_OBJECT &&
	       !out->named);
	if (!len)
		return;
	end_value(out, separate(out, room(out, BEFORE)));
	put(out, text, len);
}

void sink_begin(struct sink *out, enum sink_kind kind)
{
	char *to = begin_value(out, 1);

	assert(out->depth < DEPTH_MAX);
	bool lines = out->depth == 0 || (out->depth == 1 && kind == SINK_ARRAY);
	out->levels[out->depth++] = (struct level){ kind, .empty = true, .lines = lines };
	*to++ = kind == SINK_OBJECT ? '{' : '[';
	end_value(out, to);
}

void sink_end(struct sink *out)
{
	char *to = room(out, BEFORE);

	assert(out->depth > 0 && !out->named);
	const struct level *level = &out->levels[--out->depth];
	if (!level->empty && level->lines)
		*to++ = '\n';
	*to++ = level->kind == SINK_OBJECT ? '}' : ']';
	end_value(out, to);
	note_whole(out);
}

/* Writes the digits before end; returns their start. */
static char *format_decimal(char *end, uint64_t value)
{
	do
		*--end = (char)('0' + value % 10);
	while (value /= 10);
	return end;
}

static char *add_decimal(char *to, uint64_t value)
{
	char text[20], *end = text + sizeof(text), *start = format_decimal(end, value);

	if (value < 10) {
		*to = *start;
		return to + 1;
	}
	return add(to, start, (size_t)(end - start));
}

void sink_uint(struct sink *out, uint64_t value)
{
	end_value(out, add_decimal(begin_value(out, NUMBER_ROOM), value));
}

/* The shortest form that reads back the same. Not "-0": many readers take that for an
 * integer, which has no sign. */
void sink_float(struct sink *out, double value, enum sink_precision precision)
{
	char text[REAL_BYTES];

	if (!isfinite(value)) {
		sink_string(out, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
		return;
	}
	shortest_real(text, value, precision == SINK_SINGLE);
	if (value == 0 && signbit(value))
		snprintf(text, sizeof(text), "-0.0");
	size_t len = strlen(text);
	end_value(out, add(begin_value(out, len), text, len));
}

void sink_int(struct sink *out, int64_t value)
{
	char *to = begin_value(out, NUMBER_ROOM);

	if (value < 0)
		*to++ = '-';
	end_value(out, add_decimal(to, value < 0 ? -(uint64_t)value : (uint64_t)value));
}

void sink_bool(struct sink *out, bool value)
{
	char *to = begin_value(out, 5);

	end_value(out, value ? add(to, "true", 4) : add(to, "false", 5));
}

void sink_null(struct sink *out)
{
	end_value(out, add(begin_value(out, 4), "null", 4));
}

static const char hex_digits[16] = "0123456789abcdef";

void sink_address(struct sink *out, uint64_t addr)
{
	int digits = addr ? (67 - __builtin_clzll(addr)) / 4 : 1;
	char *to = add(begin_value(out, NUMBER_ROOM), "\"0x", 3);

	for (int i = digits; i-- > 0; addr >>= 4)
		to[i] = hex_digits[addr & 15];
	to[digits] = '"';
	end_value(out, to + digits + 1);
}

void sink_hex(struct sink *out, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	char *to = begin_value(out, 1);

	*to++ = '"';
	end_value(out, to);
	while (len > 0) {
		size_t n = len < TEXT_CHUNK ? len : TEXT_CHUNK;
		to = room(out, 2 * n);
		for (size_t i = 0; i < n; i++) {
			*to++ = hex_digits[p[i] >> 4];
			*to++ = hex_digits[p[i] & 15];
		}
		end_value(out, to);
		p += n;
		len -= n;
	}
	put_char(out, '"');
}

static inline bool is_plain(uint8_t c)
{
	return c >= 0x20 && c != '"' && c != '\\';
}

/* Sets the high bit of each byte that is zero in x, and perhaps of a higher byte. */
static inline uint64_t zero_bytes(uint64_t x)
{
	return (x - 0x0101010101010101) & ~x & 0x8080808080808080;
}

static inline bool is_plain_word(uint64_t x)
{
	uint64_t control = (x - 0x2020202020202020) & ~x;

	return !(((x | control) & 0x8080808080808080) |
		 zero_bytes(x ^ 0x2222222222222222) | zero_bytes(x ^ 0x5c5c5c5c5c5c5c5c));
}

/* ASCII without escapes, like most names and paths: checks eight bytes at a time. */
static bool is_all_plain(const uint8_t *p, size_t len)
{
	uint64_t x;

	for (; len >= sizeof(x); p += sizeof(x), len -= sizeof(x)) {
		memcpy(&x, p, sizeof(x));
		if (!is_plain_word(x))
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
	sink_plain(out, "", 0);
	out->used--; /* removes the last quote */
	put_escaped(out, s, len);
	put_char(out, '"');
}

void sink_name_text(struct sink *out, const char *name, size_t len)
{
	if (is_all_plain((const uint8_t *)name, len)) {
		sink_name_of(out, name, len);
		return;
	}
	sink_name_of(out, "", 0);
	out->used -= strlen("\":");
	put_escaped(out, (const uint8_t *)name, len);
	put(out, "\":", 2);
}

void sink_plain(struct sink *out, const char *s, size_t len)
{
	char *to = begin_value(out, SHORT_TEXT + 2);

	*to++ = '"';
	if (len <= SHORT_TEXT) {
		to = add(to, s, len);
		*to++ = '"';
		end_value(out, to);
		return;
	}
	end_value(out, to);
	put(out, s, len);
	put_char(out, '"');
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
	end_value(out, begin_value(out, 0));
	put(out, text, len);
	put(out, nanoseconds, sizeof(nanoseconds));
	put(out, "Z\"", 2);
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
	assert(!part->writer && part->depth >= PART_DEPTH && !part->named);
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

	assert(out->depth >= PART_DEPTH && level->kind == SINK_ARRAY);
	if (!bytes)
		return;
	if (!level->empty)
		put_char(out, ',');
	level->empty = false;
	put(out, text, bytes);
	note_whole(out);
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
