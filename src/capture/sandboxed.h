/* SPDX-License-Identifier: Apache-2.0 */
/* sandboxed.h - what the parent of the sandbox does for a capture in it, and how the capture asks for it.
 * Outside a sandbox, the questions are answered here. */
#ifndef GOSNAP_SANDBOXED_H
#define GOSNAP_SANDBOXED_H

#include "lib/sandbox/sandbox.h"
#include "src/capture/capture.h"

struct capture_host;

/* Opens the process, if it is to be one: options->subject. Permits what a capture with these options
 * needs, and no more; no_sandbox: nothing will be asked. Strings are borrowed by ret. NULL: err says why
 * there is no snapshot. */
struct capture_host *capture_host_new(struct capture_options *options, bool no_sandbox,
				      struct sandbox *ret, struct err *err);
/* Of a process of which there will be several snapshots, one after another: before each, waits for its
 * turn; after each, and before the first, ends it. */
MUST_CHECK bool capture_host_begin(struct capture_host *host, struct err *err);
void capture_host_rest(struct capture_host *host);
/* The descriptor of its turn, which stays the host's; -1: there is none. */
int capture_host_turn(const struct capture_host *host);
/* Permits to read the process, and to stop nothing. */
void capture_permit(struct target *live, struct sandbox *ret);
/* Waits until nothing is stopped any more. */
void capture_host_free(struct capture_host *host);
DEFINE_AUTO(struct capture_host, capture_host_free)

/* sandbox_run(), or here: with --no-sandbox, and in builds that can have none. */
MUST_CHECK bool sandboxed_run(bool no_sandbox, const struct sandbox *how,
			      int (*work)(void *arg), void *arg, int *ret,
			      struct err *err);

/* Before any of the following, and sockets_read(). */
void sandboxed_begin(void);
/* conditions_read(), conditions_price(), and the number that conditions_leftovers() finds. */
void sandboxed_conditions(pid_t pid, struct conditions *ret);
uint64_t sandboxed_price(void);
MUST_CHECK bool sandboxed_leftovers(pid_t pid, size_t *ret_n);

#endif
