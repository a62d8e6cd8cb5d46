/* SPDX-License-Identifier: Apache-2.0 */
/* sink.h - output for printers: a streaming JSON writer that never holds the whole
 * document. Callers emit values; the sink adds punctuation. It borrows what it is
 * given until the call returns. Errors (full disk, closed pipe) are sticky: nothing
 * more is written, and sink_finish() reports the first. Knows JSON and files, but
 * none of the document's fields: reader.h reads what this writes. */
#ifndef GOSNAP_SINK_H
#define GOSNAP_SINK_H

#include <string.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct sink;

enum sink_kind { SINK_OBJECT, SINK_ARRAY };

/* Writes to fd (borrowed), compressed with zstd on request. */
struct sink *sink_json_new(int fd, bool zstd);
/* Before anything is written: keeps the end of it there, and writes whole elements only, as long as
 * they fit in a buffer. Borrowed. */
struct remains;
void sink_keep_remains(struct sink *out, struct remains *remains);
void sink_free(struct sink *out);
DEFINE_AUTO(struct sink, sink_free)

/* Array elements of the document, buffered until sink_add_part() writes them. */
struct sink *sink_part_new(void);
/* The size so far, to which sink_part_cut() can truncate. Only between elements. */
size_t sink_part_bytes(const struct sink *part);
void sink_part_cut(struct sink *part, size_t bytes);
/* Borrowed until the next write. */
const char *sink_part_text(const struct sink *part);
/* Appends the elements of a part, or one that is JSON, to the open array. */
void sink_add_part(struct sink *out, const char *text, size_t bytes);

/* Inside an object every value is preceded by sink_name(); keys are ASCII literals. */
void sink_begin(struct sink *out, enum sink_kind kind);
void sink_end(struct sink *out);
void sink_name_of(struct sink *out, const char *name, size_t len);
/* inline, so that strlen() of a literal is a constant. */
static inline void sink_name(struct sink *out, const char *name)
{
	sink_name_of(out, name, strlen(name));
}
/* Any UTF-8. */
void sink_name_text(struct sink *out, const char *name, size_t len);
void sink_uint(struct sink *out, uint64_t value);
void sink_int(struct sink *out, int64_t value);
/* NaN and the infinities become strings. The precisions are the digits that represent
 * every value of the type uniquely. */
enum sink_precision { SINK_SINGLE, SINK_DOUBLE };
void sink_float(struct sink *out, double value, enum sink_precision precision);
void sink_bool(struct sink *out, bool value);
void sink_null(struct sink *out);
void sink_address(struct sink *out, uint64_t addr); /* "0xc000012345" */
/* Any bytes: an escaped JSON string if valid UTF-8 (NUL allowed), else {"hex": "..."}. */
void sink_text(struct sink *out, const void *s, size_t len);
static inline void sink_string(struct sink *out, const char *s)
{
	sink_text(out, s, strlen(s));
}
/* ASCII that needs no escaping; not checked. */
void sink_plain(struct sink *out, const char *s, size_t len);
void sink_hex(struct sink *out, const void *bytes, size_t len); /* "00ff.." */
void sink_time(struct sink *out, uint64_t realtime_ns);		/* RFC 3339, UTC, ns */

/* A name and its value in one call, inside objects. */
static inline void sink_named_uint(struct sink *out, const char *name, uint64_t value)
{
	sink_name(out, name);
	sink_uint(out, value);
}

static inline void sink_named_int(struct sink *out, const char *name, int64_t value)
{
	sink_name(out, name);
	sink_int(out, value);
}

static inline void sink_named_bool(struct sink *out, const char *name, bool value)
{
	sink_name(out, name);
	sink_bool(out, value);
}

static inline void sink_named_address(struct sink *out, const char *name, uint64_t addr)
{
	sink_name(out, name);
	sink_address(out, addr);
}

/* NULL: omits the member */
static inline void sink_named_string(struct sink *out, const char *name, const char *s)
{
	if (!s)
		return;
	sink_name(out, name);
	sink_string(out, s);
}

static inline void sink_named_begin(struct sink *out, const char *name,
				    enum sink_kind kind)
{
	sink_name(out, name);
	sink_begin(out, kind);
}

/* Members that many objects have in common: a part with the inside of an object, whose
 * text is added to each of them. */
struct sink *sink_members_new(void);
void sink_add_members(struct sink *out, const char *text, size_t len);

/* From a mark on, output is buffered: sink_rewind() drops it back to the mark, any number
 * of times, and sink_release() lets it be written. One mark at a time. */
void sink_mark(struct sink *out);
void sink_rewind(struct sink *out);
void sink_release(struct sink *out);

/* JSON bytes so far (before compression). */
uint64_t sink_bytes(const struct sink *out);
/* Writes the rest (and a final newline). ERR_SYS: something was lost; *errno_ret, unless
 * NULL, is then the first errno (EPIPE, ENOSPC). */
MUST_CHECK bool sink_finish(struct sink *out, int *errno_ret, struct err *err);

#endif
