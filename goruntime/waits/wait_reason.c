/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime's own wait reasons: runtime.waitReasonStrings, read from the subject,
 * because the numbering changes with nearly every release. A core may lack the letters, but has the
 * length of each, by which a list of a known release is recognised. */
#include <ctype.h>
#include <string.h>

#include "goruntime/layout/build_info_priv.h"
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

static const struct row {
	int oldest, newest; /* releases */
	const char *words[REASONS_MAX];
} rows[] = {
#include "goruntime/waits/wait_reasons.inc"
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

/* Is the list there? row: NULL: with its letters; else as long as the words of this row. */
typedef bool is_table_fn(struct runtime *rt, uint64_t at, const struct row *row);

static bool is_table(struct runtime *rt, uint64_t at, const struct row *unused)
{
	struct err ignored;
	char words[WORDS_MAX];

	(void)unused;
	return read_header(rt->target, at, words, &ignored) && words[0] == '\0' &&
	       read_header(rt->target, at + HEADER, words, &ignored) &&
	       strcmp(words, first_words) == 0;
}

static bool is_row(struct runtime *rt, uint64_t at, const struct row *row)
{
	uint64_t headers[REASONS_MAX][2];
	struct err ignored;
	size_t n = 0;

	while (n < REASONS_MAX && row->words[n])
		n++;
	if (!target_read(rt->target, at, headers, n * HEADER, &ignored))
		return false;
	for (size_t i = 0; i < n; i++)
		if (headers[i][1] != strlen(row->words[i]) ||
		    (headers[i][1] && !images_at(rt->images, headers[i][0])))
			return false;
	return true;
}

static uint64_t scan_range(struct runtime *rt, uint64_t start, uint64_t end,
			   is_table_fn *is, const struct row *row)
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
			    is(rt, at + i - 8 - HEADER, row))
				return at + i - 8 - HEADER;
		}
	}
	return 0;
}

static uint64_t scan_modules(struct runtime *rt, is_table_fn *is, const struct row *row)
{
	for (size_t i = 0; i < modules_count(rt->modules); i++) {
		/* Linkers differ in the order of .data and .noptrdata. */
		uint64_t edata = modules_get(rt->modules, i)->edata;
		const struct target_mapping *map =
			target_mapping_at(rt->target, edata - 1);
		uint64_t at = map ? scan_range(rt, map->start, edata, is, row) : 0;
		if (at)
			return at;
	}
	return 0;
}

static uint64_t find_table(struct runtime *rt)
{
	struct image_range symbol;

	if (image_symbol(rt->image, "runtime.waitReasonStrings", &symbol) &&
	    is_table(rt, symbol.addr, NULL))
		return symbol.addr;
	return scan_modules(rt, is_table, NULL);
}

/* Of its own release first: another may have words of the same lengths. */
static const struct row *find_row(struct runtime *rt)
{
	const int minor = rt->build ? version_minor(rt->build->version) : -1;

	for (int own = 1; own >= 0; own--)
		for (size_t i = ARRAY_SIZE(rows); i-- > 0;)
			if ((minor >= rows[i].oldest && minor <= rows[i].newest) == own &&
			    scan_modules(rt, is_row, &rows[i]))
				return &rows[i];
	return NULL;
}

static void add_reason(struct runtime *rt, const char *words)
{
	if (!rt->wait_reasons)
		rt->wait_reasons = xcalloc(REASONS_MAX, sizeof(*rt->wait_reasons));
	rt->wait_reasons[rt->wait_reason_count++] = xstrdup(words);
}

static bool take_row(struct runtime *rt)
{
	const struct row *row = find_row(rt);

	for (size_t i = 0; row && i < REASONS_MAX && row->words[i]; i++)
		add_reason(rt, row->words[i]);
	return row != NULL;
}

void wait_reasons_read(struct runtime *rt)
{
	uint64_t at = find_table(rt);
	char words[WORDS_MAX];
	struct err ignored;

	if (!at && !take_row(rt))
		warnings_add(rt->warnings, "goroutines",
			     "the runtime's wait reason strings were not found");
	for (; at && rt->wait_reason_count < REASONS_MAX; at += HEADER) {
		if (!read_header(rt->target, at, words, &ignored) ||
		    (words[0] == '\0' && rt->wait_reason_count > 0))
			break;
		add_reason(rt, words);
	}
}

const char *runtime_wait_reason(const struct runtime *rt, unsigned reason)
{
	if (reason >= rt->wait_reason_count || rt->wait_reasons[reason][0] == '\0')
		return NULL;
	return rt->wait_reasons[reason];
}
