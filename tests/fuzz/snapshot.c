/* SPDX-License-Identifier: Apache-2.0 */
/* The whole road: a stored core of a Go program (tests/cores), damaged as the input says. Always
 * there is a document, or a reason why there is none; and a slim core can be made and read, and each
 * profile that the runtime keeps.
 *
 * The input: a byte for the core; a byte of FLAGS; then, 16 bytes each, where to damage it and the
 * word to write there. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/corefile/target_core.h"
#include "redaction/redaction.h"
#include "src/profile/pprof.h"
#include "src/profile/profile.h"
#include "src/snapshot/output.h"
#include "src/snapshot/snap.h"
#include "tests/fuzz/fuzz.h"

enum { STACKS = 1, FULL = 2, GLOBALS = 4, EXPORT = 8, PROFILES = 16 };
enum { HEADERS = 20000 /* bytes with the headers and the notes */, DAMAGES = 64 };
enum { RECORD = 2 * WORD };

static const char *const releases[] = { "1.15", "1.19", "1.21", "1.22", "1.23",
					"1.24", "1.25", "1.26", "1.27" };

struct stored {
	int fd; /* 0: not opened yet */
	uint64_t size;
};

static struct stored *stored(uint8_t which)
{
	static struct stored all[ARRAY_SIZE(releases)];
	struct stored *core = &all[which % ARRAY_SIZE(releases)];
	const char *source = getenv("abs_top_srcdir");
	struct err err;
	struct stat st;

	if (core->fd)
		return core;
	AUTO(xfree)
	char *path = xasprintf("%s/tests/cores/%s.zst", source ? source : "..",
			       releases[which % ARRAY_SIZE(releases)]);
	struct core_origin origin;
	core->fd = core_open(path, &origin, &err);
	if (core->fd < 0 || fstat(core->fd, &st) != 0) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		abort();
	}
	core->size = (uint64_t)st.st_size;
	return core;
}

/* Most of a core is a hole, in which there is nothing to damage. */
static uint64_t place(const struct stored *core, uint64_t where)
{
	uint64_t at = (where >> 2) % (where % 4 ? core->size : HEADERS);
	const off_t data = lseek(core->fd, (off_t)at, SEEK_DATA);

	if (data > 0)
		at = (uint64_t)data;
	return at + WORD <= core->size ? at : core->size - WORD;
}

struct damage {
	uint64_t at;
	uint8_t was[WORD];
};

static struct damage damage(const struct stored *core, const uint8_t *record)
{
	struct damage ret;
	uint64_t where;

	memcpy(&where, record, sizeof(where));
	ret.at = place(core, where);
	assert(pread(core->fd, ret.was, WORD, (off_t)ret.at) == WORD);
	assert(pwrite(core->fd, record + WORD, WORD, (off_t)ret.at) == WORD);
	return ret;
}

static bool take(const char *path, uint8_t flags, struct output *out, struct output *core)
{
	const struct redaction_options mode = { .mode = REDACT_SECRETS };
	struct err err = { .text = "" };
	struct snap_result result = { .warnings = 0 };
	AUTO(redaction_free) struct redaction *redaction = redaction_new(&mode, &err);
	const struct snap_options options = {
		.capture.core = { .path = path, .search.root = "/proc/self/fdinfo" },
		.capture.values = flags & STACKS ? VALUES_NONE : VALUES_ALWAYS,
		.capture.globals = flags & GLOBALS ? "" : NULL,
		.capture.core_file = core != NULL,
		.globals_if_any = true,
		.full = flags & FULL,
		.jobs = 1,
		.max_size = 64 << 20,
		.redaction = redaction,
		.core = core,
		.progress = PROGRESS_NEVER,
	};

	const bool ok = snap_take(&options, output_sink(out), &result, &err);
	assert(ok || err.text[0]);
	assert(!result.no_core || result.why.text[0]);
	xfree(result.verdict);
	return ok && !result.no_core;
}

static void profile(struct capture *c, enum profile_kind kind,
		    struct redaction *redaction)
{
	struct profile p;
	struct err err = { .text = "" };
	size_t len;
	const bool ok = profile_read(&p, c, kind, redaction, &err);

	capture_finish(c);
	assert(ok || err.text[0]);
	if (ok) {
		AUTO(pprof_free) struct pprof *encoded = profile_encode(&p);
		void *bytes = pprof_finish(encoded, &len);
		assert(bytes && len > 0);
		xfree(bytes);
	}
	profile_done(&p);
}

static void profiles(const char *path)
{
	const struct redaction_options mode = { .mode = REDACT_SECRETS };
	struct err err;
	AUTO(redaction_free) struct redaction *redaction = redaction_new(&mode, &err);

	for (enum profile_kind kind = PROFILE_HEAP; kind <= PROFILE_GOROUTINE; kind++) {
		const struct capture_options options = {
			.core = { .path = path, .search.root = "/proc/self/fdinfo" },
			.values = VALUES_ALWAYS,
		};
		struct capture c;
		if (capture_open(&c, &options, &err) && capture_take(&c, &err))
			profile(&c, kind, redaction);
		capture_done(&c);
	}
}

static void snapshot(int fd, uint8_t flags)
{
	struct err err;
	AUTO(xfree) char *path = xasprintf("/proc/self/fd/%d", fd);
	AUTO(output_close) struct output *document = output_open_spool(&err);
	AUTO(output_close)
	struct output *core = flags & EXPORT ? output_open_spool(&err) : NULL;

	assert(document && (core || !(flags & EXPORT)));
	if (flags & PROFILES)
		profiles(path);
	if (!take(path, flags, document, core) || !core)
		return;
	assert(output_finish(core, &err));
	const int slim = output_take_fd(core);
	snapshot(slim, flags & ~(unsigned)EXPORT);
	close(slim);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct damage damages[DAMAGES];
	size_t n = 0;

	if (size < 2)
		return 0;
	const struct stored *core = stored(data[0]);
	for (; n < DAMAGES && 2 + (n + 1) * RECORD <= size; n++)
		damages[n] = damage(core, data + 2 + n * RECORD);
	snapshot(core->fd, data[1]);
	while (n-- > 0)
		assert(pwrite(core->fd, damages[n].was, WORD, (off_t)damages[n].at) ==
		       WORD);
	return 0;
}
