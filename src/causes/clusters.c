/* SPDX-License-Identifier: Apache-2.0 */
#include "src/causes/clusters.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/document/sink.h"
#include "src/viewer/terminal/page.h"

enum { INDENT = 4 };

struct program {
	char *name, *version, *go; /* NULL: not known */
	uint64_t count;
};

struct cluster {
	enum cause_kind kind;
	char fingerprint[FINGERPRINT_TEXT];
	char *text, *example; /* of the latest */
	char *first, *last;   /* NULL: not known */
	uint64_t count;
	struct program programs[CLUSTER_VERSIONS];
	size_t program_count;
	uint64_t omitted; /* documents of other versions */
};

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static void set(char **field, const char *text)
{
	xfree(*field);
	*field = copy(text);
}

static struct cluster *find(struct clusters *all, const struct cause *cause)
{
	const char *program = cause->of_program && cause->identity.program
				      ? cause->identity.program
				      : "";
	const uint64_t a = hash_text(cause->fingerprint),
		       b = table_hash_bytes(program, strlen(program));
	uint64_t i = table_get(&all->by_key, a, b);

	if (i)
		return &all->list[i - 1];
	if (all->count == CLUSTERS)
		return NULL;
	GROW(all->list, all->count, all->cap);
	struct cluster *ret = &all->list[all->count++];
	*ret = (struct cluster){ .kind = cause->kind };
	memcpy(ret->fingerprint, cause->fingerprint, sizeof(ret->fingerprint));
	table_set(&all->by_key, a, b, all->count);
	return ret;
}

static void add_program(struct cluster *cluster, const struct identity *identity)
{
	struct program *p = cluster->programs;

	for (size_t i = 0; i < cluster->program_count; i++, p++)
		if (is_same(p->name, identity->program) &&
		    is_same(p->version, identity->version) &&
		    is_same(p->go, identity->go)) {
			p->count++;
			return;
		}
	if (cluster->program_count == CLUSTER_VERSIONS) {
		cluster->omitted++;
		return;
	}
	cluster->program_count++;
	*p = (struct program){ copy(identity->program), copy(identity->version),
			       copy(identity->go), 1 };
}

/* As gosnap writes them, times are in the order of their letters. */
static bool is_time(const char *text)
{
	static const char form[] = "0000-00-00T00:00:00";

	for (size_t i = 0; form[i]; i++)
		if (form[i] == '0' ? !isdigit((unsigned char)text[i])
				   : text[i] != form[i])
			return false;
	return true;
}

static void add_time(struct cluster *cluster, const struct cause *cause, const char *path)
{
	const char *time = cause->identity.taken_at;
	const bool known = time && is_time(time);

	if (known && (!cluster->first || strcmp(time, cluster->first) < 0))
		set(&cluster->first, time);
	if (cluster->text &&
	    !(known && (!cluster->last || strcmp(time, cluster->last) > 0)))
		return;
	if (known)
		set(&cluster->last, time);
	set(&cluster->text, cause->text);
	set(&cluster->example, path);
}

void clusters_add(struct clusters *all, const struct cause *cause, const char *path)
{
	struct cluster *cluster = find(all, cause);

	all->documents++;
	all->damaged += cause->damaged;
	if (!cluster) {
		all->left_out++;
		return;
	}
	cluster->count++;
	add_program(cluster, &cause->identity);
	add_time(cluster, cause, path);
}

static int most_first(const void *a, const void *b)
{
	const struct cluster *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (!is_same(x->last, y->last))
		return strcmp(y->last ? y->last : "", x->last ? x->last : "");
	return strcmp(x->fingerprint, y->fingerprint);
}

void clusters_sort(struct clusters *all)
{
	table_clear(&all->by_key);
	if (all->count)
		qsort(all->list, all->count, sizeof(*all->list), most_first);
}

static void say_programs(const struct page *page, const struct cluster *c)
{
	struct text text = { .words = NULL };

	for (size_t i = 0; i < c->program_count; i++) {
		const struct program *p = &c->programs[i];
		text_add(&text, "%s%s", i ? "; " : "", p->name ? p->name : "?");
		text_add(&text, " %s", p->version ? p->version : "(no version)");
		if (p->go)
			text_add(&text, ", %s", p->go);
		if (c->program_count > 1 || c->omitted) {
			text_add(&text, ": ");
			text_add_count(&text, p->count);
		}
	}
	if (c->omitted) {
		text_add(&text, "; others: ");
		text_add_count(&text, c->omitted);
	}
	page_say(page, COLOR_PLAIN, INDENT, INDENT + 2, &text);
}

static void say_times(const struct page *page, const struct cluster *c)
{
	struct text text = { .words = NULL };

	if (!c->first)
		return;
	text_add(&text, c->count == 1 ? "at " : "first ");
	text_add_time(&text, c->first);
	if (c->count > 1) {
		text_add(&text, ", last ");
		text_add_time(&text, c->last);
	}
	page_say(page, COLOR_PLAIN, INDENT, INDENT + 2, &text);
}

static void print_cluster(const struct page *page, const struct cluster *c)
{
	struct text text = { .words = NULL };

	text_add_counted(&text, c->count, "document");
	text_add(&text, ", %s %s", cause_kinds[c->kind], c->fingerprint);
	page_say(page, COLOR_HEADING, 0, INDENT, &text);
	text_add(&text, "%s", c->text);
	page_say(page, c->kind == CAUSE_FAULT ? COLOR_ALARM : COLOR_PLAIN, INDENT,
		 INDENT + 2, &text);
	say_programs(page, c);
	say_times(page, c);
	text_add(&text, "%s%s", c->count == 1 ? "" : "the last: ", c->example);
	page_say(page, COLOR_PLAIN, INDENT, INDENT + 2, &text);
}

static void say_rest(const struct page *page, const struct clusters *all)
{
	struct text text = { .words = NULL };

	text_add_counted(&text, all->documents, "document");
	text_add(&text, ", ");
	text_add_counted(&text, all->count, "cause");
	if (all->left_out) {
		text_add(&text, "; of further causes: ");
		text_add_count(&text, all->left_out);
	}
	if (all->damaged) {
		text_add(&text, "; cut off or damaged, and read as far as they go: ");
		text_add_count(&text, all->damaged);
	}
	if (all->unreadable) {
		text_add(&text, "; not readable: ");
		text_add_count(&text, all->unreadable);
	}
	text_add(&text, ".");
	page_say(page, COLOR_PLAIN, 0, 2, &text);
}

void clusters_print(const struct page *page, const struct clusters *all)
{
	for (size_t i = 0; i < all->count; i++) {
		print_cluster(page, &all->list[i]);
		fputc('\n', page->out);
	}
	say_rest(page, all);
}

static void write_cluster(struct sink *out, const struct cluster *c)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "fingerprint", c->fingerprint);
	sink_named_string(out, "kind", cause_kinds[c->kind]);
	sink_named_string(out, "text", c->text);
	sink_named_uint(out, "documents", c->count);
	sink_named_string(out, "first_seen", c->first);
	sink_named_string(out, "last_seen", c->last);
	sink_named_string(out, "example", c->example);
	sink_named_begin(out, "programs", SINK_ARRAY);
	for (size_t i = 0; i < c->program_count; i++) {
		const struct program *p = &c->programs[i];
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "name", p->name);
		sink_named_string(out, "version", p->version);
		sink_named_string(out, "go", p->go);
		sink_named_uint(out, "documents", p->count);
		sink_end(out);
	}
	sink_end(out);
	if (c->omitted)
		sink_named_uint(out, "documents_of_others", c->omitted);
	sink_end(out);
}

void clusters_write(struct sink *out, const struct clusters *all)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "format", "gosnap-group");
	sink_named_uint(out, "version", 1);
	sink_named_uint(out, "documents", all->documents);
	sink_named_uint(out, "damaged", all->damaged);
	sink_named_uint(out, "unreadable", all->unreadable);
	sink_named_uint(out, "documents_of_further_causes", all->left_out);
	sink_named_begin(out, "causes", SINK_ARRAY);
	for (size_t i = 0; i < all->count; i++)
		write_cluster(out, &all->list[i]);
	sink_end(out);
	sink_end(out);
}

void clusters_done(struct clusters *all)
{
	for (size_t i = 0; i < all->count; i++) {
		struct cluster *c = &all->list[i];
		xfree(c->text);
		xfree(c->example);
		xfree(c->first);
		xfree(c->last);
		for (size_t p = 0; p < c->program_count; p++) {
			xfree(c->programs[p].name);
			xfree(c->programs[p].version);
			xfree(c->programs[p].go);
		}
	}
	xfree(all->list);
	table_free(&all->by_key);
}
