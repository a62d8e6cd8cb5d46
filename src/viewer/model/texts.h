/* SPDX-License-Identifier: Apache-2.0 */
/* texts.h - texts, each kept once, with a number. Number 0 is "". */
#ifndef GOSNAP_TEXTS_H
#define GOSNAP_TEXTS_H

#include "lib/base/table.h"
#include "src/viewer/model/model.h"

/* Initialize to { 0 }. */
struct texts {
	struct text_entry *list; /* private */
	size_t count, cap;
	struct table numbers;
	char *chunk; /* the last of a list */
	size_t used;
};

void texts_done(struct texts *texts);
model_text texts_number(struct texts *texts, const char *bytes, size_t len);
const char *texts_get(const struct texts *texts, model_text number);

#endif
