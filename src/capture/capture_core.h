/* SPDX-License-Identifier: Apache-2.0 */
/* capture_core.h - the steps of capture.c that differ for a core. */
#ifndef GOSNAP_CAPTURE_CORE_H
#define GOSNAP_CAPTURE_CORE_H

#include "src/capture/capture.h"

/* A core as a target, which reads what was not dumped from the files that belong to it. The caller
 * closes both, the target last. NULL: err says why there is none. */
struct target *core_with_files(const char *path, const struct image_search *search,
			       struct images **ret_images, struct err *err);
/* Opens the core and the files that belong to it. False: err says why there is no snapshot. */
MUST_CHECK bool capture_open_core(struct capture *c, struct err *err);
/* When the runtimes are open: warns of files that were not found. */
void capture_note_files(struct capture *c);
/* False: a core without anything that the process wrote. A warning says so. */
bool capture_has_memory(const struct capture *c);

#endif
