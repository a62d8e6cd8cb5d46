/* SPDX-License-Identifier: Apache-2.0 */
/* runtime/pprof/label.go: from Go 1.24 on, a list of pairs of strings. */
#include "goruntime/calls/call_labels.h"

#include <string.h>

enum { PAIR_WORDS = 4 };

void call_plan_labels(const struct layout *l, struct call_planner *p)
{
	const struct call_place word = { .at = CALL_LABELS_AT, .size = WORD };
	struct call_place labels, list, ignored;

	if (!layout_has(l, L_g_labels) || !layout_has(l, L_labels_list))
		return;
	const uint64_t off = (uint64_t)l->slot[L_labels_list].off;
	const uint64_t size = off + 2 * WORD;
	if (!call_plan_add(p, &word, 0, 0, size, size, &labels) ||
	    !call_plan_add(p, &labels, off, off + WORD, PAIR_WORDS * WORD,
			   CALL_LABELS * PAIR_WORDS * WORD, &list))
		return;
	for (uint64_t at = 0; at < CALL_LABELS * PAIR_WORDS * WORD; at += 2 * WORD)
		(void)call_plan_add(p, &list, at, at + WORD, 1, CALL_LABEL_MAX, &ignored);
}

static bool read_text(struct target *t, const uint64_t header[2],
		      char ret[CALL_LABEL_MAX], size_t *ret_len, uint64_t *omitted)
{
	struct err ignored;

	*omitted += header[1] < CALL_LABEL_MAX ? 0 : header[1] - CALL_LABEL_MAX;
	*ret_len = header[1] < CALL_LABEL_MAX ? (size_t)header[1] : CALL_LABEL_MAX;
	return target_read(t, header[0], ret, *ret_len, &ignored);
}

size_t call_labels_read(struct runtime *rt, uint64_t labels,
			struct call_label ret[CALL_LABELS])
{
	struct target *t = rt->target;
	uint64_t header[2], pair[PAIR_WORDS];
	struct err ignored;
	size_t n = 0;

	if (!labels || !layout_has(&rt->layout, L_labels_list) ||
	    !target_read(t, labels + (uint64_t)rt->layout.slot[L_labels_list].off, header,
			 sizeof(header), &ignored))
		return 0;
	for (uint64_t i = 0; i < header[1] && n < CALL_LABELS; i++) {
		struct call_label *to = &ret[n];
		to->omitted = 0;
		if (!target_read(t, header[0] + i * sizeof(pair), pair, sizeof(pair),
				 &ignored) ||
		    !read_text(t, pair, to->key, &to->key_len, &to->omitted) ||
		    !read_text(t, pair + 2, to->value, &to->value_len, &to->omitted))
			break;
		n++;
	}
	return n;
}
