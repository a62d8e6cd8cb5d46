/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/state/state.h"

static const struct machine_state *machine_by_id(const struct runtime_state *s,
						 struct state_number id)
{
	for (size_t i = 0; id.known && i < s->machine_count; i++)
		if (s->machines[i].id.known && s->machines[i].id.value == id.value)
			return &s->machines[i];
	return NULL;
}

static uint32_t goroutine_by_id(const struct finder *f, size_t runtime, uint64_t id)
{
	const size_t n = runtimes_goroutine_count(f->about.all);

	for (size_t i = 0; i < n; i++) {
		struct goroutine_of it = runtimes_goroutine(f->about.all, i);
		if (it.number == runtime && it.goroutine->id == id)
			return (uint32_t)i;
	}
	return NO_GOROUTINE;
}

uint32_t state_goroutine_on(const struct finder *f, size_t runtime,
			    const struct processor_state *p)
{
	const struct machine_state *m = machine_by_id(
		runtime_state(runtimes_get(f->about.all, runtime)), p->machine);

	return m && m->goroutine.known ? goroutine_by_id(f, runtime, m->goroutine.value)
				       : NO_GOROUTINE;
}

const struct processor_state *state_processor_of(const struct finder *f,
						 uint32_t goroutine)
{
	struct goroutine_of it = finder_goroutine(f, goroutine);
	const struct runtime_state *s = runtime_state(it.runtime);

	for (size_t i = 0; s && i < s->machine_count; i++) {
		const struct machine_state *m = &s->machines[i];
		if (!m->goroutine.known || m->goroutine.value != it.goroutine->id ||
		    !m->processor.known)
			continue;
		return m->processor.value < s->processor_count
			       ? &s->processors[m->processor.value]
			       : NULL;
	}
	return NULL;
}

bool state_is_stopping(const struct runtime_state *s)
{
	const struct state_number left = s->scheduler.processors_to_stop;

	return s->scheduler.stopping.value && left.value &&
	       left.value <= s->processor_count;
}

uint64_t state_age(const struct finder *f, struct state_number when)
{
	return when.known && when.value && when.value < f->about.now_ns
		       ? f->about.now_ns - when.value
		       : 0;
}

/* When a thread of the process was last given a processor; 0: not known. */
static uint64_t last_ran(const struct finder *f)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < f->about.thread_count; i++)
		if (f->about.threads[i].ran_ns > ret)
			ret = f->about.threads[i].ran_ns;
	return ret;
}

uint64_t state_unchanged(const struct finder *f, const struct processor_state *p)
{
	const uint64_t age = state_age(f, p->seen);
	const uint64_t ran = age < SECOND_NS ? 0 : last_ran(f);

	if (!ran || ran + SECOND_NS >= f->about.now_ns)
		return age;
	return ran > p->seen.value ? ran - p->seen.value : 0;
}

uint64_t state_asleep(const struct finder *f, int32_t thread)
{
	if (thread < 0 || (size_t)thread >= f->about.thread_count)
		return 0;
	const struct target_thread *th = &f->about.threads[thread];
	return state_age(f,
			 (struct state_number){ th->ran_ns, target_thread_sleeps(th) });
}

bool state_is_suspended(const struct finder *f)
{
	for (size_t i = 0; i < f->about.thread_count; i++) {
		const char state = f->about.threads[i].state;
		if (state != 'T' && state != 't')
			return false;
	}
	return f->about.thread_count != 0;
}

uint64_t *state_longest_waits(const struct finder *f)
{
	uint64_t *ret = xcalloc(f->chains.count + 1, sizeof(*ret));

	for (size_t i = 0; i < f->chains.count; i++) {
		const struct partner *next = chain_next(f->about.waits, (uint32_t)i);
		const uint64_t age = next ? finder_age(f, (uint32_t)i) : 0;
		if (next && age > ret[next->goroutine])
			ret[next->goroutine] = age;
	}
	return ret;
}

void say_age_or_wait(struct text *text, uint64_t age, uint64_t waits)
{
	if (age >= STATE_LONG_NS || age >= waits) {
		say_age(text, age);
		return;
	}
	text_add(text, "; one of them has waited for at least ");
	text_add_duration(text, (int64_t)waits);
}

void say_age(struct text *text, uint64_t age)
{
	text_add(text, ", for at least ");
	text_add_duration(text, (int64_t)age);
}
