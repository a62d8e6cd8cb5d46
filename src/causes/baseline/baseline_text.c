/* SPDX-License-Identifier: Apache-2.0 */
/* baseline_text.c - a baseline as JSON, and back. */
#include <string.h>

#include "lib/base/hash.h"
#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "src/causes/baseline/baseline.h"

enum { VERSION = 1 };

static const char format[] = "gosnap-baseline";

/* Hostile documents count beyond what JSON readers take. */
static void write_number(struct sink *out, const char *name, uint64_t value)
{
	sink_named_uint(out, name, value > INT64_MAX ? INT64_MAX : value);
}

static void write_range(struct sink *out, const char *name, const struct range *range)
{
	if (!range->known)
		return;
	sink_named_begin(out, name, SINK_OBJECT);
	write_number(out, "least", range->least);
	write_number(out, "most", range->most);
	sink_end(out);
}

static void write_group(struct sink *out, const struct baseline_group *group)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "fingerprint", group->fingerprint);
	sink_named_string(out, "place", group->place);
	write_number(out, "documents", group->documents);
	write_number(out, "least", group->least);
	write_number(out, "most", group->most);
	sink_named_begin(out, "states", SINK_ARRAY);
	for (size_t i = 0; i < group->state_count; i++)
		sink_string(out, group->states[i]);
	sink_end(out);
	sink_end(out);
}

static void write_entry(struct sink *out, const struct baseline_entry *entry)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "function", entry->function);
	write_number(out, "documents", entry->documents);
	write_number(out, "oldest", entry->oldest);
	write_number(out, "lasted", entry->lasted);
	write_number(out, "least", entry->least);
	write_number(out, "most", entry->most);
	sink_end(out);
}

static void write_finding(struct sink *out, const struct baseline_finding *finding)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "fingerprint", finding->fingerprint);
	sink_named_string(out, "kind", finding->kind);
	sink_named_string(out, "text", finding->text);
	write_number(out, "documents", finding->documents);
	sink_end(out);
}

void baseline_write(struct sink *out, const struct baseline *b)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "format", format);
	sink_named_uint(out, "version", VERSION);
	sink_named_string(out, "rule", FINGERPRINT_RULE);
	sink_named_string(out, "program", b->program);
	sink_named_string(out, "executable", b->executable);
	sink_named_string(out, "last_version", b->version);
	sink_named_string(out, "last_go", b->go);
	write_number(out, "documents", b->documents);
	sink_named_string(out, "first_seen", b->first);
	sink_named_string(out, "last_seen", b->last);
	sink_named_string(out, "last_process", b->process);
	write_range(out, "goroutines", &b->goroutines);
	write_range(out, "threads", &b->threads);
	write_range(out, "heap_inuse_bytes", &b->heap_inuse_bytes);
	sink_named_begin(out, "groups", SINK_ARRAY);
	for (size_t i = 0; i < b->group_count; i++)
		write_group(out, &b->groups[i]);
	sink_end(out);
	sink_named_begin(out, "entries", SINK_ARRAY);
	for (size_t i = 0; i < b->entry_count; i++)
		write_entry(out, &b->entries[i]);
	sink_end(out);
	sink_named_begin(out, "findings", SINK_ARRAY);
	for (size_t i = 0; i < b->finding_count; i++)
		write_finding(out, &b->findings[i]);
	sink_end(out);
	sink_end(out);
}

static char *copy(const struct reader_node *node, const char *key)
{
	const char *text = text_of(node_get(node, key), NULL);

	return text ? xstrdup(text) : NULL;
}

static uint64_t number(const struct reader_node *node, const char *key)
{
	const int64_t n = node_int(node_get(node, key), 0);

	return n > 0 ? (uint64_t)n : 0;
}

static struct range range_of(const struct reader_node *node, const char *key)
{
	const struct reader_node *range = node_get(node, key);

	return (struct range){ range != NULL, number(range, "least"),
			       number(range, "most") };
}

static bool read_group(struct baseline *b, const struct reader_node *node)
{
	const char *fingerprint = text_of(node_get(node, "fingerprint"), "");
	const struct reader_node *states = node_get(node, "states");
	const size_t n = node_count(states);
	struct baseline_group group = { .documents = number(node, "documents"),
					.least = number(node, "least"),
					.most = number(node, "most") };

	if (!fingerprint_is(fingerprint))
		return false;
	memcpy(group.fingerprint, fingerprint, sizeof(group.fingerprint));
	group.place = xstrdup(text_of(node_get(node, "place"), "?"));
	for (size_t i = 0; i < n && i < MEASURED_STATES; i++)
		group.states[group.state_count++] =
			xstrdup(text_of(node_at(states, i), "?"));
	GROW(b->groups, b->group_count, b->group_cap);
	b->groups[b->group_count++] = group;
	table_set(&b->by_fingerprint, hash_text(fingerprint), 0, b->group_count);
	return true;
}

static bool read_finding(struct baseline *b, const struct reader_node *node)
{
	const char *fingerprint = text_of(node_get(node, "fingerprint"), "");
	struct baseline_finding finding = { .documents = number(node, "documents") };

	if (!fingerprint_is(fingerprint))
		return false;
	memcpy(finding.fingerprint, fingerprint, sizeof(finding.fingerprint));
	finding.kind = xstrdup(text_of(node_get(node, "kind"), "?"));
	finding.text = xstrdup(text_of(node_get(node, "text"), "?"));
	GROW(b->findings, b->finding_count, b->finding_cap);
	b->findings[b->finding_count++] = finding;
	return true;
}

static void read_entry(struct baseline *b, const struct reader_node *node)
{
	GROW(b->entries, b->entry_count, b->entry_cap);
	struct baseline_entry *entry = &b->entries[b->entry_count++];
	*entry = (struct baseline_entry){
		.function = xstrdup(text_of(node_get(node, "function"), "?")),
		.documents = number(node, "documents"),
		.oldest = number(node, "oldest"),
		.lasted = number(node, "lasted"),
		.least = number(node, "least"),
		.most = number(node, "most"),
	};
	table_set(&b->by_entry, hash_text(entry->function), 0, b->entry_count);
}

static bool read_lists(struct baseline *b, const struct reader_node *node)
{
	const struct reader_node *groups = node_get(node, "groups"),
				 *entries = node_get(node, "entries"),
				 *findings = node_get(node, "findings");

	for (size_t i = 0; i < node_count(groups); i++)
		if (!read_group(b, node_at(groups, i)))
			return false;
	for (size_t i = 0; i < node_count(entries); i++)
		read_entry(b, node_at(entries, i));
	for (size_t i = 0; i < node_count(findings); i++)
		if (!read_finding(b, node_at(findings, i)))
			return false;
	return true;
}

static bool read_all(struct baseline *b, const struct reader_node *node, struct err *err)
{
	const int64_t version = node_int(node_get(node, "version"), 0);

	if (strcmp(text_of(node_get(node, "format"), ""), format) != 0)
		return err_set(err, ERR_BAD_DATA, "it is no baseline");
	if (version != VERSION ||
	    strcmp(text_of(node_get(node, "rule"), ""), FINGERPRINT_RULE) != 0)
		return err_set(err, ERR_BAD_DATA, "another version of gosnap made it");
	b->program = copy(node, "program");
	b->executable = copy(node, "executable");
	b->version = copy(node, "last_version");
	b->go = copy(node, "last_go");
	b->first = copy(node, "first_seen");
	b->last = copy(node, "last_seen");
	b->process = copy(node, "last_process");
	b->documents = number(node, "documents");
	b->goroutines = range_of(node, "goroutines");
	b->threads = range_of(node, "threads");
	b->heap_inuse_bytes = range_of(node, "heap_inuse_bytes");
	return read_lists(b, node) ||
	       err_set(err, ERR_BAD_DATA, "it has a fingerprint that is none");
}

bool baseline_parse(const char *text, size_t len, struct baseline *ret, struct err *err)
{
	const struct reader_node *node = node_of_text(text, len);

	if (!node)
		return err_set(err, ERR_BAD_DATA, "it is not JSON");
	const bool ok = read_all(ret, node, err);
	node_drop(node);
	return ok;
}
