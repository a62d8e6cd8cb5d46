/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates how much of a process is in huge pages. /proc/PID/smaps_rollup reports it,
 * but visits every page with the memory map locked: 40 ms for 4 GB. A sample suffices. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/procfs/conditions_priv.h"
#include "lib/procfs/proc_file.h"

enum {
	HUGE_BYTES = 2 << 20,
	SMALL_FILE = 4096,
	MAPS_LINE_MAX = 256, /* on average */
	SAMPLES = 256,
	LOOKS_MAX = 2048,
	/* If sampling is impossible: use the rollup if memory is small enough for about a
	 * millisecond. */
	ROLLUP_BYTES = 64 << 20,
};

/* From linux/fs.h, which may be older than the kernel. */
struct scan_region {
	uint64_t start, end, categories;
};
struct scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t inverted, mask, any_of, wanted;
};
#define SCAN_PAGES _IOWR('f', 16, struct scan_arg)
enum { SCAN_FILE = 1 << 2, SCAN_PRESENT = 1 << 3, SCAN_HUGE = 1 << 6 };

bool page_scan(int pagemap, uint64_t start, uint64_t end, struct page *ret)
{
	struct scan_region region = { 0 };
	struct scan_arg arg = {
		.size = sizeof(arg),
		.start = start / PAGE_BYTES * PAGE_BYTES,
		.end = end,
		.vec = (uintptr_t)&region,
		.vec_len = 1,
		.max_pages = 1,
		.mask = SCAN_PRESENT,
		.wanted = SCAN_PRESENT | SCAN_HUGE | SCAN_FILE,
	};
	int n = ioctl(pagemap, SCAN_PAGES, &arg);

	*ret = (struct page){
		.found = n > 0,
		.addr = region.start,
		.huge = region.categories & SCAN_HUGE,
		.of_file = region.categories & SCAN_FILE,
	};
	return n >= 0;
}

/* "start-end rw-p 00000000 00:00 0 ": mappings that may hold private memory. */
static uint64_t private_bytes(const char *line, uint64_t *ret_start)
{
	uint64_t start = 0, end = 0;
	char rights[5] = "";

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, rights) != 3 ||
	    rights[1] != 'w' || rights[3] != 'p' || end <= start)
		start = end = 0;
	*ret_start = start;
	return end - start;
}

static uint64_t count_lines(const char *text)
{
	uint64_t n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

struct sample {
	int pagemap;
	uint64_t step, looks, pages, huge;
};

/* Visits present pages at intervals of a step. The kernel skips empty regions at once:
 * shadow memory of sanitizers is terabytes, almost all of them empty. */
static bool look(struct sample *s, uint64_t start, uint64_t end)
{
	struct page page = { .found = true };

	while (start < end && s->looks < LOOKS_MAX) {
		s->looks++;
		if (!page_scan(s->pagemap, start, end, &page))
			return false;
		if (!page.found)
			break;
		s->pages += !page.of_file;
		s->huge += !page.of_file && page.huge;
		start = page.addr + s->step;
	}
	return true;
}

/* How many of a thousand present private pages are huge; -1: unknown. */
static int huge_share(const struct conditions *c, pid_t pid, const char *maps)
{
	struct sample s = { .step = c->anonymous / SAMPLES / PAGE_BYTES * PAGE_BYTES };
	char path[64];
	uint64_t start;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", pid);
	s.pagemap = open(path, O_RDONLY | O_CLOEXEC);
	s.step += PAGE_BYTES;
	bool asked = s.pagemap >= 0;
	for (const char *line = maps, *eol; asked && (eol = strchr(line, '\n'));
	     line = eol + 1) {
		uint64_t size = private_bytes(line, &start);
		asked = look(&s, start, start + size);
	}
	if (s.pagemap >= 0)
		close(s.pagemap);
	if (!asked)
		return -1;
	return s.pages ? (int)(s.huge * 1000 / s.pages) : 0;
}

/* False only if the kernel says so: a container may lack /sys. */
static bool can_be_huge(const struct conditions *c, pid_t pid)
{
	AUTO(xfree)
	char *mode =
		slurp("/sys/kernel/mm/transparent_hugepage/enabled", SMALL_FILE, NULL);
	AUTO(xfree) char *status = proc_file(pid, "status");
	const char *allowed = proc_line(status, "THP_enabled");

	return c->anonymous >= HUGE_BYTES && !(mode && strstr(mode, "[never]")) &&
	       !(allowed && *allowed == '0');
}

void conditions_mappings(struct conditions *c, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	AUTO(xfree) char *maps = slurp(path, LIMIT_MAPPINGS * MAPS_LINE_MAX, NULL);
	if (!maps)
		return;
	c->mappings = count_lines(maps);
	if (!can_be_huge(c, pid))
		return;
	int share = c->kernel.pagemap_scan ? huge_share(c, pid, maps) : -1;
	if (share >= 0) {
		c->huge = c->anonymous / 1000 * (uint64_t)share;
	} else if (c->anonymous <= ROLLUP_BYTES) {
		AUTO(xfree) char *rollup = proc_file(pid, "smaps_rollup");
		c->huge = proc_number(rollup, "AnonHugePages", 10) * 1024;
	}
}
