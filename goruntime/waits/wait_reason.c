/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's own wait reasons: runtime.waitReasonStrings, read from the subject,
 * because the numbering changes with nearly every release. */
#include <ctype.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/waits/wait.h"
#include "goruntime/waits/wait_priv.h"
#include "lib/base/limit.h"

enum {
	HEADER = 16, /* a Go string: pointer and length */
	REASONS_MAX = 128,
	WORDS_MAX = 64, /* bytes of one wait reason */
	SCAN_BYTES = 1 << 16,
};

/* Element 1 in every release from 1.11 on; element 0 is empty. */
static const char first_words[] = "GC assist marking";

static bool read_header(struct target *t, uint64_t at, char *ret, struct err *err)
{
	uint64_t header[2];

	if (!target_read(t, at, header, sizeof(header), err) || header[1] >= WORDS_MAX)
		return false;
	memset(ret, 0, WORDS_MAX);
	if (header[1] && !target_read(t, header[0], ret, header[1], err))
		return false;
	for (size_t i = 0; i < header[1]; i++)
		if (!isprint((unsigned char)ret[i]))
			return false;
	return true;
}

static bool is_table(struct runtime *rt, uint64_t at)
{
	struct err ignored;
	char words[WORDS_MAX];

	return read_header(rt->target, at, words, &ignored) && words[0] == '\0' &&
	       read_header(rt->target, at + HEADER, words, &ignored) &&
	       strcmp(words, first_words) == 0;
}

static uint64_t scan_range(struct runtime *rt, uint64_t start, uint64_t end)
{
	AUTO(xfree) uint8_t *buf = xmalloc(SCAN_BYTES);
	struct err ignored;
	uint64_t len;

	end = target_scan_end(start, end);
	for (uint64_t at = start; at < end; at += SCAN_BYTES) {
		size_t n = end - at < SCAN_BYTES ? (size_t)(end - at) : SCAN_BYTES;
		if (!target_read(rt->target, at, buf, n, &ignored))
			continue;
		for (size_t i = 0; i + 8 <= n; i += 8) {
			memcpy(&len, buf + i, sizeof(len));
			if (len == sizeof(first_words) - 1 &&
			    at + i >= start + HEADER + 8 &&
			    is_table(rt, at + i - 8 - HEADER))
				return at + i - 8 - HEADER;
		}
	}
	return 0;
}

static uint64_t find_table(struct runtime *rt)
{
	struct image_range symbol;

	if (image_symbol(rt->image, "runtime.waitReasonStrings", &symbol) &&
	    is_table(rt, symbol.addr))
		return symbol.addr;
	for (size_t i = 0; i < modules_count(rt->modules); i++) {
		/* Linkers differ in the order of .data and .noptrdata. */
		uint64_t edata = modules_get(rt->modules, i)->edata;
		const struct target_mapping *map =
			target_mapping_at(rt->target, edata - 1);
		uint64_t at = map ? scan_range(rt, map->start, edata) : 0;
		if (at)
			return at;
	}
	return 0;
}

void wait_reasons_read(struct runtime *rt)
{
	uint64_t at = find_table(rt);
	char words[WORDS_MAX];
	struct err ignored;

	if (!at) {
		warnings_add(rt->warnings, "goroutines",
			     "the runtime's wait reason strings were not found");
		return;
	}
	rt->wait_reasons = xcalloc(REASONS_MAX, sizeof(*rt->wait_reasons));
	for (; rt->wait_reason_count < REASONS_MAX; at += HEADER) {
		if (!read_header(rt->target, at, words, &ignored) ||
		    (words[0] == '\0' && rt->wait_reason_count > 0))
			break;
		rt->wait_reasons[rt->wait_reason_count++] = xstrdup(words);
	}
}

const char *runtime_wait_reason(const struct runtime *rt, unsigned reason)
{
	if (reason >= rt->wait_reason_count || rt->wait_reasons[reason][0] == '\0')
		return NULL;
	return rt->wait_reasons[reason];
}
