/* SPDX-License-Identifier: Apache-2.0 */
/* Finds timers that pile up. A goroutine needs few of them, so if there are many times as
 * many timers as goroutines, no goroutine waits for most of them. They are tickers that
 * are never stopped, which cost time for ever, or timers that are made again and again
 * and outlive their use. Go does not record which code has made a timer, but it records
 * the function that the timer will call. */
#include <inttypes.h>
#include <string.h>

#include "src/findings/state/state.h"

enum {
	TIMES = 10, /* goroutines */
	MANY_TICKERS = 1000,
	MANY = 100000,
};

static uint64_t goroutines_of(const struct finder *f, size_t runtime)
{
	const size_t n = runtimes_goroutine_count(f->about.all);
	uint64_t ret = 0;

	for (size_t i = 0; i < n; i++) {
		struct goroutine_of it = runtimes_goroutine(f->about.all, i);
		ret += it.number == runtime && goroutine_has_stack(it.goroutine);
	}
	return ret;
}

static const struct timer_kind *most_of(const struct timer_sample *sample, bool periodic)
{
	const struct timer_kind *ret = NULL;
	uint32_t most = 0;

	for (size_t i = 0; i < sample->kind_count; i++) {
		const struct timer_kind *k = &sample->kinds[i];
		const uint32_t n = periodic ? k->periodic : k->count - k->periodic;
		if (n <= most)
			continue;
		most = n;
		ret = k;
	}
	return ret;
}

static void say_kind(struct text *text, struct runtime *rt, const struct timer_kind *kind)
{
	struct code_frame of, called;

	if (!kind->function || !runtime_code_at(rt, kind->function, &of) || !of.function)
		return;
	if (strcmp(of.function, "time.sendTime") == 0)
		text_add(text, ", most of them to send on a channel");
	else if (kind->called && runtime_code_at(rt, kind->called, &called) &&
		 called.function)
		text_add(text, ", most of them to call %s", called.function);
	else
		text_add(text, ", most of them to call %s", of.function);
}

static void tell(struct finder *f, struct runtime *rt, uint64_t count,
		 uint64_t goroutines, const struct timer_kind *kind, bool tickers)
{
	struct finding *finding = finding_add(
		f, "timers", tickers ? SEVERITY_WARNING : SEVERITY_INFO, 0,
		tickers ? "Stop each ticker when it is not needed any more: defer "
			  "ticker.Stop()."
			: "Stop timers that are not needed any more; in a loop use one "
			  "timer and Reset() rather than time.After().");
	struct text *text = &finding->text;

	text_add(text, "There are about %" PRIu64 " %s for ", count,
		 tickers ? "tickers" : "timers");
	text_add_counted(text, goroutines, "goroutine");
	say_kind(text, rt, kind);
	text_add(text, tickers ? ": nobody can be listening to most of them."
			       : ": most outlive their use.");
	if (kind->called)
		finding_shows_address(finding, kind->called);
}

void finding_timers(struct finder *f)
{
	const size_t n = runtimes_count(f->about.all);

	for (size_t i = 0; i < n; i++) {
		struct runtime *rt = runtimes_get(f->about.all, i);
		const struct runtime_state *s = runtime_state(rt);
		if (!s || !s->timer_sample.read)
			continue;
		const struct timer_sample *sample = &s->timer_sample;
		const struct timer_kind *ticks = most_of(sample, true),
					*once = most_of(sample, false);
		const uint64_t goroutines = goroutines_of(f, i);
		const uint64_t tickers =
			ticks ? s->timers_all * ticks->periodic / sample->read : 0;
		const uint64_t others = once ? s->timers_all *
							(once->count - once->periodic) /
							sample->read
					     : 0;
		if (tickers >= MANY_TICKERS && tickers >= TIMES * goroutines)
			tell(f, rt, tickers, goroutines, ticks, true);
		else if (others >= MANY && others >= TIMES * goroutines)
			tell(f, rt, others, goroutines, once, false);
	}
}
