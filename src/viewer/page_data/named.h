/* SPDX-License-Identifier: Apache-2.0 */
/* named.h - goroutines that somebody will look for first: those that the fault and the findings name, who
 * holds what others wait for, and who has waited for longest. */
#ifndef GOSNAP_PAGE_NAMED_H
#define GOSNAP_PAGE_NAMED_H

#include <stdbool.h>

#include "lib/base/table.h"
#include "src/viewer/model/model.h"

struct named {
	uint32_t *rows; /* of the model; who matters most comes first */
	size_t count, cap;
	struct table numbers; /* private */
};

void named_find(struct named *ret, struct model *m);
bool named_has(const struct named *named, uint32_t row);
void named_done(struct named *named);

#endif
