/* SPDX-License-Identifier: Apache-2.0 */
/* cause.h - a document's probable cause: its fault, else its worst finding, else where most goroutines
 * of the program are. Reads the document up to its goroutines, and keeps some lines of it. The main
 * header of src/causes, which compares documents; knows their fields, and no processes. */
#ifndef GOSNAP_CAUSE_H
#define GOSNAP_CAUSE_H

#include "lib/base/err.h"
#include "src/fingerprint/fingerprint.h"

struct reader;
struct reader_node;

/* Whose document it is, and when it was made. Allocated; NULL: the document does not say. */
struct identity {
	char *program; /* its module, else the name of its executable */
	char *version; /* of the module, else of its source */
	char *go;
	char *taken_at;
};
void identity_add(struct identity *identity, const char *member,
		  const struct reader_node *node);
void identity_done(struct identity *identity);

enum cause_kind { CAUSE_FAULT, CAUSE_KILLED, CAUSE_FINDING, CAUSE_GROUP, CAUSE_NONE };
extern const char *const cause_kinds[]; /* as JSON has them */

struct cause {
	struct identity identity;
	enum cause_kind kind;
	char fingerprint[FINGERPRINT_TEXT];
	char *text;	 /* a sentence */
	bool of_program; /* other programs with this fingerprint have another cause */
	bool damaged;
};

/* Zero ret; to be freed with cause_done(). False: the document says nothing at all. */
MUST_CHECK bool cause_read(struct reader *reader, struct cause *ret, struct err *err);
void cause_done(struct cause *cause);

#endif
