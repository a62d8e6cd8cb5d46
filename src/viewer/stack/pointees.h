/* SPDX-License-Identifier: Apache-2.0 */
/* pointees.h - what the words of a stack point to, outside of it: stacks and records of
 * goroutines, objects of the document, what goroutines wait for. Private to
 * src/viewer/stack. */
#ifndef GOSNAP_POINTEES_H
#define GOSNAP_POINTEES_H

#include <stdint.h>

#include "lib/base/util.h"

struct model;
struct pointees;
struct raw_words;
struct text;

/* Looks through the document once, for all words. raw: borrowed. */
struct pointees *pointees_new(struct model *model, const struct raw_words *raw);
void pointees_free(struct pointees *p);
DEFINE_AUTO(struct pointees, pointees_free)

/* "goroutine 7", "the stack of goroutine 7", "a main.order". False: nothing known is there. */
bool pointees_add(const struct pointees *p, uint64_t address, struct text *text);

#endif
