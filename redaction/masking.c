/* SPDX-License-Identifier: Apache-2.0 */
/* masking.c - finds the parts of a text that are secret, in the text itself and in its
 * unescaped form, and masks them. */
#include <string.h>

#include "redaction/redaction_priv.h"

enum {
	SPANS_MAX = 1000, /* in a text; the rest after them is redacted */
	LEVELS_MAX = 3,	  /* of escapes: JSON in JSON in JSON */
};

static const char mask[] = REDACTION_MASK;

struct masking {
	struct redaction *r;
	uint64_t addr;
	bool is_public; /* what is found is not learned */
	const char
		*text; /* NUL-terminated if there are rules: their expressions need it */
	size_t len, done;   /* done: bytes judged so far */
	struct span *found; /* sorted by beginning; one may overlap the next */
	size_t count, cap;
	struct span place; /* the next part in a secret by address; begin len: none */
};

/* How many bytes at the start of text are the rest of a secret. */
static size_t begins_inside(const struct redaction *r, const char *text, size_t len)
{
	size_t n = secrets_begin(r->here, text, len), always = 0;

	if (n < len && r->always)
		always = secrets_begin(r->always, text, len);
	return n > always ? n : always;
}

/* Text that is not redacted is asked about again when more is known. */
static void leave(struct masking *m, size_t begin, size_t end)
{
	struct redaction *r = m->r;

	if (begin < end && r->asking)
		asked_text(r->asked, m->text + begin, end - begin);
}

/* The numbers of a private key are secrets by themselves. */
static void learn_inside(struct masking *m, struct span span)
{
	const char *text = m->text + span.begin;

	if (span.rule == rule_of_web_key)
		redaction_learn_encoded(m->r, text, span.end - span.begin);
	else if (strcmp(span.rule, "pem") == 0 || strcmp(span.rule, "der") == 0)
		redaction_learn_parts(m->r, text, span.end - span.begin);
}

static void add(struct masking *m, struct span span)
{
	/* Of what only may be secret, the place is learned and not the bytes. */
	bool is_new = strcmp(span.rule, redaction_rule_of_copy(m->r)) != 0 &&
		      strcmp(span.rule, "uncertain") != 0;
	size_t i = m->count;

	GROW(m->found, m->count, m->cap);
	for (m->count++; i > 0 && m->found[i - 1].begin > span.begin; i--)
		m->found[i] = m->found[i - 1];
	m->found[i] = span;
	if (!m->is_public)
		redaction_learn(
			m->r, m->addr ? m->addr + span.begin : 0, span.end - span.begin,
			is_new ? m->text + span.begin : NULL, span.end - span.begin);
	if (is_new && !m->is_public)
		learn_inside(m, span);
}

static void redact(struct masking *m, struct span span)
{
	if (span.begin < m->done)
		span.begin = m->done;
	if (span.begin >= span.end)
		return;
	leave(m, m->done, span.begin);
	add(m, span);
	m->done = span.end;
}

static void find_place(struct masking *m, size_t from)
{
	const struct secrets *const known[] = { m->r->here, m->r->always };
	uint64_t begin, end;

	m->place = (struct span){ m->len, m->len, redaction_rule_of_copy(m->r) };
	for (size_t i = 0; m->addr && i < ARRAY_SIZE(known) && known[i]; i++)
		if (secrets_place(known[i], m->addr + from, m->len - from, &begin,
				  &end) &&
		    begin - m->addr < m->place.begin)
			m->place = (struct span){ (size_t)(begin - m->addr),
						  (size_t)(end - m->addr),
						  redaction_rule_of_copy(m->r) };
}

/* A secret known from elsewhere. */
static bool known_at(struct masking *m, size_t at, struct span *ret)
{
	const char *text = m->text + at;
	size_t len = m->len - at, n = secrets_here(m->r->here, text, len);

	if (!n && m->r->always)
		n = secrets_here(m->r->always, text, len);
	if (at >= m->place.end)
		find_place(m, at);
	const size_t end =
		at >= m->place.begin && m->place.end > at + n ? m->place.end : at + n;
	if (end == at)
		return false;
	*ret = (struct span){ at, end, redaction_rule_of_copy(m->r) };
	return true;
}

/* Something that looks like a secret may begin in a known one and extend past it. */
static void extend(struct masking *m, struct span *span)
{
	struct span shape;

	for (size_t at = span->begin; at < span->end; at++) {
		if (!shape_at(m->text, m->len, at, is_name_of_secret, m->r, &shape))
			continue;
		if (shape.end > span->end && shape.begin <= span->end)
			span->end = shape.end;
		/* Else each part of a long shape would be looked at to its end. */
		if (shape.end > at + 1)
			at = shape.end - 1;
	}
}

static bool span_at(struct masking *m, size_t at, struct span *ret)
{
	if (!known_at(m, at, ret))
		return shape_at(m->text, m->len, at, is_name_of_secret, m->r, ret);
	extend(m, ret);
	return true;
}

/* Between a name and its value, of which signs a secret may consist. */
static void find_between(struct masking *m, size_t at, size_t end,
			 const struct span *rule)
{
	struct span known;

	for (; at < end; at++)
		if (rule && rule->begin == at)
			redact(m, *rule);
		else if (known_at(m, at, &known))
			redact(m, known);
}

static void find_rest(struct masking *m)
{
	struct span span, rule = { .end = 0 };
	bool more = m->r->rules != NULL;

	for (size_t at = m->done; at < m->len && m->count < SPANS_MAX; at++) {
		if (more && at >= rule.end)
			more = rules_find(m->r->rules, m->text, m->len, at, &rule);
		if (more && rule.begin <= at) { /* it may begin in a redacted part */
			redact(m, rule);
		} else if (span_at(m, at, &span)) {
			find_between(m, at + 1, span.begin, more ? &rule : NULL);
			redact(m, span);
		}
		if (m->done > at + 1)
			at = m->done - 1;
	}
	if (m->count >= SPANS_MAX)
		redact(m, (struct span){ m->done, m->len, m->found[0].rule });
	leave(m, m->done, m->len);
}

/* False: all of it is in a secret, or part of one. */
static bool find(struct masking *m)
{
	size_t inside = begins_inside(m->r, m->text, m->len);

	find_place(m, 0);
	/* It may begin in a secret and continue it. */
	if (m->place.begin == 0 || inside == m->len)
		return false;
	struct span beginning = { 0, inside, redaction_rule_of_copy(m->r) };
	extend(m, &beginning);
	redact(m, beginning);
	find_rest(m);
	return true;
}

/* Any shape or secret may be escaped, completely or partly, and so may be the name that
 * identifies it. */
static bool find_escaped(struct masking *m, int levels)
{
	bool left = find(m);
	AUTO(plain_text_free)
	struct plain_text *plain = left && levels ? unescape(m->text, m->len) : NULL;

	if (!plain)
		return left;
	struct masking inner = { .r = m->r,
				 .is_public = m->is_public,
				 .text = plain->text,
				 .len = plain->len };
	left = find_escaped(&inner, levels - 1);
	for (size_t i = 0; i < inner.count; i++)
		add(m, escaped_span(plain, inner.found[i]));
	xfree(inner.found);
	return left;
}

/* Of too many, all is redacted. */
static void add_some(struct masking *m, struct span span)
{
	if (m->count < SPANS_MAX && span.begin < span.end)
		add(m, span);
	else if (m->count <= SPANS_MAX)
		add(m, (struct span){ 0, m->len, span.rule });
}

static void redact_coded(void *arg, size_t begin, size_t end)
{
	struct masking *m = arg;

	add_some(m, (struct span){ begin, end, redaction_rule_of_copy(m->r) });
}

/* Secrets known from elsewhere, as the headers of HTTP/2 have them. While secrets are collected there is no need:
 * nothing but the place would be learned. */
static void find_coded(struct masking *m)
{
	struct redaction *r = m->r;
	const struct secrets *const known[] = { r->here, r->always };

	for (size_t i = 0; i < ARRAY_SIZE(known) && known[i] && !r->asking; i++)
		secrets_each_coded(known[i], (const uint8_t *)m->text, m->len,
				   redact_coded, m);
}

/* In the headers of HTTP/2 themselves, by name and by what they look like. */
static void find_fields(struct masking *m, bool whole)
{
	struct plain_text *fields;
	const size_t continued = whole ? continued_fields(m->text, m->len) : 0;
	if (!m->r->header_starts)
		m->r->header_starts = header_starts_new(is_name_of_secret, m->r);
	const bool all = header_fields(m->r->header_starts, m->text, m->len, whole,
				       is_name_of_secret, m->r, &fields);
	AUTO(plain_text_free) struct plain_text *plain = fields;

	if (continued || !all)
		add_some(m, (struct span){ 0, all ? continued : m->len, "uncertain" });
	if (!plain)
		return;
	struct masking inner = { .r = m->r,
				 .is_public = m->is_public,
				 .text = plain->text,
				 .len = plain->len };
	if (!find_escaped(&inner, LEVELS_MAX))
		add_some(m, (struct span){ 0, m->len, redaction_rule_of_copy(m->r) });
	for (size_t i = 0; i < inner.count; i++)
		add_some(m, escaped_span(plain, inner.found[i]));
	xfree(inner.found);
}

void each_secret_field(struct redaction *r, const uint8_t *bytes, size_t len,
		       coded_fn *fn, void *arg)
{
	struct masking m = { .r = r, .text = (const char *)bytes, .len = len };

	find_fields(&m, false);
	for (size_t i = 0; i < m.count; i++)
		fn(arg, m.found[i].begin, m.found[i].end);
	xfree(m.found);
}

/* False: all of it is in a secret, or part of one. */
static bool find_all(struct masking *m)
{
	if (!find_escaped(m, LEVELS_MAX))
		return false;
	if (huffman_may_be(m->text, m->len)) {
		find_fields(m, true);
		find_coded(m);
	}
	return true;
}

/* Appends to the masked text. */
static void keep(struct redacted *to, size_t *cap, const char *bytes, size_t len)
{
	if (!len)
		return;
	if (to->len + len > *cap) {
		*cap = 2 * (to->len + len) + 64;
		to->text = xreallocarray(to->text, *cap, 1);
	}
	memcpy(to->text + to->len, bytes, len);
	to->len += len;
}

static struct redacted with_masks(const struct masking *m)
{
	struct redacted ret = { .rule = m->count ? m->found[0].rule : NULL };
	size_t cap = 0, done = 0, left = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct span *span = &m->found[i];
		if (span->begin >= done) {
			left += span->begin - done;
			keep(&ret, &cap, m->text + done, span->begin - done);
			keep(&ret, &cap, mask, sizeof(mask) - 1);
		}
		if (span->end > done)
			done = span->end;
	}
	if (ret.rule)
		keep(&ret, &cap, m->text + done, m->len - done);
	if (ret.rule && left + m->len - done == 0)
		redacted_done(&ret);
	return ret;
}

struct redacted redaction_of_text(struct redaction *r, uint64_t addr, const char *text,
				  size_t len)
{
	struct masking m = { .r = r,
			     .addr = addr,
			     .is_public = addr && is_public_place(r, addr),
			     .text = text,
			     .len = len };
	AUTO(xfree) char *ended = NULL;
	struct redacted ret = { .rule = redaction_rule_of_copy(r) };

	if (r->mode == REDACT_NOTHING || len == 0)
		return (struct redacted){ .rule = NULL };
	if (r->mode == REDACT_STRICT)
		return (struct redacted){ .rule = "strict" };
	if (r->rules) {
		ended = xmalloc(len + 1);
		memcpy(ended, text, len);
		ended[len] = '\0';
		m.text = ended;
	}
	if (find_all(&m))
		ret = with_masks(&m);
	xfree(m.found);
	return ret;
}

struct redacted redaction_of_rest(struct redaction *r, uint64_t addr, const char *text,
				  size_t len, size_t from)
{
	struct masking m = { .r = r, .addr = addr, .text = text, .len = len };

	if (r->mode != REDACT_SECRETS)
		return redaction_of_text(r, addr, text, len);
	redact(&m, (struct span){ from, len, "key_value" });
	struct redacted ret = with_masks(&m);
	xfree(m.found);
	return ret;
}
