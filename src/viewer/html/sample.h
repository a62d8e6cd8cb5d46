/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h - which goroutines and objects a page has with their values, if it cannot have all: those
 * that somebody will look for first, the first ones of each group, and what these refer to. */
#ifndef GOSNAP_SAMPLE_H
#define GOSNAP_SAMPLE_H

#include "lib/base/table.h"
#include "src/viewer/page_data/start.h"

struct sample {
	bool all; /* there is room for everything */
	/* By rows of the page: which, and those of them that are to be there even if there is little room. */
	bool *whole, *named;
	struct table objects;
};

/* all is set. */
void sample_choose(struct sample *sample, struct start *start);
/* What is written may refer to objects, which then are to be written, too. */
void sample_follow(struct sample *sample, const char *json, size_t len);
bool sample_has_object(const struct sample *sample, size_t number);
void sample_done(struct sample *sample);

#endif
