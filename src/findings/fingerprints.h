/* SPDX-License-Identifier: Apache-2.0 */
/* fingerprints.h - fingerprints of what was captured, as members of the document. */
#ifndef GOSNAP_FINGERPRINTS_H
#define GOSNAP_FINGERPRINTS_H

#include "goruntime/goruntime.h"
#include "src/fingerprint/fingerprint.h"

struct sink;

/* To be freed with stack_text_done(). */
void stack_text_of(struct stack_text *ret, struct runtimes *all, uint32_t stack);

/* The member of an object. */
void print_group_fingerprint(struct sink *out, struct runtimes *all, uint32_t stack);

/* fault_cause() of it; NULL: the program panicked. Allocated. */
char *cause_of_fault(const struct fault *fault);
struct process;
/* runtimes_fault() of this process. */
void fingerprint_of_fault(struct runtimes *all, const struct fault *fault,
			  const struct process *process,
			  char ret[static FINGERPRINT_TEXT]);

#endif
