/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h - measures what conditions are about, of a process that runs on. */
#ifndef GOSNAP_SAMPLE_H
#define GOSNAP_SAMPLE_H

#include "src/capture/capture.h"
#include "src/record/condition.h"
#include "src/snapshot/trigger.h"

struct sampler {
	pid_t pid;
	struct capture *capture; /* looked at; NULL: goroutines are not known */
	/* For the time since: */
	uint64_t cpu_ns, at_ns; /* at_ns 0: none yet */
	struct {
		uint64_t cpu_ns, at_ns; /* likewise */
		uint64_t since_ns;
	} idle;
};

/* False: it is not known, or not yet. limit: exact only if it is about as much. */
bool sample(struct sampler *s, enum quantity quantity, uint64_t limit, uint64_t *ret);
/* Are all terms known, and do they hold? *ret says so: a threshold that was met. */
bool sampler_meets(struct sampler *s, const struct condition *condition,
		   struct trigger *ret);

#endif
