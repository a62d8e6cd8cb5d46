/* SPDX-License-Identifier: Apache-2.0 */
/* page_frame.h - the page without its data, made of page/. */
#ifndef GOSNAP_PAGE_FRAME_H
#define GOSNAP_PAGE_FRAME_H

#include <stdbool.h>
#include <stddef.h>

struct page_out;

/* What the browser may run and load of a page that asks its server. */
const char *page_frame_served_policy(void);
/* Before the data; policy: with the policy in it, for who sends no headers. */
void page_frame_begin(const struct page_out *out, bool policy);
void page_frame_end(const struct page_out *out);
/* Of both, with the policy. */
size_t page_frame_bytes(void);

#endif
