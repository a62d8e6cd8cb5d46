/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/lib/compiled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void compile(const char *language, const char *flags, const char *source,
		    const char *path)
{
	const char *cc = getenv("CC");
	AUTO(xfree)
	char *command = xasprintf("%s %s -shared -fPIC -nostdlib -x %s - -o %s",
				  cc ? cc : "cc", flags, language, path);
	FILE *pipe = popen(command, "w");

	assert_non_null(pipe);
	assert_int_equal(fwrite(source, 1, strlen(source), pipe), strlen(source));
	if (pclose(pipe) != 0)
		fail_msg("%s", command);
}

void compiled_open(const char *language, const char *flags, const char *source,
		   struct compiled *ret)
{
	struct err err;

	strcpy(ret->path, "/tmp/gosnap-compiled-XXXXXX");
	int fd = mkstemp(ret->path);
	assert_true(fd >= 0);
	close(fd);
	compile(language, flags, source, ret->path);
	ret->images = images_open_file(ret->path, &err);
	if (!ret->images)
		fail_msg("%s", err.text);
	ret->dwarf = dwarf_open(images_get(ret->images, 0), &err);
	if (!ret->dwarf)
		fail_msg("%s", err.text);
}

void compiled_close(struct compiled *c)
{
	dwarf_close(c->dwarf);
	images_close(c->images);
	unlink(c->path);
}

uint64_t compiled_symbol(const struct compiled *c, const char *name)
{
	struct image_range range;

	if (!image_symbol(images_get(c->images, 0), name, &range))
		fail_msg("no symbol %s", name);
	return range.addr;
}
