/* SPDX-License-Identifier: Apache-2.0 */
/* Reports two goroutines that used a map at the same time, if the runtime ended the
 * process for that. The goroutine of the fault noticed it; the other one is looked for in
 * the code of maps. */
#include <inttypes.h>
#include <string.h>

#include "src/findings/program/program.h"

static bool find(const struct finder *f, uint64_t id, uint32_t *ret)
{
	for (size_t i = 0; i < runtimes_goroutine_count(f->about.all); i++) {
		struct goroutine_of it = finder_goroutine(f, (uint32_t)i);
		if (it.goroutine->id != id || it.runtime != f->about.fault->runtime)
			continue;
		*ret = (uint32_t)i;
		return true;
	}
	return false;
}

static void say_one(const struct finder *f, struct finding *finding, uint64_t id)
{
	uint32_t i;

	text_add(&finding->text, "goroutine %" PRIu64, id);
	if (!find(f, id, &i))
		return;
	say_where(f, &finding->text, i);
	finding_shows_goroutine(f, finding, i);
}

static void say_others(const struct finder *f, struct finding *finding)
{
	const struct fault *fault = f->about.fault;

	for (size_t i = 0; i < fault->other_count; i++) {
		text_add(&finding->text, i == 0 && fault->same_map ? " and "
					 : i == 0 ? ". Who else uses it is not known for "
						    "sure; a map is in use by "
						  : ", ");
		say_one(f, finding, fault->others[i]);
	}
	text_add(&finding->text,
		 fault->other_count ? "."
				    : ". The other one was done with it by the time.");
}

void finding_map_race(struct finder *f)
{
	const struct fault *fault = f->about.fault;
	const char *what = fault ? fault_misused_map(fault) : NULL;

	if (!what || !fault->goroutine)
		return;
	struct finding *finding = finding_add(
		f, "map_race", SEVERITY_CRITICAL,
		1 + (fault->same_map ? fault->other_count : 0),
		"Guard the map with a lock, or use a sync.Map. go test -race finds the "
		"others of this kind.");
	text_add(&finding->text,
		 "Goroutines use a map at the same time, without a lock (%.*s): ",
		 (int)strcspn(what, "\n"), what);
	say_one(f, finding, fault->goroutine->id);
	say_others(f, finding);
}
