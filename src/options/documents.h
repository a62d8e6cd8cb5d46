/* SPDX-License-Identifier: Apache-2.0 */
/* documents.h - the documents that a command was given, as files and folders. They are read in
 * the sandbox, whose parent opens them: those of its own list, and nothing else. */
#ifndef GOSNAP_DOCUMENTS_H
#define GOSNAP_DOCUMENTS_H

#include "lib/sandbox/broker.h"
#include "lib/base/err.h"

struct reader;

/* Zero it. */
struct documents {
	char **paths;
	size_t count, cap;
	struct sandbox_service service[2];
};

/* Of a folder, all that are called *.json or *.json.zst, in the order of their names. */
MUST_CHECK bool documents_add(struct documents *all, const char *path, struct err *err);
void documents_done(struct documents *all);

/* To be added to the sandbox after the last path. */
const struct sandbox_service *documents_service(struct documents *all);

/* Document i, in the sandbox. NULL: err names it and says why it cannot be read. */
struct reader *documents_open(const struct documents *all, size_t i, struct err *err);

#endif
