/* SPDX-License-Identifier: Apache-2.0 */
#include "goruntime/layout/build_info_priv.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/bytes.h"
#include "lib/base/limit.h"

static const char magic[] = "\xff Go buildinf:";

enum {
	MAGIC_BYTES = sizeof(magic) - 1,
	HEADER_BYTES = 32,
	FLAG_INLINE = 2, /* 1.18 on: the strings follow the header */
	ALIGNMENT = 16,
	SENTINEL_BYTES = 16, /* at both ends of the module text */
	SCAN_BYTES = 1 << 20,
	VERSION_BYTES = 256,
};

static bool is_header(const uint8_t *p)
{
	return memcmp(p, magic, MAGIC_BYTES) == 0;
}

/* The linker puts the header at the start of the data segment. Its section may be
 * gone. */
static bool scan_segments(struct target *t, const struct image *img, uint64_t *ret)
{
	AUTO(xfree) uint8_t *buf = xmalloc(SCAN_BYTES);
	struct image_segment seg;
	struct err ignored;

	for (size_t i = 0; image_segment(img, i, &seg); i++) {
		size_t len =
			seg.file_size < SCAN_BYTES ? (size_t)seg.file_size : SCAN_BYTES;
		if (seg.type != PT_LOAD || !seg.writable ||
		    !target_search(t, seg.addr, buf, len, &ignored))
			continue;
		for (size_t at = -seg.addr % ALIGNMENT; at + HEADER_BYTES <= len;
		     at += ALIGNMENT) {
			if (is_header(buf + at)) {
				*ret = seg.addr + at;
				return true;
			}
		}
	}
	return false;
}

static char *read_string(struct target *t, uint64_t addr, uint64_t len)
{
	struct err ignored;

	if (len > LIMIT_STRING_BYTES * 16)
		return NULL;
	AUTO(xfree) char *s = xcalloc(1, len + 1);
	return target_read(t, addr, s, len, &ignored) ? TAKE(s) : NULL;
}

/* The text of a Go string variable. */
static char *string_at(struct target *t, uint64_t addr, uint64_t *ret_len)
{
	struct err ignored;
	uint64_t data;

	if (!target_read_uint(t, addr, 8, &data, &ignored) ||
	    !target_read_uint(t, addr + 8, 8, ret_len, &ignored))
		return NULL;
	return read_string(t, data, *ret_len);
}

char *build_version_at(struct target *t, uint64_t addr)
{
	struct err ignored;
	uint64_t header[2];

	if (!target_read(t, addr, header, sizeof(header), &ignored) || !header[0] ||
	    header[1] > VERSION_BYTES)
		return NULL;
	AUTO(xfree) char *s = read_string(t, header[0], header[1]);
	return s && version_minor(s) >= 0 && strlen(s) == header[1] ? TAKE(s) : NULL;
}

/* The text of a Go string variable that a pointer leads to: before 1.18. */
static char *string_behind(struct target *t, uint64_t pointer_at, uint64_t *ret_len)
{
	struct err ignored;
	uint64_t addr;

	return target_read_uint(t, pointer_at, 8, &addr, &ignored)
		       ? string_at(t, addr, ret_len)
		       : NULL;
}

/* A uvarint length and the bytes; advances *at past them. */
static char *string_inline(struct target *t, uint64_t *at, uint64_t *ret_len)
{
	uint8_t head[10] = { 0 };
	struct err ignored;
	struct bytes b = bytes_over(head, sizeof(head));

	if (!target_read(t, *at, head, sizeof(head), &ignored))
		return NULL;
	*ret_len = bytes_uvarint(&b);
	if (b.bad)
		return NULL;
	*at += (uint64_t)(b.at - head);
	char *s = read_string(t, *at, *ret_len);
	*at += *ret_len;
	return s;
}

static void add_setting(struct build_info *info, char *key_value)
{
	char *value = strchr(key_value, '=');

	if (!value)
		return;
	*value++ = '\0';
	GROW(info->settings, info->setting_count, info->setting_cap);
	info->settings[info->setting_count++] =
		(struct build_setting){ xstrdup(key_value), xstrdup(value) };
}

static void add_dependency(struct build_info *info, const char *path, const char *version)
{
	GROW(info->dependencies, info->dependency_count, info->dependency_cap);
	info->dependencies[info->dependency_count++] = (struct build_dependency){
		xstrdup(path), version && *version ? xstrdup(version) : NULL, NULL
	};
}

/* Lines of tab-separated words: runtime/debug/mod.go BuildInfo.String. "=>" replaces the
 * dependency on the line before. */
static void parse_line(struct build_info *info, char *line)
{
	const char *kind = strsep(&line, "\t");
	char *first = strsep(&line, "\t"), *second = strsep(&line, "\t");

	if (!first)
		return;
	if (strcmp(kind, "path") == 0 && !info->path) {
		info->path = xstrdup(first);
	} else if (strcmp(kind, "mod") == 0 && !info->module) {
		info->module = xstrdup(first);
		info->module_version = second && *second ? xstrdup(second) : NULL;
	} else if (strcmp(kind, "dep") == 0) {
		add_dependency(info, first, second);
	} else if (strcmp(kind, "=>") == 0 && info->dependency_count > 0) {
		struct build_dependency *d =
			&info->dependencies[info->dependency_count - 1];
		if (!d->replaced_by)
			d->replaced_by = xasprintf("%s%s%s", first, second ? "@" : "",
						   second ? second : "");
	} else if (strcmp(kind, "build") == 0) {
		add_setting(info, first);
	}
}

static void parse_module_text(struct build_info *info, char *text, uint64_t len)
{
	if (!text || len < 2 * SENTINEL_BYTES + 1)
		return;
	text[len - SENTINEL_BYTES] = '\0';
	for (char *rest = text + SENTINEL_BYTES; rest;)
		parse_line(info, strsep(&rest, "\n"));
}

static bool find_header(struct target *t, const struct image *img, uint64_t *ret_addr,
			uint8_t header[HEADER_BYTES])
{
	struct image_range section;
	struct err ignored;

	if (image_section(img, ".go.buildinfo", &section))
		*ret_addr = section.addr;
	else if (!scan_segments(t, img, ret_addr))
		return false;
	return target_read(t, *ret_addr, header, HEADER_BYTES, &ignored) &&
	       is_header(header);
}

/* Linkers other than Go's may drop unreferenced data (lld did, before 1.20); the
 * runtime's own variable then has the version. */
static bool find_version(const struct image *img, uint64_t *ret_addr)
{
	struct image_range symbol;

	if (!image_symbol(img, "runtime.buildVersion", &symbol))
		return false;
	*ret_addr = symbol.addr;
	return true;
}

struct build_info *build_info_read(struct target *t, const struct image *img,
				   struct err *err)
{
	uint8_t header[HEADER_BYTES];
	uint64_t addr, version_len = 0, text_len = 0;
	AUTO(build_info_free) struct build_info *info = xcalloc(1, sizeof(*info));
	AUTO(xfree) char *text = NULL;

	if (!find_header(t, img, &addr, header)) {
		if (!find_version(img, &addr)) {
			err_set(err, ERR_NOT_FOUND, "%s has no Go build information",
				image_path(img)[0] ? image_path(img) : "the executable");
			return NULL;
		}
		info->version = string_at(t, addr, &version_len);
		info->version_source = VERSION_VARIABLE;
	} else if (header[MAGIC_BYTES + 1] & FLAG_INLINE) {
		uint64_t at = addr + HEADER_BYTES;
		info->version = string_inline(t, &at, &version_len);
		text = string_inline(t, &at, &text_len);
	} else {
		info->version = string_behind(t, addr + 16, &version_len);
		text = string_behind(t, addr + 24, &text_len);
	}
	if (version_len >
	    VERSION_BYTES) { /* before 1.18 the string headers are in writable memory */
		xfree(info->version);
		info->version = NULL;
	}
	parse_module_text(info, text, text_len);
	return TAKE(info);
}

void build_info_free(struct build_info *info)
{
	if (!info)
		return;
	for (size_t i = 0; i < info->setting_count; i++) {
		xfree(info->settings[i].key);
		xfree(info->settings[i].value);
	}
	for (size_t i = 0; i < info->dependency_count; i++) {
		xfree(info->dependencies[i].path);
		xfree(info->dependencies[i].version);
		xfree(info->dependencies[i].replaced_by);
	}
	xfree(info->settings);
	xfree(info->dependencies);
	xfree(info->version);
	xfree(info->not_a_version);
	xfree(info->path);
	xfree(info->module);
	xfree(info->module_version);
	xfree(info);
}
