/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_lines.h - what the Go runtime says of itself, in a line or two. */
#ifndef GOSNAP_RUNTIME_LINES_H
#define GOSNAP_RUNTIME_LINES_H

struct page;
struct summary;

void runtime_lines_print(const struct page *page, const struct summary *summary);

#endif
