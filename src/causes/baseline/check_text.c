/* SPDX-License-Identifier: Apache-2.0 */
/* check_text.c - what is not normal, for people and for programs. */
#include "lib/document/sink.h"
#include "src/causes/baseline/check.h"
#include "src/viewer/terminal/page.h"

enum { SHOWN = 20 };

static const char *const kinds[] = {
	[DEVIATION_CRASHED] = "crashed", [DEVIATION_FINDING] = "finding",
	[DEVIATION_NEW] = "new",	 [DEVIATION_GROWN] = "grown",
	[DEVIATION_MISSING] = "missing", [DEVIATION_GOROUTINES] = "goroutines",
	[DEVIATION_THREADS] = "threads", [DEVIATION_HEAP] = "heap",
};

static void add_documents(struct text *text, const struct baseline *normal)
{
	text_add(text, "Compared with ");
	text_add_counted(text, normal->documents, "document");
	text_add(text, " of %s", normal->program ? normal->program : "it");
	if (normal->first) {
		text_add(text, ", ");
		text_add_time(text, normal->first);
		if (normal->documents > 1 && normal->last) {
			text_add(text, " to ");
			text_add_time(text, normal->last);
		}
	}
	text_add(text, ".");
}

void check_print(const struct page *page, const struct deviations *all,
		 const struct baseline *normal)
{
	struct text text = { .words = NULL };

	for (size_t i = 0; i < all->count && i < SHOWN; i++) {
		text_add(&text, "%s", text_words(&all->list[i].text));
		page_say(page, COLOR_ALARM, 0, 4, &text);
	}
	if (all->count > SHOWN) {
		text_add(&text, "And ");
		text_add_count(&text, all->count - SHOWN);
		text_add(&text, " more: --json has them.");
		page_say(page, COLOR_PLAIN, 0, 4, &text);
	}
	if (!all->count)
		text_add(&text, "All is as it was. ");
	add_documents(&text, normal);
	page_say(page, COLOR_PLAIN, 0, 2, &text);
}

static void write_one(struct sink *out, const struct deviation *d)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "kind", kinds[d->kind]);
	sink_named_string(out, "fingerprint", d->fingerprint);
	sink_named_string(out, "text", text_words(&d->text));
	if (d->kind > DEVIATION_FINDING) {
		sink_named_uint(out, "now", d->now);
		sink_named_uint(out, "most", d->most);
	}
	sink_end(out);
}

void check_write(struct sink *out, const struct deviations *all,
		 const struct baseline *normal)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "format", "gosnap-check");
	sink_named_uint(out, "version", 1);
	sink_named_string(out, "program", normal->program);
	sink_named_uint(out, "documents", normal->documents);
	sink_named_begin(out, "deviations", SINK_ARRAY);
	for (size_t i = 0; i < all->count; i++)
		write_one(out, &all->list[i]);
	sink_end(out);
	sink_end(out);
}
