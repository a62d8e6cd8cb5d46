/* SPDX-License-Identifier: Apache-2.0 */
/* printers.h - from what the layers below found to sink calls: one file for each noun of
 * the document, named as in gosnap-snapshot(5). The only header of this folder for those
 * outside. Printers read nothing from the process and cannot fail. */
#ifndef GOSNAP_PRINTERS_H
#define GOSNAP_PRINTERS_H

#include "goruntime.h"
#include "process.h"
#include "sink.h"

struct redaction;

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
/* Member runtime: whose something is, when not the first one's. NULL: nobody's. */
void print_whose(struct sink *out, const struct runtimes *all, const struct runtime *rt);

/* An array of all frames of a stack; returns how many. */
size_t print_frames(struct sink *out, struct runtimes *all, uint32_t stack);

/* Bytes of code around a thread's pc: what memory holds, when it was captured; else what the
 * file does. */
enum { THREAD_CODE_BEFORE = 16, THREAD_CODE_AFTER = 16 };

/* People's own rules for how values are printed: gosnap-printers(5). */
struct value_rules;
struct value_rules *value_rules_new(void);
void value_rules_free(struct value_rules *rules);
DEFINE_AUTO(struct value_rules, value_rules_free)
/* Those of one more file, behind the others: the first that fits a type is its own. ERR_USAGE,
 * with the file and the line, or ERR_SYS. */
MUST_CHECK bool value_rules_read(struct value_rules *rules, const char *path,
				 struct err *err);
/* The files, in that order. rules may be NULL. */
size_t value_rules_files(const struct value_rules *rules);
const char *value_rules_file(const struct value_rules *rules, size_t i);

/* How much of a value is shown, and by which rules. */
struct value_bounds {
	uint32_t string, elements, entries; /* bytes, and of each sequence or map */
	uint32_t depth, pointers;	    /* values inside values; pointers followed */
	uint64_t bytes;			    /* of the document, for one variable */
	uint64_t goroutine_bytes;	    /* ..., for all of a goroutine */
	bool compiler;			    /* variables that only it declares, too */
	uint64_t document_bytes;	    /* ..., which values do not make larger */
	bool hidden;			    /* of frames that are hidden, too */
	const struct value_rules *rules;    /* borrowed; NULL: none */
};
/* What a snapshot has unless told, and with --full: that much is never exceeded. */
extern const struct value_bounds value_bounds_default, value_bounds_full;

struct sockets;

/* When the snapshot was of, and what was not in memory then. */
struct moment {
	uint64_t now_ns;	       /* CLOCK_MONOTONIC; 0: not known */
	uint64_t realtime_ns;	       /* the same moment, CLOCK_REALTIME */
	const struct sockets *sockets; /* NULL: not known */
};

/* Which way a value was reached: what is said there of what is inside holds for it, too. */
struct value_step {
	struct value of;       /* a pointer; or a struct, an array, a slice */
	uint64_t first, count; /* of those: where its elements are, and how many */
	uint64_t index;	       /* the field or element that is next */
};
struct value_path {
	size_t name_len; /* of the variable that it begins with */
	struct value_step *steps;
	size_t count, cap;
};

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

/* Prints once, and again as long as that taught of secrets in what was printed before, which is
 * taken back. */
typedef void print_again_fn(void *arg);
void print_until_known(struct sink *out, struct redaction *redaction,
		       print_again_fn *print, void *arg);

struct goroutine_printing {
	struct runtimes *runtimes;
	struct runtime *runtime; /* whose goroutine it is */
	const struct target_thread *threads;
	struct moment moment;
	bool full_frames; /* frames do not leave out what their group says */
	const struct value_bounds *values; /* NULL: none are wanted */
	const char *values_elided;	   /* then why not, or NULL */
	struct redaction *redaction;
	uint64_t variables; /* counts those printed */
	uint64_t withheld;  /* ... values withheld */
};
/* group: the id of its stack's group in this document. */
void print_goroutine(struct sink *out, struct goroutine_printing *p,
		     const struct goroutine *g, uint64_t group);

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
