/* SPDX-License-Identifier: Apache-2.0 */
#include "src/options/show_options.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/document/reader.h"
#include "lib/sandbox/sandbox.h"
#include "src/options/command.h"
#include "src/viewer/filter/filter.h"
#include "src/viewer/listing/viewer.h"
#include "src/viewer/listing/why.h"
#include "src/viewer/stack/raw_stack.h"
#include "src/viewer/terminal/page.h"
#include "src/viewer/terminal/pager.h"
#include "src/viewer/terminal/text.h"

enum when { WHEN_AUTO, WHEN_ALWAYS, WHEN_NEVER };

struct view {
	struct filter *filter;
	bool asked_for;
	bool all, values, markdown;
	uint32_t frames; /* 0: all */
	enum grouping grouping;
	const char *label; /* of GROUPING_LABEL */
	bool negated;	   /* applies to the next filter */
	bool no_pager;
	const char *pager; /* its command; NULL: none */
	enum when color;
	bool stack; /* that of one goroutine only */
	uint64_t stack_of;
	bool json; /* the part that passes the filters, as a document */
	bool why;  /* findings only */
	enum why_form form;
};

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

/* The view whose option was given. */
static struct view *asked(void *field)
{
	struct view *view = *(struct view **)field;
	view->asked_for = true;
	return view;
}

static bool add_filter(const struct option_info *option, const char *argument,
		       void *field, struct err *err)
{
	struct view *view = asked(field);
	bool negated = view->negated;
	view->negated = false;
	return filter_add(view->filter, (enum filter_kind)option->value, negated,
			  option->name, argument, err);
}

static bool add_where(const struct option_info *option, const char *argument, void *field,
		      struct err *err)
{
	struct filter_error wrong;
	struct text text = { .words = NULL };

	if (filter_add_where(asked(field)->filter, option->name, argument, &wrong))
		return true;
	filter_error_explain(&wrong, argument, &text);
	err_set(err, ERR_USAGE, "--%s: %s", option->name, text_words(&text));
	text_done(&text);
	return false;
}

static bool set_negated(const struct option_info *option, const char *argument,
			void *field, struct err *err)
{
	return option_flag(option, argument, &asked(field)->negated, err);
}

static bool set_all(const struct option_info *option, const char *argument, void *field,
		    struct err *err)
{
	return option_flag(option, argument, &asked(field)->all, err);
}

static bool set_markdown(const struct option_info *option, const char *argument,
			 void *field, struct err *err)
{
	return option_flag(option, argument, &asked(field)->markdown, err);
}

static bool set_values(const struct option_info *option, const char *argument,
		       void *field, struct err *err)
{
	return option_flag(option, argument, &asked(field)->values, err);
}

static bool set_json(const struct option_info *option, const char *argument, void *field,
		     struct err *err)
{
	return option_flag(option, argument, &asked(field)->json, err);
}

static bool set_frames(const struct option_info *option, const char *argument,
		       void *field, struct err *err)
{
	struct view *view = asked(field);

	return option_number(option, argument, &view->frames, err) &&
	       (view->frames > 0 ||
		err_set(err, ERR_USAGE, "--%s requires at least 1", option->name));
}

static bool set_grouping(const struct option_info *option, const char *argument,
			 void *field, struct err *err)
{
	static const char *const names[] = { [GROUPING_EXACT] = "exact",
					     [GROUPING_SIMILAR] = "similar",
					     [GROUPING_CREATOR] = "creator" };
	static const char label[] = "label:";
	struct view *view = asked(field);

	if (strncmp(argument, label, strlen(label)) == 0 && argument[strlen(label)]) {
		view->grouping = GROUPING_LABEL;
		view->label = argument + strlen(label);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(argument, names[i]) == 0) {
			view->grouping = (enum grouping)i;
			return true;
		}
	}
	return err_set(err, ERR_USAGE,
		       "--%s requires exact, similar, creator or label:KEY, not %.100s",
		       option->name, argument);
}

static bool set_color(const struct option_info *option, const char *argument, void *field,
		      struct err *err)
{
	return option_choice(option, argument, &asked(field)->color, err);
}

static bool set_no_pager(const struct option_info *option, const char *argument,
			 void *field, struct err *err)
{
	return option_flag(option, argument, &asked(field)->no_pager, err);
}

const struct option_info view_options[] = {
	{ 0, "where", "EXPR", "only where this is true: gosnap-filter(7)",
	  .read = add_where },
	{ 0, "status", "PATTERN", "only goroutines whose state matches",
	  .read = add_filter, .value = FILTER_STATUS },
	{ 0, "wait", "PATTERN", "only those whose wait reason or object matches",
	  .read = add_filter, .value = FILTER_WAIT },
	{ 0, "longer", "TIME", "only those waiting this long or longer: 5m, 1h30m",
	  .read = add_filter, .value = FILTER_LONGER },
	{ 0, "function", "PATTERN", "only those with a matching function in the stack",
	  .read = add_filter, .value = FILTER_FUNCTION },
	{ 0, "created-by", "PATTERN", "only those created by a matching function",
	  .read = add_filter, .value = FILTER_CREATOR },
	{ 0, "label", "KEY[=VALUE]", "only those with this profiler label",
	  .read = add_filter, .value = FILTER_LABEL },
	{ 0, "goroutine", "IDS", "only those with these IDs, in detail: 12,15-20",
	  .read = add_filter, .value = FILTER_GOROUTINE },
	{ 0, "not", NULL, "invert the next filter", .read = set_negated },
	{ 0, "all", NULL, "also hidden frames, system goroutines, threads",
	  .read = set_all },
	{ 0, "color", CHOICE_WHEN, "use colours; auto: on a terminal",
	  .read = set_color },
	{ 0, "no-pager", NULL, "do not use a pager", .read = set_no_pager },
	{ .name = NULL }
};

const struct option_info view_document_options[] = {
	{ 0, "group", "PARTS", "exact, similar, creator, label:KEY: what is one",
	  .read = set_grouping },
	{ 0, "frames", "N", "at most N frames of each stack", .read = set_frames },
	{ 0, "values", NULL, "also each goroutine by itself, with its variables",
	  .read = set_values },
	{ 0, "markdown", NULL, "as Markdown, for tickets", .read = set_markdown },
	{ 0, "json", NULL, "write what passes the filters as a document",
	  .read = set_json },
	{ .name = NULL }
};

static bool set_stack(const struct option_info *option, const char *argument, void *field,
		      struct err *err)
{
	struct view *view = asked(field);
	char *end;

	errno = 0;
	view->stack_of = strtoull(argument, &end, 10);
	view->stack = true;
	return (isdigit((unsigned char)argument[0]) && !*end && !errno &&
		view->stack_of <= INT64_MAX) ||
	       err_set(err, ERR_USAGE, "--%s requires the ID of a goroutine, not %.40s",
		       option->name, argument);
}

const struct option_info stack_options[] = {
	{ 0, "stack", "ID", "the stack of this goroutine, a line for each word",
	  .read = set_stack },
	{ .name = NULL }
};

bool view_has_stack(const struct view *view, uint64_t *ret_id)
{
	*ret_id = view->stack_of;
	return view->stack;
}

bool view_finish(struct view *view, struct err *err)
{
	if (view->stack && !filter_is_empty(view->filter))
		return err_set(err, ERR_USAGE,
			       "--stack shows one goroutine: it cannot be combined with "
			       "filters");
	/* Found now: no program can be looked for in the sandbox. */
	if (page_is_terminal(STDOUT_FILENO) && !view->no_pager && !view->json)
		view->pager = pager_command();
	return !view->negated ||
	       err_set(err, ERR_USAGE, "--not must be followed by a filter");
}

void view_why(struct view *view, bool json)
{
	view->why = true;
	view->form = json ? WHY_JSON : WHY_TEXT;
}

bool view_is_asked_for(const struct view *view)
{
	return view->asked_for;
}

bool view_shows_values(const struct view *view)
{
	return view->all || view->values || view->stack ||
	       filter_names_goroutines(view->filter) || filter_needs_values(view->filter);
}

static bool has_color(const struct view *view)
{
	const char *no_color = getenv("NO_COLOR");
	if (view->color != WHEN_AUTO)
		return view->color == WHEN_ALWAYS;
	return page_is_terminal(STDOUT_FILENO) && !(no_color && *no_color);
}

int view_in_sandbox(const struct view *view, bool no_sandbox, struct sandbox *how,
		    int (*work)(void *arg), void *arg)
{
	AUTO(pager_host_free) struct pager_host *host = pager_host_new(view->pager);

	sandbox_add_services(how, pager_host_services(host));
	return run_in_sandbox(no_sandbox, how, work, arg);
}

static bool print_why(const struct view *view, struct reader *reader,
		      const struct page *page, int *ret_status, struct err *err)
{
	static const int status[] = { [WHY_NONE] = EXIT_DONE,
				      [WHY_PROBLEM] = EXIT_NO,
				      [WHY_UNKNOWN] = EXIT_CANNOT };
	enum why_answer answer;
	const bool shown = why_print(reader, page, view->form, &answer, err);

	reader_close(reader);
	*ret_status = status[answer];
	return shown;
}

bool view_print(const struct view *view, struct reader *reader, int *ret_status,
		struct err *err)
{
	const struct viewer_options options = {
		.all = view->all,
		.values = view->values,
		.markdown = view->markdown,
		.frames = view->frames,
		.grouping = view->grouping,
		.label = view->label,
		.color = has_color(view),
		.columns = page_columns(STDOUT_FILENO),
		.filter = view->filter,
		.pager = view->pager,
	};
	const struct page page = { stdout, options.columns, options.color };
	bool shown, nothing = false;
	*ret_status = EXIT_DONE;
	/* There is nothing to clean up, so a closed pipe may kill us as it kills cat. */
	signal(SIGPIPE, SIG_DFL);
	if (view->stack) {
		shown = raw_stack_show(reader, (int64_t)view->stack_of, &page,
				       view->pager, &nothing, err);
	} else if (view->why) {
		shown = print_why(view, reader, &page, ret_status, err);
	} else if (view->json) {
		shown = viewer_write_part(reader, view->filter, &nothing, err);
	} else {
		shown = viewer_show(reader, &options, stdout, &nothing, err);
	}
	if (nothing)
		*ret_status = EXIT_NO;
	if (fflush(stdout) != 0 || ferror(stdout))
		return err_sys(err, "cannot write the text");
	return shown;
}
