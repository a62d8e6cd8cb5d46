/* SPDX-License-Identifier: Apache-2.0 */
/* export_memory.h - memory as a core file may have it. What the document has shown, it has judged. Of
 * the rest, which is there because debuggers need it, only addresses and small numbers are left:
 * neither texts nor keys are such. Everything else, and what lies between, is overwritten with
 * REDACTION_FILL. Knows no secrets. */
#ifndef GOSNAP_EXPORT_MEMORY_H
#define GOSNAP_EXPORT_MEMORY_H

#include "lib/corefile/core_process.h"
#include "lib/target/memory_set.h"
#include "lib/target/target.h"

struct export_memory {
	struct target *target;
	/* shown: read for the document; words: those that it has only if they are no text */
	const struct memory_set *wanted, *shown, *words; /* words: or NULL */
	struct redaction *redaction;
	bool everything;	     /* nothing is overwritten */
	const struct images *images; /* NULL: none */
	bool strict;		     /* all text is */
	bool environment;	     /* the values of environment variables, too */
	struct first_stack stack;
	bool has_stack;
	uint64_t lost; /* bytes that are wanted, but could not be read */
};

/* For redaction_erase(): words that are addresses, small numbers or constants, and what the kernel
 * put on the first stack, which rules have judged. */
bool export_keeps(void *arg, uint64_t addr, const uint8_t *word);
/* Whole words. */
void export_read(struct export_memory *m, uint64_t addr, uint8_t *buf, size_t len);

#endif
