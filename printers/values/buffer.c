/* SPDX-License-Identifier: Apache-2.0 */
/* buffer.c - buffers, of which only a part is in use: the rest holds what was there before, such as most
 * of a request with its token. What identifies a secret there may be overwritten. The rest is therefore
 * searched, but not shown, neither here nor where something else refers to it. */
#include <string.h>

#include "printers/values/buffer.h"
#include "printers/values/notes.h"

/* No field: each frame that is read overwrites the beginning of those before, and how much is not noted. */
#define NOT_NOTED ""

/* The same in all releases from Go 1.15 to 1.27 that have them. */
static const struct buffer_type {
	const char *type, *bytes; /* the field with the bytes: a slice or an array */
	const char *begin,
		*end; /* fields: what is used. NULL: from the first, up to the length */
} types[] = {
	{ "bufio.Reader", "buf", "r", "w" },
	{ "bufio.Scanner", "buf", "start", "end" },
	{ "bufio.Writer", "buf", NULL, "n" },
	{ "bytes.Buffer", "buf", "off", NULL },
	{ "encoding/json.Decoder", "buf", "scanp", NULL },
	{ "encoding/json/jsontext.decodeBuffer", "buf", "prevEnd", NULL },
	{ "golang.org/x/net/http2.Framer", "readBuf", NULL, NOT_NOTED },
	{ "net/http.connReader", "byteBuf", NULL, "hasByte" },
	{ "net/http.http2Framer", "readBuf", NULL, NOT_NOTED },
	{ "net/http/internal/http2.Framer", "readBuf", NULL, NOT_NOTED },
	{ "net/textproto.Reader", "buf", NULL, NULL },
	{ "strings.Builder", "buf", NULL, NULL },
};

const struct buffer_type *buffer_type_of(const struct type *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (strcmp(types[i].type, type_name(type)) == 0)
			return &types[i];
	return NULL;
}

bool is_buffer_field(const struct buffer_type *buffer, const struct type_field *field)
{
	return buffer && strcmp(field->name, buffer->bytes) == 0;
}

struct buffer_memory {
	uint64_t addr, len, cap;
};

static bool buffer_memory(struct printing *p, const struct value *bytes,
			  struct buffer_memory *ret)
{
	struct slice_value s;
	struct err ignored;

	if (type_kind(bytes->type) == KIND_ARRAY) {
		const uint64_t n = type_size(bytes->type);
		*ret = (struct buffer_memory){ bytes->addr, n, n };
		return value_has_address(bytes);
	}
	if (type_kind(bytes->type) != KIND_SLICE ||
	    !runtime_slice(p->rt, bytes, &s, &ignored))
		return false;
	*ret = (struct buffer_memory){ s.addr, s.len,
				       s.capless || s.cap < s.len ? s.len : s.cap };
	return s.addr && !row_reaches_beyond(p, ret->cap, s.addr, 1);
}

/* A variable that was never set has any numbers, and of what cannot be read nothing is known: then
 * nothing is used. */
static struct buffer_use buffer_use(struct printing *p, const struct value *v,
				    const struct buffer_type *buffer, uint64_t len)
{
	struct buffer_use use = { 0, len };

	if ((buffer->begin && !runtime_number(p->rt, v, buffer->begin, &use.begin)) ||
	    (buffer->end && !runtime_number(p->rt, v, buffer->end, &use.end)) ||
	    use.end > len || use.begin > use.end)
		return (struct buffer_use){ 0, 0 };
	return use;
}

uint64_t note_buffer(struct printing *p, const struct value *v,
		     const struct buffer_type *buffer)
{
	const uint64_t most = p->bounds->string + BUFFER_NOTED;
	struct buffer_memory memory;
	struct value bytes;

	if (!buffer || redaction_mode(p->redaction) == REDACT_NOTHING ||
	    !runtime_field(p->rt, v, buffer->bytes, &bytes) ||
	    !buffer_memory(p, &bytes, &memory))
		return 0;
	const struct buffer_use use = buffer_use(p, v, buffer, memory.len);
	const uint64_t rest = memory.cap - use.end;
	redaction_note_unused(p->redaction, memory.addr + use.end,
			      rest < most ? rest : most);
	redaction_note_consumed(p->redaction, memory.addr,
				use.begin < most ? use.begin : most);
	return use.begin;
}

void note_unused_slice(struct printing *p, const struct value *v)
{
	const uint64_t most = p->bounds->string + BUFFER_NOTED;
	struct buffer_memory memory;

	if (buffer_memory(p, v, &memory))
		redaction_note_unused(p->redaction, memory.addr,
				      memory.len < most ? memory.len : most);
}

/* [from, to) of a row of bytes: the secrets in it are secrets elsewhere, too. */
static void search(struct printing *p, uint64_t addr, uint64_t from, uint64_t to)
{
	const size_t len = to > from ? (size_t)(to - from) : 0;
	struct err ignored;

	if (!len)
		return;
	AUTO(xfree) char *bytes = xmalloc(len);
	if (runtime_bytes(p->rt, addr + from, bytes, len, &ignored)) {
		struct redacted left =
			redaction_of_text(p->redaction, addr + from, bytes, len);
		redacted_done(&left);
	}
	explicit_bzero(bytes, len);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct buffer_use take_buffer_use(struct printing *p, uint64_t addr, uint64_t n)
{
	struct buffer_use use = { least(p->consumed, n), n };

	p->consumed = 0;
	if (redaction_mode(p->redaction) == REDACT_NOTHING)
		return (struct buffer_use){ 0, n };
	/* No more than that is seen of it. */
	const uint64_t most =
		least(n - use.begin, (uint64_t)p->bounds->string + SECRETS_BEHIND);
	const uint64_t used = redaction_used(p->redaction, addr + use.begin, most);
	if (used < most)
		use.end = use.begin + used;
	return use;
}

/* What precedes a text may be what identifies a secret in it, or what follows it. */
void search_unused(struct printing *p, uint64_t addr, const struct buffer_use *use,
		   uint64_t n)
{
	const uint64_t most = p->bounds->string + SECRETS_BEHIND;
	const uint64_t from =
		use->begin > SECRETS_BEFORE ? use->begin - SECRETS_BEFORE : 0;

	if (use->begin)
		search(p, addr, from, least(use->end, use->begin + most));
	search(p, addr, use->end, least(n, use->end + most));
}

void print_other_bytes(struct printing *p, const struct buffer_use *use, uint64_t len,
		       uint64_t n)
{
	const bool whole = use->begin + len == use->end;

	if (use->begin)
		sink_named_uint(p->out, "skipped", use->begin);
	if (n > use->begin + len)
		print_omitted(p, n - use->begin - len,
			      whole ? LIMITED_BY_UNUSED : LIMITED_BY_STRING_BYTES);
}

void print_unused(struct printing *p, const struct buffer_use *use, uint64_t n)
{
	if (use->begin)
		sink_named_uint(p->out, "skipped", redaction_length(use->begin));
	if (n > use->end)
		print_omitted(p, redaction_length(n - use->end), LIMITED_BY_UNUSED);
}
