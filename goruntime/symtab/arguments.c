/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/symtab/arguments.h"

#include <string.h>

#include "lib/base/util.h"

enum {
	WORDS_MAX = 10, /* without FUNCDATA_ArgInfo: runtime/traceback.go (1.15) */
	/* FUNCDATA_ArgInfo, from internal/abi/type.go (1.27). */
	STREAM_MAX = 171, /* TraceArgsMaxLen */
	END = 0xff,
	OPEN = 0xfe,
	CLOSE = 0xfd,
	MORE = 0xfc,
	TOO_FAR = 0xfb,
	/* Each byte of the stream needs at most ", ..." or a value with ", " and "?". */
	FORM_MAX = STREAM_MAX * 6,
};

struct writer {
	struct arguments *a;
	bool start; /* no comma before the next part */
};

static void put(struct writer *w, const char *text)
{
	while (*text)
		w->a->form[w->a->len++] = (uint8_t)*text++;
}

/* Appends a component, with the comma before it. */
static void put_part(struct writer *w, const char *text)
{
	if (!w->start)
		put(w, ", ");
	w->start = false;
	put(w, text);
}

static void put_value(struct writer *w, uint8_t offset, uint8_t size, bool live)
{
	struct arguments *a = w->a;

	put_part(w, "");
	a->form[a->len++] = 0;
	a->form[a->len++] = offset;
	a->form[a->len++] = size < WORD ? size : WORD;
	if (a->span < offset + a->form[a->len - 1])
		a->span = offset + a->form[a->len - 1];
	if (!live)
		put(w, "?");
}

/* Up to 1.16: the argument block as words, including results. A function written in
 * assembly may have a block of unknown size, which is a large number when unsigned. */
static void put_block(struct writer *w, uint32_t size)
{
	for (uint32_t i = 0; i < size / WORD; i++) {
		if (i == WORDS_MAX) {
			put_part(w, "...");
			return;
		}
		put_value(w, (uint8_t)(i * WORD), WORD, true);
	}
}

/* Which spill slots of register arguments hold their values at a pc. */
struct liveness {
	struct bytes info;
	int32_t index;		 /* of the bitmap in info; below 1: all are live */
	uint8_t register_offset; /* offset of the first spill slot */
};

static struct liveness liveness_at(const struct pclntab *tab,
				   const struct pclntab_func *func, uint64_t pc,
				   const struct layout *layout,
				   pclntab_bytes_fn *funcdata_bytes, void *arg)
{
	struct liveness l = { .info.bad = true, .index = -1, .register_offset = 0xff };

	if (!layout_has(layout, L_funcdata_arg_live) ||
	    !layout_has(layout, L_pcdata_arg_live))
		return l;
	l.info = pclntab_funcdata(tab, func,
				  (uint32_t)layout->slot[L_funcdata_arg_live].off,
				  funcdata_bytes, arg);
	struct bytes first = l.info;
	if (l.info.bad)
		return l;
	l.register_offset = bytes_u8(&first);
	l.index = pclntab_pcdata(tab, func, (uint32_t)layout->slot[L_pcdata_arg_live].off,
				 pc);
	return l;
}

bool arguments_in_registers(const struct layout *layout, const struct pclntab *tab,
			    const struct pclntab_func *func, uint64_t pc)
{
	const struct slot index = layout->slot[L_pcdata_arg_live];
	uint64_t body;

	return index.off >= 0 &&
	       (pc == func->entry ||
		(pclntab_pcdata_begins(tab, func, (uint32_t)index.off, &body) &&
		 pc <= body));
}

static bool is_live(const struct liveness *l, uint8_t offset, uint8_t slot)
{
	if (l->index <= 0 || offset < l->register_offset)
		return true;
	struct bytes bits = bytes_at(l->info, (uint64_t)l->index + slot / 8);
	return bytes_u8(&bits) >> slot % 8 & 1;
}

static bool put_stream(struct writer *w, struct bytes stream, const struct liveness *live)
{
	uint8_t slot = 0;

	for (const uint8_t *limit = stream.at + STREAM_MAX; stream.at < limit;) {
		uint8_t op = bytes_u8(&stream), size;

		switch (stream.bad ? END : op) {
		case END:
			return !stream.bad;
		case OPEN:
			put_part(w, "{");
			w->start = true;
			break;
		case CLOSE:
			w->start = true;
			put_part(w, "}");
			break;
		case MORE:
			put_part(w, "...");
			break;
		case TOO_FAR:
			put_part(w, "_");
			break;
		default:
			size = bytes_u8(&stream);
			put_value(w, op, size, is_live(live, op, slot));
			slot += op >= live->register_offset;
		}
	}
	return false;
}

struct arguments *arguments_new(const struct layout *layout, const struct pclntab *tab,
				const struct pclntab_func *func, uint64_t pc,
				uint64_t outer_pc, pclntab_bytes_fn *funcdata_bytes,
				void *arg)
{
	AUTO(xfree) struct arguments *a = xcalloc(1, sizeof(*a) + FORM_MAX);
	struct writer w = { .a = a, .start = true };
	struct slot info = layout->slot[L_funcdata_arg_info];

	if (info.off < 0) {
		put_block(&w, pclntab_args(tab, func));
		a->unset_from = UINT8_MAX;
	} else {
		struct bytes stream = pclntab_funcdata(tab, func, (uint32_t)info.off,
						       funcdata_bytes, arg);
		uint64_t live_pc = layout_has(layout, L_unwinder_frame) ? pc : outer_pc;
		struct liveness live =
			liveness_at(tab, func, live_pc, layout, funcdata_bytes, arg);
		if (stream.bad || !put_stream(&w, stream, &live))
			return NULL;
		a->unset_from = arguments_in_registers(layout, tab, func, pc)
					? live.register_offset
					: UINT8_MAX;
	}
	const size_t size = sizeof(*a) + a->len;
	return a->len ? xreallocarray(TAKE(a), 1, size) : NULL;
}

bool arguments_is_unset(const struct arguments *a, uint64_t offset)
{
	if (a && offset >= a->unset_from && a->unset_from != UINT8_MAX)
		return true;
	for (size_t i = 0; a && i + 3 < a->len; i++) {
		if (a->form[i])
			continue;
		if (a->form[i + 1] <= offset &&
		    offset - a->form[i + 1] < a->form[i + 2] && a->form[i + 3] == '?')
			return true;
		i += 2;
	}
	return false;
}

bool arguments_first_word(const struct arguments *a, uint64_t *ret_offset)
{
	if (!a || a->len < 3 || a->form[0] || a->form[2] != WORD ||
	    arguments_is_unset(a, a->form[1]))
		return false;
	*ret_offset = a->form[1];
	return true;
}

static char *put_hex(char *to, uint64_t value)
{
	int digits = value ? (67 - __builtin_clzll(value)) / 4 : 1;

	*to++ = '0';
	*to++ = 'x';
	for (int i = digits; i-- > 0; value >>= 4)
		to[i] = "0123456789abcdef"[value & 15];
	return to + digits;
}

/* In the text before end: how many arguments, what is in braces being one; *ret_first: the
 * offset of the first value of the last one. */
static unsigned count_before(const struct arguments *a, size_t end, uint8_t *ret_first)
{
	unsigned n = 0, depth = 0;
	bool has_first = false;

	for (size_t i = 0; i < end; i++) {
		const uint8_t c = a->form[i];
		if (c == 0 && !has_first) {
			*ret_first = a->form[i + 1];
			has_first = true;
		}
		i += c == 0 ? 2 : 0;
		depth += c == '{';
		depth -= c == '}' && depth > 0;
		if (c != ',' || depth)
			continue;
		n++;
		has_first = false;
	}
	return n + (end > 0);
}

bool arguments_next(const struct arguments *a, size_t *at, struct argument_place *ret)
{
	uint8_t first = 0;

	while (*at < a->len && a->form[*at])
		++*at;
	if (*at >= a->len)
		return false;
	const uint8_t *value = &a->form[*at];
	*at += 3;
	const unsigned number = count_before(a, *at, &first) - 1;
	*ret = (struct argument_place){ .offset = value[1],
					.size = value[2],
					.doubtful = *at < a->len && value[3] == '?',
					.argument = (uint8_t)number,
					.offset_in_argument = value[1] - first };
	return true;
}

unsigned arguments_count(const struct arguments *a)
{
	static const char more[] = "...";
	uint8_t first;

	if (a->len >= strlen(more) &&
	    memcmp(a->form + a->len - strlen(more), more, strlen(more)) == 0)
		return 0;
	return count_before(a, a->len, &first);
}

size_t arguments_text(const struct arguments *a, const uint8_t *bytes, char *ret)
{
	char *to = ret;

	for (size_t i = 0; i < a->len; i++) {
		uint64_t value = 0;

		if (a->form[i]) {
			*to++ = (char)a->form[i];
			continue;
		}
		memcpy(&value, bytes + a->form[i + 1], a->form[i + 2]);
		to = put_hex(to, value);
		i += 2;
	}
	return (size_t)(to - ret);
}
