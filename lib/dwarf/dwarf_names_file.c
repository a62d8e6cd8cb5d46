/* SPDX-License-Identifier: Apache-2.0 */
/* The name index on disk: a header, then the lists. It is used only if it is intact and
 * matches the size and checksum of the debug info; even then, each name it leads to is
 * compared with the one requested. */
#include <stdio.h>
#include <string.h>

#include "lib/base/cache.h"
#include "lib/dwarf/dwarf_priv.h"

enum {
	ID_MIN = 8, /* digits */
	ID_MAX = 100,
};

static const char magic[8] = "gosnapN3";

struct head {
	char magic[sizeof(magic)];
	uint64_t sum;		    /* of everything after it */
	uint64_t info, abbrev, str; /* sizes of those sections */
	uint64_t look; /* checksum of all three: two builds may have the same id */
	uint64_t count[NAMES_KINDS];
};

struct dwarf_names_file {
	struct cache_file file;
};

/* Whole words only: the rest is covered by the length. */
static uint64_t mix(uint64_t sum, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	uint64_t word = 0;

	sum ^= len;
	for (; len; p += sizeof(word)) {
		size_t n = len < sizeof(word) ? len : sizeof(word);
		memcpy(&word, p, n);
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 29;
		len -= n;
	}
	return sum;
}

static size_t size_of(struct bytes section)
{
	return section.at ? (size_t)(section.end - section.at) : 0;
}

static uint64_t mix_section(uint64_t sum, struct bytes section)
{
	return mix(sum, section.at, size_of(section));
}

static struct head head_of(const struct dwarf_entries *es)
{
	struct head h = { .info = size_of(es->info),
			  .abbrev = size_of(es->abbrev),
			  .str = size_of(es->str),
			  .look = mix_section(
				  mix_section(mix_section(0, es->info), es->abbrev),
				  es->str) };

	memcpy(h.magic, magic, sizeof(magic));
	return h;
}

static uint64_t sum_of(const struct head *h, const void *lists, size_t len)
{
	const char *from = (const char *)&h->info;

	return mix(mix(0, from, sizeof(*h) - (size_t)(from - (const char *)h)), lists,
		   len);
}

/* NULL: no id that distinguishes it from other builds. */
static char *key_of(const struct image *img)
{
	const char *gnu = image_build_id(img), *go = image_go_build_id(img);
	char hex[2 * ID_MAX + 1];
	size_t len = strlen(go);

	if (strlen(gnu) >= ID_MIN && strlen(gnu) <= 2 * ID_MAX)
		return xstrdup(gnu);
	if (len < ID_MIN || len > ID_MAX)
		return NULL;
	for (size_t i = 0; i < len; i++)
		snprintf(hex + 2 * i, 3, "%02x", (uint8_t)go[i]);
	return xasprintf("go-%s", hex);
}

/* The lists must fill the file exactly. */
static bool take_lists(const struct head *h, struct bytes b,
		       struct dwarf_named_list ret[NAMES_KINDS])
{
	for (int i = 0; i < NAMES_KINDS; i++) {
		if (h->count[i] > size_of(b) / sizeof(struct dwarf_named))
			return false;
		ret[i] = (struct dwarf_named_list){
			(const struct dwarf_named *)(const void *)b.at,
			(size_t)h->count[i]
		};
		b = bytes_at(b, h->count[i] * sizeof(struct dwarf_named));
	}
	return b.at == b.end;
}

static bool is_right(const struct cache_file *file, const struct dwarf_entries *es,
		     struct dwarf_named_list ret[NAMES_KINDS])
{
	struct bytes b = bytes_over(file->bytes, file->len);
	struct head wanted = head_of(es), h;

	bytes_take(&b, &h, sizeof(h));
	if (b.bad)
		return false;
	wanted.sum = h.sum;
	memcpy(wanted.count, h.count, sizeof(h.count));
	return memcmp(&h, &wanted, sizeof(h)) == 0 &&
	       h.sum == sum_of(&h, b.at, size_of(b)) && take_lists(&h, b, ret);
}

struct dwarf_names_file *dwarf_names_load(const struct dwarf *d,
					  const struct dwarf_entries *es,
					  struct dwarf_named_list ret[NAMES_KINDS])
{
	struct cache *cache = image_cache(d->image);
	AUTO(xfree) char *key = cache ? key_of(d->image) : NULL;
	struct cache_file file;

	if (!key || !cache_get(cache, key, &file))
		return NULL;
	if (!is_right(&file, es, ret)) {
		cache_release(&file);
		return NULL;
	}
	struct dwarf_names_file *f = xcalloc(1, sizeof(*f));
	f->file = file;
	return f;
}

void dwarf_names_unload(struct dwarf_names_file *f)
{
	if (f)
		cache_release(&f->file);
	xfree(f);
}

void dwarf_names_store(const struct dwarf *d, const struct dwarf_entries *es,
		       const struct dwarf_named_list lists[NAMES_KINDS])
{
	struct cache *cache = image_cache(d->image);
	AUTO(xfree) char *key = cache ? key_of(d->image) : NULL;
	struct head h = head_of(es);
	size_t total = 0;

	if (!key)
		return;
	for (int i = 0; i < NAMES_KINDS; i++)
		total += lists[i].count * sizeof(struct dwarf_named);
	AUTO(xfree) uint8_t *all = xmalloc(total + 1);
	size_t at = 0;
	for (int i = 0; i < NAMES_KINDS; i++) {
		size_t len = lists[i].count * sizeof(struct dwarf_named);
		if (len)
			memcpy(all + at, lists[i].list, len);
		at += len;
		h.count[i] = lists[i].count;
	}
	h.sum = sum_of(&h, all, total);
	const struct iovec parts[] = { { &h, sizeof(h) }, { all, total } };
	cache_put(cache, key, parts, ARRAY_SIZE(parts));
}
