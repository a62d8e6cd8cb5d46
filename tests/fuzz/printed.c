/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/printed.h"

#include <assert.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "printers/printers.h"
#include "redaction/redaction.h"

/* The last value that still had room may be as large as one string in hexadecimal, and what
 * was begun is ended: its ends and the reasons count for no more. */
enum { BYTES = 16 << 10, ELEMENTS = 8, TEXT = 64, EXCESS = 64 << 10 };

static void check(int fd, uint64_t len)
{
	AUTO(xfree) char *text = xcalloc(len + 1, 1);
	json_error_t error;

	assert(len < BYTES + EXCESS);
	ssize_t got = pread(fd, text, len, 0);
	assert(got == (ssize_t)len);
	json_t *json = json_loadb(text, len, JSON_ALLOW_NUL, &error);
	if (!json)
		fprintf(stderr, "%s: %s\n", error.text, text);
	assert(json);
	json_decref(json);
}

void printed(struct runtime *rt, const struct value *v)
{
	struct value_bounds bounds = value_bounds_default;
	struct err err;
	const struct snapshot_time moment = { 0 };
	const struct redaction_options options = { .mode = REDACT_SECRETS };
	AUTO(redaction_free) struct redaction *redaction = redaction_new(&options, &err);
	struct one_value one = { .rt = rt,
				 .bounds = &bounds,
				 .moment = &moment,
				 .redaction = redaction,
				 .name = "value",
				 .value = *v };
	int fd = memfd_create("printed", MFD_CLOEXEC);

	assert(fd >= 0 && redaction);
	bounds.string = TEXT;
	bounds.elements = bounds.entries = ELEMENTS;
	bounds.bytes = BYTES;
	AUTO(sink_free) struct sink *out = sink_json_new(fd, false);
	one.out = out;
	print_one_value(&one);
	uint64_t len = sink_bytes(out);
	bool written = sink_finish(out, NULL, &err);
	assert(written);
	check(fd, len);
	close(fd);
}
