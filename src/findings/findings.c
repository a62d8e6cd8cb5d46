/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/findings.h"

#include <stdlib.h>

#include "lib/document/sink.h"
#include "src/findings/finding.h"

static void (*const finders[])(struct finder *) = {
#define FINDING(kind) finding_##kind,
#include "src/findings/findings.def"
#undef FINDING
};

static bool is_idle(const struct runtimes *all)
{
	for (size_t i = 0; i < runtimes_goroutine_count(all); i++) {
		const struct goroutine *g = runtimes_goroutine(all, i).goroutine;
		if (!g->system &&
		    (g->status == GOROUTINE_RUNNABLE || g->status == GOROUTINE_RUNNING))
			return false;
	}
	return true;
}

static int worst_first(const void *a, const void *b)
{
	const struct finding *x = *(struct finding *const *)a,
			     *y = *(struct finding *const *)b;

	if (x->severity != y->severity)
		return x->severity < y->severity ? 1 : -1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? 1 : -1;
	return (x->affected < y->affected) - (x->affected > y->affected);
}

void findings_find(struct findings *ret, const struct findings_about *about)
{
	struct finder f = { .findings = ret,
			    .about = *about,
			    .is_idle = is_idle(about->all) };

	*ret = (struct findings){ 0 };
	chains_find(&f.chains, about->waits);
	for (size_t i = 0; i < ARRAY_SIZE(finders); i++) {
		f.rank = (unsigned)i;
		finders[i](&f);
	}
	chains_done(&f.chains);
	if (ret->count)
		qsort(ret->list, ret->count, sizeof(struct finding *), worst_first);
}

void findings_free(struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		text_done(&findings->list[i]->text);
		xfree(findings->list[i]);
	}
	xfree(findings->list);
	*findings = (struct findings){ 0 };
}

static const char *severity_name(enum severity severity)
{
	static const char *const names[] = {
		[SEVERITY_INFO] = "info",
		[SEVERITY_WARNING] = "warning",
		[SEVERITY_CRITICAL] = "critical",
	};

	return names[severity];
}

static void print_finding(struct sink *out, const struct finding *finding)
{
	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "kind", finding->kind);
	sink_named_string(out, "severity", severity_name(finding->severity));
	sink_named_string(out, "text", text_words(&finding->text));
	sink_named_string(out, "advice", finding->advice);
	sink_named_uint(out, "affected", finding->affected);
	sink_named_begin(out, "goroutines", SINK_ARRAY);
	for (size_t i = 0; i < finding->goroutine_count; i++)
		sink_uint(out, finding->goroutines[i]);
	sink_end(out);
	sink_named_begin(out, "addresses", SINK_ARRAY);
	for (size_t i = 0; i < finding->address_count; i++)
		sink_address(out, finding->addresses[i]);
	sink_end(out);
	sink_end(out);
}

void print_findings(struct sink *out, const struct findings *findings)
{
	sink_begin(out, SINK_ARRAY);
	for (size_t i = 0; i < findings->count; i++)
		print_finding(out, findings->list[i]);
	sink_end(out);
}
