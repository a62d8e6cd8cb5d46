/* SPDX-License-Identifier: Apache-2.0 */
#include "src/fingerprint/function_name.h"

#include <ctype.h>
#include <string.h>

enum { PARTS = 64 };

/* Borrowed, not ended by NUL. */
struct part {
	const char *begin;
	size_t len;
};

struct parts {
	struct part list[PARTS]; /* of a name without its package, at its dots */
	size_t count;
};

/* The first folders of the packages of Go's library. */
static const char *const library[] = {
	"archive",  "arena",	 "bufio",   "builtin",	"bytes",    "cmd",   "cmp",
	"compress", "container", "context", "crypto",	"database", "debug", "embed",
	"encoding", "errors",	 "expvar",  "flag",	"fmt",	    "go",    "hash",
	"html",	    "image",	 "index",   "internal", "io",	    "iter",  "log",
	"maps",	    "math",	 "mime",    "net",	"os",	    "path",  "plugin",
	"reflect",  "regexp",	 "runtime", "simd",	"slices",   "sort",  "strconv",
	"strings",  "structs",	 "sync",    "syscall",	"testing",  "text",  "time",
	"unicode",  "unique",	 "unsafe",  "uuid",	"vendor",   "weak",
};

/* Packages whose functions only the compiler and the library call. */
static const char *const of_runtime[] = {
	"runtime/internal/",
	"internal/runtime/",
	"internal/abi",
	"internal/bytealg",
	"internal/cpu",
	"type",
	"type:",
};

static bool is_text(struct part part, const char *text)
{
	return part.len == strlen(text) && memcmp(part.begin, text, part.len) == 0;
}

static bool begins(struct part part, const char *text)
{
	const size_t len = strlen(text);

	return part.len >= len && memcmp(part.begin, text, len) == 0;
}

/* The part is text and digits. */
static bool is_numbered(struct part part, const char *text)
{
	size_t i = strlen(text);

	if (!begins(part, text) || i == part.len)
		return false;
	for (; i < part.len; i++)
		if (!isdigit((unsigned char)part.begin[i]))
			return false;
	return true;
}

static struct part before(struct part part, char c)
{
	const char *end = memchr(part.begin, c, part.len);

	return end ? (struct part){ part.begin, (size_t)(end - part.begin) } : part;
}

static bool is_library(struct part package)
{
	const struct part first = before(package, '/');

	for (size_t i = 0; i < ARRAY_SIZE(library); i++)
		if (is_text(first, library[i]))
			return true;
	return false;
}

/* The file's: of /usr/lib/go/src/sync/once.go, or sync/once.go with -trimpath. */
static bool is_library_file(const char *file)
{
	const char *rest = file, *src;

	while ((src = strstr(rest, "/src/")))
		rest = src + strlen("/src/");
	return is_library((struct part){ rest, strlen(rest) });
}

/* The package's path ends at the first dot behind its last slash; what follows in brackets
 * may have slashes, too. */
static struct part package_of(const char *name)
{
	const size_t len = strcspn(name, "[(");
	const char *slash = memrchr(name, '/', len);
	const char *last = slash ? slash + 1 : name;
	const char *dot = memchr(last, '.', (size_t)(name + len - last));

	return (struct part){ name, dot ? (size_t)(dot - name) : 0 };
}

static bool is_version(struct part part)
{
	return is_numbered(part, "v");
}

static bool is_escaped_dot(struct part part, size_t i)
{
	return i + 3 <= part.len && memcmp(part.begin + i, "%2e", 3) == 0;
}

static void add_words(struct text *text, const char *words)
{
	text_append(text, words, strlen(words));
}

/* One folder of the path; the linker writes dots of the last one as %2e. */
static void add_folder(struct text *text, struct part folder)
{
	size_t added = 0;

	for (size_t i = 0; i < folder.len; i++) {
		const struct part rest = { folder.begin + i + 3, folder.len - i - 3 };
		if (!is_escaped_dot(folder, i))
			continue;
		text_append(text, folder.begin + added, i - added);
		if (is_version(rest))
			return;
		add_words(text, ".");
		i += 2;
		added = i + 1;
	}
	text_append(text, folder.begin + added, folder.len - added);
}

static void add_package(struct text *text, struct part package)
{
	static const char vendor[] = "/vendor/";
	const char *vendored;
	bool first = true;

	while ((vendored = memmem(package.begin, package.len, vendor, strlen(vendor)))) {
		const char *rest = vendored + strlen(vendor);
		package.len -= (size_t)(rest - package.begin);
		package.begin = rest;
	}
	while (package.len) {
		const struct part folder = before(package, '/');
		const size_t used = folder.len + (folder.len < package.len);
		if (!is_version(folder)) {
			if (!first)
				add_words(text, "/");
			add_folder(text, folder);
			first = false;
		}
		package.begin += used;
		package.len -= used;
	}
	add_words(text, ".");
}

/* At dots outside parentheses. */
static void split(struct parts *ret, const char *name)
{
	const char *begin = name;
	int depth = 0;

	ret->count = 0;
	for (const char *c = name;; c++) {
		depth += (*c == '(') - (*c == ')');
		if (*c && (*c != '.' || depth > 0))
			continue;
		if (c > begin && ret->count < PARTS)
			ret->list[ret->count++] =
				(struct part){ begin, (size_t)(c - begin) };
		if (!*c)
			return;
		begin = c + 1;
	}
}

static char *without_brackets(const char *name)
{
	char *ret = xstrdup(name), *to = ret;
	int depth = 0;

	for (const char *c = name; *c; c++) {
		depth += *c == '[';
		if (depth == 0)
			*to++ = *c;
		depth -= *c == ']' && depth > 0;
	}
	*to = '\0';
	return ret;
}

/* A closure's own part of its name. */
static bool is_closure(struct part part)
{
	return is_numbered(part, "func") || is_numbered(part, "");
}

/* The body of a loop over a function is f-range1, and a method as a value T.m-fm. */
static void cut_ranges(struct parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		struct part *part = &parts->list[i];
		const char *dash = memmem(part->begin, part->len, "-range", 6);
		if (dash)
			part->len = (size_t)(dash - part->begin);
	}
}

static bool is_wrapper(const struct parts *parts)
{
	const struct part last = parts->list[parts->count - 1];

	return (last.len >= 3 && memcmp(last.begin + last.len - 3, "-fm", 3) == 0) ||
	       is_numbered(last, "gowrap") || is_numbered(last, "deferwrap") ||
	       begins(last, "_cgoexpwrap_");
}

/* Initializers of packages are init.0, init.1, ... */
static bool is_initializer(const struct parts *parts)
{
	return parts->count == 2 && is_text(parts->list[0], "init") &&
	       is_numbered(parts->list[1], "");
}

static void add_part(struct text *text, struct part part)
{
	if (is_text(part, "glob")) /* up to Go 1.22; then init */
		add_words(text, "init");
	else
		text_append(text, part.begin, part.len);
}

/* The last function of f.g.func1, which is where it is written: g was inlined into f, perhaps
 * from another package, unless f is a type. */
static void add_closure(struct text *text, const struct parts *parts, size_t named)
{
	const struct part *last = &parts->list[named - 1];

	if (named > 1 && *last[-1].begin == '(')
		text_add(text, "%.*s.", (int)last[-1].len, last[-1].begin);
	add_part(text, *last);
	add_words(text, ".func");
}

static void add_plain(struct text *text, struct part package, const struct parts *parts)
{
	if (package.len)
		add_package(text, package);
	for (size_t i = 0; i < parts->count; i++) {
		if (i)
			add_words(text, ".");
		add_part(text, parts->list[i]);
	}
}

static enum function_kind kind_of(struct part package, const struct parts *parts)
{
	if (!package.len)
		return FUNCTION_RUNTIME; /* in assembly */
	for (size_t i = 0; i < ARRAY_SIZE(of_runtime); i++)
		if (begins(package, of_runtime[i]) &&
		    (of_runtime[i][strlen(of_runtime[i]) - 1] == '/' ||
		     package.len == strlen(of_runtime[i])))
			return FUNCTION_RUNTIME;
	if (is_text(package, "runtime"))
		return parts->count == 1 && isupper((unsigned char)*parts->list[0].begin)
			       ? FUNCTION_LIBRARY
			       : FUNCTION_RUNTIME;
	return is_library(package) ? FUNCTION_LIBRARY : FUNCTION_OWN;
}

enum function_kind function_name_add(struct text *text, const char *name,
				     const char *file)
{
	AUTO(xfree) char *plain = without_brackets(name);
	const struct part package = package_of(plain);
	const char *rest = package.len ? plain + package.len + 1 : plain;
	struct parts parts;

	split(&parts, rest);
	if (!parts.count)
		return FUNCTION_RUNTIME;
	if (is_wrapper(&parts))
		return FUNCTION_WRAPPER;
	const enum function_kind kind = kind_of(package, &parts);
	cut_ranges(&parts);
	size_t named = parts.count;
	while (named > 0 && is_closure(parts.list[named - 1]))
		named--;
	if (is_initializer(&parts))
		parts.count = named = 1;
	if (named == 0 || named == parts.count) {
		add_plain(text, package, &parts);
		return kind;
	}
	add_closure(text, &parts, named);
	return kind == FUNCTION_OWN && named > 1 && file && is_library_file(file)
		       ? FUNCTION_LIBRARY
		       : kind;
}
