/* SPDX-License-Identifier: Apache-2.0 */
/* fingerprints.h - fingerprints of the groups and the fault that were captured. */
#ifndef GOSNAP_FINGERPRINTS_H
#define GOSNAP_FINGERPRINTS_H

#include "goruntime/goruntime.h"
#include "src/fingerprint/fingerprint.h"

struct sink;

/* Makes the text of a stack. Free it with stack_text_done(). */
void stack_text_of(struct stack_text *ret, struct runtimes *all, uint32_t stack);

/* Prints the fingerprint of a group as a member of an object. */
void print_group_fingerprint(struct sink *out, struct runtimes *all, uint32_t stack);

/* Returns fault_cause() of the fault's message or signal; NULL: it has neither, or the
 * program itself panicked. Allocated. */
char *cause_of_fault(const struct fault *fault);
struct process;
/* Makes the fingerprint of the fault that runtimes_fault() has found in this process. */
void fingerprint_of_fault(struct runtimes *all, const struct fault *fault,
			  const struct process *process,
			  char ret[static FINGERPRINT_TEXT]);

#endif
