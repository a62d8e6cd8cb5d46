/* SPDX-License-Identifier: Apache-2.0 */
/* baseline_store.h - the folder of baselines: a file for each program, mode 0600, which appears
 * complete or not at all. What is in them is read and made in the sandbox, whose parent opens
 * and replaces files of this folder only. */
#ifndef GOSNAP_BASELINE_STORE_H
#define GOSNAP_BASELINE_STORE_H

#include "lib/sandbox/broker.h"
#include "src/causes/baseline/baseline.h"

struct baseline_store {
	int folder;
	bool writable;
	struct sandbox_service services[3];
};

/* path NULL: that of the user. create: the folder is made if there is none, and nobody else adds to it
 * before the store is closed. ERR_CANNOT: there is none. */
MUST_CHECK bool baseline_store_open(struct baseline_store *ret, const char *path,
				    bool create, struct err *err);
void baseline_store_close(struct baseline_store *store);
/* To be added to the sandbox; the store must not move any more. */
const struct sandbox_service *baseline_store_services(struct baseline_store *store);

/* In the sandbox. ERR_NOT_FOUND: there is no baseline of that program. */
MUST_CHECK bool baseline_load(struct baseline_store *store, const char *key,
			      struct baseline *ret, struct err *err);
MUST_CHECK bool baseline_keep(struct baseline_store *store, const char *key,
			      const struct baseline *b, struct err *err);

#endif
