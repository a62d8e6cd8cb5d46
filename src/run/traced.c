/* SPDX-License-Identifier: Apache-2.0 */
#include "src/run/traced.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "src/capture/sandboxed.h"

static struct snap_options options_of(const struct traced_reading *r)
{
	struct snap_options options = r->options;
	struct capture_options *capture = &options.capture;

	capture->service = r->service;
	capture->stands = r->stands;
	if (r->stands && capture->values == VALUES_UNLESS_HELD)
		capture->values = VALUES_ALWAYS;
	if (r->values_failed) {
		options.values_failed = r->values_failed;
		capture->values = VALUES_NONE;
		capture->globals = NULL;
	}
	options.progress = PROGRESS_NEVER;
	options.jobs = 1; /* so that the sandbox can start no process */
	return options;
}

/* What the sandbox tells, in memory shared with it. */
struct found {
	bool no_fault;
	char verdict[sizeof(((struct traced_result *)NULL)->verdict)];
	struct err why;
};

struct work {
	const struct traced_reading *reading;
	struct snap_options options;
	struct output *out;
	struct found *found;
};

enum { TAKEN, FAILED, NO_MEMORY };

static void end_without_memory(void)
{
	_exit(NO_MEMORY);
}

static int take(void *arg)
{
	const struct work *w = arg;
	struct snap_result result = { .warnings = 0 };

	if (sandbox_is_closed()) {
		munmap(w->reading->shared, w->reading->shared_bytes);
		on_out_of_memory(end_without_memory);
	}
	if (!snap_take(&w->options, output_sink(w->out), &result, &w->found->why))
		return FAILED;
	w->found->no_fault = result.no_fault;
	snprintf(w->found->verdict, sizeof(w->found->verdict), "%s",
		 result.verdict ? result.verdict : "");
	xfree(result.verdict);
	w->found->why.text[0] = '\0';
	if (*result.partial)
		err_set(&w->found->why, ERR_LIMIT, "%s", result.partial);
	return result.no_fault || output_finish(w->out, &w->found->why) ? TAKEN : FAILED;
}

/* Checked: it may have been taken over. */
static void take_over(const struct work *w, int status)
{
	struct traced_result *ret = w->reading->result;
	struct found found = *w->found;

	found.verdict[sizeof(found.verdict) - 1] = 0;
	found.why.text[sizeof(found.why.text) - 1] = 0;
	if (status != TAKEN) {
		err_set(&ret->why, ERR_SYS, "%s",
			*found.why.text ? found.why.text : "it was not finished");
		return;
	}
	ret->no_fault = found.no_fault;
	if (ret->no_fault || !output_commit(w->out, &ret->why))
		return;
	memcpy(ret->verdict, found.verdict, sizeof(ret->verdict));
	if (*found.why.text)
		err_set(&ret->why, ERR_LIMIT, "%s", found.why.text);
	ret->done = true;
}

/* It died while it read. */
static void take_remains(const struct work *w)
{
	struct traced_result *ret = w->reading->result;
	const struct capture_options *capture = &w->options.capture;
	struct err err;

	ret->without_values = (capture->values != VALUES_NONE || capture->globals) &&
			      !tracer_service_has_copied(capture->service) &&
			      output_begin_again(w->out);
	if (!ret->without_values && output_mend(w->out, ret->why.text, &err))
		ret->done = output_commit(w->out, &ret->why);
}

static void read_in_sandbox(const struct work *w, const struct sandbox *sandbox)
{
	struct err *why = &w->reading->result->why;
	int status;

	if (!sandboxed_run(w->options.no_sandbox, sandbox, take, (void *)w, &status,
			   why)) {
		if (status != SANDBOX_NONE)
			take_remains(w);
	} else if (status == NO_MEMORY) {
		err_set(why, ERR_SYS, "there was not enough memory");
		take_remains(w);
	} else {
		take_over(w, status);
	}
}

void traced_read(const struct traced_reading *r, struct output *out)
{
	struct sandbox sandbox = { .max_ns = LIMIT_SANDBOX_NS, .threads = 1 };
	struct work w = { r, options_of(r), out, xshared(sizeof(*w.found)) };

	sandbox.keep[sandbox.keep_count++] = output_fd(out);
	AUTO(capture_host_free)
	struct capture_host *host = capture_host_new(
		&w.options.capture, w.options.no_sandbox, &sandbox, &r->result->why);
	if (!host)
		return;
	if (!w.options.no_sandbox)
		output_keep_remains(out);
	read_in_sandbox(&w, &sandbox);
}
