/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/heap/type_numbers.h"

struct type_numbers {
	uint8_t *codes; /* of each object; 0: no number */
	uint16_t **
		of_spans; /* of each span: how many numbers follow, and that of each code from 1 on */
	size_t span_count;
};

struct type_numbers *type_numbers_new(const struct heap *h)
{
	struct type_numbers *t = xcalloc(1, sizeof(*t));

	t->codes = xcalloc(h->object_count + 1, sizeof(*t->codes));
	t->of_spans = xcalloc(h->span_count + 1, sizeof(uint16_t *));
	t->span_count = h->span_count;
	return t;
}

void type_numbers_free(struct type_numbers *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->span_count; i++)
		xfree(t->of_spans[i]);
	xfree(t->of_spans);
	xfree(t->codes);
	xfree(t);
}

uint16_t type_number(const struct heap *h, const struct type_numbers *t,
		     const struct span *s, uint64_t object)
{
	const uint8_t code = t->codes[object];

	return code ? t->of_spans[s - h->spans][code] : 0;
}

bool type_number_set(const struct heap *h, struct type_numbers *t, const struct span *s,
		     uint64_t object, uint16_t number)
{
	uint16_t **numbers = &t->of_spans[s - h->spans];
	const uint16_t count = *numbers ? **numbers : 0;
	uint16_t code = 1;

	while (code <= count && (*numbers)[code] != number)
		code++;
	if (code > UINT8_MAX)
		return false;
	if (code > count) {
		*numbers = xreallocarray(*numbers, code + 1u, sizeof(**numbers));
		(*numbers)[code] = number;
		**numbers = code;
	}
	t->codes[object] = (uint8_t)code;
	return true;
}
