/* SPDX-License-Identifier: Apache-2.0 */
/* Executables, before anything runs: headers, sections and symbols, debug information wherever it is,
 * call frame information, and what shows that it is Go. The input is an ELF file. */
#include <assert.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "goruntime/goruntime.h"
#include "lib/dwarf/dwarf_info.h"
#include "lib/dwarf/dwarf_names.h"
#include "lib/dwarf/dwarf_scopes.h"
#include "lib/dwarf/tls.h"
#include "lib/elf/image.h"
#include "lib/elf/image_debug.h"
#include "lib/elf/target_image.h"
#include "lib/unwind/unwind.h"
#include "tests/fuzz/fuzz.h"

enum { PLACES = 8 /* in the code */, STEPS = 16 };

static void look_at(const struct image *img, uint64_t addr)
{
	struct image_range range;
	const char *name;
	uint64_t entry;
	uint8_t bytes[WORD];
	size_t len;
	struct err err = { .text = "" };

	image_function_at(img, addr, &name, &entry);
	image_symbol(img, "main", &range);
	image_section(img, ".text", &range);
	image_bytes_from(img, addr, &len);
	bool read = image_read(img, addr, bytes, sizeof(bytes), &err);
	assert(read || err.text[0]);
}

static void read_scopes(struct dwarf *d, uint64_t pc)
{
	struct err err = { .text = "" };
	AUTO(dwarf_scopes_free)
	struct dwarf_scopes *scopes = dwarf_scopes_at(d, pc, true, &err);

	(void)scopes;
	dwarf_has_function(d, pc);
}

static void read_debug(const struct image *img, const struct image_segment *code)
{
	struct err err = { .text = "" };
	const struct image *debug = image_debug(img, &err);
	AUTO(dwarf_close) struct dwarf *d = debug ? dwarf_open(debug, &err) : NULL;
	int64_t value;

	if (!d)
		return;
	bool sound = dwarf_check(d, &err);
	assert(sound || err.text[0]);
	dwarf_has_go(d);
	dwarf_constant_value(d, "runtime", "_Gidle", &value);
	for (uint64_t i = 0; i < PLACES; i++)
		read_scopes(d, code->addr + code->size / PLACES * i);
}

static void unwind_from(struct unwind *u, const struct arch *arch, uint64_t pc)
{
	struct regs regs = { .valid = 0 };
	bool at_instruction = true;
	struct err err;

	reg_set(&regs, arch->pc, pc);
	reg_set(&regs, arch->sp, pc);
	reg_set(&regs, arch->fp, pc);
	for (int i = 0; i < STEPS; i++)
		if (unwind_step(u, &regs, &at_instruction, &err) != UNWIND_CALLER)
			break;
}

static void read_code(struct target *t, const struct images *images,
		      const struct image_segment *code)
{
	AUTO(unwind_free) struct unwind *u = unwind_new(t, images);

	for (uint64_t i = 0; i < PLACES; i++)
		unwind_from(u, target_arch(t), code->addr + code->size / PLACES * i);
}

static void read_go(struct target *t, const struct images *images)
{
	struct err err = { .text = "" };
	AUTO(layout_report_free)
	struct layout_report *report = layout_report_file(t, images, &err);

	assert(report || err.text[0]);
}

static void read_all(const struct images *images)
{
	const struct image *img = images_get(images, 0);
	struct image_segment segment, code = { .addr = 0 };
	struct err err = { .text = "" };
	AUTO(target_close) struct target *t = target_image_new(img, &err);

	for (size_t i = 0; image_segment(img, i, &segment); i++) {
		look_at(img, segment.addr);
		if (segment.executable)
			code = segment;
	}
	image_build_id(img);
	image_go_build_id(img);
	read_debug(img, &code);
	if (!t)
		return;
	read_code(t, images, &code);
	read_go(t, images);
}

static void find_probes(int fd)
{
	struct err err = { .text = "" };
	static const char *const function = "main.main";
	const struct probe_wanted wanted = { &function, 1 };
	struct probe_points points;
	const bool found = probe_points_find(fd, "executable", &wanted, &points, &err);

	assert(found ? points.count && points.count <= PROBE_POINTS : *err.text);
}

static void find_goroutines(int fd)
{
	struct err err = { .text = "" };
	struct goroutine_list list;
	const bool found = goroutine_list_find(fd, "executable", &list, &err);

	assert(found ? list.segment_count <= GOROUTINE_LIST_SEGMENTS : *err.text);
}

struct planning {
	struct calls *calls;
	int left;
};

/* What gosnap trace asks of a function. */
static bool plan_function(void *arg, const char *name, uint64_t entry, uint64_t end)
{
	struct planning *p = arg;
	struct call_point point;
	struct call_returns returns;
	struct call_plan plan;
	struct call_word word;
	struct err err = { .text = "" };

	assert(name);
	if (calls_point(p->calls, entry, end, &point))
		calls_returns(p->calls, entry, end, &returns);
	calls_plan(p->calls, entry, &plan);
	assert(plan.count <= CALL_STEPS);
	const bool has = calls_word(p->calls, entry, &plan, "s.name", true, &word, &err);
	assert(has || *err.text);
	calls_plan_results(p->calls, entry, &plan);
	assert(plan.count <= CALL_STEPS);
	return --p->left > 0;
}

static void plan_calls(int fd)
{
	struct err err = { .text = "" };
	AUTO(warnings_free) struct warnings *warnings = warnings_new();
	AUTO(calls_close)
	struct calls *calls = calls_open(fd, "executable", 0, warnings, &err);

	assert(calls || *err.text);
	if (calls)
		calls_each_function(calls, plan_function,
				    &(struct planning){ calls, PLACES });
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { .text = "" };
	char path[32];
	const int fd = memfd_create("executable", MFD_CLOEXEC);

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	AUTO(images_close) struct images *images = images_open_file(path, &err);
	assert(images || err.text[0]);
	if (images)
		read_all(images);
	find_probes(fd);
	find_goroutines(fd);
	plan_calls(fd);
	close(fd);
	return 0;
}
