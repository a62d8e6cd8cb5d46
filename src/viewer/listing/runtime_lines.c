/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/listing/runtime_lines.h"

#include <inttypes.h>

#include "lib/document/reader.h"
#include "src/viewer/document/summary.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/text.h"

enum { QUEUES_SHOWN = 16, TYPES_SHOWN = 5, KEEPERS_SHOWN = 3 };

static int64_t number(const struct reader_node *object, const char *name)
{
	return node_int(node_get(object, name), 0);
}

/* Who runs next is not in the queue itself. */
static int64_t waiting_on(const struct reader_node *processor)
{
	return number(node_get(processor, "run_queue"), "length") +
	       (node_get(processor, "run_next") != NULL);
}

static void add_queues(struct text *text, const struct reader_node *processors)
{
	const size_t n = node_count(processors);
	int64_t sum = 0;

	text_add(text, "run queues ");
	for (size_t i = 0; i < n; i++) {
		const int64_t waiting = waiting_on(node_at(processors, i));
		sum += waiting;
		if (i < QUEUES_SHOWN)
			text_add(text, "%s%" PRId64, i ? ", " : "", waiting);
	}
	if (n > QUEUES_SHOWN)
		text_add(text, ", ... (%" PRId64 ")", sum);
}

static void print_scheduler(const struct page *page, const struct reader_node *runtime)
{
	const struct reader_node *scheduler = node_get(runtime, "scheduler");
	const struct reader_node *processors = node_get(runtime, "processors");
	const int64_t everyone = number(node_get(scheduler, "run_queue"), "length");
	struct text text = { 0 };

	text_add_counted(&text, node_count(processors), "P");
	text_add(&text, ": %" PRId64 " idle, ", number(scheduler, "idle_processors"));
	add_queues(&text, processors);
	if (everyone)
		text_add(&text, ", global %" PRId64, everyone);
	text_add(&text, "; ");
	text_add_counted(&text, (uint64_t)number(scheduler, "machines"), "M");
	text_add(&text, ": %" PRId64 " idle", number(scheduler, "idle_machines"));
	if (number(scheduler, "spinning_machines"))
		text_add(&text, ", %" PRId64 " looking for work",
			 number(scheduler, "spinning_machines"));
	if (node_get(scheduler, "stopping_world"))
		text_add(&text, "; the world is being stopped");
	page_say(page, COLOR_PLAIN, 0, 2, &text);
}

static void add_size(struct text *text, const char *before,
		     const struct reader_node *object, const char *name)
{
	const struct reader_node *size = node_get(object, name);

	if (!size)
		return;
	text_add(text, "%s", before);
	text_add_size(text, (uint64_t)node_int(size, 0));
}

/* "GC off, 41 cycles, 12 MiB live, goal 24 MiB, GOGC 100" */
static void print_memory(const struct page *page, const struct reader_node *runtime)
{
	const struct reader_node *gc = node_get(runtime, "gc");
	const struct reader_node *memory = node_get(runtime, "memory");
	const char *phase = text_of(node_get(gc, "phase"), NULL);
	struct text text = { 0 };

	if (!node_get(gc, "cycles"))
		return;
	text_add(&text, "GC%s%s, ", phase ? " " : "", phase ? phase : "");
	text_add_counted(&text, (uint64_t)number(gc, "cycles"), "cycle");
	add_size(&text, ", ", gc, "live_bytes");
	add_size(&text, " live, goal ", gc, "goal_bytes");
	add_size(&text, ", limit ", gc, "memory_limit_bytes");
	if (node_get(gc, "percent"))
		text_add(&text, ", GOGC %" PRId64, number(gc, "percent"));
	if (number(node_get(gc, "assists"), "length"))
		text_add(&text, ", %" PRId64 " wait for it",
			 number(node_get(gc, "assists"), "length"));
	add_size(&text, "; heap ", memory, "heap_inuse_bytes");
	add_size(&text, " in use, ", memory, "heap_idle_bytes");
	add_size(&text, " idle, of ", memory, "sys_bytes");
	text_add(&text, " in all");
	page_say(page, COLOR_PLAIN, 0, 2, &text);
}

static void add_amount(struct text *text, const struct reader_node *amount,
		       const char *after)
{
	text_add_size(text, (uint64_t)number(amount, "bytes"));
	text_add(text, " in ");
	text_add_count(text, (uint64_t)number(amount, "objects"));
	text_add(text, " %s", after);
}

/* "12 MiB in 340,000 main.order, retains 40 MiB" */
static void print_types(const struct page *page, const struct reader_node *types)
{
	for (size_t i = 0; i < node_count(types) && i < TYPES_SHOWN; i++) {
		const struct reader_node *type = node_at(types, i);
		const struct reader_node *live = node_get(type, "live");
		struct text text = { 0 };
		if (!number(live, "objects"))
			continue;
		add_amount(&text, live, text_of(node_get(type, "type"), "?"));
		if (number(node_get(type, "retained"), "bytes") > number(live, "bytes"))
			add_size(&text, ", retains ", node_get(type, "retained"),
				 "bytes");
		page_say(page, COLOR_PLAIN, 0, 4, &text);
	}
}

/* "40 MiB in 440,000 objects, retained by main.store 0xc000114000" */
static void print_keepers(const struct page *page, const struct reader_node *keepers)
{
	for (size_t i = 0; i < node_count(keepers) && i < KEEPERS_SHOWN; i++) {
		const struct reader_node *keeper = node_at(keepers, i);
		struct text text = { 0 };
		add_amount(&text, node_get(keeper, "retained"), "objects, retained by ");
		text_add(&text, "%s %s", text_of(node_get(keeper, "type"), "object"),
			 text_of(node_get(keeper, "address"), "?"));
		page_say(page, COLOR_PLAIN, 0, 4, &text);
	}
}

static void print_omitted(const struct page *page, const char *why)
{
	struct text text = { 0 };

	if (!why)
		return;
	text_add(&text, "what objects retain is not known: %s", why);
	page_say(page, COLOR_PLAIN, 0, 4, &text);
}

static void print_heap(const struct page *page, const struct reader_node *heap)
{
	const char *unreadable = text_of(node_get(heap, "unreadable"), NULL);
	struct text text = { 0 };

	if (!heap)
		return;
	if (unreadable) {
		text_add(&text, "heap: %s", unreadable);
		page_say(page, COLOR_PLAIN, 0, 2, &text);
		return;
	}
	text_add(&text, "heap: ");
	add_amount(&text, node_get(heap, "live"), "objects that can be reached, ");
	add_amount(&text, node_get(heap, "garbage"), "that cannot; mostly");
	page_say(page, COLOR_PLAIN, 0, 2, &text);
	print_types(page, node_get(heap, "types"));
	print_keepers(page, node_get(heap, "keepers"));
	print_omitted(page, text_of(node_get(heap, "keepers_omitted"), NULL));
}

void runtime_lines_print(const struct page *page, const struct summary *summary)
{
	if (node_count(node_get(summary->heads.runtime, "processors")) == 0)
		return;
	putc('\n', page->out);
	print_scheduler(page, summary->heads.runtime);
	print_memory(page, summary->heads.runtime);
	print_heap(page, node_get(summary->heads.runtime, "heap"));
}
