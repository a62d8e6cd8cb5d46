/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/cmd.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/document/warnings.h"
#include "src/capture/capture.h"
#include "src/options/options.h"
#include "src/viewer/terminal/nearest.h"

const struct command *const commands[] = {
	&command_snap,	  &command_core,   &command_core_export,    &command_run,
	&command_record,  &command_why,	   &command_show,	    &command_view,
	&command_html,	  &command_serve,  &command_group,	    &command_baseline,
	&command_json,	  &command_print,  &command_profile_export, &command_heap,
	&command_list,	  &command_prune,  &command_install,	    &command_uninstall,
	&command_doctor,  &command_layout, &command_core_pipe,	    &command_core_listen,
	&command_monitor, &command_watch,  &command_trace,	    &command_complete,
};
const size_t command_count = ARRAY_SIZE(commands);

void cmd_say_warning(const char *where, const char *what)
{
	AUTO(xfree) char *text = xasprintf("warning: %s: %s", where, what);

	cmd_say(text);
}

void cmd_say_warnings(const struct warnings *all, size_t from)
{
	for (size_t i = from; i < warnings_count(all); i++)
		cmd_say_warning(warnings_where(all, i), warnings_what(all, i));
}

/* Of a core: without them, values and objects are missing, or have no names. */
static void say_missing(const struct warnings *all)
{
	static const char *const about[] = { "executable", "memory", "debuginfod" };

	for (size_t i = 0; i < warnings_count(all); i++)
		for (size_t k = 0; k < ARRAY_SIZE(about); k++)
			if (strcmp(warnings_where(all, i), about[k]) == 0)
				cmd_say_warning(about[k], warnings_what(all, i));
}

void cmd_finish_capture(struct capture *c)
{
	capture_finish(c);
	if (c->warnings && c->options->core.path)
		say_missing(c->warnings);
	const size_t before = warnings_count(c->warnings);
	capture_settle(c);
	cmd_say_warnings(c->warnings, before);
}

const char *cmd_word(const struct command *command)
{
	return command->name + strlen("gosnap ");
}

const char *cmd_nearest(const char *word)
{
	struct nearest nearest = { .word = word };
	for (size_t i = 1; i < command_count; i++)
		if (commands[i]->summary)
			nearest_try(&nearest, cmd_word(commands[i]));
	return nearest.best;
}

void cmd_print_others(void)
{
	printf("\nother commands:\n");
	for (size_t i = 1; i < command_count; i++) {
		if (!commands[i]->summary)
			continue;
		int width = printf("  %s %s", commands[i]->name, commands[i]->arguments);
		if (width >= HELP_COLUMN + 2)
			width = printf("\n") - 1;
		printf("%*s%s\n", HELP_COLUMN + 2 - width, "", commands[i]->summary);
	}
}
