/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h - measures what conditions are about, of a process that runs on. */
#ifndef GOSNAP_SAMPLE_H
#define GOSNAP_SAMPLE_H

#include "src/capture/capture.h"
#include "src/record/condition.h"

struct sampler {
	pid_t pid;
	struct capture *capture; /* looked at */
	/* For the time since: */
	uint64_t cpu_ns, at_ns; /* at_ns 0: none yet */
};

/* False: it is not known, or not yet. limit: exact only if it is about as much. */
bool sample(struct sampler *s, enum quantity quantity, uint64_t limit, uint64_t *ret);

#endif
