/* SPDX-License-Identifier: Apache-2.0 */
/* why.h - a document's findings alone, in at most a screen. Reads the document up to the
 * findings: of a large one, the beginning. */
#ifndef GOSNAP_WHY_H
#define GOSNAP_WHY_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct page;
struct reader;

enum why_form { WHY_TEXT, WHY_JSON };

enum why_answer {
	WHY_NONE,
	WHY_PROBLEM, /* a finding is a warning or worse, or the process has ended or is ending */
	WHY_UNKNOWN, /* no problem was found, and not all was known that findings depend on */
};

MUST_CHECK bool why_print(struct reader *reader, const struct page *page,
			  enum why_form form, enum why_answer *ret, struct err *err);

#endif
