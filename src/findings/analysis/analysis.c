/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/analysis/analysis.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/limit.h"
#include "lib/document/sink.h"
#include "src/analysis/print_waits.h"
#include "src/findings/analysis/earlier_looks.h"
#include "src/findings/analysis/find.h"

/* Returns memory that stays as it was at the instant of the snapshot. NULL: there is
 * none. */
static struct target *still_memory(const struct capture *c)
{
	return c->options->core.path ? c->live : c->copy;
}

static bool find_leaks(const struct analysis_of *of, struct leaks *ret, struct err *err)
{
	const struct leaks_limits limits =
		of->thoroughly
			? (struct leaks_limits){ LIMIT_LEAKS_NS, LIMIT_LEAKS_BYTES }
			: (struct leaks_limits){ LIMIT_LEAKS_QUICK_NS,
						 LIMIT_LEAKS_QUICK_BYTES };
	struct target *memory = still_memory(of->capture);

	*ret = (struct leaks){ 0 };
	if (of->rehearsal)
		return false;
	if (!memory || !capture_has_values(of->capture))
		return err_set(err, ERR_ABSENT,
			       "that needs a copy of the process, or a core");
	return leaks_find(of->capture->runtimes, memory, &limits, ret, err);
}

enum { LOOKS = 2 };

/* Keeps in wanted[] the goroutines that were not looked at before. False: there are
 * none. */
static bool is_new(uint8_t *wanted, uint8_t *before, size_t n)
{
	bool ret = false;

	for (size_t i = 0; i < n; i++) {
		wanted[i] = wanted[i] && !before[i];
		before[i] |= wanted[i];
		ret |= wanted[i];
	}
	return ret;
}

/* Counts the goroutines for which a finding depends on how long they wait, and that is
 * not known. */
static uint64_t without_age(const struct second_look *look, const uint8_t *wanted,
			    const uint8_t *looked_at, size_t n)
{
	uint64_t ret = look->was_cut ? look->wanted : look->wanted - look->goroutines;

	for (size_t i = 0; i < n; i++)
		ret += wanted[i] && !looked_at[i];
	return look->was_cut ? ret : ret + look->untold;
}

/* Finds problems. If a finding depends on a duration that a second look can show, takes
 * that look and finds again, which may ask for other goroutines. */
static void find(struct analysis *ret, const struct analysis_of *of,
		 const struct findings_about *about, const struct err *leaks)
{
	const size_t n = runtimes_goroutine_count(about->all);
	struct second_look *look = &ret->second_look;
	struct findings_about asking = *about;
	AUTO(xfree) uint8_t *wanted = asking.wanted = xcalloc(n + 1, 1);
	AUTO(xfree) uint8_t *before = xcalloc(n + 1, 1);
	AUTO(wait_times_free) struct wait_times *times = wait_times_new(about);

	asking.times = times;
	if (of->earlier)
		earlier_looks_tell(of->earlier, of->capture, look);
	asking.stayed_ns = look->ns;
	findings_find(&ret->findings, &asking);
	if (of->earlier)
		earlier_looks_keep(of->earlier, of->capture, wanted);
	for (int i = 0; i < LOOKS && of->look_again_ns && second_look_can(of->capture) &&
			!look->was_cut && is_new(wanted, before, n);
	     i++) {
		second_look_take(look, of->capture, wanted, of->look_again_ns);
		asking.stayed_ns = look->ns;
		memset(wanted, 0, n);
		findings_free(&ret->findings);
		findings_find(&ret->findings, &asking);
	}
	asking.wanted = NULL;
	if (!of->rehearsal)
		verdict_find(&ret->verdict,
			     &(struct verdict_of){
				     .capture = of->capture,
				     .about = &asking,
				     .findings = &ret->findings,
				     .leaks = leaks,
				     .without_age = without_age(look, wanted, before, n),
				     .look = look,
			     });
	if (look->was_cut)
		warnings_add(
			of->capture->warnings, "findings",
			"not known how long goroutines wait: the process ended or was "
			"stopped before it was looked at again");
	if (look->wanted > look->goroutines)
		warnings_add(of->capture->warnings, "findings",
			     "not known how long some goroutines wait: %" PRIu64
			     " of %" PRIu64 " were looked at again",
			     look->goroutines, look->wanted);
}

void analysis_make(struct analysis *ret, const struct analysis_of *of, struct err *err)
{
	struct runtimes *all = of->capture->runtimes;
	struct leaks leaks;

	*ret = (struct analysis){ .is_made = true };
	err->code = ERR_NONE;
	const uint64_t missed = capture_missed(of->capture);
	wait_graph_find(&ret->waits, all, of->groups);
	const bool has_memory =
		capture_has_values(of->capture) && capture_missed(of->capture) == missed;
	const bool known = find_leaks(of, &leaks, err);
	size_t n = 0;
	const struct target_thread *threads =
		of->capture->frozen ? target_threads(of->capture->frozen, &n) : NULL;
	find(ret, of,
	     &(struct findings_about){
		     .all = all,
		     .groups = of->groups,
		     .waits = &ret->waits,
		     .sockets = of->no_sockets ? NULL : of->capture->sockets,
		     .hosts_told = !of->no_sockets,
		     .now_ns = of->capture->monotonic_ns,
		     .now_realtime_ns = of->capture->realtime_ns,
		     .leaks = known ? &leaks : NULL,
		     .fault = of->fault,
		     .threads = threads,
		     .thread_count = n,
		     .has_memory = has_memory,
	     },
	     err);
	leaks_done(&leaks);
}

void analysis_done(struct analysis *a)
{
	if (!a->is_made)
		return;
	findings_free(&a->findings);
	second_look_done(&a->second_look);
	verdict_done(&a->verdict);
	wait_graph_done(&a->waits);
	a->is_made = false;
}

static void print_second_look(struct sink *out, const struct second_look *look)
{
	if (!look->ns)
		return;
	sink_named_begin(out, "second_look", SINK_OBJECT);
	sink_named_uint(out, "observed_ns", look->observed_ns);
	sink_named_uint(out, "goroutines", look->goroutines);
	sink_named_uint(out, "stayed", look->stayed);
	sink_end(out);
}

void analysis_print(struct sink *out, const struct analysis *a)
{
	if (!a->is_made)
		return;
	sink_name(out, "findings");
	print_findings(out, &a->findings);
	print_second_look(out, &a->second_look);
	if (a->verdict.is_given) {
		sink_name(out, "verdict");
		print_verdict(out, &a->verdict);
	}
	sink_name(out, "waits");
	print_waits(out, &a->waits);
}
