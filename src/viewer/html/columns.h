/* SPDX-License-Identifier: Apache-2.0 */
/* columns.h - what a list shows of each goroutine, which a page has of all of them: a column for each
 * field. model.js reads them in the order of ROW_COLUMNS. */
#ifndef GOSNAP_COLUMNS_H
#define GOSNAP_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct page_out;
struct reader_node;
struct shared;
struct sink;

/* Numbers; durations are -1 if they are not known. */
#define ROW_COLUMNS(X)                                                                   \
	X(id)                                                                            \
	X(group)                                                                         \
	X(waiting_ns)                                                                    \
	X(thread)                                                                        \
	X(flags)                                                                         \
	X(stack_bytes)
/* Numbers of texts. */
#define ROW_TEXTS(X)                                                                     \
	X(runtime)                                                                       \
	X(status)                                                                        \
	X(wait_reason)                                                                   \
	X(wait_kind)                                                                     \
	X(wait_address)                                                                  \
	X(created_by)                                                                    \
	X(labels)

enum { ROW_SYSTEM = 1, ROW_LOCKED = 2, ROW_WHOLE = 4, ROW_PANICS = 8 };

struct html_row {
#define COLUMN(name) int64_t name;
	ROW_COLUMNS(COLUMN)
#undef COLUMN
#define COLUMN(name) uint32_t name;
	ROW_TEXTS(COLUMN)
#undef COLUMN
};

struct columns {
	struct html_row *all;
	size_t count, cap;
};

void columns_append(struct columns *rows, const struct html_row *row);
void columns_add(struct columns *rows, const struct reader_node *goroutine,
		 struct shared *texts);
/* An array for each column. */
void columns_print(const struct columns *rows, struct sink *out);
void columns_write(const struct columns *rows, const struct page_out *out);
void columns_done(struct columns *rows);

#endif
