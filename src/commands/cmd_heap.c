/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/base/utf8.h"
#include "lib/corefile/target_core.h"
#include "lib/document/sink.h"
#include "printers/printers.h"
#include "src/capture/sandboxed.h"
#include "src/operands/operands.h"
#include "src/options/options.h"
#include "src/options/read_options.h"
#include "src/profile/heap_ways.h"
#include "src/profile/pprof.h"
#include "src/snapshot/output.h"
#include "src/snapshot/progress.h"
#include "src/viewer/terminal/text.h"

/* A heap of 16 GB is read in that time. */
#define COPY_AGE_NS (UINT64_C(120) * 1000 * 1000 * 1000)

enum { TYPES_SHOWN = 30, ROOTS_SHOWN = 20 };

struct heap_arguments {
	struct capture_options capture;
	struct heap_wishes wishes;
	const char *pprof;
	struct output *file; /* that, open */
	bool json, retained, no_sandbox;
	enum progress_when progress;
};

static const struct option_info count_options[] = {
	{ 0, "json", NULL, "write JSON", OPTION_FLAG(struct heap_arguments, json) },
	{ 0, "paths", NULL, "print what keeps the biggest objects alive",
	  OPTION_FLAG(struct heap_arguments, wishes.paths) },
	{ 0, "type", "TYPE", "the same for the biggest objects of this type",
	  OPTION_STRING(struct heap_arguments, wishes.type) },
	{ 0, "retained", NULL, "what types and objects retain, of large heaps, too",
	  OPTION_FLAG(struct heap_arguments, retained) },
	{ 0, "pprof", "FILE", "write what is live as a profile, by what keeps it",
	  OPTION_STRING(struct heap_arguments, pprof) },
	{ 0, "progress", CHOICE_WHEN, "report progress; auto: on a terminal",
	  OPTION_CHOICE(struct heap_arguments, progress) },
	{ 0, "assume-go", "1.N", "read the runtime as that of Go 1.N",
	  OPTION_STRING(struct heap_arguments, capture.assume_go) },
	{ .name = NULL }
};

const struct command command_heap = {
	.name = "gosnap heap",
	.run = cmd_heap,
	.arguments = "PID|CORE [EXE]",
	.summary = "count what is in the heap",
	.options = {
		{ .rows = count_options },
		{ core_options, offsetof(struct heap_arguments, capture.core) },
		{ read_options, offsetof(struct heap_arguments, capture.reading) },
		{ sandbox_options, offsetof(struct heap_arguments, no_sandbox) },
	},
};

static void print_amount(const char *name, const struct heap_amount *a, const char *words)
{
	struct text count = { .words = NULL }, size = { .words = NULL };

	text_add_count(&count, a->objects);
	text_add_size(&size, a->bytes);
	printf("%-10s %14s objects  %12s  %s\n", name, text_words(&count),
	       text_words(&size), words);
	text_done(&count);
	text_done(&size);
}

static void print_cell(uint64_t n, int columns,
		       void (*add)(struct text *text, uint64_t n))
{
	struct text text = { .words = NULL };

	if (n)
		add(&text, n);
	printf("  %*s", columns, n ? text_words(&text) : "-");
	text_done(&text);
}

static void print_counts(const struct heap_amount *live,
			 const struct heap_amount *garbage)
{
	print_cell(live->objects, 14, text_add_count);
	print_cell(live->bytes, 12, text_add_size);
	print_cell(garbage->objects, 12, text_add_count);
	print_cell(garbage->bytes, 12, text_add_size);
}

static void print_class(const struct heap_class *c)
{
	struct text size = { .words = NULL };

	text_add_size(&size, c->size ? c->size : HEAP_SMALL);
	printf("%1s%-11s %-8s", c->size ? "" : ">", text_words(&size),
	       c->no_pointers ? "no" : "yes");
	print_counts(&c->live, &c->garbage);
	printf("\n");
	text_done(&size);
}

/* Names come from the program. */
static void print_line(const char *words)
{
	utf8_print_harmless(stdout, words, strlen(words));
	putchar('\n');
}

/* What several types retain is no sum: nothing is printed. */
static void print_retained(const struct heap_summary *s, const struct heap_type *t)
{
	if (s->retained && t)
		print_cell(t->retained.bytes, 12, text_add_size);
	else if (s->retained)
		printf("%14s", "");
	printf("  ");
}

static void print_types(const struct heap_summary *s)
{
	const size_t shown = s->type_count < TYPES_SHOWN ? s->type_count : TYPES_SHOWN;
	struct heap_amount live = { 0 }, garbage = { 0 };

	printf("\n%14s  %12s  %12s  %12s  ", "live", "bytes", "garbage", "bytes");
	printf(s->retained ? "%12s  type\n" : "type\n", "retained");
	for (size_t i = 0; i < s->type_count; i++) {
		const struct heap_type *t = &s->types[i];
		if (i < shown) {
			print_counts(&t->live, &t->garbage);
			print_retained(s, t);
			print_line(t->name);
			continue;
		}
		heap_amount_add(&live, &t->live);
		heap_amount_add(&garbage, &t->garbage);
	}
	if (s->type_count > shown) {
		print_counts(&live, &garbage);
		print_retained(s, NULL);
		printf("of %zu more types\n", s->type_count - shown);
	}
	print_counts(&s->untyped_live, &s->untyped_garbage);
	print_retained(s, NULL);
	printf("(only the size is known)\n");
}

static char *root_words(const struct heap_root *r)
{
	if (r->kind == HEAP_ROOT_GOROUTINE)
		return xasprintf("goroutine %" PRIu64, r->id);
	if (r->kind == HEAP_ROOT_OTHER)
		return xstrdup("finalizers, cleanups and what runs");
	return r->name ? xstrdup(r->name) : xasprintf("variable at 0x%" PRIx64, r->id);
}

static void print_step(const struct heap_step *step)
{
	AUTO(xfree)
	char *words = xasprintf("%s%s", step->type ? step->type : "(type not known)",
				step->part ? step->part : "");

	printf("%18s0x%" PRIx64 "  ", "", step->addr);
	print_line(words);
}

static void print_path(const struct heap_path *p)
{
	AUTO(xfree)
	char *words = p->known ? root_words(&p->root) : xstrdup("(not known)");

	printf("%16s kept alive by ", "");
	print_line(words);
	if (p->omitted)
		printf("%18s%zu more objects\n", "", p->omitted);
	for (size_t i = p->count; i-- > 1;)
		print_step(&p->steps[i]);
}

static void print_biggest(const struct heap_summary *s)
{
	printf("\nbiggest:\n");
	for (size_t i = 0; i < s->biggest_count; i++) {
		struct text size = { .words = NULL };
		text_add_size(&size, s->biggest[i].size);
		printf("%14s  0x%" PRIx64 "  ", text_words(&size), s->biggest[i].addr);
		print_line(s->biggest[i].type ? s->biggest[i].type : "(type not known)");
		text_done(&size);
		if (s->paths)
			print_path(&s->paths[i]);
	}
}

static void print_keepers(const struct heap_summary *s)
{
	printf("\n%14s  %12s  retained by\n", "objects", "bytes");
	for (size_t i = 0; i < s->keeper_count; i++) {
		const struct heap_keeper *k = &s->keepers[i];
		print_cell(k->retained.objects, 12, text_add_count);
		print_cell(k->retained.bytes, 12, text_add_size);
		printf("  0x%" PRIx64 "  ", k->object.addr);
		print_line(k->object.type ? k->object.type : "(type not known)");
	}
}

static void print_roots(const struct heap_summary *s)
{
	printf("\n%14s  %12s  kept alive only by\n", "objects", "bytes");
	for (size_t i = 0; i < s->root_count && i < ROOTS_SHOWN; i++) {
		AUTO(xfree) char *words = root_words(&s->roots[i]);
		if (!s->roots[i].alone.objects)
			break;
		print_cell(s->roots[i].alone.objects, 12, text_add_count);
		print_cell(s->roots[i].alone.bytes, 12, text_add_size);
		printf("  ");
		print_line(words);
	}
	print_cell(s->shared.objects, 12, text_add_count);
	print_cell(s->shared.bytes, 12, text_add_size);
	printf("  (several of these)\n");
}

static void print_classes(const struct heap_summary *s)
{
	printf("\n%-11s %-8s  %14s  %12s  %12s  %12s\n", "size", "pointers", "live",
	       "bytes", "garbage", "bytes");
	for (size_t i = 0; i < s->class_count; i++)
		print_class(&s->classes[i]);
}

static void print_heap(const struct heap_summary *s)
{
	struct text free = { .words = NULL };

	print_amount("live", &s->live, "can be reached");
	print_amount("garbage", &s->garbage, "cannot be reached, and is not yet freed");
	text_add_size(&free, s->free);
	printf("%-10s %36s  is left between them\n", "free", text_words(&free));
	text_done(&free);
	print_types(s);
	print_biggest(s);
	print_roots(s);
	if (s->retained)
		print_keepers(s);
	if (s->not_retained)
		printf("\nwhat types and objects retain is left out: %s; --retained "
		       "finds it out\n",
		       s->not_retained);
	print_classes(s);
}

static void say_unreadable(const struct heap_summary *s)
{
	AUTO(xfree)
	char *text = xasprintf("warning: %" PRIu64 " bytes could not be read: what only "
			       "they refer to counts as garbage",
			       s->unreadable);
	if (s->unreadable)
		cmd_say(text);
}

struct showing {
	struct heap_wishes wishes;
	struct pprof *profile;	   /* NULL: none is wanted */
	struct progress *progress; /* until anything is printed */
};

/* out: NULL: as text. */
static bool show(const struct capture *c, struct showing *to, struct sink *out,
		 struct err *err)
{
	for (size_t i = 0; i < runtimes_count(c->runtimes); i++) {
		struct heap_summary s;
		bool ok =
			heap_summarize(runtimes_get(c->runtimes, i),
				       c->copy ? c->copy : c->live, &to->wishes, &s, err);
		progress_end(TAKE(to->progress));
		if (ok && out) {
			print_heap_summary(out, &s);
		} else if (ok) {
			printf("%s", i ? "\n" : "");
			print_heap(&s);
		}
		if (ok)
			say_unreadable(&s);
		if (ok && to->profile)
			heap_ways_encode(&s, to->profile);
		heap_summary_done(&s);
		if (!ok)
			return false;
	}
	return true;
}

static bool show_json(const struct capture *c, struct showing *to, struct err *err)
{
	AUTO(sink_free) struct sink *out = sink_json_new(STDOUT_FILENO, false);

	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "format", "gosnap-heap");
	sink_named_uint(out, "version", 1);
	sink_named_begin(out, "heaps", SINK_ARRAY);
	if (!show(c, to, out, err))
		return false;
	sink_end(out);
	sink_end(out);
	return sink_finish(out, NULL, err);
}

static bool write_file(struct pprof *profile, struct output *file, struct err *err)
{
	size_t len;
	AUTO(xfree) void *bytes = pprof_finish(profile, &len);

	output_write(file, bytes, len);
	return output_finish(file, err);
}

static bool read_and_show(struct capture *c, const struct heap_arguments *arguments,
			  struct showing *to, struct err *err)
{
	if (runtimes_count(c->runtimes) == 0)
		return err_set(err, ERR_CANNOT, "this is not a Go program: %s",
			       runtimes_unusable(c->runtimes));
	/* With a copy it goes on; what is stopped is not kept so for as long as this takes. */
	if (arguments->capture.pid && !c->copy)
		return err_set(err, ERR_CANNOT,
			       "the heap can only be read of a copy, and there is none");
	runtimes_decode(c->runtimes);
	AUTO(pprof_free) struct pprof *profile = arguments->file ? pprof_new() : NULL;
	to->profile = profile;
	if (profile)
		heap_ways_begin(c, profile);
	if (arguments->json ? !show_json(c, to, err) : !show(c, to, NULL, err))
		return false;
	if (profile && !write_file(profile, arguments->file, err))
		return false;
	return !c->partial || err_set(err, ERR_GONE, "%s", c->partial);
}

static int capture_and_show(void *arg)
{
	const struct heap_arguments *arguments = arg;
	progress_count read = 0;
	struct showing to = { .wishes = arguments->wishes,
			      .progress = progress_begin(arguments->progress) };
	struct capture c;
	struct err err;

	to.wishes.megabytes_read = &read;
	progress_phase(to.progress, "read", "MB of the heap", &read, 0);
	bool ok = capture_open(&c, &arguments->capture, &err) && capture_take(&c, &err);
	const bool captured = ok;
	ok = ok && read_and_show(&c, arguments, &to, &err);
	if (captured && !ok && err_is(&err, ERR_NOT_FOUND)) /* the process is there */
		err.code = ERR_CANNOT;
	progress_end(to.progress);
	cmd_finish_capture(&c);
	if (ok && c.partial)
		ok = err_set(&err, ERR_GONE, "%s", c.partial);
	capture_done(&c);
	return ok ? EXIT_DONE : cmd_failed(&err);
}

static int run(struct heap_arguments *arguments)
{
	struct sandbox sandbox = { .threads = progress_is_wanted(arguments->progress) };
	struct err err;
	AUTO(output_close)
	struct output *file =
		arguments->pprof ? output_open(arguments->pprof, &err) : NULL;

	if (arguments->pprof && !file)
		return cmd_failed(&err);
	if (file) {
		arguments->file = file;
		arguments->wishes.ways = true;
		sandbox.keep[sandbox.keep_count++] = output_fd(file);
		sandbox.max_ns = sandbox_time_for(output_fd(file));
	}
	AUTO(capture_host_free)
	struct capture_host *host = capture_host_new(
		&arguments->capture, arguments->no_sandbox, &sandbox, &err);
	if (!host)
		return cmd_failed(&err);
	const int status = run_in_sandbox(arguments->no_sandbox, &sandbox,
					  capture_and_show, arguments);
	if (status == EXIT_DONE && file && !output_commit(file, &err))
		return cmd_failed(&err);
	return status;
}

static const struct operand_form form = {
	.command = &command_heap,
	.kinds = OPERAND_PROCESS | OPERAND_CORE,
	.missing = "missing PID or core",
	.too_many = "too many arguments: give a PID, or a core and its executable",
};

int cmd_heap(int argc, char **argv)
{
	struct heap_arguments arguments = {
		.wishes.ns = LIMIT_HEAP_NS,
		.capture = { .values = VALUES_ALWAYS,
			     .go_only = true,
			     .way = CAPTURE_COPY,
			     .max_copy_age_ns = COPY_AGE_NS },
	};
	struct capture_options *options = &arguments.capture;
	struct operand operand;
	int status;

	if (!options_read(&command_heap, argc, argv, &arguments, &status))
		return status;
	if (operand_read(&form, argc, argv, arguments.no_sandbox, &options->core,
			 &operand, &status)) {
		options->pid = operand.pid;
		if (!operand.pid)
			options->way = CAPTURE_AUTO;
		arguments.wishes.retained =
			arguments.retained ? HEAP_RETAINED_ALWAYS : HEAP_RETAINED_CHEAPLY;
		status = run(&arguments);
	}
	operand_done(&operand);
	return status;
}
