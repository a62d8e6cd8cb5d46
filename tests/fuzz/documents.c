/* SPDX-License-Identifier: Apache-2.0 */
/* Documents, as gosnap show, json, group and baseline read them: what is not damaged is shown, and a
 * reason is given for the rest. The input: a byte of FLAGS, then the document. */
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/document/reader_inline.h"
#include "lib/document/sink.h"
#include "src/causes/baseline/check.h"
#include "src/causes/clusters.h"
#include "src/causes/explain.h"
#include "src/viewer/filter/filter.h"
#include "src/viewer/listing/viewer.h"
#include "src/viewer/model/model.h"
#include "src/viewer/stack/raw_stack.h"
#include "src/viewer/terminal/page.h"
#include "tests/fuzz/fuzz.h"

enum { ALL = 1, COLOR = 2, NARROW = 4, FILTERED = 8, DEEP = 16 };
enum { COLUMNS = 80, COLUMNS_NARROW = 20 };

/* Takes the descriptor, as the command does. */
static struct reader *opened(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("document", MFD_CLOEXEC);
	struct err err = { .text = "" };

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	assert(lseek(fd, 0, SEEK_SET) == 0);
	struct reader *ret = reader_open_fd(fd, "the input", &err);
	assert(ret || err.text[0]);
	return ret;
}

static struct filter *filter_of(uint8_t flags)
{
	struct filter *filter = filter_new();
	struct err err;

	if (!(flags & FILTERED))
		return filter;
	bool added =
		filter_add(filter, FILTER_FUNCTION, false, "function", "main", &err) &&
		filter_add(filter, FILTER_WAIT, true, "wait", "/^s.*t/", &err) &&
		filter_add(filter, FILTER_LONGER, true, "longer", "5m", &err) &&
		filter_add(filter, FILTER_GOROUTINE, false, "goroutine", "1-9,20", &err);
	assert(added);
	return filter;
}

static FILE *nowhere(void)
{
	static FILE *file;

	if (!file)
		file = fopen("/dev/null", "w");
	assert(file);
	return file;
}

/* Takes ownership of the reader. */
static void show(struct reader *reader, uint8_t flags)
{
	AUTO(filter_free) struct filter *filter = filter_of(flags);
	const struct viewer_options options = {
		.all = flags & ALL,
		.color = flags & COLOR,
		.columns = flags & NARROW ? COLUMNS_NARROW : COLUMNS,
		.filter = filter,
	};
	struct err err = { .text = "" };
	bool nothing;

	bool shown = viewer_show(reader, &options, nowhere(), &nothing, &err);
	assert(shown || err.text[0]);
}

/* Takes ownership of the reader. */
static void show_stack(struct reader *reader, uint8_t flags, int64_t id)
{
	const struct page page = { nowhere(), COLUMNS, flags & COLOR };
	struct err err = { .text = "" };
	bool no;

	bool shown = raw_stack_show(reader, id, &page, NULL, &no, &err);
	assert(shown || err.text[0]);
}

/* Takes ownership of the reader. *ret_id: of a goroutine. */
static void load(struct reader *reader, int64_t *ret_id)
{
	struct err err = { .text = "" };
	AUTO(model_free) struct model *m = model_load(reader, &err);
	size_t n;

	assert(m || err.text[0]);
	if (!m)
		return;
	const struct model_goroutine *list = model_goroutines(m, &n);
	for (size_t i = 0; i < n; i++) {
		const struct reader_node *node = model_open_inline(m, list[i].place, 2);
		assert(model_find_goroutine(m, list[i].id) <= i);
		node_drop(node);
		*ret_id = list[i].id;
	}
}

static void write_again(struct reader *reader, unsigned depth)
{
	AUTO(sink_free) struct sink *out = sink_part_new();
	struct err err = { .text = "" };
	bool whole = inline_write(reader, depth, out, &err);

	assert(whole || err.text[0]);
}

static void group(struct reader *reader, const struct page *page)
{
	struct cause cause = { .kind = CAUSE_NONE };
	struct clusters all = { .list = NULL };
	struct err err = { .text = "" };
	bool read = cause_read(reader, &cause, &err);

	assert(read || err.text[0]);
	clusters_add(&all, &cause, "input");
	clusters_add(&all, &cause, "input");
	clusters_sort(&all);
	clusters_print(page, &all);
	clusters_done(&all);
	cause_done(&cause);
	read = explain(reader, nowhere(), &err);
	assert(read || err.text[0]);
}

/* What is added once is normal then, but for a crash. */
static void compare(struct reader *reader, const struct page *page)
{
	const struct check_limits limits = { 1, 1 };
	struct measured now = { .fault = NULL };
	struct baseline normal = { .program = NULL }, again = { .program = NULL };
	struct deviations all;
	struct err err = { .text = "" };
	AUTO(sink_free) struct sink *out = sink_part_new();

	bool read = measured_read(reader, &now, &err);
	assert(read || err.text[0]);
	baseline_add(&normal, &now);
	baseline_write(out, &normal);
	read = baseline_parse(sink_part_text(out), sink_part_bytes(out), &again, &err);
	assert(read && again.documents == 1);
	check(&all, &again, &now, &limits);
	assert(all.count == (now.fault != NULL));
	check_print(page, &all, &again);
	deviations_done(&all);
	baseline_done(&normal);
	baseline_done(&again);
	measured_done(&now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	AUTO(reader_close) struct reader *reader = opened(data + 1, size - 1);
	if (!reader)
		return 0;
	show(opened(data + 1, size - 1), *data);
	const struct page page = { nowhere(), COLUMNS, false };
	group(reader, &page);
	compare(reader, &page);
	write_again(reader, 0);
	int64_t id = 0;
	load(opened(data + 1, size - 1), &id);
	show_stack(opened(data + 1, size - 1), *data, id);
	write_again(reader, *data & DEEP ? INLINE_DEPTH_MAX : INLINE_DEPTH);
	return 0;
}
