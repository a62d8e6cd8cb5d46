/* SPDX-License-Identifier: Apache-2.0 */
/* delivery.h - sends a document by HTTP, again and again if need be. By curl(1), which knows the
 * machine's certificates and proxies, and gets the URL and the headers through a pipe: command
 * lines are for all to see. */
#ifndef GOSNAP_DELIVERY_H
#define GOSNAP_DELIVERY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

struct delivery {
	const char *put, *post; /* URLs; NULL: not by this method */
	const char **headers;	/* "Name: value" */
	size_t header_count;
	uint32_t attempts; /* 1 s after the first, then twice as long each time */
};

/* Nothing is wrong with it, and curl is there. */
MUST_CHECK bool delivery_check(const struct delivery *d, struct err *err);
bool delivery_is_wanted(const struct delivery *d);
/* Removes the file once the server has it. */
MUST_CHECK bool deliver(const struct delivery *d, const char *path, struct err *err);

#endif
