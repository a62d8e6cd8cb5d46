/* SPDX-License-Identifier: Apache-2.0 */
/* sample.h - which goroutines and objects a page has with their values, if it cannot have all: those
 * that findings and the fault name, the first ones of each group, and what these refer to. */
#ifndef GOSNAP_SAMPLE_H
#define GOSNAP_SAMPLE_H

#include "lib/base/table.h"
#include "src/viewer/html/columns.h"

struct sample {
	bool all;	     /* there is room for everything */
	struct table named;  /* ids */
	struct table groups; /* by id: how many goroutines are chosen, plus one */
	struct table objects;
};

/* Of the first pass: members before the goroutines. */
void sample_note(struct sample *sample, const char *member,
		 const struct reader_node *node);
/* After it: marks rows as ROW_WHOLE. */
void sample_choose(struct sample *sample, struct columns *rows);
/* Of the second: what is written may refer to objects, which then are to be written, too. */
void sample_follow(struct sample *sample, const struct reader_node *written);
bool sample_has_object(const struct sample *sample, size_t number);
void sample_done(struct sample *sample);

#endif
