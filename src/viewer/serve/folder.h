/* SPDX-License-Identifier: Apache-2.0 */
/* folder.h - the documents of a folder: regular files in it, called *.json or *.json.zst. The sandbox
 * sees their names, and asks its parent to open them; no other file can be had. */
#ifndef GOSNAP_SERVE_FOLDER_H
#define GOSNAP_SERVE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/err.h"
#include "lib/sandbox/broker.h"

struct folder {
	int fd;
	struct sandbox_service service[2];
};

/* In the parent. */
MUST_CHECK bool folder_open(struct folder *folder, const char *path, struct err *err);
/* To be added to the sandbox. */
const struct sandbox_service *folder_service(struct folder *folder);

/* Calls fn for each name. */
typedef void folder_name_fn(void *arg, const char *name);
void folder_each(const struct folder *folder, folder_name_fn *fn, void *arg);
/* For reading; the caller closes it. -1: err says why. */
int folder_document(const struct folder *folder, const char *name, struct err *err);

#endif
