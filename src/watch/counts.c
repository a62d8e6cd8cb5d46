/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/counts.h"

#include <time.h>

static const char *const triggers[WATCH_TRIGGERS] = {
	[WATCH_PANIC] = "panic",	 [WATCH_THROW] = "fatal_error",
	[WATCH_SIGNAL] = "signal",	 [WATCH_FOREIGN] = "foreign_thread",
	[WATCH_EXIT] = "exit",		 [WATCH_FUNCTION] = "function",
	[WATCH_RECOVERED] = "recovered", [WATCH_OOM] = "oom",
	[WATCH_KILL] = "kill",		 [WATCH_THRESHOLD] = "threshold",
};

static const struct {
	const char *label, *people;
} outcomes[WATCH_OUTCOMES] = {
	[WATCH_SNAPSHOT] = { "snapshot", "with a snapshot" },
	[WATCH_INCOMPLETE] = { "incomplete", "with one that is incomplete" },
	[WATCH_FAILED] = { "failed", "failed" },
	[WATCH_TOO_LATE] = { "too_late", "gone before they could be stopped" },
	[WATCH_RATE] = { "rate", "too soon after another of the same program" },
	[WATCH_BUSY] = { "busy", "too many at once" },
};

/* In microseconds: from the kernel's floor to what a caller would notice. */
static const uint64_t pause_us[WATCH_PAUSES] = { 100,	 500,	 1000,	  2500,
						 5000,	 10000,	 25000,	  50000,
						 100000, 250000, 1000000, 5000000 };

enum { NS_PER_US = 1000 };
#define NS_PER_S 1e9

void watch_count_pause(struct watch_counts *counts, uint64_t ns)
{
	size_t i = 0;

	while (i < WATCH_PAUSES && ns > pause_us[i] * NS_PER_US)
		i++;
	counts->pauses[i]++;
	counts->pause_ns += ns;
}

static void begin(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP gosnap_watch_%s %s\n# TYPE gosnap_watch_%s %s\n", name, help,
		name, type);
}

static void put_number(FILE *out, const char *name, const char *type, const char *help,
		       uint64_t value)
{
	begin(out, name, type, help);
	fprintf(out, "gosnap_watch_%s %llu\n", name, (unsigned long long)value);
}

static void put_pauses(const struct watch_counts *counts, FILE *out)
{
	uint64_t sum = 0;

	begin(out, "pause_seconds", "histogram", "How long processes stood still.");
	for (size_t i = 0; i < WATCH_PAUSES; i++) {
		sum += counts->pauses[i];
		fprintf(out, "gosnap_watch_pause_seconds_bucket{le=\"%g\"} %llu\n",
			(double)pause_us[i] * NS_PER_US / NS_PER_S,
			(unsigned long long)sum);
	}
	sum += counts->pauses[WATCH_PAUSES];
	fprintf(out,
		"gosnap_watch_pause_seconds_bucket{le=\"+Inf\"} %llu\n"
		"gosnap_watch_pause_seconds_sum %.9f\ngosnap_watch_pause_seconds_count "
		"%llu\n",
		(unsigned long long)sum, (double)counts->pause_ns / NS_PER_S,
		(unsigned long long)sum);
}

static void put_strict(const struct watch_counts *counts, FILE *out)
{
	put_number(out, "strict", "gauge", "1 while programs are held as they start.",
		   counts->is_strict);
	put_number(out, "held_total", "counter",
		   "Programs that were held until they had probes or needed none.",
		   counts->strict.held);
	put_number(out, "let_by_total", "counter",
		   "Programs that were let go before, as there was no time.",
		   counts->strict.let_by);
	begin(out, "held_longest_seconds", "gauge", "How long one was held at most.");
	fprintf(out, "gosnap_watch_held_longest_seconds %.9f\n",
		(double)counts->strict.longest_ns / NS_PER_S);
}

void watch_counts_metrics(const struct watch_counts *counts, FILE *out)
{
	begin(out, "events_total", "counter",
	      "Processes that began to die, or did what was asked for.");
	for (size_t i = 0; i < WATCH_TRIGGERS; i++)
		fprintf(out, "gosnap_watch_events_total{trigger=\"%s\"} %llu\n",
			triggers[i], (unsigned long long)counts->events[i]);
	begin(out, "outcomes_total", "counter", "What became of these events.");
	for (size_t i = 0; i < WATCH_OUTCOMES; i++)
		fprintf(out, "gosnap_watch_outcomes_total{outcome=\"%s\"} %llu\n",
			outcomes[i].label, (unsigned long long)counts->outcomes[i]);
	put_number(out, "lost_total", "counter", "Events for which there was no room.",
		   counts->lost);
	put_pauses(counts, out);
	put_number(out, "processes", "gauge", "Go processes that are watched.",
		   counts->processes);
	put_number(out, "programs", "gauge", "Executables that have probes.",
		   counts->programs);
	put_strict(counts, out);
	put_number(out, "config_last_reload_successful", "gauge",
		   "0 if settings are those from before.", !*counts->not_reloaded);
	begin(out, "start_time_seconds", "gauge", "When watching began.");
	fprintf(out, "gosnap_watch_start_time_seconds %.3f\n",
		(double)counts->since_ns / NS_PER_S);
}

static void put_since(FILE *out, const char *what, uint64_t ns)
{
	const time_t since = (time_t)(ns / (uint64_t)NS_PER_S);
	struct tm tm;
	char text[64];

	localtime_r(&since, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S %Z", &tm);
	fprintf(out, "%s %s\n", what, text);
}

void watch_counts_status(const struct watch_counts *counts, FILE *out)
{
	uint64_t events = 0;

	put_since(out, "watching since", counts->since_ns);
	if (counts->reloaded_ns)
		put_since(out, "reloaded", counts->reloaded_ns);
	if (*counts->not_reloaded)
		fprintf(out, "not reloaded: %s\n", counts->not_reloaded);
	fprintf(out, "%llu process%s of %llu program%s\n",
		(unsigned long long)counts->processes, counts->processes == 1 ? "" : "es",
		(unsigned long long)counts->programs, counts->programs == 1 ? "" : "s");
	if (counts->is_strict)
		fprintf(out,
			"%llu held as they started, for %.3f ms at most, %llu let by "
			"before they had probes\n",
			(unsigned long long)counts->strict.held,
			(double)counts->strict.longest_ns / NS_PER_S * 1000,
			(unsigned long long)counts->strict.let_by);
	for (size_t i = 0; i < WATCH_TRIGGERS; i++)
		events += counts->events[i];
	fprintf(out, "%llu began to die, or did what was asked for\n",
		(unsigned long long)events);
	for (size_t i = 0; i < WATCH_OUTCOMES; i++)
		if (counts->outcomes[i])
			fprintf(out, "    %llu %s\n",
				(unsigned long long)counts->outcomes[i],
				outcomes[i].people);
	if (counts->lost)
		fprintf(out, "%llu events were lost: there was no room for them\n",
			(unsigned long long)counts->lost);
	if (*counts->last)
		fprintf(out, "last snapshot: %s\n", counts->last);
}
