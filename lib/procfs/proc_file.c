/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/proc_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL_FILE = 65536 };

char *proc_file(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	return slurp(path, SMALL_FILE, NULL);
}

const char *proc_line(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *p = text; p && (p = strstr(p, key)); p += len)
		if (p[len] == ':' && (p == text || p[-1] == '\n'))
			return p + len + 1 + strspn(p + len + 1, " \t");
	return NULL;
}

uint64_t proc_number(const char *text, const char *key, int base)
{
	const char *p = proc_line(text, key);

	return p ? strtoull(p, NULL, base) : 0;
}

size_t proc_ids(const char *status, pid_t *ret, size_t max)
{
	const char *p = proc_line(status, "NSpid");
	size_t n = 0;

	for (char *rest; p && *p && *p != '\n'; p = rest) {
		long id = strtol(p, &rest, 10);
		if (rest == p)
			break;
		if (n < max)
			ret[n] = (pid_t)id;
		n++;
	}
	return n;
}

void proc_name(const char *status, char *ret, size_t size)
{
	/* Not proc_line(): a name may start with blanks. */
	if (strncmp(status, "Name:\t", 6) == 0)
		snprintf(ret, size, "%.*s", (int)strcspn(status + 6, "\n"), status + 6);
}

const char *proc_stat_field(const char *stat, enum proc_stat field)
{
	const char *p = stat ? strrchr(stat, ')') : NULL;

	p = p && p[1] == ' ' ? p + 2 : NULL;
	for (unsigned i = PROC_STAT_STATE; p && i < field; i++)
		if ((p = strchr(p, ' ')))
			p++;
	return p;
}

uint64_t proc_stat_number(const char *stat, enum proc_stat field)
{
	const char *p = proc_stat_field(stat, field);

	return p ? strtoull(p, NULL, 10) : 0;
}

bool proc_stat_is_exiting(const char *stat)
{
	/* PF_EXITING of the kernel's sched.h: set before the memory is released. */
	enum { EXITING = 0x4 };
	const char *state = proc_stat_field(stat, PROC_STAT_STATE);

	return !state || *state == 'Z' || *state == 'X' ||
	       (proc_stat_number(stat, PROC_STAT_FLAGS) & EXITING);
}

uint64_t proc_started(pid_t pid)
{
	AUTO(xfree) char *stat = proc_file(pid, "stat");

	return proc_stat_number(stat, PROC_STAT_START);
}

bool proc_is_of(pid_t pid, uint64_t start_boottime_ns)
{
	const uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);

	return proc_started(pid) == start_boottime_ns / tick_ns;
}

bool proc_elf_head(pid_t pid, unsigned char *ret, size_t len)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	bool elf = pread(fd, ret, len, 0) == (ssize_t)len && len >= SELFMAG &&
		   memcmp(ret, ELFMAG, SELFMAG) == 0;
	close(fd);
	return elf;
}
