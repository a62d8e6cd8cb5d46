/* SPDX-License-Identifier: Apache-2.0 */
#include "src/record/record.h"

#include "lib/base/limit.h"
#include "src/record/reading.h"

/* READING_DIED: of whatever else. */
enum { READING_DIED = READING_FAILED + 1 };

/* Only what the series itself has decided is believed: a reader that was taken over could end at once, again
 * and again. */
static int checked(const struct series_host *s, int end, struct err *err)
{
	if (end == READING_FAILED)
		series_why(s, err);
	if (end == READING_FAILED || (end == READING_OVER && s->over) ||
	    (end == READING_ANEW && s->asked))
		return end;
	err_set(err, ERR_SYS, "what reads the process ended too early");
	return READING_DIED;
}

/* One reader, until it ends. err: of READING_FAILED and READING_DIED. */
static int read_on(struct series_host *s, struct err *err)
{
	const bool no_sandbox = s->options->snap.no_sandbox;
	struct capture_options capture = s->options->snap.capture;
	struct sandbox sandbox = { .workers = 1, .allowance = &s->allowance };
	struct reading reading = { s, &capture };
	int end;
	AUTO(capture_host_free)
	struct capture_host *host = capture_host_new(&capture, no_sandbox, &sandbox, err);

	if (!host)
		return READING_FAILED;
	sandbox.subject.of_series = true;
	s->host = host;
	s->asked = false;
	s->allowance = (struct sandbox_allowance){ .until_ns = monotonic_ns() +
							       LIMIT_SANDBOX_NS };
	sandbox_add_services(&sandbox, s->services);
	if (sandboxed_run(no_sandbox, &sandbox, reading_work, &reading, &end, err))
		end = checked(s, end, err);
	else
		end = end == SANDBOX_NONE ? READING_FAILED : READING_DIED;
	if (end == READING_DIED && s->looked)
		series_reader_died(s, err);
	return end;
}

/* False: err. */
static bool go_on(struct series_host *s, struct err *err)
{
	for (;;) {
		const int end = read_on(s, err);
		if (end == READING_OVER)
			return true;
		if (end == READING_FAILED || (end == READING_DIED && !s->looked))
			return s->looked && series_process_has_ended(s);
		/* The next reader begins at once only if its snapshot does. */
		if (end == READING_DIED && (series_is_complete(s) || !series_wait(s)))
			return true;
	}
}

bool record(const struct record_options *options, uint64_t *ret_count, struct err *err)
{
	struct series_host s;
	const bool ok = series_begin(&s, options, err) && go_on(&s, err) &&
			series_has_folder(&s, err);

	*ret_count = s.taken;
	series_done(&s);
	return ok;
}
