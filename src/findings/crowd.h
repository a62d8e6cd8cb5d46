/* SPDX-License-Identifier: Apache-2.0 */
/* crowd.h - collects goroutines into crowds. The goroutines of a crowd are in the same
 * place of the program and were created in the same place; the rest of their stacks may
 * differ. Private to src/findings and its rooms. */
#ifndef GOSNAP_CROWD_H
#define GOSNAP_CROWD_H

#include "src/findings/finding.h"

struct crowd {
	struct text place; /* distinguishes it from other crowds */
	uint32_t first;	   /* one of its goroutines */
	uint64_t count;
	uint64_t ids[FINDING_GOROUTINES];
	size_t id_count;
	char *own; /* place_of() the first */
};

struct crowds {
	struct crowd *list;
	size_t count, cap;
};

/* Collects the goroutines for which is_one() returns true. */
void crowds_find(struct crowds *ret, const struct finder *f,
		 bool (*is_one)(const struct finder *f, uint32_t goroutine));
void crowds_done(struct crowds *c);
void crowd_shows(const struct crowd *crowd, struct finding *to);

#endif
