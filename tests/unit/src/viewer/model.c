/* SPDX-License-Identifier: Apache-2.0 */
/* What rows say is what jansson reads of the same document: of all in tests/documents, whole and cut
 * off anywhere. */
#include "src/viewer/model/model.h"

#include <dirent.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/document/reader.h"
#include "lib/document/reader_text.h"
#include "tests/unit/unit.h"

#define HEAD "{\"format\":\"gosnap\",\"version\":1"

struct compared {
	struct model *model;
	size_t goroutines, groups, frames;
};

static const struct reader_node *at(const struct reader_node *node, const char *first,
				    const char *second)
{
	return node_get(node_get(node, first), second);
}

static void same_text(const struct compared *c, model_text number,
		      const struct reader_node *node)
{
	assert_string_equal(model_text_of(c->model, number), node_string(node, ""));
}

static void compare_goroutine(struct compared *c, const struct reader_node *node)
{
	size_t n;
	const struct model_goroutine *row =
		&model_goroutines(c->model, &n)[c->goroutines++];
	const bool waits =
		strcmp(node_string(node_get(node, "status"), ""), "waiting") == 0;

	assert_true(c->goroutines <= n);
	assert_int_equal(row->id, node_int(node_get(node, "id"), -1));
	assert_int_equal(row->waiting_ns, node_int(node_get(node, "waiting_ns"), -1));
	assert_int_equal(row->runnable_ns, node_int(node_get(node, "runnable_ns"), -1));
	assert_int_equal(row->thread, node_int(node_get(node, "thread"), -1));
	assert_int_equal(row->parent, node_int(at(node, "created_by", "goroutine"), -1));
	assert_int_equal(row->waits_address,
			 node_address(at(node, "waiting_for", "address"), 0));
	assert_int_equal(row->system, node_bool(node_get(node, "system"), false));
	assert_int_equal(row->locked, node_bool(node_get(node, "locked"), false));
	assert_int_equal(row->has_values, node_get(node, "frames") != NULL);
	same_text(c, row->status, node_get(node, "status"));
	same_text(c, row->reason, waits ? node_get(node, "wait_reason") : NULL);
	same_text(c, row->creator,
		  at(node, "created_by",
		     at(node, "created_by", "function") ? "function" : "pc"));
	same_text(c, row->creator_file, at(node, "created_by", "file"));
	assert_int_equal(row->creator_line, node_int(at(node, "created_by", "line"), 0));
	same_text(c, row->waits_operation, at(node, "waiting_for", "operation"));
	same_text(c, row->entry, at(node, "entry", "function"));
	same_text(c, row->waits_kind, at(node, "waiting_for", "kind"));
	assert_int_equal(
		row->group,
		model_find_group(c->model, node_int(node_get(node, "group"), -1)));
	const struct reader_node *opened = model_open(c->model, row->place);
	assert_int_equal(node_int(node_get(opened, "id"), -1), row->id);
	node_drop(opened);
	opened = model_open_member(c->model, row->place, "stack");
	assert_int_equal(node_int(node_get(opened, "size_bytes"), -1),
			 node_int(at(node, "stack", "size_bytes"), -1));
	node_drop(opened);
}

static void compare_frame(struct compared *c, const struct model_frame *row,
			  const struct reader_node *node)
{
	const char *language = node_string(node_get(node, "language"), "");

	assert_int_equal(row->pc, node_address(node_get(node, "pc"), 0));
	assert_int_equal(row->line, node_int(node_get(node, "line"), 0));
	assert_int_equal(row->hidden, node_bool(node_get(node, "hidden"), false));
	assert_int_equal(row->inlined, node_bool(node_get(node, "inlined"), false));
	assert_int_equal(row->is_c, strcmp(language, "c") == 0);
	same_text(c, row->function, node_get(node, "function"));
	same_text(c, row->file, node_get(node, "file"));
	c->frames++;
}

static void compare_group(struct compared *c, const struct reader_node *node)
{
	size_t n, frame_count;
	const struct model_group *row = &model_groups(c->model, &n)[c->groups++];
	const struct model_frame *frames = model_frames(c->model, &frame_count);
	const struct reader_node *list = node_get(node, "frames");

	assert_true(c->groups <= n);
	assert_int_equal(row->id, node_int(node_get(node, "id"), -1));
	assert_int_equal(row->count,
			 node_int(node_get(node, "count"),
				  (int64_t)node_count(node_get(node, "goroutines"))));
	assert_int_equal(row->frame_count, node_count(list));
	for (size_t i = 0; i < row->frame_count; i++)
		compare_frame(c, &frames[row->first_frame + i], node_at(list, i));
}

static bool compare_element(void *arg, const char *member, size_t index,
			    const struct reader_node *node)
{
	(void)index;
	if (strcmp(member, "goroutines") == 0)
		compare_goroutine(arg, node);
	else if (strcmp(member, "groups") == 0)
		compare_group(arg, node);
	return true;
}

static void check_members(const struct compared *c)
{
	size_t groups, goroutines, found = 0;
	const struct model_group *list = model_groups(c->model, &groups);
	const struct model_goroutine *rows = model_goroutines(c->model, &goroutines);

	for (size_t i = 0; i < groups; i++) {
		for (size_t j = 0; j < list[i].member_count; j++) {
			const uint32_t row =
				model_members(c->model)[list[i].first_member + j];
			assert_true(row < goroutines);
			assert_int_equal(rows[row].group, i);
			assert_int_equal(model_find_goroutine(c->model, rows[row].id),
					 row);
		}
		found += list[i].member_count;
	}
	for (size_t i = 0; i < goroutines; i++)
		found += rows[i].group == MODEL_NONE;
	assert_int_equal(found, goroutines);
}

/* Takes ownership of both descriptors, of one document. */
static void compare(int fd, int again)
{
	struct err err = { .code = ERR_NONE }, damage = { .code = ERR_NONE };
	struct reader *reader = reader_open_fd(fd, "x", &err);
	AUTO(reader_close) struct reader *parsed = reader_open_fd(again, "x", &err);
	struct compared c = { .model = NULL };
	size_t n;

	if (!reader || !parsed) {
		assert_true(!reader && !parsed);
		return;
	}
	c.model = model_load(reader, &err);
	assert_non_null(c.model);
	const bool whole = reader_each(parsed, compare_element, &c, &damage);
	assert_int_equal(whole, model_damage(c.model) == NULL);
	if (!whole)
		assert_string_equal(model_damage(c.model), damage.text);
	model_goroutines(c.model, &n);
	assert_int_equal(n, c.goroutines);
	model_groups(c.model, &n);
	assert_int_equal(n, c.groups);
	model_frames(c.model, &n);
	assert_int_equal(n, c.frames);
	check_members(&c);
	model_free(c.model);
}

static int open_old(const char *name)
{
	char path[512];
	struct err err;
	const char *said;

	snprintf(path, sizeof(path), DOCUMENTS "/%s", name);
	const int fd = reader_find(path, &said, &err);
	assert_true(fd >= 0);
	return fd;
}

static void old_documents(void **state)
{
	DIR *folder = opendir(DOCUMENTS);
	const struct dirent *entry;
	size_t n = 0;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		if (!strstr(entry->d_name, ".zst"))
			continue;
		compare(open_old(entry->d_name), open_old(entry->d_name));
		n++;
	}
	closedir(folder);
	assert_true(n > 10);
}

static int file_of(const char *text, size_t len)
{
	const int fd = memfd_create("document", MFD_CLOEXEC);

	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static const char small[] = HEAD
	",\"snapshot\":{\"tool\":\"x\"},\"groups\":[{\"id\":7,\"count\":2,\"goroutines\":"
	"[1,3],"
	"\"frames\":[{\"function\":\"a\\\"b\",\"file\":\"\\u00e9\",\"line\":3,\"pc\":"
	"\"0x1f\"},"
	"{\"language\":\"c\",\"hidden\":true}]}, {\"frames\":[]} ],\n\"goroutines\":["
	"{\"id\":1,\"status\":\"waiting\",\"wait_reason\":\"x\",\"group\":7,\"labels\":[{"
	"\"key\":\"k\"}]},"
	" {\"id\":-2,\"status\":5,\"group\":\"7\"} "
	",{\"id\":3,\"group\":7,\"waiting_for\":"
	"{\"kind\":\"mutex\",\"address\":\"0xc000\"},\"frames\":[]}],\"warnings\":[{}],"
	"\"end\":{}}";

static void cut_anywhere(void **state)
{
	(void)state;
	for (size_t len = 1; len < sizeof(small); len++)
		compare(file_of(small, len), file_of(small, len));
}

/* A goroutine of that text; what is of another type is absent. */
static void odd_members(void **state)
{
	static const char *const goroutines[] = {
		"{}",
		"{\"id\":1e3}",

		"{\"id\":99999999999999999999}",
		"{\"id\":9223372036854775807}",
		"{\"waiting_ns\":\"5\"}",
		"{\"system\":1}",
		"{\"status\":\"\\ud83d\\ude00\"}",
		"{\"status\":\"\\u0000x\"}",
		"{\"waiting_for\":[]}",
		"{\"waiting_for\":{\"address\":\"0xFF\"}}",
		"{\"waiting_for\":{\"address\":\"0x\"}}",
		"{\"waiting_for\":{\"address\":\"12\"}}",
		"{\"created_by\":{\"function\":{},\"goroutine\":-1}}",
		"[]",
		"5",
		"null",
		"\"x\"",
		"{\"group\":5,\"id\":4,\"id\":5}",
		" { \"id\" : 12 , \"group\" :\t7\n} ",
	};
	char text[1024];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(goroutines); i++) {
		const int len =
			snprintf(text, sizeof(text),
				 HEAD ",\"goroutines\":[%s],\"end\":{}}", goroutines[i]);
		compare(file_of(text, (size_t)len), file_of(text, (size_t)len));
	}
}

static void places(void **state)
{
	struct err err;
	struct model *m = model_load(
		reader_open_fd(file_of(small, sizeof(small) - 1), "x", &err), &err);

	(void)state;
	assert_non_null(m);
	assert_null(model_damage(m));
	assert_string_equal(node_string(node_get(model_heads(m)->snapshot, "tool"), ""),
			    "x");
	assert_null(model_heads(m)->fault);
	assert_int_equal(model_list_count(m, MODEL_WARNINGS), 1);
	const struct reader_node *warning =
		model_open(m, model_list_at(m, MODEL_WARNINGS, 0));
	assert_non_null(warning);
	node_drop(warning);
	assert_null(model_open(m, model_list_at(m, MODEL_WARNINGS, 1)));
	assert_int_equal(model_find_goroutine(m, 99), MODEL_NONE);
	assert_int_equal(model_find_group(m, 99), MODEL_NONE);
	model_free(m);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_documents),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(odd_members),
		cmocka_unit_test(places),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
