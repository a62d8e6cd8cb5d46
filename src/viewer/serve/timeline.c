/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/timeline.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/document/sink.h"
#include "src/viewer/serve/document.h"
#include "src/viewer/serve/folder.h"
#include "src/viewer/serve/http.h"
#include "src/viewer/serve/readers.h"
#include "src/viewer/serve/reply.h"

enum { ENTRIES_MAX = 10000 };

/* Which file it was that was read. */
struct version {
	dev_t dev;
	ino_t ino;
	off_t bytes;
	struct timespec written;
};

struct entry {
	char *name;
	bool is_there;		      /* of the last listing */
	char *said;		      /* members of its summary; NULL: not yet */
	struct version said_of, open; /* open: what is read, if it is */
};

/* Somebody who waits for the list. */
struct waiting {
	struct http_pending *pending; /* NULL: not any more */
	bool takes_gzip;
	struct waiting *next;
};

struct timeline {
	const struct folder *folder;
	const char *name;
	struct entry *entries;
	size_t count, cap, left_out;
	struct readers *readers;
	struct waiting *waiting; /* NULL: no list is made */
	size_t next;		 /* entry of that, of which nothing is known yet */
};

struct timeline *timeline_new(const struct folder *folder, const char *name,
			      struct readers *readers)
{
	struct timeline *t = xcalloc(1, sizeof(*t));

	t->folder = folder;
	t->name = name;
	t->readers = readers;
	return t;
}

void timeline_free(struct timeline *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->count; i++) {
		xfree(t->entries[i].name);
		xfree(t->entries[i].said);
	}
	while (t->waiting) {
		struct waiting *w = t->waiting;
		t->waiting = w->next;
		xfree(w);
	}
	xfree(t->entries);
	xfree(t);
}

static struct version version_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return (struct version){ .bytes = -1 };
	return (struct version){ st.st_dev, st.st_ino, st.st_size, st.st_mtim };
}

static bool is_same(const struct version *a, const struct version *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->bytes == b->bytes &&
	       a->written.tv_sec == b->written.tv_sec &&
	       a->written.tv_nsec == b->written.tv_nsec;
}

static void note_name(void *arg, const char *name)
{
	struct timeline *t = arg;

	for (size_t i = 0; i < t->count; i++) {
		if (strcmp(t->entries[i].name, name) == 0) {
			t->entries[i].is_there = true;
			return;
		}
	}
	if (t->count == ENTRIES_MAX) {
		t->left_out++;
		return;
	}
	GROW(t->entries, t->count, t->cap);
	t->entries[t->count++] =
		(struct entry){ .name = xstrdup(name), .is_there = true };
}

static void list(struct timeline *t)
{
	t->left_out = 0;
	for (size_t i = 0; i < t->count; i++)
		t->entries[i].is_there = false;
	folder_each(t->folder, note_name, t);
}

/* members: NULL: why there are none. */
static void note_summary(struct entry *entry, const struct version *version,
			 const char *members, size_t len, const char *why)
{
	AUTO(sink_free) struct sink *out = sink_members_new();

	if (version->bytes >= 0)
		sink_named_uint(out, "bytes", (uint64_t)version->bytes);
	if (members)
		sink_add_members(out, members, len);
	else
		sink_named_string(out, "why", why);
	xfree(entry->said);
	entry->said = xstrndup(sink_part_text(out), sink_part_bytes(out));
	entry->said_of = *version;
}

static void go_on(struct timeline *t);

static void summarized(void *arg, const struct readers_answer *answer)
{
	struct timeline *t = arg;
	struct entry *entry = &t->entries[t->next++];

	note_summary(entry, &entry->said_of, answer->ended ? NULL : answer->bytes,
		     answer->len, answer->bytes);
	xfree(answer->bytes);
	go_on(t);
}

/* True: it will be known later. */
static bool update(struct timeline *t, struct entry *entry)
{
	struct err err;
	int fd = folder_document(t->folder, entry->name, &err);
	const struct version now =
		fd < 0 ? (struct version){ .bytes = -1 } : version_of(fd);
	bool later = false;

	if (fd < 0) {
		note_summary(entry, &now, NULL, 0, err.text);
		return false;
	}
	if (!entry->said || !is_same(&now, &entry->said_of)) {
		entry->said_of = now;
		later = readers_summarize(t->readers, fd, entry->name, summarized, t,
					  &err);
		if (!later)
			note_summary(entry, &now, NULL, 0, err.text);
	}
	close(fd);
	return later;
}

static void write_list(const struct timeline *t, bool takes_gzip, struct http_reply *ret)
{
	struct sink *out = sink_part_new();

	sink_begin(out, SINK_OBJECT);
	sink_named_begin(out, "timeline", SINK_OBJECT);
	sink_named_string(out, "folder", t->name);
	sink_named_uint(out, "left_out", t->left_out);
	sink_named_begin(out, "documents", SINK_ARRAY);
	for (size_t i = 0; i < t->count; i++) {
		const struct entry *entry = &t->entries[i];
		if (!entry->is_there)
			continue;
		sink_begin(out, SINK_OBJECT);
		sink_named_uint(out, "number", i);
		sink_name(out, "name");
		sink_text(out, entry->name, strlen(entry->name));
		sink_add_members(out, entry->said, strlen(entry->said));
		sink_end(out);
	}
	sink_end(out);
	sink_end(out);
	sink_end(out);
	reply_take(ret, out, takes_gzip);
}

/* One after the other; then those who wait get it. */
static void go_on(struct timeline *t)
{
	for (; t->next < t->count; t->next++)
		if (t->entries[t->next].is_there && update(t, &t->entries[t->next]))
			return;
	while (t->waiting) {
		struct waiting *w = t->waiting;
		struct http_reply reply = { .type = NULL };
		t->waiting = w->next;
		if (w->pending) {
			write_list(t, w->takes_gzip, &reply);
			http_finish(w->pending, &reply);
		}
		xfree(w);
	}
}

void timeline_forget(struct timeline *t, const struct http_pending *pending)
{
	for (struct waiting *w = t->waiting; w; w = w->next)
		if (w->pending == pending)
			w->pending = NULL;
}

static void answer_list(struct timeline *t, const struct http_request *request,
			struct http_reply *ret)
{
	const bool goes_on = t->waiting != NULL;
	struct waiting *w = xcalloc(1, sizeof(*w));

	*w = (struct waiting){ request->pending, request->takes_gzip, t->waiting };
	t->waiting = w;
	ret->later = true;
	if (goes_on)
		return;
	list(t);
	t->next = 0;
	go_on(t);
}

/* False: err says why it cannot be read. */
static bool open_entry(struct timeline *t, size_t number, bool anew, struct err *err)
{
	struct entry *entry = &t->entries[number];
	const bool is_open = readers_has(t->readers, number);
	bool ok = true;

	if (is_open && !anew)
		return true;
	int fd = folder_document(t->folder, entry->name, err);
	if (fd < 0)
		return false;
	const struct version version = version_of(fd);
	if (!is_open || !is_same(&version, &entry->open))
		ok = readers_open(t->readers, number, fd, entry->name, true, NULL, NULL,
				  err);
	entry->open = version;
	close(fd);
	return ok;
}

/* A page that is loaded anew gets the file as it is now. */
static void answer_document(struct timeline *t, size_t number,
			    const struct http_request *request, struct http_reply *ret)
{
	const bool anew = strcmp(request->path, "start") == 0;
	struct err err;

	if (!*request->path)
		document_page(ret);
	else if (open_entry(t, number, anew, &err))
		reply_of_reader(ret, t->readers, number, request);
	else if (anew)
		reply_why(ret, err.text);
}

void timeline_answer(struct timeline *t, const struct http_request *request,
		     struct http_reply *ret)
{
	struct http_request of_document = *request;
	const char *rest;
	uint64_t number;

	if (!*request->path)
		document_page(ret);
	else if (strcmp(request->path, "start") == 0)
		answer_list(t, request, ret);
	else if ((rest = reply_path_number(request->path, "", &number)) && *rest == '/' &&
		 number < t->count) {
		of_document.path = rest + 1;
		answer_document(t, (size_t)number, &of_document, ret);
	}
}
