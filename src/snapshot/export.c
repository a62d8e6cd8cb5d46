/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/export.h"

#include <ctype.h>
#include <string.h>

#include "lib/corefile/core_process.h"
#include "lib/corefile/target_core.h"
#include "redaction/redaction.h"
#include "src/capture/capture_core.h"
#include "src/snapshot/export_parts.h"

enum {
	MARGIN = 8 << 10,  /* a secret, with its encodings, is not longer */
	ARGUMENTS = 80,	   /* bytes of the command line in NT_PRPSINFO */
	LETTERS = 4,	   /* in a row: may be of a secret */
	STUDIED = 1 << 20, /* bytes whose texts are looked at together */
};

struct exporting {
	const struct export *of;
	struct target *memory;
	struct memory_set *all;
	struct first_stack stack;
	bool has_stack;
	struct core_part *parts;
	size_t part_count;
	struct output *out;
	uint64_t lost; /* bytes that could not be read */
};

static bool keeps_all(const struct exporting *x)
{
	return redaction_mode(x->of->redaction) == REDACT_NOTHING;
}

/* Words of [addr, addr + len), which is in one page; those that are not captured stay as they
 * are. */
static void read_words(struct exporting *x, uint64_t addr, uint8_t *buf, size_t len)
{
	struct err ignored;

	for (size_t at = 0; at < len; at += WORD)
		if (memory_set_has(x->all, addr + at) &&
		    !target_read(x->memory, addr + at, buf + at, WORD, &ignored))
			x->lost += WORD;
}

static bool has_text(const uint8_t *word)
{
	size_t letters = 0;

	for (size_t i = 0; i < WORD && letters < LETTERS; i++)
		letters = isprint(word[i]) ? letters + 1 : 0;
	return letters == LETTERS;
}

/* A word alone is a lock or some other field that no printer shows: debuggers do. */
static bool is_alone(const struct exporting *x, uint64_t addr)
{
	return memory_set_has(x->all, addr - WORD) && memory_set_has(x->all, addr + WORD);
}

static void leave_out(const struct exporting *x, uint64_t addr, uint8_t *buf, size_t len)
{
	for (size_t at = 0; at < len; at += WORD)
		if (!memory_set_has(x->all, addr + at) &&
		    (!is_alone(x, addr + at) || has_text(buf + at)))
			memset(buf + at, REDACTION_FILL, WORD);
}

/* Parts consist of words. */
static void read_memory(struct exporting *x, uint64_t addr, uint8_t *buf, size_t len)
{
	struct err ignored;

	target_budget_unit(x->memory);
	for (size_t done = 0, n; done < len; done += n) {
		n = PAGE_BYTES - (addr + done) % PAGE_BYTES;
		if (n > len - done)
			n = len - done;
		if (!target_read(x->memory, addr + done, buf + done, n, &ignored)) {
			memset(buf + done, REDACTION_FILL, n);
			read_words(x, addr + done, buf + done, n);
		} else if (!keeps_all(x)) {
			leave_out(x, addr + done, buf + done, n);
		}
	}
}

/* Values of the environment that no variable led to. */
static void erase_environment(const struct exporting *x, uint64_t addr, uint8_t *buf,
			      size_t len)
{
	const uint64_t begin = x->stack.environment, end = x->stack.name;
	bool in_value = addr > begin; /* or in a name, which is cut in the margin only */

	if (!x->has_stack || x->of->environment || keeps_all(x) || addr >= end ||
	    addr + len <= begin)
		return;
	for (uint64_t at = begin > addr ? begin : addr; at < end && at < addr + len;
	     at++) {
		uint8_t *c = &buf[at - addr];
		if (*c == '\0')
			in_value = false;
		else if (in_value && !memory_set_has(x->of->capture->core.read, at))
			*c = REDACTION_FILL;
		else if (*c == '=')
			in_value = true;
	}
}

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
	read_memory(x, from, bytes, to - from);
	erase_environment(x, from, bytes, to - from);
	redaction_erase(x->of->redaction, from, bytes, to - from);
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
	const struct arch *arch = target_arch(x->memory);

	if (n == arch->pc || n == arch->sp || (int)n == arch->tls ||
	    !redaction_of_word(x->of->redaction, value))
		return value;
	memset(&value, REDACTION_FILL, sizeof(value));
	return value;
}

/* What only lies there, on stacks and in variables that the document does not have. */
static void study(struct exporting *x)
{
	size_t n;
	struct core_part *regions =
		export_parts(x->of->capture->core.regions, x->memory, &n);
	AUTO(xfree) uint8_t *bytes = xmalloc(STUDIED);

	for (size_t i = 0; i < n && !keeps_all(x); i++) {
		for (uint64_t done = 0, len; done < regions[i].size; done += len) {
			len = regions[i].size - done < STUDIED ? regions[i].size - done
							       : STUDIED;
			runtimes_begin_pass(x->of->capture->runtimes);
			read_memory(x, regions[i].addr + done, bytes, len);
			redaction_study(x->of->redaction, regions[i].addr + done, bytes,
					len);
		}
	}
	xfree(regions);
	x->lost = 0;
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
	redaction_erase(x->of->redaction, 0, all, words->len);
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

/* What debuggers take from the files of the program and its libraries. */
static bool is_in_file(void *arg, uint64_t addr)
{
	const struct exporting *x = arg;
	const struct image *img = images_at(x->of->capture->images, addr);

	return img && image_fd(img) >= 0 && image_is_constant(img, addr);
}

static void write_core(struct exporting *x)
{
	const struct capture *c = x->of->capture;
	const struct core_facts *facts = target_core_facts(c->live);
	char arguments[ARGUMENTS + 1];

	join_arguments(x, arguments);
	core_write(&(struct core_contents){
		.arch = target_arch(x->memory),
		.target = x->memory,
		.process = c->process,
		.arguments = arguments,
		.signal = facts && facts->has_signal ? &facts->signal : NULL,
		.first_thread = x->of->first_thread,
		.realtime_ns = c->realtime_ns,
		.monotonic_ns = c->monotonic_ns,
		.reg = reg_value,
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
	struct exporting x = { .of = export, .memory = c->frozen, .out = out };

	if (!c->core.regions || !capture_has_memory(c) || !has_registers(c->frozen))
		return err_set(
			err, ERR_CANNOT,
			"no core file: of the process neither registers nor memory "
			"were captured");
	target_record(c->frozen, NULL);
	x.all = c->core.regions;
	x.has_stack = core_first_stack(x.memory, &x.stack);
	study(&x);
	memory_set_drop_pages(c->core.read, is_in_file, &x);
	memory_set_add_set(x.all, c->core.read);
	x.parts = export_parts(x.all, x.memory, &x.part_count);
	write_core(&x);
	xfree(x.parts);
	if (x.lost)
		warnings_add(
			c->warnings, "core",
			"%llu bytes of the core file are missing: they were not read "
			"in time",
			(unsigned long long)x.lost);
	return true;
}
