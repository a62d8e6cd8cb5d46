/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "goruntime/goruntime.h"
#include "lib/corefile/target_core.h"
#include "lib/document/sink.h"
#include "lib/elf/target_image.h"
#include "lib/ptrace/target_live.h"
#include "lib/sandbox/sandbox.h"
#include "src/capture/capture_core.h"
#include "src/capture/sandboxed.h"
#include "src/operands/operands.h"
#include "src/options/read_options.h"

struct layout_arguments {
	bool differences, row, json, no_sandbox;
	struct core_options core;
};

static const struct option_info layout_options[] = {
	{ 0, "differences", NULL, "print only what differs from the table",
	  OPTION_FLAG(struct layout_arguments, differences) },
	{ 0, "row", NULL, "write a row for goruntime/layout/layout_table.inc",
	  OPTION_FLAG(struct layout_arguments, row) },
	{ 0, "json", NULL, "write JSON", OPTION_FLAG(struct layout_arguments, json) },
	{ .name = NULL }
};

const struct command command_layout = {
	.name = "gosnap layout",
	.run = cmd_layout,
	.arguments = "BINARY|PID|CORE [EXE]",
	.summary = "print where a Go runtime keeps its data",
	.options = { { .rows = layout_options },
		     { core_options, offsetof(struct layout_arguments, core) },
		     { sandbox_options, offsetof(struct layout_arguments, no_sandbox) } },
};

static struct layout_report *report_runtime(struct target *t, const struct images *images,
					    struct err *err)
{
	AUTO(warnings_free) struct warnings *warnings = warnings_new();
	AUTO(runtimes_close)
	struct runtimes *all = runtimes_open(t, images, NULL, warnings);
	if (runtimes_unusable(all)) {
		err_set(err, ERR_CANNOT, "%s", runtimes_unusable(all));
		return NULL;
	}
	return layout_report_process(runtimes_get(all, 0), err);
}

static struct layout_report *report_process(struct target *t, struct err *err)
{
	AUTO(images_close) struct images *images = images_open(t);
	return report_runtime(t, images, err);
}

static struct layout_report *
report_core(const char *path, const struct image_search *search, struct err *err)
{
	AUTO(images_close) struct images *images = NULL;
	AUTO(target_close) struct target *t = core_with_files(path, search, &images, err);
	return t ? report_runtime(t, images, err) : NULL;
}

static struct layout_report *report_file(const char *path, struct err *err)
{
	AUTO(images_close) struct images *images = images_open_file(path, err);
	if (!images)
		return NULL;
	const struct image *img = images_get(images, 0);
	AUTO(target_close) struct target *t = target_image_new(img, err);
	return t ? layout_report_file(t, images, err) : NULL;
}

/* In the format of goruntime/layout/layout_table.inc. */
static void print_row(const struct layout_report *report)
{
	printf("/* %s */\n{ %d, \"%s\", {\n", report->go, report->minor, report->arch);
	for (size_t i = 0; i < report->count; i++)
		printf("\t[L_%s] = { %d, %u },\n", report->items[i].slot,
		       report->items[i].value, report->items[i].size);
	printf("} },\n");
}

static const char *source_of(const struct layout_report *report,
			     const struct layout_item *item)
{
	return item->value < 0 ? NULL : report->from_dwarf ? "dwarf" : "table";
}

static void sink_numbers(struct sink *out, enum layout_kind kind, int32_t value,
			 uint32_t size)
{
	static const char *const names[] = {
		[LAYOUT_FIELD] = "offset",
		[LAYOUT_SIZE] = "bytes",
		[LAYOUT_CONSTANT] = "value",
	};
	if (value < 0)
		return;
	sink_named_int(out, names[kind], value);
	if (kind == LAYOUT_FIELD)
		sink_named_uint(out, "size", size);
}

static void sink_item(struct sink *out, const struct layout_report *report,
		      const struct layout_item *item)
{
	static const char *const kinds[] = {
		[LAYOUT_FIELD] = "field",
		[LAYOUT_SIZE] = "size",
		[LAYOUT_CONSTANT] = "constant",
	};
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "slot", item->slot);
	sink_named_string(out, "name", item->name);
	sink_named_string(out, "kind", kinds[item->kind]);
	sink_numbers(out, item->kind, item->value, item->size);
	sink_named_string(out, "source", source_of(report, item));
	if (item->differs) {
		sink_named_begin(out, "table", SINK_OBJECT);
		sink_numbers(out, item->kind, item->row_value, item->row_size);
		sink_end(out);
	}
	sink_end(out);
}

static void sink_place(struct sink *out, const char *name,
		       const struct layout_place *place)
{
	if (!place->addr)
		return;
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "name", name);
	sink_named_address(out, "address", place->addr);
	sink_named_string(out, "source", place->how);
	sink_end(out);
}

static bool print_json(const struct layout_report *report, bool all, struct err *err)
{
	AUTO(sink_free) struct sink *out = sink_json_new(STDOUT_FILENO, false);
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "format", "gosnap-layout");
	sink_named_uint(out, "version", 1);
	sink_named_string(out, "go", report->go);
	sink_named_string(out, "arch", report->arch);
	sink_named_string(out, "layout", report->source);
	if (report->from_dwarf) {
		sink_named_string(out, "compared_with", report->row);
		sink_named_uint(out, "differences", report->differences);
	}
	sink_named_begin(out, "globals", SINK_ARRAY);
	sink_place(out, "runtime.allgs", &report->allgs);
	sink_place(out, "runtime.firstmoduledata", &report->moduledata);
	sink_end(out);
	sink_named_begin(out, "slots", SINK_ARRAY);
	for (size_t i = 0; i < report->count; i++)
		if (all || report->items[i].differs)
			sink_item(out, report, &report->items[i]);
	sink_end(out);
	sink_end(out);
	return sink_finish(out, NULL, err);
}

static void print_place(const char *name, const struct layout_place *place)
{
	if (place->addr)
		printf("%-25s %#-18" PRIx64 " %s\n", name, place->addr, place->how);
	else
		printf("%-25s not found\n", name);
}

static void print_heading(const char *subject, const struct layout_report *report)
{
	printf("%s: %s %s\n", subject, report->go ? report->go : "an unknown Go version",
	       report->arch);
	if (!report->from_dwarf)
		printf("layout: %s\n", report->source);
	else if (report->differences)
		printf("layout: its DWARF; %zu of %zu differ from \"%s\"\n",
		       report->differences, report->count, report->row);
	else
		printf("layout: its DWARF, which agrees with \"%s\"\n", report->row);
	print_place("runtime.allgs", &report->allgs);
	print_place("runtime.firstmoduledata", &report->moduledata);
}

/* A longer name stands below its line, so that the table fits 80 columns. */
enum { NAME_WIDTH = 38 };

struct widths {
	int slot, name;
};

static int wider(int width, const char *words)
{
	int len = (int)strlen(words);
	return len > width ? len : width;
}

static struct widths measure(const struct layout_report *report, bool all)
{
	struct widths w = { 0, 0 };
	for (size_t i = 0; i < report->count; i++) {
		if (!all && !report->items[i].differs)
			continue;
		w.slot = wider(w.slot, report->items[i].slot);
		w.name = wider(w.name, report->items[i].name);
	}
	if (w.name > NAME_WIDTH)
		w.name = NAME_WIDTH;
	return w;
}

/* One line of the table. A field has an offset and a size, a type has a size, a constant
 * has a value; absent items have none. */
static void print_line(struct widths w, const char *slot, const char *name,
		       enum layout_kind kind, int32_t value, uint32_t size,
		       const char *source)
{
	char first[16] = "-", second[16] = "-";
	if (value >= 0 && kind == LAYOUT_SIZE)
		snprintf(second, sizeof(second), "%d", value);
	else if (value >= 0)
		snprintf(first, sizeof(first), kind == LAYOUT_CONSTANT ? "=%d" : "%d",
			 value);
	if (value >= 0 && kind == LAYOUT_FIELD)
		snprintf(second, sizeof(second), "%u", size);
	const bool fits = strlen(name) <= NAME_WIDTH;
	printf("%-*s %-*s %6s %4s %s\n", w.slot, slot, w.name, fits ? name : "", first,
	       second, source);
	if (!fits)
		printf("%-*s %s\n", w.slot, "", name);
}

static void print_text(const char *subject, const struct layout_report *report, bool all)
{
	struct widths w = measure(report, all);
	print_heading(subject, report);
	if (!all && !report->differences)
		return;
	printf("\n%-*s %-*s OFFSET SIZE SOURCE\n", w.slot, "SLOT", w.name, "NAME");
	for (size_t i = 0; i < report->count; i++) {
		const struct layout_item *item = &report->items[i];
		const char *source = source_of(report, item);
		if (!all && !item->differs)
			continue;
		print_line(w, item->slot, item->name, item->kind, item->value, item->size,
			   source	     ? source
			   : item->described ? "absent"
					     : "unused");
		if (item->differs)
			print_line(w, "", "differs from", item->kind, item->row_value,
				   item->row_size, "table");
	}
}

static int print(const char *subject, const struct layout_report *report,
		 const struct layout_arguments *options)
{
	struct err err;
	if (options->row && !report->from_dwarf) {
		err_set(&err, ERR_CANNOT, "%.200s has no DWARF to make a row from",
			subject);
		return cmd_failed(&err);
	}
	/* There is nothing to clean up, so a closed pipe may kill us as it kills cat. */
	signal(SIGPIPE, SIG_DFL);
	if (options->json)
		return print_json(report, !options->differences, &err) ? EXIT_DONE
								       : cmd_failed(&err);
	if (options->row)
		print_row(report);
	else
		print_text(subject, report, !options->differences);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_DONE;
	err_sys(&err, "cannot write the layout");
	return cmd_failed(&err);
}

struct work {
	const char *subject;
	const struct layout_arguments *options;
	struct target *process; /* NULL: a file */
	bool is_core;
};

static int examine(void *arg)
{
	const struct work *w = arg;
	struct err err;
	AUTO(layout_report_free)
	struct layout_report *report =
		w->process   ? report_process(w->process, &err)
		: w->is_core ? report_core(w->subject, &w->options->core.search, &err)
			     : report_file(w->subject, &err);
	return report ? print(w->subject, report, w->options) : cmd_failed(&err);
}

static const struct operand_form form = {
	.command = &command_layout,
	.kinds = OPERAND_PROCESS | OPERAND_CORE | OPERAND_PROGRAM,
	.missing = "missing executable, PID or core",
	.too_many = "too many arguments: give one executable or PID, or a core and its "
		    "executable",
};

static int examine_operand(const struct operand *operand,
			   const struct layout_arguments *options)
{
	struct work w = { .subject = operand->name,
			  .options = options,
			  .is_core = operand->kind == OPERAND_CORE };
	const struct image_search *search = &options->core.search;
	struct sandbox sandbox = {
		.named = { w.subject, search->executable, search->root },
		.programs = true,
	};
	struct err err;
	AUTO(target_close) struct target *process = NULL;

	if (operand->pid) {
		process = target_live_open_to_read(operand->pid, &err);
		if (!process)
			return cmd_failed(&err);
		if (!options->no_sandbox && !sandbox_missing())
			capture_permit(process, &sandbox);
	}
	w.process = process;
	return run_in_sandbox(options->no_sandbox, &sandbox, examine, &w);
}

int cmd_layout(int argc, char **argv)
{
	struct layout_arguments options = { .row = false };
	struct operand operand;
	int status;

	if (!options_read(&command_layout, argc, argv, &options, &status))
		return status;
	if (options.row && (options.json || options.differences))
		return cmd_misused(&command_layout,
				   "--row cannot be combined with other options");
	if (operand_read(&form, argc, argv, options.no_sandbox, &options.core, &operand,
			 &status))
		status = examine_operand(&operand, &options);
	operand_done(&operand);
	return status;
}
