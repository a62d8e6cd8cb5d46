/* SPDX-License-Identifier: Apache-2.0 */
/* gosnap complete WORD...: candidates for the last word of a command line, given without
 * the name gosnap. For the shells' completion scripts, which know nothing themselves.
 * Each line is a candidate, a tab, and its description; ":files" requests file names.
 * Everything comes from the tables: an argument named PID is a process, FILE and BINARY
 * are files, ID is a snapshot in the spool, EXPR has names of fields, and lower-case words separated by bars are the choices. */
#include "src/commands/cmd.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "lib/elf/image.h"
#include "lib/procfs/process.h"
#include "lib/sandbox/sandbox.h"
#include "src/options/options.h"
#include "src/options/spool_options.h"
#include "src/viewer/filter/filter.h"
#include "src/viewer/terminal/text.h"

enum { VERDICT_SHOWN = 60 }; /* columns */

const struct command command_complete = {
	.name = "gosnap complete",
	.run = cmd_complete,
};

static bool starts_with(const char *word, const char *start)
{
	return strncmp(word, start, strlen(start)) == 0;
}

/* What the last word completes. */
struct place {
	const struct command *command;
	const struct option_info *option; /* its argument is completed; NULL: none */
	bool after_dashes;		  /* after "--": no more options */
	unsigned operands;		  /* that came before */
	bool first;			  /* the word may be a command */
	char prefix[64];   /* "--output=", the prefix of all candidates, or "" */
	const char *typed; /* the word after the prefix */
};

/* "--output", "--output=FILE", "-o", "-oFILE"; NULL: not an option of this command. */
static const struct option_info *option_of(const struct command *command,
					   const char *word)
{
	size_t len = strcspn(word, "=");
	for (size_t i = 0; option_at(command, i); i++) {
		const struct option_info *option = option_at(command, i);
		if (starts_with(word, "--") ? strlen(option->name) == len - 2 &&
						      starts_with(word + 2, option->name)
					    : option->short_name && word[0] == '-' &&
						      word[1] == option->short_name)
			return option;
	}
	return NULL;
}

/* Is the option's argument part of the word? */
static bool is_whole(const char *word)
{
	return starts_with(word, "--") ? strchr(word, '=') != NULL : word[2] != '\0';
}

/* Handles a word before the last. bash splits --output=FILE into three. */
static void pass_word(struct place *place, const char *word)
{
	const struct option_info *option = NULL;
	if (strcmp(word, "=") == 0)
		return;
	if (place->option) {
		place->option = NULL;
	} else if (!place->after_dashes && strcmp(word, "--") == 0) {
		place->after_dashes = true;
	} else if (!place->after_dashes && *word == '-') {
		option = option_of(place->command, word);
		if (option && option_needs(option) == OPTION_ARGUMENT && !is_whole(word))
			place->option = option;
	} else {
		place->operands++;
	}
}

static void find_last(struct place *place, const char *word)
{
	const char *equals = strchr(word, '=');
	place->typed = word;
	if (place->option) {
		place->typed += strcmp(word, "=") == 0;
	} else if (!place->after_dashes && starts_with(word, "--") && equals) {
		place->option = option_of(place->command, word);
		place->typed = equals + 1;
		snprintf(place->prefix, sizeof(place->prefix), "%.*s",
			 (int)(place->typed - word), word);
	}
}

static struct place find_place(int n, char **words)
{
	struct place place = { .command = &command_snap, .first = n == 1 };
	int at = 0;
	for (size_t i = 1; n > 1 && i < command_count; i++) {
		if (strcmp(words[0], cmd_word(commands[i])) == 0) {
			place.command = commands[i];
			at = 1;
		}
	}
	for (; at < n - 1; at++)
		pass_word(&place, words[at]);
	find_last(&place, words[n - 1]);
	return place;
}

static void offer(const struct place *place, const char *word, size_t len,
		  const char *about)
{
	if (strncmp(word, place->typed, strlen(place->typed)) == 0)
		printf("%s%.*s\t%s\n", place->prefix, (int)len, word, about);
}

static void offer_commands(const struct place *place)
{
	for (size_t i = 1; i < command_count; i++)
		if (commands[i]->summary)
			offer(place, cmd_word(commands[i]), SIZE_MAX,
			      commands[i]->summary);
}

static void offer_option(const struct place *place, const struct option_info *option)
{
	char word[64];
	snprintf(word, sizeof(word), "--%s%s", option->name,
		 option_needs(option) == OPTION_ARGUMENT ? "=" : "");
	offer(place, word, strlen(word), option->help);
}

static void offer_options(const struct place *place)
{
	for (size_t i = 0; option_at(place->command, i); i++)
		offer_option(place, option_at(place->command, i));
}

struct processes {
	const struct place *place;
	struct process_candidate *list;
	size_t count, cap;
};

static void note_process(void *arg, const struct process_candidate *process)
{
	struct processes *all = arg;
	char pid[16];
	snprintf(pid, sizeof(pid), "%d", (int)process->pid);
	if (!starts_with(pid, all->place->typed) &&
	    !starts_with(process->name, all->place->typed))
		return;
	GROW(all->list, all->count, all->cap);
	all->list[all->count++] = *process;
}

/* Names are untrusted: each must stay one word, and must not control the terminal. */
static void offer_process(const struct place *place,
			  const struct process_candidate *process)
{
	char path[32];
	struct image_range section;
	struct err ignored;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)process->pid);
	AUTO(images_close) struct images *images = images_open_file(path, &ignored);
	if (!images || !image_section(images_get(images, 0), ".go.buildinfo", &section))
		return;
	printf("%s%d\t", place->prefix, (int)process->pid);
	for (const char *c = process->name; *c; c++)
		putchar(isgraph((unsigned char)*c) ? *c : '?');
	putchar('\n');
}

static void make_harmless(char *words)
{
	for (char *c = words; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
}

struct snapshots {
	const struct place *place;
	struct spool_entries all;
};

/* Newest first. Verdicts come from documents, and so from programs that crashed. */
static int offer_ids(void *arg)
{
	const struct snapshots *shots = arg;
	struct err ignored;

	for (size_t i = shots->all.count; i-- > 0;) {
		const char *id = shots->all.list[i].id;
		struct spool_head head;
		struct text about = { .len = 0 };
		if (!starts_with(id, shots->place->typed) ||
		    !spool_entry_head(&shots->all, i, &head, &ignored))
			continue;
		text_add(&about, "%s", head.verdict ? head.verdict : "no verdict");
		text_shorten(&about, VERDICT_SHOWN);
		make_harmless(about.words);
		offer(shots->place, id, SIZE_MAX, text_words(&about));
		text_done(&about);
		spool_head_done(&head);
	}
	return EXIT_DONE;
}

static void offer_snapshots(const struct place *place)
{
	struct spool_arguments arguments = { .spool = NULL };
	struct snapshots shots = { .place = place, .all = { .list = NULL } };
	struct err ignored;
	AUTO(spool_close) struct spool *spool = spool_of(&arguments, &ignored);

	if (!spool || !spool_list(spool, &shots.all, &ignored))
		return;
	const struct spool_service service = spool_service_of(&shots.all);
	const struct sandbox sandbox = { .services = { service.list } };
	if (shots.all.count) {
		offer(place, "latest", SIZE_MAX, "the newest snapshot of a crash");
		run_in_sandbox(false, &sandbox, offer_ids, &shots);
	}
	spool_entries_done(&shots.all);
}

static int offer_go_processes(void *arg)
{
	const struct processes *all = arg;
	for (size_t i = 0; i < all->count; i++)
		offer_process(all->place, &all->list[i]);
	return EXIT_DONE;
}

/* Whose executables may be anything: it is the Tab key that opens them. */
static void offer_processes(const struct place *place)
{
	const struct sandbox sandbox = { .programs = true };
	struct processes all = { .place = place };
	process_each(note_process, &all);
	if (all.count)
		run_in_sandbox(false, &sandbox, offer_go_processes, &all);
	xfree(all.list);
}

struct expression_place {
	const struct place *place;
	size_t before; /* of what is typed: it stays */
};

static void offer_in_expression(void *arg, const struct filter_candidate *candidate)
{
	const struct expression_place *at = arg;
	AUTO(xfree)
	char *word =
		xasprintf("%.*s%s", (int)at->before, at->place->typed, candidate->word);

	offer(at->place, word, SIZE_MAX, candidate->about);
}

static void ignore_candidate(void *arg, const struct filter_candidate *candidate)
{
	(void)arg;
	(void)candidate;
}

/* Its last word, if that is a name. */
static void offer_fields(const struct place *place)
{
	struct expression_place at = { .place = place };
	const size_t cursor = strlen(place->typed);

	at.before = filter_complete(place->typed, cursor, ignore_candidate, NULL);
	filter_complete(place->typed, cursor, offer_in_expression, &at);
}

static bool is_word(const char *at, size_t len, const char *word)
{
	return strlen(word) == len && strncmp(at, word, len) == 0;
}

static bool is_of_file(const char *at, size_t len)
{
	static const char *const words[] = { "FILE", "BINARY", "DIR",
					     "CORE", "[EXE]",  "PATH" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (is_word(at, len, words[i]))
			return true;
	return starts_with(at, "PROGRAM");
}

static void offer_values(struct place *place, const char *argument)
{
	bool files = false;

	for (const char *at = argument; at && *at && *at != ' ';) {
		const size_t all = strcspn(at, "| ");
		const size_t len =
			all - (all > 3 && strncmp(at + all - 3, "...", 3) == 0) * 3;
		if (is_word(at, len, "PID") || is_word(at, len, "[PID]"))
			offer_processes(place);
		else if (is_of_file(at, len))
			files = true;
		else if (is_word(at, len, "ID"))
			offer_snapshots(place);
		else if (is_word(at, len, "EXPR"))
			offer_fields(place);
		else if (islower((unsigned char)*at))
			offer(place, at, len, "");
		at += all + (at[all] == '|');
	}
	if (files)
		puts(":files");
}

/* What operand n is; the last may come again if the words end in dots. NULL: nothing is known of it. */
static const char *operand(const char *words, unsigned n)
{
	const size_t len = strlen(words);

	if (n && (len < 3 || strcmp(words + len - 3, "...") != 0))
		return NULL;
	for (; n && strchr(words, ' '); n--)
		words = strchr(words, ' ') + 1;
	return words;
}

int cmd_complete(int argc, char **argv)
{
	struct place place;
	if (argc < 2)
		return EXIT_USAGE;
	place = find_place(argc - 1, argv + 1);
	if (place.option)
		offer_values(&place, place.option->argument);
	else if (*place.typed == '-' && !place.after_dashes)
		offer_options(&place);
	else
		offer_values(&place, operand(place.command->arguments, place.operands));
	if (place.first && !place.option)
		offer_commands(&place);
	return EXIT_DONE;
}
