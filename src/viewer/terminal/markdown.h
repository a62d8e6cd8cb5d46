/* SPDX-License-Identifier: Apache-2.0 */
/* markdown.h - the text of a page as Markdown, for tickets: a line at the margin that has indented
 * lines below becomes a heading, indented lines become code, those below MARKDOWN_LIST a list.
 * Nothing that a document says is taken for Markdown. */
#ifndef GOSNAP_MARKDOWN_H
#define GOSNAP_MARKDOWN_H

#include <stddef.h>
#include <stdio.h>

#define MARKDOWN_LIST "Findings:"

enum {
	MARKDOWN_COLUMNS = 1 << 16
}; /* of the page: lines of a ticket wrap by themselves */

/* What is printed there goes to out as Markdown, the last of it when it is closed. out stays
 * open. NULL: there is no memory. */
FILE *markdown_open(FILE *out);

#endif
