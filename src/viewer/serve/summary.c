/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/summary.h"

#include <string.h>

#include "lib/base/err.h"
#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "src/viewer/document/findings.h"

struct summing {
	struct sink *out;
	uint64_t goroutines;
	bool has_verdict;
};

static void copy(struct summing *s, const char *name, const struct reader_node *node)
{
	if (!node)
		return;
	sink_name(s->out, name);
	node_write(s->out, node);
}

static void note_verdict(struct summing *s, const struct reader_node *verdict,
			 const struct reader_node *severity)
{
	if (s->has_verdict || !verdict)
		return;
	s->has_verdict = true;
	copy(s, "verdict", verdict);
	copy(s, "severity", severity);
}

static bool note(void *arg, const char *member, size_t index,
		 const struct reader_node *node)
{
	struct summing *s = arg;

	if (strcmp(member, "snapshot") == 0) {
		copy(s, "taken_at", node_get(node, "taken_at"));
		copy(s, "host", node_get(node, "host"));
	} else if (strcmp(member, "process") == 0) {
		copy(s, "pid", node_get(node, "pid"));
		copy(s, "program", node_get(node, "exe"));
	} else if (strcmp(member, "go") == 0) {
		copy(s, "module", node_get(node, "module"));
	} else if (strcmp(member, "fault") == 0) {
		sink_named_bool(s->out, "fault", true);
		note_verdict(s, node_get(node, "verdict"), NULL);
	} else if (strcmp(member, "findings") == 0 && index == 0 &&
		   shown_finding_is_bad(node)) {
		note_verdict(s, node_get(node, "text"), node_get(node, "severity"));
	} else if (strcmp(member, "verdict") == 0) {
		note_verdict(s, node_get(node, "text"), node_get(node, "outcome"));
	} else if (strcmp(member, "groups") == 0) {
		const int64_t count = node_int(node_get(node, "count"), 0);
		s->goroutines += count > 0 ? (uint64_t)count : 0;
	}
	return strcmp(member, "threads") != 0 && strcmp(member, "goroutines") != 0;
}

void summary_write_members(struct reader *reader, struct sink *out)
{
	struct summing s = { .out = out };
	struct err err;

	if (!reader_each(reader, note, &s, &err))
		sink_named_string(out, "why", err.text);
	sink_named_uint(out, "goroutines", s.goroutines);
}
