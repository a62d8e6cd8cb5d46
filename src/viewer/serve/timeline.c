/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/timeline.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/document/reader.h"
#include "lib/document/sink.h"
#include "src/viewer/serve/document.h"
#include "src/viewer/serve/folder.h"
#include "src/viewer/serve/http.h"
#include "src/viewer/serve/reply.h"
#include "src/viewer/serve/summary.h"

enum {
	ENTRIES_MAX = 10000,
	LOADED_MAX = 2, /* documents in memory */
};

/* Which file it was that was read. */
struct version {
	dev_t dev;
	ino_t ino;
	off_t bytes;
	struct timespec written;
};

struct entry {
	char *name;
	bool is_there; /* of the last listing */
	char *said;    /* members of its summary; NULL: not yet */
	struct version said_of;
};

struct loaded {
	struct document *document; /* NULL: none */
	size_t entry;
	struct version version;
	uint64_t used;
};

struct timeline {
	const struct folder *folder;
	const char *name;
	struct entry *entries;
	size_t count, cap, left_out;
	struct loaded loaded[LOADED_MAX];
	uint64_t asked;
};

struct timeline *timeline_new(const struct folder *folder, const char *name)
{
	struct timeline *t = xcalloc(1, sizeof(*t));

	t->folder = folder;
	t->name = name;
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
	for (size_t i = 0; i < LOADED_MAX; i++)
		document_free(t->loaded[i].document);
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

/* Takes fd; -1: err says why there is none. */
static void summarize(const struct entry *entry, int fd, struct err *err,
		      struct sink *out)
{
	struct reader *reader = fd < 0 ? NULL : reader_open_fd(fd, entry->name, err);

	if (reader)
		summary_write_members(reader, out);
	else
		sink_named_string(out, "why", err->text);
	reader_close(reader);
}

/* Members of an object, as text. */
static void update(const struct timeline *t, struct entry *entry)
{
	struct err err;
	int fd = folder_document(t->folder, entry->name, &err);
	const struct version now =
		fd < 0 ? (struct version){ .bytes = -1 } : version_of(fd);

	if (fd >= 0 && entry->said && is_same(&now, &entry->said_of)) {
		close(fd);
		return;
	}
	AUTO(sink_free) struct sink *out = sink_members_new();
	if (now.bytes >= 0)
		sink_named_uint(out, "bytes", (uint64_t)now.bytes);
	summarize(entry, fd, &err, out);
	xfree(entry->said);
	entry->said = xstrndup(sink_part_text(out), sink_part_bytes(out));
	entry->said_of = now;
}

static void answer_list(struct timeline *t, bool takes_gzip, struct http_reply *ret)
{
	struct sink *out = sink_part_new();

	list(t);
	sink_begin(out, SINK_OBJECT);
	sink_named_begin(out, "timeline", SINK_OBJECT);
	sink_named_string(out, "folder", t->name);
	sink_named_uint(out, "left_out", t->left_out);
	sink_named_begin(out, "documents", SINK_ARRAY);
	for (size_t i = 0; i < t->count; i++) {
		struct entry *entry = &t->entries[i];
		if (!entry->is_there)
			continue;
		update(t, entry);
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

/* The one that was not used for longest gives way. */
static struct loaded *place_for(struct timeline *t, size_t entry)
{
	struct loaded *oldest = &t->loaded[0];

	for (size_t i = 0; i < LOADED_MAX; i++) {
		struct loaded *l = &t->loaded[i];
		if (l->document && l->entry == entry)
			return l;
		if (l->used < oldest->used)
			oldest = l;
	}
	return oldest;
}

/* NULL: err says why it cannot be read. */
static struct document *load(struct timeline *t, size_t entry, bool anew, struct err *err)
{
	const char *name = t->entries[entry].name;
	struct loaded *l = place_for(t, entry);
	const bool is_there = l->document && l->entry == entry;

	l->used = ++t->asked;
	if (is_there && !anew)
		return l->document;
	int fd = folder_document(t->folder, name, err);
	if (fd < 0)
		return NULL;
	const struct version version = version_of(fd);
	if (is_there && is_same(&version, &l->version)) {
		close(fd);
		return l->document;
	}
	document_free(TAKE(l->document));
	struct reader *reader = reader_open_fd(fd, name, err);
	if (reader)
		l->document = document_load(reader, name, true, err);
	l->entry = entry;
	l->version = version;
	return l->document;
}

static void answer_why(const struct err *err, struct http_reply *ret)
{
	struct sink *out = sink_part_new();

	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "why", err->text);
	sink_end(out);
	reply_take(ret, out, false);
}

/* A page that is loaded anew gets the file as it is now. */
static void answer_document(struct timeline *t, size_t entry, const char *what,
			    const struct http_request *request, struct http_reply *ret)
{
	const bool anew = strcmp(what, "start") == 0;
	struct err err;

	if (!*what) {
		document_page(ret);
		return;
	}
	struct document *d = load(t, entry, anew, &err);
	if (d)
		document_answer(d, what, request, ret);
	else if (anew)
		answer_why(&err, ret);
}

void timeline_answer(struct timeline *t, const struct http_request *request,
		     struct http_reply *ret)
{
	const char *rest;
	uint64_t number;

	if (!*request->path)
		document_page(ret);
	else if (strcmp(request->path, "start") == 0)
		answer_list(t, request->takes_gzip, ret);
	else if ((rest = reply_path_number(request->path, "", &number)) && *rest == '/' &&
		 number < t->count)
		answer_document(t, (size_t)number, rest + 1, request, ret);
}
