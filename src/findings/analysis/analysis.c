/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/analysis/analysis.h"

#include "lib/base/limit.h"
#include "lib/document/sink.h"
#include "src/analysis/print_waits.h"
#include "src/findings/analysis/find.h"

/* Memory that stays as it was at the instant of the snapshot. NULL: there is none. */
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
	findings_find(&ret->findings,
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
		      });
	leaks_done(&leaks);
}

void analysis_done(struct analysis *a)
{
	if (!a->is_made)
		return;
	findings_free(&a->findings);
	wait_graph_done(&a->waits);
	a->is_made = false;
}

void analysis_print(struct sink *out, const struct analysis *a)
{
	if (!a->is_made)
		return;
	sink_name(out, "findings");
	print_findings(out, &a->findings);
	sink_name(out, "waits");
	print_waits(out, &a->waits);
}
