/* SPDX-License-Identifier: Apache-2.0 */
/* heap_leaks PID|CORE [BYTES]: prints the ids of the goroutines that are leaked, a line each, and on
 * standard error what finding them took. Reads at most that much. For tests/heap.test. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/corefile/target_core.h"
#include "src/capture/capture.h"

#define PATIENCE_NS (UINT64_C(60) * 1000 * 1000 * 1000)

static void print(const struct runtimes *all, const struct leaks *leaks)
{
	for (size_t i = 0; i < runtimes_goroutine_count(all); i++)
		if (leaks->leaked[i])
			printf("%" PRIu64 "\n", runtimes_goroutine(all, i).goroutine->id);
}

static bool find(struct capture *c, uint64_t bytes, struct err *err)
{
	const struct leaks_limits limits = { .ns = PATIENCE_NS, .bytes = bytes };
	struct leaks leaks;

	runtimes_decode(c->runtimes);
	const uint64_t began = monotonic_ns();
	bool ok = leaks_find(c->runtimes, c->copy ? c->copy : c->live, &limits, &leaks,
			     err);
	fprintf(stderr, "%zu in %" PRIu64 " us\n", leaks.count,
		(monotonic_ns() - began) / 1000);
	if (ok)
		print(c->runtimes, &leaks);
	leaks_done(&leaks);
	return ok;
}

int main(int argc, char **argv)
{
	struct capture_options options = { .values = VALUES_ALWAYS,
					   .max_copy_age_ns = PATIENCE_NS };
	struct capture_subject subject = { .turn = -1 };
	struct capture c = { .turn = -1 };
	struct err err = { .code = ERR_NONE };

	if (argc < 2)
		return 2;
	if (core_is_one(argv[1]))
		options.core.path = argv[1];
	else
		options.pid = atoi(argv[1]);
	if (options.pid) {
		if (!capture_find(&options, &subject, &err)) {
			fprintf(stderr, "%s\n", err.text);
			return 1;
		}
		options.subject = &subject;
	}
	const uint64_t bytes = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	bool ok = capture_open(&c, &options, &err) && capture_take(&c, &err) &&
		  find(&c, bytes, &err);
	capture_finish(&c);
	capture_done(&c);
	if (!ok)
		fprintf(stderr, "%s\n", err.text);
	return ok ? 0 : 1;
}
