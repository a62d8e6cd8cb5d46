/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/decode.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "src/capture/sandboxed.h"
#include "src/trace/call_text.h"

enum {
	PLACES = 8,	   /* where position-independent programs are, at once */
	CPU_SECONDS = 300, /* then another sandbox goes on */
};

enum { DONE, FAILED, AGAIN };

/* The program as processes have it, at one place. */
struct place {
	uint64_t bias, used;
	struct calls *calls; /* NULL: free */
};

struct decoding {
	const struct trace_decoder *decoder;
	struct place places[PLACES];
	uint64_t uses;
	struct warnings *warnings;
	struct value_bounds bounds;
	uint64_t realtime_offset; /* to CLOCK_MONOTONIC */
	struct sink *part;
	struct call_text *text; /* NULL: JSON */
	bool ended;
	struct err *why; /* in memory shared with the parent */
};

_Static_assert((int)TRACE_RECORD == CALL_RECORD_BYTES && (int)TRACE_STEPS == CALL_STEPS &&
		       (int)TRACE_STEP_MAX == CALL_STEP_MAX &&
		       (int)TRACE_STACK == CALL_STACK_BYTES &&
		       (int)TRACE_REGISTERS == CALL_REGISTERS &&
		       (int)TRACE_NO_LENGTH == CALL_NO_LENGTH &&
		       (int)TRACE_LABELS_AT == CALL_LABELS_AT &&
		       (int)TRACE_OFFSETS == CALL_OFFSETS,
	       "the kernel's program copies what is planned");

size_t trace_message_bytes(uint32_t kind)
{
	const size_t head = offsetof(struct trace_message, hit);

	return head + (kind == TRACE_MESSAGE_HIT	? sizeof(struct trace_hit)
		       : kind == TRACE_MESSAGE_TIMES	? sizeof(struct trace_latency)
		       : kind == TRACE_MESSAGE_SNAPSHOT ? sizeof(struct trace_taken)
							: sizeof(struct trace_totals));
}

static struct place *choose_place(struct decoding *d, uint64_t bias)
{
	struct place *oldest = &d->places[0];

	for (size_t i = 0; i < PLACES; i++) {
		struct place *p = &d->places[i];
		if (p->calls && p->bias == bias)
			return p;
		if (p->used < oldest->used)
			oldest = p;
	}
	calls_close(oldest->calls);
	*oldest = (struct place){ .bias = bias };
	return oldest;
}

static struct calls *calls_at(struct decoding *d, uint64_t bias, struct err *err)
{
	struct place *p = choose_place(d, bias);

	if (!p->calls)
		p->calls = calls_open(d->decoder->file, d->decoder->name, bias,
				      d->warnings, err);
	p->used = ++d->uses;
	return p->calls;
}

/* What is written is one line: without what separates elements of a document. */
static void write_line(struct decoding *d)
{
	const char *text = sink_part_text(d->part);
	size_t n = sink_part_bytes(d->part);

	while (n && (*text == '\n' || *text == ','))
		text++, n--;
	if (d->text) {
		call_text_print(d->text, text, n);
	} else {
		fwrite(text, 1, n, stdout);
		putchar('\n');
	}
	sink_part_cut(d->part, 0);
}

static void print_totals(struct decoding *d, const char *event,
			 const struct trace_totals *totals)
{
	struct sink *out = d->part;

	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "event", event);
	sink_name(out, "time");
	sink_time(out, monotonic_ns() + d->realtime_offset);
	sink_named_uint(out, "calls", totals->calls);
	sink_named_uint(out, "told", totals->told);
	sink_named_uint(out, "lost", totals->lost);
	if (totals->with_returns) {
		sink_named_uint(out, "returns", totals->returns);
		sink_named_uint(out, "returns_told", totals->returns_told);
		sink_named_uint(out, "returns_lost", totals->returns_lost);
	}
	if (totals->excluded)
		sink_named_uint(out, "excluded", totals->excluded);
	if (totals->beyond_rate)
		sink_named_uint(out, "beyond_rate", totals->beyond_rate);
	if (totals->beyond_count)
		sink_named_uint(out, "beyond_count", totals->beyond_count);
	if (totals->with_snapshots) {
		sink_named_uint(out, "snapshots", totals->snapshots);
		sink_named_uint(out, "snapshots_failed", totals->snapshots_failed);
		sink_named_uint(out, "beyond_interval", totals->beyond_interval);
	}
	sink_end(out);
	write_line(d);
}

static void print_hit(struct decoding *d, struct calls *calls,
		      const struct trace_hit *hit, const struct trace_function *function,
		      uint64_t bias)
{
	const struct call_record record = {
		.bytes = hit->record,
		.plan = hit->is_return ? &function->results : &function->plan,
		.copied = hit->copied,
		.pairs = (const uint64_t(*)[2])hit->pair,
		.pair_count = hit->pairs < TRACE_PAIRS ? hit->pairs : TRACE_PAIRS,
		.more_pairs = hit->pairs >= TRACE_PAIRS,
		.stack_bytes = hit->stack < TRACE_STACK ? hit->stack : TRACE_STACK,
		.entry = function->point.entry + bias,
		.g = hit->g,
		.goid = hit->goid,
		.stack_low = hit->stack_low,
		.stack_high = hit->stack_high,
		.tid = (pid_t)hit->tid,
	};

	print_call(d->part,
		   &(struct traced_call){
			   .calls = calls,
			   .goroutine = calls_set(calls, &record),
			   .number = hit->number,
			   .is_return = hit->is_return,
			   .took_ns = hit->took_ns,
			   .pid = (pid_t)hit->pid,
			   .tid = (pid_t)hit->tid,
			   .moment = { .now_ns = hit->at_ns,
				       .realtime_ns = hit->at_ns + d->realtime_offset },
			   .bounds = &d->bounds,
			   .redaction = d->decoder->redaction });
	write_line(d);
}

/* The kernel tells where the probe was; the file, where it is in there. All code of a function is at the same
 * distance from its place in the file. */
static uint64_t bias_of(const struct trace_hit *hit, const struct trace_function *f)
{
	const uint64_t distance = f->point.addr - f->point.offset;
	const uint32_t i = hit->is_return - 1;

	return hit->ip - (hit->is_return && i < f->returns.count
				  ? f->returns.offset[i] + distance
				  : f->point.addr);
}

static bool take_hit(struct decoding *d, const struct trace_hit *hit, struct err *err)
{
	const struct trace_functions *functions = d->decoder->functions;

	if (hit->point >= functions->count)
		return true;
	const struct trace_function *function = &functions->list[hit->point];
	const uint64_t bias = bias_of(hit, function);
	struct calls *calls = calls_at(d, bias, err);
	if (!calls)
		return false;
	print_hit(d, calls, hit, function, bias);
	return true;
}

static void print_buckets(struct sink *out, const struct trace_times *times)
{
	sink_named_begin(out, "buckets", SINK_ARRAY);
	for (unsigned i = 0; i < TRACE_BUCKETS; i++) {
		if (!times->bucket[i])
			continue;
		sink_begin(out, SINK_OBJECT);
		if (i + 1 < TRACE_BUCKETS)
			sink_named_uint(out, "below_ns",
					UINT64_C(1) << (i + TRACE_FIRST));
		sink_named_uint(out, "returns", times->bucket[i]);
		sink_end(out);
	}
	sink_end(out);
}

/* Of a function, at the end. */
static bool print_latency(struct decoding *d, const struct trace_latency *latency,
			  struct err *err)
{
	const struct trace_functions *functions = d->decoder->functions;
	struct calls *calls = calls_at(d, 0, err);
	struct sink *out = d->part;
	struct code_frame f;
	uint64_t matched = 0;

	if (!calls || latency->function >= functions->count)
		return calls != NULL;
	for (unsigned i = 0; i < TRACE_BUCKETS; i++)
		matched += latency->times.bucket[i];
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "event", "latency");
	if (runtime_code_at(runtimes_get(calls_runtimes(calls), 0),
			    functions->list[latency->function].point.entry, &f))
		sink_named_string(out, "function", f.function);
	sink_named_uint(out, "returns", matched);
	sink_named_uint(out, "without_call", latency->times.unmatched);
	sink_named_uint(out, "total_ns", latency->times.total_ns);
	print_buckets(out, &latency->times);
	sink_end(out);
	write_line(d);
	return true;
}

static void print_taken(struct decoding *d, const struct trace_taken *taken)
{
	const struct trace_functions *functions = d->decoder->functions;
	struct sink *out = d->part;

	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "event", "snapshot");
	sink_name(out, "time");
	sink_time(out, taken->at_ns + d->realtime_offset);
	sink_named_uint(out, "call", taken->call);
	sink_named_uint(out, "pid", taken->pid);
	sink_named_uint(out, "tid", taken->tid);
	if (taken->function < functions->count)
		sink_named_string(out, "function", functions->list[taken->function].name);
	if (taken->done)
		sink_named_string(out, "file", taken->file);
	if (*taken->why)
		sink_named_string(out, "reason", taken->why);
	if (taken->pause_ns) {
		sink_named_uint(out, "stopping_ns", taken->stopping_ns);
		sink_named_uint(out, "pause_ns", taken->pause_ns);
	}
	sink_end(out);
	write_line(d);
}

static bool take_message(struct decoding *d, const struct trace_message *m,
			 struct err *err)
{
	switch (m->kind) {
	case TRACE_MESSAGE_HIT:
		return take_hit(d, &m->hit, err);
	case TRACE_MESSAGE_TIMES:
		return print_latency(d, &m->latency, err);
	case TRACE_MESSAGE_SNAPSHOT:
		print_taken(d, &m->taken);
		return true;
	case TRACE_MESSAGE_LOST:
		print_totals(d, "lost", &m->totals);
		return true;
	default:
		print_totals(d, "end", &m->totals);
		d->ended = true;
		return true;
	}
}

static bool read_all(int fd, void *to, size_t n)
{
	for (size_t done = 0; done < n;) {
		const ssize_t got = read(fd, (char *)to + done, n - done);
		if (got <= 0 && !(got < 0 && errno == EINTR))
			return false;
		done += got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* False: the pipe is at its end. */
static bool read_message(int fd, struct trace_message *ret)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	const size_t head = offsetof(struct trace_message, hit);

	if (poll(&ready, 1, 0) == 0)
		fflush(stdout); /* while there is nothing to do */
	return read_all(fd, ret, head) &&
	       read_all(fd, &ret->hit, trace_message_bytes(ret->kind) - head);
}

static bool has_used_up(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec > CPU_SECONDS;
}

static int flushed(struct decoding *d, int status)
{
	if (fflush(stdout) == 0)
		return status;
	err_sys(d->why, "cannot write");
	return FAILED;
}

static int decode_all(struct decoding *d)
{
	AUTO(xfree) struct trace_message *m = xcalloc(1, sizeof(*m));

	while (!d->ended && read_message(d->decoder->pipe, m)) {
		if (!take_message(d, m, d->why))
			return FAILED;
		if (ferror(stdout))
			break;
		if (sandbox_is_closed() && !d->ended && has_used_up())
			return flushed(d, AGAIN);
	}
	return flushed(d, DONE);
}

struct work {
	const struct trace_decoder *decoder;
	struct err *why;
};

static int decode(void *arg)
{
	const struct work *w = arg;
	AUTO(warnings_free) struct warnings *warnings = warnings_new();
	AUTO(sink_free) struct sink *part = sink_part_new();
	struct decoding d = { .decoder = w->decoder,
			      .warnings = warnings,
			      .bounds = value_bounds_traced,
			      .realtime_offset = realtime_ns() - monotonic_ns(),
			      .part = part,
			      .why = w->why };

	d.bounds.rules = w->decoder->rules;
	if (w->decoder->format == TRACE_TEXT)
		d.text = call_text_new(stdout);
	const int status = decode_all(&d);
	call_text_free(d.text);
	for (size_t i = 0; i < PLACES; i++)
		calls_close(d.places[i].calls);
	return status;
}

static bool decode_in_sandboxes(struct work *w, struct err *err)
{
	const struct sandbox sandbox = { .keep = { w->decoder->file, w->decoder->pipe },
					 .keep_count = 2,
					 .programs = true };
	int status = AGAIN;

	while (status == AGAIN)
		if (!sandboxed_run(w->decoder->no_sandbox, &sandbox, decode, w, &status,
				   err))
			return status == SIGPIPE; /* nobody reads on */
	if (status == DONE)
		return true;
	*err = *w->why;
	err->text[sizeof(err->text) - 1] = '\0';
	return false;
}

bool trace_decode(const struct trace_decoder *decoder, struct err *err)
{
	struct work w = { decoder, xshared(sizeof(*w.why)) };
	const bool ok = decode_in_sandboxes(&w, err);
	munmap(w.why, sizeof(*w.why));
	return ok;
}
