/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h - reads snapshot documents of any size, one element at a time.
 * Plain or zstd. No jansson type crosses this header: a node is a borrowed view.
 * Documents are untrusted: every getter accepts any node, and reports what it cannot find
 * as absent. */
#ifndef GOSNAP_READER_H
#define GOSNAP_READER_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct reader;
struct reader_node; /* one JSON value */

/* Opens the file and reads nothing; path "-" is standard input. *ret_name: as messages call it. -1:
 * ERR_SYS. */
int reader_find(const char *path, const char **ret_name, struct err *err);
/* Takes ownership of fd, a document, spooled to an unlinked temporary file if it is not seekable.
 * ERR_BAD_DATA: not a gosnap document, or an unknown version. */
struct reader *reader_open_fd(int fd, const char *name, struct err *err);
void reader_close(struct reader *r);
DEFINE_AUTO(struct reader, reader_close)

/* Calls fn for each top-level member in order: for an array, once per element with index
 * set; otherwise once with index 0. fn returns false to stop early. For a truncated
 * document, fn is called for everything complete, then ERR_BAD_DATA says where it ends.
 * Each call starts from the beginning. */
typedef bool reader_fn(void *arg, const char *member, size_t index,
		       const struct reader_node *node);
MUST_CHECK bool reader_each(struct reader *r, reader_fn *fn, void *arg, struct err *err);

/* What is visited as it is written, not parsed: an element that is an object comes with its first
 * members. Valid during the call. */
enum { READER_MEMBERS = 64 };
struct reader_member {
	const char *name; /* as written between its quotes */
	size_t name_bytes;
	const char *value;
	size_t bytes;
};
struct reader_text {
	uint64_t offset; /* in the uncompressed document */
	const char *text;
	size_t bytes;
	const struct reader_member *members;
	size_t member_count;
};
typedef bool reader_text_fn(void *arg, const char *member, size_t index,
			    const struct reader_text *text);

/* The same, and calls array, unless NULL, before and after the elements of each array. With text,
 * that is called instead of element: elements of arrays are not parsed, so that damage within one is
 * not seen. */
struct reader_calls {
	reader_fn *element;
	reader_text_fn *text;
	void (*array)(void *arg, const char *member, bool begins);
	void *arg;
};
MUST_CHECK bool reader_visit(struct reader *r, const struct reader_calls *calls,
			     struct err *err);

/* As messages call it. */
const char *reader_name(const struct reader *r);
/* Makes places readable in a compressed document, by writing it to an unlinked temporary
 * file. What is damaged stays packed. */
MUST_CHECK bool reader_unpack(struct reader *r, struct err *err);
/* The value at the offset of a reader_text; NULL: none. The caller drops it. */
const struct reader_node *reader_at(struct reader *r, uint64_t offset, size_t bytes);
/* Its text, which the caller frees. */
char *reader_text_at(struct reader *r, uint64_t offset, size_t bytes);

/* A missing member, a NULL node or a wrong type returns NULL or the fallback. */
const struct reader_node *node_get(const struct reader_node *node, const char *key);
size_t node_count(const struct reader_node *array);
const struct reader_node *node_at(const struct reader_node *array, size_t i);
const char *node_string(const struct reader_node *node, const char *fallback);
/* A string, number or bool as written in the document, "?" for anything else; the caller
 * frees it. */
char *node_words(const struct reader_node *node);
int64_t node_int(const struct reader_node *node, int64_t fallback);
bool node_bool(const struct reader_node *node, bool fallback);
uint64_t node_address(const struct reader_node *node, uint64_t fallback); /* "0x..." */
/* The members of an object, in document order. */
typedef void node_fn(void *arg, const char *key, const struct reader_node *node);
void node_each(const struct reader_node *object, node_fn *fn, void *arg);
/* Writes a copy, with the shortest digits of each number; null for what is nested deeper than
 * NODE_DEPTH_MAX. */
enum { NODE_DEPTH_MAX = 480 };
struct sink;
void node_write(struct sink *out, const struct reader_node *node);
/* The same, with other numbers of the objects that values refer to. */
typedef uint64_t node_number_fn(void *arg, uint64_t object);
void node_write_numbered(struct sink *out, const struct reader_node *node,
			 node_number_fn *number, void *arg);
/* One JSON value. The caller drops it. NULL: it is none. */
const struct reader_node *node_of_text(const char *text, size_t len);
/* Takes a reference, to keep a node beyond its callback. */
const struct reader_node *node_hold(const struct reader_node *node);
void node_drop(const struct reader_node *node);

#endif
