/* SPDX-License-Identifier: Apache-2.0 */
/* search.h - which texts of a model have some words, in any case: found out once for each text, so that a
 * hundred thousand goroutines are searched in milliseconds. The main header of src/viewer/lookup, which
 * finds what is somewhere in a document. Knows models, and nothing of how anything is shown. */
#ifndef GOSNAP_SEARCH_H
#define GOSNAP_SEARCH_H

#include <stdbool.h>

#include "src/viewer/model/model.h"

struct search;

struct search *search_new(const struct model *model, const char *words);
void search_free(struct search *search);
DEFINE_AUTO(struct search, search_free)

const char *search_words(const struct search *search);
bool search_text(struct search *search, model_text number);
/* Any function or file of the group's frames. */
bool search_group(struct search *search, uint32_t group);
/* Its id, state, what it waits for, labels, creator, or stack. */
bool search_goroutine(struct search *search, const struct model_goroutine *g);

#endif
