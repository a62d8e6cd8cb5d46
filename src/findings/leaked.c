/* SPDX-License-Identifier: Apache-2.0 */
/* Finds goroutines that nothing alive can wake: goruntime/heap/leaks.h has the rule. A
 * goroutine that waits for a lock with a known holder is left to the findings about that
 * holder. A wait for a nil channel or in an empty select may be on purpose, and is not
 * reported. The main goroutine keeps the program from ending, so each of its waits may be
 * on purpose: it is reported as information. */
#include "src/findings/crowd.h"

static bool is_main(const struct finder *f, uint32_t i)
{
	return finder_goroutine(f, i).goroutine->id == 1;
}

static bool never_goes_on(const struct finder *f, uint32_t i)
{
	struct goroutine_of it = finder_goroutine(f, i);
	struct wait wait;

	if (!f->about.leaks->leaked[i] || f->told[i] ||
	    !runtime_wait(it.runtime, it.goroutine, &wait) ||
	    chain_next(f->about.waits, i))
		return false;
	return (wait.kind != WAIT_CHANNEL || wait.channel.addr) &&
	       (wait.kind != WAIT_SELECT || wait.case_count);
}

static bool is_leaked(const struct finder *f, uint32_t i)
{
	return !is_main(f, i) && never_goes_on(f, i);
}

static void say_what(const struct finder *f, struct text *text, uint32_t i, bool one)
{
	struct goroutine_of it = finder_goroutine(f, i);
	struct wait wait;

	if (!runtime_wait(it.runtime, it.goroutine, &wait))
		return;
	text_add(text, one ? " It waits " : " They wait ");
	if (wait.kind == WAIT_CHANNEL)
		text_add(text, "to %s %s",
			 wait.operation == WAIT_SEND ? "send on" : "receive from",
			 one ? "a channel" : "channels");
	else if (wait.kind == WAIT_SELECT)
		text_add(text, "in a select for channels");
	else
		text_add(text, "for a %s", wait_name(wait.kind));
	say_where(f, text, i);
	text_add(text, "; nothing that is alive refers to %s any more",
		 one && wait.kind != WAIT_SELECT ? "it" : "them");
}

static void tell_main(struct finder *f, uint32_t i)
{
	struct finding *finding = finding_add(
		f, "leaked", SEVERITY_INFO, 1,
		"If that is on purpose, an empty select says so; else see who "
		"should have let it go on.");

	text_add(&finding->text, "The main goroutine will never go on.");
	say_what(f, &finding->text, i, true);
	text_add(&finding->text, ".");
	finding_shows_goroutine(f, finding, i);
}

void finding_leaked(struct finder *f)
{
	const size_t n = runtimes_goroutine_count(f->about.all);
	struct crowds crowds;

	if (!f->about.leaks)
		return;
	for (uint32_t i = 0; i < n; i++)
		if (is_main(f, i) && never_goes_on(f, i))
			tell_main(f, i);
	crowds_find(&crowds, f, is_leaked);
	for (size_t i = 0; i < crowds.count; i++) {
		const struct crowd *crowd = &crowds.list[i];
		const bool one = crowd->count == 1;
		struct finding *finding = finding_add(
			f, "leaked", SEVERITY_WARNING, crowd->count,
			"The code that starts them must receive what they send, send "
			"what they wait for, or cancel them; a buffered channel may do.");
		text_add_counted(&finding->text, crowd->count, "goroutine");
		text_add(&finding->text, one ? " has leaked" : " have leaked");
		say_created(f, &finding->text, crowd->first);
		text_add(&finding->text, ".");
		say_what(f, &finding->text, crowd->first, one);
		text_add(&finding->text, ".");
		crowd_shows(crowd, finding);
	}
	crowds_done(&crowds);
}
