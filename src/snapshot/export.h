/* SPDX-License-Identifier: Apache-2.0 */
/* export.h - a core file of what was captured: what core_memory.h says, and whatever was read for
 * the document. Bytes that are secret, and those that nothing asked for but that lie between what is
 * there, are overwritten with REDACTION_FILL. */
#ifndef GOSNAP_EXPORT_H
#define GOSNAP_EXPORT_H

#include "src/capture/capture.h"
#include "src/snapshot/output.h"

struct redaction;

struct export
{
	struct capture *capture;     /* with a core_file, before capture_finish() */
	struct redaction *redaction; /* knows the secrets of the document */
	bool environment;	     /* the values of environment variables, too */
	size_t first_thread;	     /* that debuggers show first */
};
/* Writes it; the caller commits. Nothing is recorded any more. False: it has no registers or no
 * memory. */
MUST_CHECK bool export_core(const struct export *export, struct output *out,
			    struct err *err);

#endif
