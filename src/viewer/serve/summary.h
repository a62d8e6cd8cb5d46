/* SPDX-License-Identifier: Apache-2.0 */
/* summary.h - what a timeline says of a document, which is read up to its threads for that. */
#ifndef GOSNAP_SERVE_SUMMARY_H
#define GOSNAP_SERVE_SUMMARY_H

struct reader;
struct sink;

/* Adds members to an open object: "taken_at", "program", "pid", "goroutines", "verdict" and others that
 * the document has; "why": what is wrong with it. */
void summary_write_members(struct reader *reader, struct sink *out);

#endif
