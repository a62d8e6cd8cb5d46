/* SPDX-License-Identifier: Apache-2.0 */
/* print_document.h - the other parts of the document (process, threads, runtimes,
 * warnings). Called in the order of gosnap-snapshot(5) by src/snapshot. Keeps nothing.
 * Knows what was captured; captures nothing. */
#ifndef GOSNAP_PRINT_DOCUMENT_H
#define GOSNAP_PRINT_DOCUMENT_H

#include "lib/procfs/process.h"
#include "printers/goroutine/print_goroutine.h"

/* Each function writes one value, which the caller has named. */
struct process_printing {
	const struct process *process;
	struct target *target;
	const struct images *images;
	struct redaction *redaction;
	bool environment; /* its values too */
};
void print_process(struct sink *out, const struct process_printing *printing);
/* Remembers secrets in its environment and command line, as its memory has copies. */
void process_remember_secrets(const struct process *p, struct redaction *r);
void print_verification(struct sink *out, const struct verification *v);
void print_warnings(struct sink *out, const struct warnings *warnings);

/* Prints the first runtime, with the others as a member of it. */
void print_go(struct sink *out, const struct runtimes *all, struct redaction *r);

struct heap_summary;
/* An object. */
void print_heap_summary(struct sink *out, const struct heap_summary *s);

/* What each runtime says of itself: the first one, with the others as a member of it. */
struct runtime_printing {
	const struct runtimes *runtimes;
	/* To read the heap, too, of a copy or a core: NULL, no_heap says why it is not; both NULL: it is not
	 * wanted. */
	struct target *heap;
	const char *no_heap;
	const struct target_thread *threads;
	const struct snapshot_time *moment;
};
void print_runtime_state(struct sink *out, const struct runtime_printing *p);

/* An object with a value's name, type and value. */
struct one_value {
	struct sink *out;
	struct runtime *rt;
	const struct value_bounds *bounds;
	const struct snapshot_time *moment;
	struct objects *objects; /* NULL: what it refers to is printed in place */
	struct redaction *redaction;
	const char *name;
	const struct value_path *path; /* NULL: the value is what is named */
	struct value value;
	uint64_t *redacted; /* private */
};
/* Returns how many values inside it were redacted. */
uint64_t print_one_value(const struct one_value *one);

struct thread_printing {
	struct runtimes *runtimes;
	struct target *target;
	const struct images *images;
	struct goroutine_printing *values; /* how; NULL: not requested */
	struct redaction *redaction;
	uint64_t now_ns;       /* CLOCK_MONOTONIC */
	bool vector_registers; /* include them: copies of memory go through them */
};
void print_thread(struct sink *out, const struct thread_printing *p, size_t i);

struct fault_printing {
	const struct fault *fault;
	struct runtimes *runtimes;
	const struct target_thread *threads;
	struct redaction *redaction;
	const struct arch *arch;
	int64_t pid;			 /* of the process */
	const char *cause, *fingerprint; /* NULL: none; borrowed */
};
void print_fault(struct sink *out, const struct fault_printing *p);
/* What it says in one sentence, without secrets. Allocated. */
char *fault_verdict(const struct fault_printing *p);

/* What whoever asked for the snapshot says of it: an array of keys and values. */
struct attribute {
	const char *key, *value;
};
void print_attributes(struct sink *out, struct redaction *r, const struct attribute *list,
		      size_t count);

/* An element of the document's array of objects. */
void print_object(struct sink *out, struct goroutine_printing *how, size_t i);

/* An array of the variables of packages that match the pattern. warnings NULL: nobody asked for
 * them. */
void print_globals(struct sink *out, struct goroutine_printing *p, const char *packages,
		   struct warnings *warnings);

#endif
