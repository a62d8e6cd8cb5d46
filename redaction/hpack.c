/* SPDX-License-Identifier: Apache-2.0 */
/* hpack.c - header blocks of HTTP/2 (HPACK, RFC 7541) and HTTP/3 (QPACK, RFC 9204) in bytes.
 *
 * Nothing says where in a buffer a block begins, and most bytes begin some field, so each field that could be there
 * counts as evidence: logarithms of how much more probable it is in a block than among random bytes. A
 * field is believed if it has ENOUGH, with those that lead to it and those that follow. One field is parsed at each
 * byte; parsing ends after work that is linear in the number of bytes. */
#include <ctype.h>
#include <string.h>

#include "lib/base/utf8.h"
#include "redaction/redaction_priv.h"

#include "redaction/hpack.inc"

enum {
	ENOUGH = 30,	   /* one in a thousand buffers of 512 random bytes has as much */
	WORK = 256,	   /* bytes of strings for each byte; text needs 110 */
	FIELDS_WORK = 8,   /* the same for the fields of one block */
	PIECE = 16 << 10,  /* bytes that are judged at once; as many may follow */
	ZEROS_MAX = 512,   /* of a buffer that is not full */
	DYNAMIC_MAX = 200, /* entries of a dynamic table */
	NAME_MAX = 64,
};

enum what { INDEXED, STATIC, DYNAMIC, LITERAL };

/* The first byte of a field: those of its bits that are in mask; how many of the rest are a number. */
struct form {
	uint8_t mask, bits, number;
	enum what what;
};

struct table {
	const char *const *names;
	size_t count,
		first; /* first: the index of the first one; of HPACK dynamic ones follow */
	struct form forms[5];
};

static const struct table tables[] = {
	{ hpack_names,
	  ARRAY_SIZE(hpack_names),
	  1,
	  { { 0x80, 0x80, 7, INDEXED },
	    { 0xc0, 0x40, 6, STATIC },
	    { 0xe0, 0x00, 4, STATIC } } },
	{ qpack_names,
	  ARRAY_SIZE(qpack_names),
	  0,
	  { { 0x80, 0x80, 6, INDEXED },
	    { 0xd0, 0x50, 4, STATIC },
	    { 0xd0, 0x40, 4, DYNAMIC },
	    { 0xe0, 0x20, 3, LITERAL } } },
};

/* By table: bytes with which fields begin that may be worth to look at the rest. */
struct header_starts {
	bool known[ARRAY_SIZE(tables)][UINT8_MAX + 1];
};

struct string {
	size_t at, len;
	bool coded, cut; /* cut: the bytes end before the string does */
};

struct field {
	size_t end; /* 0: none is here */
	int evidence;
	const char *known; /* its name; NULL: it is in name, or not known */
	struct string name, value;
	bool literal;
};

struct block {
	const struct table *table;
	const uint8_t *bytes;
	size_t len, work;
	bool first, last; /* nothing is before it, or behind it */
	char *text;	  /* scratch */
	int enough;
	secret_name_fn *is_secret;
	void *arg;
};

/* RFC 7541, 5.1: in the lowest `bits` of the first byte, or of several. */
static bool take_number(const struct block *b, size_t *at, unsigned bits, size_t *ret)
{
	enum { SHIFT_MAX = 21 };
	const uint8_t most = (uint8_t)((1U << bits) - 1);
	uint8_t c;

	if (*at >= b->len)
		return false;
	*ret = b->bytes[(*at)++] & most;
	if (*ret < most)
		return true;
	for (unsigned shift = 0; shift <= SHIFT_MAX; shift += 7) {
		if (*at >= b->len)
			return false;
		c = b->bytes[(*at)++];
		*ret += (size_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

/* The bit above the number says whether it is coded. */
static bool take_string(const struct block *b, size_t *at, unsigned bits,
			struct string *ret)
{
	if (*at >= b->len)
		return false;
	ret->coded = b->bytes[*at] >> bits & 1;
	if (!take_number(b, at, bits, &ret->len))
		return false;
	ret->at = *at;
	ret->cut = ret->len > b->len - *at;
	if (ret->cut)
		ret->len = b->len - *at;
	*at += ret->len;
	return true;
}

/* Numbers in memory have many bytes 0, which are letters 0 in code; strings have few. */
static bool is_sparse(const uint8_t *bytes, size_t len)
{
	enum { FEW = 2, SHARE = 8 };
	size_t zeros = 0;

	for (size_t i = 0; i < len; i++)
		zeros += !bytes[i];
	return zeros > FEW + len / SHARE;
}

/* Decodes it to b->text. False: it is no string, or there was too much work. */
static bool read_string(struct block *b, const struct string *s, size_t *ret_len)
{
	const uint8_t *bytes = b->bytes + s->at;

	if (s->len > b->work) {
		b->work = 0;
		return false;
	}
	b->work -= s->len;
	*ret_len = s->len;
	if (s->coded)
		return !is_sparse(bytes, s->len) &&
		       huffman_decode(bytes, s->len, s->cut, b->text, ret_len);
	memcpy(b->text, bytes, s->len);
	return true;
}

static bool is_value(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((uint8_t)text[i] < ' ' && text[i] != '\t') || text[i] == 0x7f)
			return false;
	return true;
}

static bool is_name(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!islower((unsigned char)text[i]) &&
		    !isdigit((unsigned char)text[i]) && !strchr("-_.", text[i]))
			return false;
	return len > 0 && len <= NAME_MAX && text[0];
}

/* Text has such lengths, too, and letters behind them: its letters are no evidence. */
static bool is_length_in_text(uint8_t c)
{
	return c >= ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* One string in ten of random bytes has the right end; one letter in three is none of a name. */
static int evidence_of_value(const struct block *b, const struct string *s, size_t len)
{
	enum { ENDS_WELL = 4, LETTERS_MAX = 20 };

	if (s->coded)
		return s->cut ? s->len > 1 : s->len > 1 ? ENDS_WELL : s->len > 0;
	if (is_length_in_text(b->bytes[s->at - 1]))
		return 0;
	return len < LETTERS_MAX / 2 ? (int)len : LETTERS_MAX / 2;
}

static bool judge_named(const struct block *b, struct field *f, size_t len)
{
	int n;

	if (!is_header_value(f->known, b->text, len, &n))
		return false;
	if (b->is_secret(b->arg, f->known, strlen(f->known)))
		n += evidence_of_secret(f->known, b->text, len);
	f->evidence += n;
	return true;
}

/* A name that is one of a secret is hardly ever there by chance. */
static int evidence_of_name(const struct block *b, const struct string *s, size_t len)
{
	enum { ENDS_WELL = 4, LETTERS_MAX = 10, OF_SECRET = 4 };
	int n = (int)(len < LETTERS_MAX ? len : LETTERS_MAX);

	n = s->coded ? ENDS_WELL + n / 2 : n;
	if (b->is_secret(b->arg, b->text, len))
		n += OF_SECRET * (int)len;
	return n;
}

static bool take_name(struct block *b, size_t *at, unsigned bits, struct field *f)
{
	size_t len;

	if (!take_string(b, at, bits, &f->name) || f->name.cut || !f->name.len ||
	    f->name.len > NAME_MAX || !read_string(b, &f->name, &len) ||
	    !is_name(b->text, len))
		return false;
	f->evidence += evidence_of_name(b, &f->name, len);
	return true;
}

static bool take_value(struct block *b, size_t *at, struct field *f)
{
	size_t len;

	if (!take_string(b, at, 7, &f->value) || !read_string(b, &f->value, &len) ||
	    !is_value(b->text, len))
		return false;
	f->evidence += evidence_of_value(b, &f->value, len);
	f->literal = true;
	return !f->known || judge_named(b, f, len);
}

static const struct form *form_at(const struct block *b, size_t at)
{
	for (const struct form *f = b->table->forms; f->mask; f++)
		if ((b->bytes[at] & f->mask) == f->bits)
			return f;
	return NULL;
}

/* :method, :scheme, :path and :status; others are there by chance in UTF-8. */
static bool is_pseudo(const struct table *t, size_t index)
{
	return index >= t->first && index - t->first < t->count &&
	       t->names[index - t->first][0] == ':';
}

static bool take_indexed(const struct block *b, size_t at, size_t index, struct field *f)
{
	enum { PSEUDO = 2 };
	const size_t of_static = b->table->first + b->table->count;

	f->evidence = is_pseudo(b->table, index) ? PSEUDO : 0;
	f->end = at;
	return index >= b->table->first && index < of_static + DYNAMIC_MAX;
}

static bool parse_field(struct block *b, size_t at, struct field *f)
{
	const struct table *t = b->table;
	const struct form *form = form_at(b, at);
	size_t number;

	*f = (struct field){ .end = 0 };
	if (!form)
		return false;
	if (form->what == LITERAL) {
		if (!take_name(b, &at, form->number, f))
			return false;
	} else {
		if (!take_number(b, &at, form->number, &number))
			return false;
		if (form->what == INDEXED)
			return take_indexed(b, at, number, f);
		if (form->what == STATIC && number >= t->first &&
		    number - t->first < t->count)
			f->known = t->names[number - t->first];
		else if (form->what == STATIC && number < t->first) {
			if (!take_name(b, &at, 7, f))
				return false;
		} else if ((form->what == STATIC && !t->first) ||
			   number > t->count + DYNAMIC_MAX)
			return false;
	}
	if (!take_value(b, &at, f))
		return false;
	f->end = at;
	return true;
}

/* What is before a block, and behind one. */
static int evidence_of_start(const struct block *b, size_t at)
{
	enum { FRAME = 24, START = 8, PRIORITY = 5, FLAGS = 4, END_HEADERS = 4 };

	if (at >= FRAME_HEADER && is_header_frame(b->bytes + at - FRAME_HEADER))
		return b->bytes[at - FRAME_HEADER + FLAGS] & END_HEADERS ? FRAME
									 : FRAME / 2;
	if (at >= FRAME_HEADER + PRIORITY &&
	    is_header_frame(b->bytes + at - FRAME_HEADER - PRIORITY))
		return FRAME / 2;
	if (b->table->first == 0 && at >= 2 && !b->bytes[at - 1] && !b->bytes[at - 2])
		return START; /* behind the prefix of QPACK: no dynamic entries */
	return at == 0 && b->first ? START : 0;
}

static int evidence_of_end(const struct block *b, size_t at)
{
	enum { END = 10, FRAME = 16, ZEROS = 4 };
	size_t zeros = 0;

	if (b->len - at >= FRAME_HEADER && is_header_frame(b->bytes + at))
		return FRAME;
	while (at + zeros < b->len && !b->bytes[at + zeros] && zeros < ZEROS_MAX)
		zeros++;
	if (at + zeros == b->len)
		return b->last ? END : 0;
	return zeros >= ZEROS ? ZEROS : 0;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* Sums the evidence that leads to each field, and that which follows it. Enough is enough. */
static void add_up(const struct block *b, struct field *fields)
{
	enum { MOST = 1000 };
	AUTO(xfree) int *before = xcalloc(b->len + 1, sizeof(*before));
	AUTO(xfree) int *after = xcalloc(b->len + 1, sizeof(*after));

	for (size_t at = b->len + 1; at-- > 0;) {
		const struct field *f = &fields[at];
		after[at] = evidence_of_end(b, at);
		if (at < b->len && f->end && !f->value.cut)
			after[at] = larger(after[at], f->evidence + after[f->end]);
		if (after[at] > MOST)
			after[at] = MOST;
	}
	for (size_t at = 0; at < b->len; at++) {
		struct field *f = &fields[at];
		before[at] = larger(before[at], evidence_of_start(b, at));
		if (!f->end)
			continue;
		const int sum = larger(0, before[at] + f->evidence);
		before[f->end] = larger(before[f->end], sum < MOST ? sum : MOST);
		f->evidence = sum + (f->value.cut ? 0 : after[f->end]);
	}
}

struct lines {
	struct plain_text *text; /* NULL: none yet */
	size_t cap;
};

static void put(struct lines *to, const char *words, size_t len, size_t from)
{
	struct plain_text *t = to->text;

	if (t->len + len + 1 > to->cap) {
		to->cap = 2 * (t->len + len) + 256;
		t->text = xreallocarray(t->text, to->cap, 1);
		t->from = xreallocarray(t->from, to->cap, sizeof(*t->from));
	}
	memcpy(t->text + t->len, words, len);
	for (size_t i = 0; i < len; i++)
		t->from[t->len++] = from;
	t->text[t->len] = '\0';
	t->from[t->len] = from;
}

/* from: where the bytes of b begin. */
static void put_value(struct lines *to, const struct block *b, const struct field *f,
		      size_t len, size_t from)
{
	put(to, b->text, len, from + f->value.at);
	put(to, "\n", 1, from + f->value.at + f->value.len);
}

/* The value by itself comes first: what is secret of it is learned without the words around it. */
static void put_field(struct lines *to, struct block *b, const struct field *f, size_t at,
		      size_t from)
{
	static const char unknown[] = "header";
	char name[NAME_MAX * 2];
	size_t len = strlen(f->known ? f->known : unknown), value_len;

	if (!to->text)
		to->text = xcalloc(1, sizeof(*to->text));
	memcpy(name, f->known ? f->known : unknown, len);
	if (f->name.len) {
		if (!read_string(b, &f->name, &len))
			return;
		memcpy(name, b->text, len);
	}
	if (!read_string(b, &f->value, &value_len))
		return;
	if (has_scheme(b->text, value_len))
		put_value(to, b, f, value_len, from);
	put(to, name, len, from + at);
	put(to, ": ", 2, from + at);
	put_value(to, b, f, value_len, from);
}

static void parse_fields(struct block *b, struct field *fields)
{
	for (size_t at = 0; at < b->len; at++)
		if (!parse_field(b, at, &fields[at]))
			fields[at].end = 0;
}

/* from: where the bytes of b begin; fields begin in [first, end). False: there was too much work. */
static bool find_fields(struct block *b, struct lines *to, size_t from, size_t first,
			size_t end)
{
	AUTO(xfree) struct field *fields = xcalloc(b->len + 1, sizeof(*fields));

	b->work = WORK * b->len;
	parse_fields(b, fields);
	const bool done = b->work > 0;
	add_up(b, fields);
	/* Fields of one block do not overlap. */
	b->work = FIELDS_WORK * b->len;
	for (size_t at = first; at < end; at++)
		if (fields[at].end && fields[at].literal &&
		    fields[at].evidence >= b->enough)
			put_field(to, b, &fields[at], at, from);
	return done && b->work > 0;
}

/* The next field at or after `at` that may lead to something by itself, and its end; end: there is none. */
static size_t next_candidate(struct block *b, const bool starts[static UINT8_MAX + 1],
			     size_t at, size_t end, size_t *ret_end)
{
	enum { LEAST = 10 };
	struct field f;

	for (; at < end; at++) {
		if (!starts[b->bytes[at]] || !parse_field(b, at, &f) || !f.literal ||
		    f.evidence < LEAST)
			continue;
		*ret_end = f.end;
		return at;
	}
	return end;
}

/* The same as find_fields(), for the bytes around candidates. */
static bool find_around(struct block *b, const bool starts[static UINT8_MAX + 1],
			struct lines *to, size_t from, size_t end)
{
	enum { BEFORE = 256, AFTER = 1024, OVERLAP = 256 };
	size_t done = 0, stop;
	bool ok = true;

	b->work = WORK * b->len;
	for (size_t at; (at = next_candidate(b, starts, done, end, &stop)) < end;) {
		const size_t begin = at > BEFORE ? at - BEFORE : 0,
			     to_end = b->len - stop > AFTER ? stop + AFTER : b->len;
		struct block around = *b;
		around.bytes += begin;
		around.len = to_end - begin;
		around.first = b->first && begin == 0;
		around.last = b->last && to_end == b->len;
		const size_t first = done > begin ? done : begin;
		done = to_end == b->len || to_end - OVERLAP > end ? end
								  : to_end - OVERLAP;
		ok &= find_fields(&around, to, from + begin, first - begin, done - begin);
	}
	return ok && b->work > 0;
}

/* The more random bytes, the more fields are there by chance. */
static int enough_of(size_t len)
{
	enum { FEW = 512 };
	int n = ENOUGH;

	for (; len > FEW; len /= 2)
		n += 2;
	return n;
}

/* UTF-8 has bytes like those of fields; of them, nothing is a block. */
static bool may_have_fields(const char *bytes, size_t len)
{
	enum { LEAST = 8 };
	size_t i = 0;

	while (i < len && !((uint8_t)bytes[i] & 0x80))
		i++;
	return len >= LEAST && (i == len || !utf8_valid(bytes, len));
}

/* Fields with a name of their own, with one of a secret, and paths, of which queries are a part. */
static bool is_start(const struct table *t, uint8_t byte, secret_name_fn *is_secret,
		     void *arg)
{
	const struct block b = { .table = t, .bytes = &byte, .len = 1 };
	const struct form *form = form_at(&b, 0);
	const size_t most = form ? (1U << form->number) - 1 : 0, index = byte & most;

	if (!form || form->what == INDEXED || form->what == DYNAMIC)
		return false;
	if (form->what == LITERAL || index < t->first || index == most)
		return true;
	if (index - t->first >= t->count)
		return false;
	const char *name = t->names[index - t->first];
	return strcmp(name, ":path") == 0 || is_secret(arg, name, strlen(name));
}

struct header_starts *header_starts_new(secret_name_fn *is_secret, void *arg)
{
	struct header_starts *starts = xcalloc(1, sizeof(*starts));

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		for (size_t byte = 0; byte <= UINT8_MAX; byte++)
			starts->known[i][byte] =
				is_start(&tables[i], (uint8_t)byte, is_secret, arg);
	return starts;
}

bool header_fields(const struct header_starts *starts, const char *bytes, size_t len,
		   bool whole, secret_name_fn *is_secret, void *arg,
		   struct plain_text **ret)
{
	struct lines lines = { NULL, 0 };
	struct block b = { .is_secret = is_secret, .arg = arg, .enough = enough_of(len) };
	bool done = true;

	*ret = NULL;
	if (!may_have_fields(bytes, len))
		return true;
	AUTO(joined_free) struct joined *joined = frames_join(bytes, len);
	if (joined) {
		bytes = joined->bytes;
		len = joined->len;
	}
	const size_t room = (len < 2 * PIECE ? len : 2 * PIECE) * 8 / 5 + 1;
	b.text = xmalloc(room);
	for (size_t from = 0; from < len; from += PIECE) {
		b.bytes = (const uint8_t *)bytes + from;
		b.len = len - from < 2 * PIECE ? len - from : 2 * PIECE;
		b.first = whole && from == 0;
		b.last = whole && from + b.len == len;
		for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
			b.table = &tables[i];
			done &= find_around(&b, starts->known[i], &lines, from,
					    b.len < PIECE ? b.len : PIECE);
		}
	}
	explicit_bzero(b.text, room);
	xfree(b.text);
	*ret = lines.text;
	for (size_t i = 0; joined && *ret && i <= (*ret)->len; i++)
		(*ret)->from[i] = joined->from[(*ret)->from[i]];
	return done;
}
