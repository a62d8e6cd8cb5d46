/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h - snapshot documents back in, one element at a time, whatever their size.
 * Plain or zstd. No jansson type crosses this header: a node is a borrowed view. Hostile
 * documents are possible: every getter takes any node and answers absent. */
#ifndef GOSNAP_READER_H
#define GOSNAP_READER_H

#include "lib/base/err.h"
#include "lib/base/util.h"

struct reader;
struct reader_node; /* one JSON value */

/* path "-" is standard input, spooled to an unlinked temporary file when it cannot seek.
 * ERR_BAD_DATA: not a gosnap document, or of a version we do not know. */
struct reader *reader_open(const char *path, struct err *err);
/* Takes over fd, a plain document. */
struct reader *reader_open_fd(int fd, const char *name, struct err *err);
void reader_close(struct reader *r);
DEFINE_AUTO(struct reader, reader_close)

/* Calls fn for each top-level member in order: for a member that is an array, once per
 * element with index set; for others once with index 0. fn returns false to stop early.
 * A cut-off document: fn has been called for what is whole, and err is ERR_BAD_DATA with
 * a sentence that says after what it ends. Starts from the beginning at each call. */
typedef bool reader_fn(void *arg, const char *member, size_t index,
		       const struct reader_node *node);
MUST_CHECK bool reader_each(struct reader *r, reader_fn *fn, void *arg, struct err *err);

/* Absent member, NULL node or other type: NULL, or the fallback. */
const struct reader_node *node_get(const struct reader_node *node, const char *key);
size_t node_count(const struct reader_node *array);
const struct reader_node *node_at(const struct reader_node *array, size_t i);
const char *node_string(const struct reader_node *node, const char *fallback);
/* A string, number or bool as the document has it, the caller's; of anything else "?". */
char *node_words(const struct reader_node *node);
int64_t node_int(const struct reader_node *node, int64_t fallback);
bool node_bool(const struct reader_node *node, bool fallback);
uint64_t node_address(const struct reader_node *node, uint64_t fallback); /* "0x..." */
/* The members of an object, in its order. */
typedef void node_fn(void *arg, const char *key, const struct reader_node *node);
void node_each(const struct reader_node *object, node_fn *fn, void *arg);
/* A node outside its callback: holds a reference. */
const struct reader_node *node_hold(const struct reader_node *node);
void node_drop(const struct reader_node *node);

#endif
