/* SPDX-License-Identifier: Apache-2.0 */
#include "src/commands/show_options.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/commands/cmd.h"
#include "src/viewer/filter/filter.h"
#include "src/viewer/listing/viewer.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/pager.h"

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

struct view {
	struct filter *filter;
	bool asked_for;
	bool all;
	bool negated; /* applies to the next filter */
	bool no_pager;
	enum when color;
};

static const struct option_info rows[] = { VIEW_ROWS(0) };

struct view *view_new(void)
{
	struct view *view = xcalloc(1, sizeof(*view));
	view->filter = filter_new();
	return view;
}

void view_free(struct view *view)
{
	if (!view)
		return;
	filter_free(view->filter);
	xfree(view);
}

static bool set_color(struct view *view, const char *argument, struct err *err)
{
	static const enum when whens[] = { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };
	int choice = cmd_choice(&rows[VIEW_COLOR], argument, err);
	if (choice < 0)
		return false;
	view->color = whens[choice];
	return true;
}

static bool add_filter(struct view *view, enum view_option option, const char *argument,
		       struct err *err)
{
	static const enum filter_kind kinds[] = {
		[VIEW_STATUS] = FILTER_STATUS,	     [VIEW_WAIT] = FILTER_WAIT,
		[VIEW_LONGER] = FILTER_LONGER,	     [VIEW_FUNCTION] = FILTER_FUNCTION,
		[VIEW_CREATED_BY] = FILTER_CREATOR,  [VIEW_LABEL] = FILTER_LABEL,
		[VIEW_GOROUTINE] = FILTER_GOROUTINE,
	};
	bool negated = view->negated;
	view->negated = false;
	return filter_add(view->filter, kinds[option], negated, rows[option].name,
			  argument, err);
}

bool view_option(struct view *view, enum view_option option, const char *argument,
		 struct err *err)
{
	view->asked_for = true;
	switch (option) {
	case VIEW_NOT:
		view->negated = true;
		return true;
	case VIEW_ALL:
		view->all = true;
		return true;
	case VIEW_COLOR:
		return set_color(view, argument, err);
	case VIEW_NO_PAGER:
		view->no_pager = true;
		return true;
	default:
		return add_filter(view, option, argument, err);
	}
}

bool view_finish(struct view *view, struct err *err)
{
	return !view->negated ||
	       err_set(err, ERR_USAGE, "--not must be followed by a filter");
}

bool view_is_asked_for(const struct view *view)
{
	return view->asked_for;
}

bool view_shows_values(const struct view *view)
{
	return view->all || filter_names_goroutines(view->filter);
}

static bool has_color(const struct view *view)
{
	const char *no_color = getenv("NO_COLOR");
	if (view->color != WHEN_AUTO)
		return view->color == WHEN_ALWAYS;
	return page_is_terminal(STDOUT_FILENO) && !(no_color && *no_color);
}

bool view_print(const struct view *view, struct reader *reader, bool *ret_nothing,
		struct err *err)
{
	bool terminal = page_is_terminal(STDOUT_FILENO);
	const struct viewer_options options = {
		.all = view->all,
		.color = has_color(view),
		.columns = page_columns(STDOUT_FILENO),
		.filter = view->filter,
		.pager = terminal && !view->no_pager ? pager_command() : NULL,
	};
	bool shown;
	/* There is nothing to clean up, so a closed pipe may kill us as it kills cat. */
	signal(SIGPIPE, SIG_DFL);
	shown = viewer_show(reader, &options, stdout, ret_nothing, err);
	if (fflush(stdout) != 0 || ferror(stdout))
		return err_sys(err, "cannot write the text");
	return shown;
}
