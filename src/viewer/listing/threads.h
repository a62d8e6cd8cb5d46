/* SPDX-License-Identifier: Apache-2.0 */
/* threads.h - text for one thread: what it does, its C frames, and with --all its
 * registers. */
#ifndef GOSNAP_THREADS_H
#define GOSNAP_THREADS_H

struct reader_node;
struct stack_style;
struct summary;

void threads_print(const struct stack_style *style, const struct summary *summary,
		   const struct reader_node *thread);

#endif
