/* SPDX-License-Identifier: Apache-2.0 */
/* print_document.h - the rest of the document, and secrets that are learned before it is printed. */
#ifndef GOSNAP_PRINT_DOCUMENT_H
#define GOSNAP_PRINT_DOCUMENT_H

#include "lib/procfs/process.h"
#include "printers/goroutine/print_goroutine.h"

/* Each writes one value; the caller has named it. */
struct process_printing {
	const struct process *process;
	struct target *target;
	const struct images *images;
	struct redaction *redaction;
	bool environment; /* its values, too */
};
void print_process(struct sink *out, const struct process_printing *printing);
/* Remembers the secrets of its environment and command line, which its memory holds, too. */
void process_remember_secrets(const struct process *p, struct redaction *r);
void print_verification(struct sink *out, const struct verification *v);
void print_warnings(struct sink *out, const struct warnings *warnings);

/* The first runtime, with the others as a member of it. */
void print_go(struct sink *out, const struct runtimes *all, struct redaction *r);

/* An object with its name, type and value. */
struct one_value {
	struct sink *out;
	struct runtime *rt;
	const struct value_bounds *bounds;
	const struct moment *moment;
	struct redaction *redaction;
	const char *name;
	const struct value_path *path; /* NULL: it is what has the name */
	struct value value;
	uint64_t *withheld; /* private */
};
/* Returns how many values of it were withheld. */
uint64_t print_one_value(const struct one_value *one);

/* What is a secret by its name in the variables of one goroutine is one in all of them: learned before
 * any is printed. Walks texts under such names, in what types say may lead to some, and prints
 * nothing. images: what their files say is known to everybody. */
struct learning;
struct learning *learning_new(const struct goroutine_printing *printing,
			      const struct images *images);
void learning_free(struct learning *l);
DEFINE_AUTO(struct learning, learning_free)
/* False: neither its variables nor those of others with the same stack may lead to one. */
bool learning_goroutine(struct learning *l, const struct goroutine *g);

/* Bytes of code around a thread's pc: what memory holds, when it was captured; else what the
 * file does. */
enum { THREAD_CODE_BEFORE = 16, THREAD_CODE_AFTER = 16 };

struct thread_printing {
	struct runtimes *runtimes;
	struct target *target;
	const struct images *images;
	struct goroutine_printing *values; /* how; NULL: none are wanted */
	struct redaction *redaction;
	bool vector_registers; /* those, too: copies of memory go through them */
};
void print_thread(struct sink *out, const struct thread_printing *p, size_t i);

/* An array of the variables of the packages that match the pattern. */
void print_globals(struct sink *out, struct goroutine_printing *p, const char *packages,
		   struct warnings *warnings);

#endif
