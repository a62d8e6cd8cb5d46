/* SPDX-License-Identifier: Apache-2.0 */
/* page_out.h - where a page goes: whoever asks for it knows files. */
#ifndef GOSNAP_PAGE_OUT_H
#define GOSNAP_PAGE_OUT_H

#include <string.h>

struct page_out {
	void (*write)(void *arg, const void *bytes, size_t len);
	void *arg;
};

static inline void page_write(const struct page_out *out, const void *bytes, size_t len)
{
	out->write(out->arg, bytes, len);
}

static inline void page_text(const struct page_out *out, const char *text)
{
	page_write(out, text, strlen(text));
}

#endif
