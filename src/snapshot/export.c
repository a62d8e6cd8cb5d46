/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/export.h"

#include <elf.h>
#include <string.h>

#include "lib/corefile/target_core.h"
#include "redaction/redaction.h"
#include "src/capture/capture_core.h"
#include "src/capture/core_memory.h"
#include "src/snapshot/export_memory.h"
#include "src/snapshot/export_parts.h"

enum {
	MARGIN = 64 << 10, /* a secret, with its encodings, is rarely longer */
	ARGUMENTS = 80,	   /* bytes of the command line in NT_PRPSINFO */
};

struct exporting {
	const struct export *of;
	struct export_memory memory;
	struct core_part *parts;
	size_t part_count;
	struct output *out;
	char *path; /* of a mapping, without secrets */
};

static const struct core_part *part_at(const struct exporting *x, uint64_t addr)
{
	size_t i = 0;

	while (addr >= x->parts[i].addr + x->parts[i].size)
		i++;
	return &x->parts[i];
}

/* Secrets may begin before these bytes, and end after them. */
static void read_part(void *arg, uint64_t addr, void *buf, size_t len)
{
	struct exporting *x = arg;
	const struct core_part *part = part_at(x, addr);
	const uint64_t end = part->addr + part->size;
	const uint64_t from = addr - part->addr < MARGIN ? part->addr : addr - MARGIN;
	const uint64_t to = end - (addr + len) < MARGIN ? end : addr + len + MARGIN;
	AUTO(xfree) uint8_t *bytes = xmalloc(to - from);

	runtimes_begin_pass(x->of->capture->runtimes);
	export_read(&x->memory, from, bytes, to - from);
	redaction_erase(x->of->redaction, from, bytes, to - from, export_keeps,
			&x->memory);
	memcpy(buf, bytes + (addr - from), len);
}

static void write_out(void *arg, const void *bytes, size_t len)
{
	struct exporting *x = arg;

	output_write(x->out, bytes, len);
}

/* As the document has them, but for those without which there is no stack. */
static uint64_t reg_value(void *arg, unsigned n, uint64_t value)
{
	struct exporting *x = arg;
	const struct arch *arch = target_arch(x->memory.target);

	if (n == arch->pc || n == arch->sp || (int)n == arch->tls ||
	    !redaction_of_register(x->of->redaction, value))
		return value;
	memset(&value, REDACTION_FILL, sizeof(value));
	return value;
}

/* As the document has it: the files that the program consists of are not secret. */
static const char *path_of(void *arg, const struct target_mapping *m)
{
	struct exporting *x = arg;

	if (m->path[0] != '/' || images_at(x->memory.images, m->start))
		return m->path;
	struct redacted left =
		redaction_of_text(x->of->redaction, 0, m->path, strlen(m->path));
	if (!left.rule)
		return m->path;
	xfree(x->path);
	x->path = left.text ? xstrndup(left.text, left.len) : xstrdup("[redacted]");
	redacted_done(&left);
	return x->path;
}

/* What is secret of the arguments is known. */
static bool keep_all(void *arg, uint64_t addr, const uint8_t *word)
{
	(void)arg, (void)addr, (void)word;
	return true;
}

/* "a b c", cut. */
static void join_arguments(const struct exporting *x, char ret[ARGUMENTS + 1])
{
	const struct process_words *words = &x->of->capture->process->args;
	size_t len = words->len < ARGUMENTS ? words->len : ARGUMENTS;

	memset(ret, 0, ARGUMENTS + 1);
	if (!len)
		return;
	AUTO(xfree) char *all = xmalloc(words->len);
	memcpy(all, words->bytes, words->len);
	redaction_erase(x->of->redaction, 0, all, words->len,
			x->memory.strict ? NULL : keep_all, NULL);
	memcpy(ret, all, len);
	for (size_t i = 0; i < len; i++)
		if (!ret[i])
			ret[i] = ' ';
}

static bool has_registers(const struct target *t)
{
	size_t n;
	const struct target_thread *threads = target_threads(t, &n);

	for (size_t i = 0; i < n; i++)
		if (threads[i].stopped)
			return true;
	return false;
}

static bool is_in_first_page(const struct image *img, uint64_t addr)
{
	struct image_segment s;
	uint64_t low = UINT64_MAX;

	for (size_t i = 0; image_segment(img, i, &s); i++)
		if (s.type == PT_LOAD && s.addr < low)
			low = s.addr;
	return addr / PAGE_BYTES == low / PAGE_BYTES;
}

/* What debuggers take from the files of the program and its libraries, once they have recognised
 * them. */
static void leave_out_files(void *arg, struct memory_page *page)
{
	const struct images *images = arg;
	const uint64_t addr = memory_page_first(page);
	const struct image *img = images_at(images, addr);

	if (img && image_fd(img) >= 0 && image_is_constant(img, addr) &&
	    !is_in_first_page(img, addr))
		memory_page_clear(page, page->addr, page->addr + PAGE_BYTES);
}

/* Of large variables that few programs use: who only looked at them has made them present. */
static bool is_of_large(const struct image *img, uint64_t page)
{
	struct image_segment s;

	for (size_t i = 0; img && image_segment(img, i, &s); i++)
		if (s.type == PT_LOAD && s.writable &&
		    s.size - s.file_size >= CORE_DATA_LARGE &&
		    page >= s.addr + s.file_size && page < s.addr + s.size)
			return true;
	return false;
}

static void leave_out_zeros(void *arg, struct memory_page *page)
{
	static const uint8_t zeros[PAGE_BYTES];
	const struct capture *c = arg;
	uint8_t bytes[PAGE_BYTES];
	struct err ignored;

	target_budget_unit(c->frozen);
	if (is_of_large(images_at(c->images, page->addr), page->addr) &&
	    target_read(c->frozen, page->addr, bytes, sizeof(bytes), &ignored) &&
	    memcmp(bytes, zeros, sizeof(bytes)) == 0)
		memory_page_clear(page, page->addr, page->addr + PAGE_BYTES);
}

static uint64_t next_word(uint64_t addr)
{
	return (addr + WORD - 1) & -(uint64_t)WORD;
}

/* What is neither in the core nor in a file. */
static void leave_out_absent(void *arg, struct memory_page *page)
{
	const struct capture *c = arg;
	const uint64_t end = page->addr + PAGE_BYTES;
	uint64_t word;
	struct err ignored;

	for (uint64_t at = page->addr, from, to; at < end; at = next_word(to)) {
		if (!target_core_find_dumped(c->live, at, end, &from, &to))
			from = to = end;
		if (from > at && !target_read_uint(c->frozen, at, WORD, &word, &ignored))
			memory_page_clear(page, at, next_word(from));
	}
}

/* Without the pages that were left out. */
static void show_variable(void *arg, const char *name, const struct value *v)
{
	struct capture *c = arg;
	const uint64_t end = v->addr + type_size(v->type);
	(void)name;

	for (uint64_t at = v->addr & -(uint64_t)WORD; at < end; at += WORD)
		if (memory_set_has(c->core.regions, at))
			memory_set_add(c->core.read, at, WORD);
}

/* The runtime has no secrets of the program. */
static void show_runtime(struct capture *c)
{
	struct err
		ignored; /* without debug information debuggers have no variables, either */

	for (size_t i = 0; i < runtimes_count(c->runtimes); i++)
		if (!runtime_each_global(runtimes_get(c->runtimes, i), "runtime",
					 show_variable, c, &ignored))
			return;
}

static void write_core(struct exporting *x)
{
	const struct capture *c = x->of->capture;
	const struct core_facts *facts = target_core_facts(c->live);
	char arguments[ARGUMENTS + 1];

	join_arguments(x, arguments);
	core_write(&(struct core_contents){
		.arch = target_arch(c->frozen),
		.target = c->frozen,
		.process = c->process,
		.arguments = arguments,
		.signal = facts && facts->has_signal ? &facts->signal : NULL,
		.first_thread = x->of->first_thread,
		.realtime_ns = c->realtime_ns,
		.monotonic_ns = c->monotonic_ns,
		.reg = reg_value,
		.path = path_of,
		.parts = x->parts,
		.part_count = x->part_count,
		.read = read_part,
		.write = write_out,
		.arg = x,
	});
}

bool export_core(const struct export *export, struct output *out, struct err *err)
{
	struct capture *c = export->capture;
	struct exporting x = {
		.of = export,
		.out = out,
		.memory = { .target = c->frozen,
			    .images = c->images,
			    .wanted = c->core.regions,
			    .shown = c->core.read,
			    .words = c->core.words,
			    .redaction = export->redaction,
			    .everything =
				    redaction_mode(export->redaction) == REDACT_NOTHING,
			    .strict =
				    redaction_mode(export->redaction) == REDACT_STRICT ||
				    redaction_knows_too_many(export->redaction),
			    .environment = export->environment },
	};

	if (!c->core.regions || !capture_has_memory(c) || !has_registers(c->frozen))
		return err_set(
			err, ERR_CANNOT,
			"no core file: of the process neither registers nor memory "
			"were captured");
	target_record(c->frozen, (struct target_record){ .read = NULL });
	target_budget_unit(c->frozen);
	x.memory.has_stack = core_first_stack(c->frozen, &x.memory.stack);
	memory_set_filter(c->core.regions, leave_out_zeros, c);
	if (redaction_mode(export->redaction) != REDACT_NOTHING)
		show_runtime(c);
	memory_set_filter(c->core.read, leave_out_files, c->images);
	memory_set_filter(c->core.regions, leave_out_files, c->images);
	memory_set_add_set(c->core.regions, c->core.read);
	if (target_core_facts(c->live))
		memory_set_filter(c->core.regions, leave_out_absent, c);
	x.parts = export_parts(c->core.regions, c->frozen, &x.part_count);
	write_core(&x);
	xfree(x.parts);
	xfree(x.path);
	if (redaction_knows_too_many(export->redaction))
		warnings_add(
			c->warnings, "core",
			"all text in the core file is overwritten, as there are more "
			"secrets than can be remembered");
	if (x.memory.lost)
		warnings_add(
			c->warnings, "core",
			"%llu bytes of the core file are missing: they were not read "
			"in time",
			(unsigned long long)x.memory.lost);
	return true;
}
