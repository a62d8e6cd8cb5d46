/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/frames/words_priv.h"

#include "goruntime/runtime/runtime_priv.h"

void words_begin(struct words_reader *r, struct target *t, const struct goroutine *g)
{
	r->g = g;
	stack_reader_init(&r->window, t, g->stack_low, g->stack_high);
	target_budget_unit(t);
}

/* What a document has of them, a core file has: whole words. Beside a smaller one that may be older
 * there may be anything. */
static void record(struct target *t, const struct arguments *a, uint64_t argp)
{
	struct argument_place p;

	for (size_t at = 0; target_is_recorded(t) && arguments_next(a, &at, &p);) {
		if (!p.doubtful)
			target_found(t, argp + p.offset, p.size);
		else if (p.size == WORD)
			target_found_words(t, argp + p.offset, p.size);
	}
}

static struct argument_words values_of(struct words_reader *r, const struct arguments *a,
				       uint64_t argp)
{
	const uint8_t *bytes = stack_reader_bytes(&r->window, argp, a->span, &r->err);
	if (!bytes)
		return (struct argument_words){ .unreadable = r->err.text };
	record(r->window.target, a, argp);
	return (struct argument_words){ .text = r->text,
					.len = arguments_text(a, bytes, r->text) };
}

struct argument_words words_of(struct words_reader *r, const struct raw_frame *frame,
			       const struct code *c, uint32_t call)
{
	uint64_t argp = goroutine_argp(r->g, frame);

	if (argp == 0)
		return (struct argument_words){ 0 };
	if (c->calls[call].inlined)
		return (struct argument_words){ .text = "...", .len = 3 };
	return c->arguments ? values_of(r, c->arguments, argp)
			    : (struct argument_words){ 0 };
}
