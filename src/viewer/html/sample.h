/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h - which goroutines and objects a page has with their values, if it cannot have all: those
 * that findings and the fault name, the first ones of each group, and what these refer to. */
#ifndef GOSNAP_SAMPLE_H
#define GOSNAP_SAMPLE_H

#include "lib/base/table.h"
#include "src/viewer/model/model.h"

struct sample {
	bool all;	     /* there is room for everything */
	bool *whole;	     /* by rows */
	struct table named;  /* ids */
	struct table groups; /* by row: how many goroutines are chosen, plus one */
	struct table objects;
};

void sample_choose(struct sample *sample, struct model *m);
/* What is written may refer to objects, which then are to be written, too. */
void sample_follow(struct sample *sample, const char *json, size_t len);
bool sample_has_object(const struct sample *sample, size_t number);
void sample_done(struct sample *sample);

#endif
