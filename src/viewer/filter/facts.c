/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/filter/facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/document/reader.h"
#include "src/viewer/filter/findings.h"
#include "src/viewer/filter/subject.h"
#include "src/viewer/terminal/text.h"

bool fact_of_node(const struct reader_node *node, enum field_type type, struct fact *ret)
{
	*ret = (struct fact){ .kind = FACT_NUMBER };
	switch (type) {
	case FIELD_TEXT:
		ret->kind = FACT_TEXT;
		ret->text = text_of(node, NULL);
		return ret->text != NULL;
	case FIELD_NUMBER:
	case FIELD_DURATION:
	case FIELD_SIZE:
		ret->number = (long double)node_int(node, 0);
		return ret->number != 0 || node_int(node, 1) == 0;
	case FIELD_ADDRESS:
		ret->kind = FACT_ADDRESS;
		ret->number = (long double)node_address(node, 0);
		return ret->number != 0;
	case FIELD_BOOL:
		ret->kind = FACT_BOOL;
		ret->truth = node_bool(node, false);
		return node_bool(node, false) == node_bool(node, true);
	case FIELD_ANY:
		break;
	}
	return false;
}

static bool tell(facts_fn *fn, void *arg, const struct fact *fact)
{
	return fn(arg, fact, 1);
}

static bool tell_text(const struct reader_node *node, facts_fn *fn, void *arg)
{
	struct fact fact;

	return fact_of_node(node, FIELD_TEXT, &fact) && tell(fn, arg, &fact);
}

static bool member_each(struct subject *s, const struct field *field, facts_fn *fn,
			void *arg)
{
	const struct reader_node *node = subject_member(s, field->member);
	struct fact fact;

	if (field->inner)
		node = node_get(node, field->inner);
	return fact_of_node(node, field->type, &fact) && tell(fn, arg, &fact);
}

static bool addresses_each(struct subject *s, bool as_text, facts_fn *fn, void *arg)
{
	const struct reader_node *what = subject_member(s, "waiting_for");
	const struct reader_node *cases = node_get(what, "cases");

	for (size_t i = 0; i <= node_count(cases); i++) {
		const struct reader_node *of = i ? node_at(cases, i - 1) : what;
		struct fact fact;
		if (fact_of_node(node_get(of, "address"),
				 as_text ? FIELD_TEXT : FIELD_ADDRESS, &fact) &&
		    tell(fn, arg, &fact))
			return true;
	}
	return false;
}

static bool words_each(struct subject *s, facts_fn *fn, void *arg)
{
	static const char *const members[] = { "kind", "protocol", "local", "remote",
					       "file" };
	const struct reader_node *what = subject_member(s, "waiting_for");

	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (tell_text(node_get(what, members[i]), fn, arg))
			return true;
	return addresses_each(s, true, fn, arg);
}

/* A label whose value could not be read is there, but has no text. */
static bool label_each(struct subject *s, const char *key, facts_fn *fn, void *arg)
{
	const struct reader_node *labels = subject_member(s, "labels");

	for (size_t i = 0; i < node_count(labels); i++) {
		const struct reader_node *label = node_at(labels, i);
		const char *name = text_of(node_get(label, "key"), NULL);
		struct fact facts[2] = { { .kind = FACT_PRESENT } };
		if (!name || strcmp(name, key) != 0)
			continue;
		const size_t count =
			1 + fact_of_node(node_get(label, "value"), FIELD_TEXT, &facts[1]);
		if (fn(arg, facts, count))
			return true;
	}
	return false;
}

static bool finding_each(struct subject *s, facts_fn *fn, void *arg)
{
	struct fact fact;
	const char *kind;

	for (size_t i = 0; (kind = findings_of(&s->findings, s->row->id, i)); i++) {
		fact = (struct fact){ .kind = FACT_TEXT, .text = kind };
		if (tell(fn, arg, &fact))
			return true;
	}
	return false;
}

bool facts_each(struct subject *s, const struct path *path, facts_fn *fn, void *arg)
{
	const struct field *field = path->field;
	struct fact fact;

	switch (field->source) {
	case SOURCE_ROW:
		return subject_row(s, field, &fact) && tell(fn, arg, &fact);
	case SOURCE_FRAME:
		return subject_frame(s, field, &fact) && tell(fn, arg, &fact);
	case SOURCE_MEMBER:
		return member_each(s, field, fn, arg);
	case SOURCE_WAITS:
		return words_each(s, fn, arg);
	case SOURCE_ADDRESSES:
		return subject_selects(s)
			       ? addresses_each(s, false, fn, arg)
			       : subject_row(s, field, &fact) && tell(fn, arg, &fact);
	case SOURCE_LABEL:
		return label_each(s, path->key, fn, arg);
	case SOURCE_FINDING:
		return finding_each(s, fn, arg);
	case SOURCE_VALUE:
		break;
	}
	return values_each(s, path, fn, arg);
}

/* "github.com/acme/ledger.(*Book).Post": what is before the first dot behind the last slash; not of
 * type arguments. */
size_t package_length(const char *function)
{
	const size_t end = strcspn(function, "[(");
	const char *slash = memrchr(function, '/', end);
	const char *dot = strchr(slash ? slash : function, '.');

	return dot && dot > function ? (size_t)(dot - function) : 0;
}

bool is_own(const char *module, const char *function)
{
	const size_t len = module ? strlen(module) : 0;

	return strncmp(function, "main.", 5) == 0 ||
	       (len > 0 && strncmp(function, module, len) == 0 && function[len] &&
		strchr("./", function[len]));
}
