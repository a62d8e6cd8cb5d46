/* SPDX-License-Identifier: Apache-2.0 */
/* Names of types with full package paths. A descriptor has only the last element of the
 * path in the name; the path follows its body: internal/abi/type.go UncommonType (1.27),
 * unchanged since 1.15. */
#include <stdio.h>
#include <string.h>

#include "goruntime/runtime/runtime_priv.h"
#include "goruntime/types/type_name.h"

enum {
	NAMED = 4,
	HEAD = 48, /* common to all descriptors */
	DEPTH_MAX = 8,
};

/* In a symbol, dots in the last element of the package path are written as "%2e", and
 * some other bytes likewise (cmd/internal/objabi/path.go PathToPrefix). */
static char *package_path(const char *symbol, size_t len)
{
	char *path = xmalloc(len + 1), *to = path;
	unsigned byte;

	for (size_t i = 0; i < len; i++) {
		if (symbol[i] == '%' && i + 2 < len &&
		    sscanf(symbol + i + 1, "%2x", &byte) == 1) {
			*to++ = (char)byte;
			i += 2;
		} else {
			*to++ = symbol[i];
		}
	}
	*to = '\0';
	return path;
}

/* A type's name, with or without type arguments. Instances that share code do not name
 * theirs: "[go.shape.int]", "[...]". */
static bool is_one_type(const char *type, size_t len)
{
	const char *args = memchr(type, '[', len);
	const size_t own = args ? (size_t)(args - type) : len;

	if (!own || memchr(type, '.', own) || memchr(type, '(', own))
		return false;
	return !args ||
	       (type[len - 1] == ']' && !memmem(args, len - own, "go.shape.", 9) &&
		!memmem(args, len - own, "...", 3));
}

char *type_of_receiver(const char *method)
{
	/* Type arguments may have dots and slashes of their own. */
	const char *open = strchr(method, '['), *close = strrchr(method, ']');
	const char *slash =
		memrchr(method, '/', open ? (size_t)(open - method) : strlen(method));
	const char *type = strchr(slash ? slash : method, '.');
	const char *name = strrchr(close ? close : method, '.');

	if (!type || !name || type >= name || strchr(name, '-'))
		return NULL;
	AUTO(xfree) char *package = package_path(method, (size_t)(type - method));
	size_t len = (size_t)(name - ++type);
	const bool pointer =
		len > 3 && strncmp(type, "(*", 2) == 0 && type[len - 1] == ')';
	type += pointer ? 2 : 0;
	len -= pointer ? 3 : 0;
	if (!is_one_type(type, len))
		return NULL;
	return xasprintf("%s%s.%.*s", pointer ? "*" : "", package, (int)len, type);
}

uint64_t type_bytes(const struct runtime *rt, enum type_kind kind)
{
	const struct slot map = rt->layout.slot[L_map_type_size];

	switch ((int)kind) {
	case KIND_POINTER:
	case KIND_SLICE:
	case KIND_FUNC:
		return HEAD + WORD;
	case KIND_CHAN:
		return HEAD + 2 * WORD;
	case KIND_ARRAY:
		return HEAD + 3 * WORD;
	case KIND_STRUCT:
	case KIND_INTERFACE:
		return HEAD + 4 * WORD;
	case KIND_MAP:
		return map.off > 0 ? (uint64_t)map.off : 0;
	default:
		return HEAD;
	}
}

static void replace(struct go_type *type, size_t at, size_t len, const struct go_type *by)
{
	const size_t rest = type->name_len - at - len;

	if (by->omitted || type->omitted || at + by->name_len + rest > sizeof(type->name))
		return;
	memmove(type->name + at + by->name_len, type->name + at + len, rest);
	memcpy(type->name + at, by->name, by->name_len);
	type->name_len = at + by->name_len + rest;
}

/* Where its own name begins, after the last path element. Type arguments have their own
 * paths. 0: not in a package. */
static size_t own_name(const struct go_type *type)
{
	const char *bracket = memchr(type->name, '[', type->name_len);
	const size_t len = bracket ? (size_t)(bracket - type->name) : type->name_len;
	const char *dot = memrchr(type->name, '.', len);

	return dot ? (size_t)(dot - type->name) : 0;
}

static void add_path(struct runtime *rt, uint64_t addr, struct go_type *type)
{
	const uint64_t body = type_bytes(rt, type->kind);
	const size_t own = own_name(type);
	struct go_type path;
	struct err ignored;
	uint32_t off;
	bool embedded;

	if (body && own && type->flags & TYPE_UNCOMMON &&
	    target_read(rt->target, addr + body, &off, sizeof(off), &ignored) && off &&
	    type_read_name(rt, type->names + off, &path, &embedded, &ignored))
		replace(type, 0, own, &path);
}

static bool read_full(struct runtime *rt, uint64_t addr, int depth, struct go_type *ret,
		      struct err *err);

/* The type at `word` of the body. Its name is the end of this one's if `last`, else the
 * part after "map[". */
static void add_paths_of(struct runtime *rt, uint64_t addr, unsigned word, bool last,
			 int depth, struct go_type *type)
{
	static const size_t map_len = sizeof("map[") - 1;
	struct go_type brief, full;
	struct err ignored;
	uint64_t of;

	if (!target_read(rt->target, addr + HEAD + (uint64_t)WORD * word, &of, sizeof(of),
			 &ignored) ||
	    !type_read(rt, of, &brief, &ignored) || brief.name_len > type->name_len ||
	    !read_full(rt, of, depth + 1, &full, &ignored))
		return;
	const size_t at = last ? type->name_len - brief.name_len : map_len;
	if (at + brief.name_len <= type->name_len &&
	    memcmp(type->name + at, brief.name, brief.name_len) == 0)
		replace(type, at, brief.name_len, &full);
}

static bool read_full(struct runtime *rt, uint64_t addr, int depth, struct go_type *ret,
		      struct err *err)
{
	if (!type_read(rt, addr, ret, err))
		return false;
	if (ret->flags & NAMED) {
		add_path(rt, addr, ret);
		return true;
	}
	if (depth == DEPTH_MAX)
		return true;
	switch ((int)ret->kind) {
	case KIND_MAP:
		add_paths_of(rt, addr, 1, true, depth, ret);
		add_paths_of(rt, addr, 0, false, depth, ret);
		break;
	case KIND_POINTER:
	case KIND_SLICE:
	case KIND_ARRAY:
	case KIND_CHAN:
		add_paths_of(rt, addr, 0, true, depth, ret);
	}
	return true;
}

bool type_read_full(struct runtime *rt, uint64_t addr, struct go_type *ret,
		    struct err *err)
{
	return read_full(rt, addr, 0, ret, err);
}
