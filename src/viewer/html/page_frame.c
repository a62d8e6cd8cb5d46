/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/html/page_frame.h"

#include "src/viewer/html/page_out.h"

#include "src/viewer/html/page.inc"

static void write_lines(const struct page_out *out, const char *const *lines)
{
	for (size_t i = 0; lines[i]; i++)
		page_text(out, lines[i]);
}

const char *page_frame_served_policy(void)
{
	return PAGE_POLICY "; connect-src 'self'";
}

void page_frame_begin(const struct page_out *out, bool policy)
{
	write_lines(out, page_start);
	if (policy) {
		page_text(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"");
		page_text(out, PAGE_POLICY "\">\n");
	}
	write_lines(out, page_begin);
}

void page_frame_end(const struct page_out *out)
{
	write_lines(out, page_end);
}

static void count(void *arg, const void *bytes, size_t len)
{
	(void)bytes;
	*(size_t *)arg += len;
}

size_t page_frame_bytes(void)
{
	size_t bytes = 0;
	const struct page_out out = { count, &bytes };

	page_frame_begin(&out, true);
	page_frame_end(&out);
	return bytes;
}
