/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "lib/base/utf8.h"
#include "lib/elf/image_debug.h"
#include "printers/document/print_document.h"
#include "printers/values/redacted.h"

enum { WORDS_MAX = 4096, WORD_MAX = 4096 }; /* number of arguments, bytes of each */

static void print_limits(struct sink *out, const struct process *p)
{
	sink_named_begin(out, "limits", SINK_ARRAY);
	for (size_t i = 0; i < p->limit_count; i++) {
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "name", p->limits[i].name);
		sink_named_string(out, "soft", p->limits[i].soft);
		sink_named_string(out, "hard", p->limits[i].hard);
		sink_named_string(out, "units", p->limits[i].units);
		sink_end(out);
	}
	sink_end(out);
}

static void print_files(struct sink *out, const struct process *p, struct redaction *r)
{
	sink_named_begin(out, "files", SINK_ARRAY);
	for (size_t i = 0; i < p->file_count; i++) {
		sink_begin(out, SINK_OBJECT);
		sink_named_int(out, "fd", p->files[i].fd);
		print_masked_member(out, r, "target", p->files[i].target);
		sink_end(out);
	}
	sink_end(out);
}

/* The files that the program consists of are not secret: [stack] and the like, and
 * images. */
static void print_path(struct sink *out, const struct process_printing *printing,
		       const struct target_mapping *m)
{
	if (!m->path[0])
		return;
	if (m->path[0] == '[' || images_at(printing->images, m->start))
		sink_named_string(out, "path", m->path);
	else
		print_masked_member(out, printing->redaction, "path", m->path);
}

static void print_mappings(struct sink *out, const struct process_printing *printing)
{
	struct target *t = printing->target;
	size_t n;
	const struct target_mapping *m = target_mappings(t, &n);

	sink_named_begin(out, "mappings", SINK_ARRAY);
	for (; n > 0; n--, m++) {
		char permissions[] = { m->readable ? 'r' : '-', m->writable ? 'w' : '-',
				       m->executable ? 'x' : '-', m->shared ? 's' : 'p',
				       '\0' };
		sink_begin(out, SINK_OBJECT);
		sink_named_address(out, "start", m->start);
		sink_named_address(out, "end", m->end);
		sink_named_string(out, "permissions", permissions);
		if (m->inode)
			sink_named_address(out, "offset", m->offset);
		print_path(out, printing, m);
		sink_end(out);
	}
	sink_end(out);
}

static struct bytes_of_text cut(const char *word)
{
	size_t len = strlen(word);

	if (len > WORD_MAX)
		len = utf8_cut(word, WORD_MAX);
	return (struct bytes_of_text){ word, len };
}

static void print_argument(struct sink *out, struct redaction *r, struct arguments *words,
			   struct bytes_of_text arg)
{
	size_t from = redaction_of_argument(r, words, arg.bytes, arg.len);

	if (from == 0 || from >= arg.len) {
		print_item_without_secrets(out, r, from < arg.len ? "name" : NULL, arg);
		return;
	}
	struct redacted left = redaction_of_rest(r, 0, arg.bytes, arg.len, from);
	if (left.text)
		sink_text(out, left.text, left.len);
	else
		sink_string(out, "[redacted]");
	redacted_done(&left);
}

static void print_args(struct sink *out, const struct process_words *args,
		       struct redaction *r)
{
	struct arguments words = { .program = 0 };
	size_t n = 0;

	sink_named_begin(out, "args", SINK_ARRAY);
	for (const char *arg = NULL; (arg = process_next_word(args, arg)); n++)
		if (n < WORDS_MAX)
			print_argument(out, r, &words, cut(arg));
	if (n > WORDS_MAX) {
		sink_begin(out, SINK_OBJECT);
		sink_named_uint(out, "omitted", n - WORDS_MAX);
		sink_end(out);
	}
	sink_end(out);
}

/* A shell's directories are no passwords. */
static const char *rule_of_variable(struct redaction *r, const char *word, size_t len,
				    struct bytes_of_text value)
{
	static const char *const folders[] = { "PWD", "OLDPWD" };

	for (size_t i = 0; i < ARRAY_SIZE(folders); i++)
		if (len == strlen(folders[i]) && memcmp(word, folders[i], len) == 0)
			return NULL;
	return redaction_of_named_text(r, word, len, value.bytes, value.len, false);
}

static void print_environment(struct sink *out, const struct process_printing *p)
{
	const struct process_words *words = &p->process->environment;

	sink_named_begin(out, "environment", SINK_ARRAY);
	for (const char *word = NULL; (word = process_next_word(words, word));) {
		size_t len = strcspn(word, "=");
		sink_begin(out, SINK_OBJECT);
		sink_name(out, "name");
		print_item_without_secrets(out, p->redaction, NULL,
					   (struct bytes_of_text){ word, len });
		if (p->environment && word[len])
			print_text_without_secrets(out, p->redaction, "value",
						   rule_of_variable(p->redaction, word,
								    len,
								    cut(word + len + 1)),
						   cut(word + len + 1));
		sink_end(out);
	}
	sink_end(out);
}

/* from: where the secret begins in text; len: not known. */
static void learn_text(struct redaction *r, struct bytes_of_text text, size_t from)
{
	if (from < text.len) {
		redaction_learn(r, 0, 0, text.bytes + from, text.len - from);
		return;
	}
	struct redacted ignored = redaction_of_text(r, 0, text.bytes, text.len);
	redacted_done(&ignored);
}

void process_remember_secrets(const struct process *p, struct redaction *r)
{
	struct arguments words = { .program = 0 };

	for (const char *arg = NULL; (arg = process_next_word(&p->args, arg));) {
		size_t len = strlen(arg);
		size_t from = redaction_of_argument(r, &words, arg, len);
		learn_text(r, (struct bytes_of_text){ arg, len },
			   words.doubtful ? len : from);
	}
	for (const char *word = NULL;
	     (word = process_next_word(&p->environment, word));) {
		size_t len = strcspn(word, "=");
		if (!word[len])
			continue;
		const struct bytes_of_text value = { word + len + 1,
						     strlen(word + len + 1) };
		bool secret = rule_of_variable(r, word, len, value) != NULL;
		learn_text(r, value, secret ? 0 : value.len);
	}
	redaction_remember(r);
}

static const char *unless_empty(const char *s)
{
	return s && *s ? s : NULL;
}

/* If it is a separate file, or there is none. */
static void print_debug_file(struct sink *out, const struct image *exe)
{
	struct err err;
	const struct image *from = image_debug(exe, &err);

	if (!from)
		sink_named_string(out, "debug_unreadable", err.text);
	else if (from != exe)
		sink_named_string(out, "debug_file", image_path(from));
}

void print_process(struct sink *out, const struct process_printing *printing)
{
	const struct process *p = printing->process;
	const struct images *images = printing->images;
	const struct image *exe = images_count(images) ? images_get(images, 0) : NULL;

	sink_begin(out, SINK_OBJECT);
	sink_named_int(out, "pid", p->pid);
	if (p->ns_pid)
		sink_named_int(out, "ns_pid", p->ns_pid);
	if (p->ppid >= 0)
		sink_named_int(out, "ppid", p->ppid);
	sink_named_string(out, "exe", p->exe);
	if (p->exe_deleted)
		sink_named_bool(out, "exe_deleted", true);
	if (exe) {
		sink_named_string(out, "build_id", unless_empty(image_build_id(exe)));
		sink_named_string(out, "go_build_id",
				  unless_empty(image_go_build_id(exe)));
	}
	if (exe)
		print_debug_file(out, exe);
	if (p->args.bytes)
		print_args(out, &p->args, printing->redaction);
	print_masked_member(out, printing->redaction, "cwd", p->cwd);
	if (p->has_ids) {
		sink_named_uint(out, "uid", p->uid);
		sink_named_uint(out, "gid", p->gid);
	}
	if (p->has_started) {
		sink_name(out, "started_at");
		sink_time(out, p->started_at_ns);
	}
	if (p->has_rss)
		sink_named_uint(out, "rss_bytes", p->rss_bytes);
	if (p->peak_rss_bytes)
		sink_named_uint(out, "peak_rss_bytes", p->peak_rss_bytes);
	if (p->has_cpu)
		sink_named_uint(out, "cpu_ns", p->cpu_ns);
	sink_named_string(out, "cgroup", p->cgroup);
	sink_named_string(out, "container", p->container);
	if (p->limit_count)
		print_limits(out, p);
	if (p->files_readable)
		print_files(out, p, printing->redaction);
	print_mappings(out, printing);
	if (p->environment.bytes)
		print_environment(out, printing);
	sink_end(out);
}
