/* SPDX-License-Identifier: Apache-2.0 */
/* sandboxed.h - what the parent of the sandbox does for a capture in it. */
#ifndef GOSNAP_SANDBOXED_H
#define GOSNAP_SANDBOXED_H

#include "lib/sandbox/sandbox.h"
#include "src/capture/capture.h"

struct capture_host;

/* Permits what a capture with these options needs, and no more. Strings are borrowed by ret. */
struct capture_host *capture_host_new(const struct capture_options *options,
				      struct sandbox *ret);
void capture_host_free(struct capture_host *host);
DEFINE_AUTO(struct capture_host, capture_host_free)

#endif
