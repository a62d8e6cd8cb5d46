/* SPDX-License-Identifier: Apache-2.0 */
/* document_stack.h - frames of a document as what their fingerprint is made of. The same as
 * src/findings/fingerprints.h makes of a process: documents of older releases are compared with new ones. */
#ifndef GOSNAP_DOCUMENT_STACK_H
#define GOSNAP_DOCUMENT_STACK_H

#include <stdint.h>

#include "src/fingerprint/fingerprint.h"

struct reader_node;

/* To be freed with stack_text_done(). */
void document_stack(struct stack_text *ret, const struct reader_node *frames);

/* What of the document's fault and its process tells whose frames are to blame. */
struct document_fault {
	const struct reader_node *fault, *process; /* NULL: none; borrowed */
};
/* The frames of this group or thread are. */
bool document_fault_in_group(const struct document_fault *f,
			     const struct reader_node *group);
bool document_fault_in_thread(const struct document_fault *f,
			      const struct reader_node *thread);
/* Somebody else sent the signal: what the process did then is not the cause. */
bool document_fault_is_sent(const struct document_fault *f);
/* frames NULL: they are not known. */
void document_fault_text(struct text *text, const struct document_fault *f,
			 const struct reader_node *frames, struct stack_text *ret_stack);

#endif
