/* SPDX-License-Identifier: Apache-2.0 */
#include "src/causes/baseline/measured.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/document/reader.h"
#include "src/causes/document_stack.h"

enum { TEXT_BYTES = 1000 };

static char *shortened(const char *words)
{
	return text_shortened(words, TEXT_BYTES);
}

static void count(struct quantity *quantity, uint64_t n)
{
	quantity->known = true;
	quantity->value += n;
}

static uint64_t key_of(const char *fingerprint)
{
	return hash_text(fingerprint);
}

/* 1 + its index; 0: there is no room for it. */
static uint64_t add_group(struct measured *m, const struct stack_text *stack)
{
	char fingerprint[FINGERPRINT_TEXT];
	struct text text = { .words = NULL };

	fingerprint_add_group(&text, stack);
	fingerprint_of(&text, fingerprint);
	text_done(&text);
	const uint64_t known = table_get(&m->by_fingerprint, key_of(fingerprint), 0);
	if (known || m->group_count == MEASURED_GROUPS)
		return known;
	stack_text_say(&text, stack);
	GROW(m->groups, m->group_count, m->group_cap);
	m->groups[m->group_count++] =
		(struct measured_group){ .place = shortened(text_words(&text)) };
	memcpy(m->groups[m->group_count - 1].fingerprint, fingerprint,
	       sizeof(fingerprint));
	text_done(&text);
	table_set(&m->by_fingerprint, key_of(fingerprint), 0, m->group_count);
	return m->group_count;
}

bool measured_has_entry(const struct measured *m, const char *function)
{
	return table_get(&m->by_entry, hash_text(function), 0) != 0;
}

static uint64_t oldest_of(const struct reader_node *ids)
{
	uint64_t ret = UINT64_MAX;

	for (size_t i = 0; i < node_count(ids); i++) {
		const uint64_t id = (uint64_t)node_int(node_at(ids, i), -1);
		ret = id < ret ? id : ret;
	}
	return ret;
}

static void add_entry(struct measured *m, const struct stack_text *stack, uint64_t n,
		      uint64_t oldest)
{
	AUTO(xfree) char *whole = stack_text_entry(stack);

	if (!whole)
		return;
	AUTO(xfree) char *function = shortened(whole);
	uint64_t i = table_get(&m->by_entry, hash_text(function), 0);
	if (!i && m->entry_count == MEASURED_ENTRIES)
		return;
	if (!i) {
		GROW(m->entries, m->entry_count, m->entry_cap);
		m->entries[m->entry_count++] =
			(struct measured_entry){ .function = TAKE(function),
						 .oldest = oldest };
		i = m->entry_count;
		table_set(&m->by_entry, hash_text(m->entries[i - 1].function), 0, i);
	}
	m->entries[i - 1].count += n;
	if (oldest < m->entries[i - 1].oldest)
		m->entries[i - 1].oldest = oldest;
}

static void read_group(struct measured *m, const struct reader_node *group)
{
	const int64_t n = node_int(node_get(group, "count"), 0);
	struct stack_text stack;

	document_stack(&stack, node_get(group, "frames"));
	const uint64_t i = n > 0 && !stack.of_runtime ? add_group(m, &stack) : 0;
	if (i)
		add_entry(m, &stack, (uint64_t)n,
			  oldest_of(node_get(group, "goroutines")));
	stack_text_done(&stack);
	if (!i)
		return;
	m->groups[i - 1].count += (uint64_t)n;
	count(&m->goroutines, (uint64_t)n);
	table_set(&m->by_id, (uint64_t)node_int(node_get(group, "id"), -1), 0, i);
}

/* Newer releases tell locks and wait groups apart, which the place tells, too. */
static const char *state_of(const struct reader_node *goroutine)
{
	const char *status = text_of(node_get(goroutine, "status"), "unknown"),
		   *reason = text_of(node_get(goroutine, "wait_reason"), NULL);

	if (!reason || strcmp(status, "waiting") != 0)
		return status;
	return strncmp(reason, "sync.Mutex.", 11) == 0 ||
			       strncmp(reason, "sync.RWMutex.", 13) == 0 ||
			       strncmp(reason, "sync.WaitGroup.", 15) == 0
		       ? "semacquire"
		       : reason;
}

static void read_goroutine(struct measured *m, const struct reader_node *goroutine)
{
	const uint64_t i = table_get(
		&m->by_id, (uint64_t)node_int(node_get(goroutine, "group"), -2), 0);
	const char *name = state_of(goroutine);

	if (!i)
		return;
	struct measured_group *group = &m->groups[i - 1];
	group->waiting +=
		strcmp(text_of(node_get(goroutine, "status"), ""), "waiting") == 0;
	for (size_t s = 0; s < group->state_count; s++)
		if (strcmp(group->states[s].name, name) == 0) {
			group->states[s].count++;
			return;
		}
	if (group->state_count < MEASURED_STATES)
		group->states[group->state_count++] =
			(struct state){ shortened(name), 1 };
}

static void read_finding(struct measured *m, const struct reader_node *finding)
{
	const char *fingerprint = text_of(node_get(finding, "fingerprint"), "");

	if (!fingerprint_is(fingerprint) || m->finding_count == MEASURED_FINDINGS)
		return;
	GROW(m->findings, m->finding_count, m->finding_cap);
	struct measured_finding *f = &m->findings[m->finding_count++];
	memcpy(f->fingerprint, fingerprint, sizeof(f->fingerprint));
	f->kind = shortened(text_of(node_get(finding, "kind"), "?"));
	f->severity = shortened(text_of(node_get(finding, "severity"), "info"));
	f->text = shortened(text_of(node_get(finding, "text"), "?"));
}

static void read_process(struct measured *m, const struct reader_node *process)
{
	const char *executable = text_of(node_get(process, "exe"), NULL);
	const char *slash = executable ? strrchr(executable, '/') : NULL;

	const char *started = text_of(node_get(process, "started_at"), "");

	xfree(m->process);
	m->process = xasprintf("%" PRId64 " %.100s",
			       node_int(node_get(process, "pid"), -1), started);
	if (executable && !m->executable)
		m->executable = shortened(slash ? slash + 1 : executable);
}

static void read_runtime(struct measured *m, const struct reader_node *runtime)
{
	const struct reader_node *memory = node_get(runtime, "memory");
	const int64_t bytes = node_int(node_get(memory, "heap_inuse_bytes"), -1);

	if (bytes >= 0)
		m->heap_inuse_bytes = (struct quantity){ true, (uint64_t)bytes };
}

static bool read_member(void *arg, const char *member, size_t index,
			const struct reader_node *node)
{
	struct measured *m = arg;

	(void)index;
	identity_add(&m->identity, member, node);
	if (strcmp(member, "process") == 0)
		read_process(m, node);
	else if (strcmp(member, "fault") == 0 && !m->fault)
		m->fault = shortened(text_of(node_get(node, "verdict"), "?"));
	else if (strcmp(member, "runtime") == 0)
		read_runtime(m, node);
	else if (strcmp(member, "findings") == 0)
		read_finding(m, node);
	else if (strcmp(member, "groups") == 0)
		read_group(m, node);
	else if (strcmp(member, "threads") == 0)
		count(&m->threads, 1);
	else if (strcmp(member, "goroutines") == 0)
		read_goroutine(m, node);
	return true;
}

bool measured_read(struct reader *reader, struct measured *ret, struct err *err)
{
	return reader_each(reader, read_member, ret, err);
}

static void group_done(struct measured_group *group)
{
	xfree(group->place);
	for (size_t s = 0; s < group->state_count; s++)
		xfree(group->states[s].name);
}

void measured_done(struct measured *m)
{
	identity_done(&m->identity);
	xfree(m->executable);
	xfree(m->process);
	xfree(m->fault);
	for (size_t i = 0; i < m->group_count; i++)
		group_done(&m->groups[i]);
	for (size_t i = 0; i < m->entry_count; i++)
		xfree(m->entries[i].function);
	for (size_t i = 0; i < m->finding_count; i++) {
		xfree(m->findings[i].kind);
		xfree(m->findings[i].severity);
		xfree(m->findings[i].text);
	}
	xfree(m->groups);
	xfree(m->entries);
	xfree(m->findings);
	table_free(&m->by_fingerprint);
	table_free(&m->by_id);
	table_free(&m->by_entry);
}
