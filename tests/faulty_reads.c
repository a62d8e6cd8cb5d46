/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded into gosnap by faults.test: reads of another process's memory fail.
 * FAULTS_EVERY=K: each K-th one; FAULTS_SEED=S: each by chance, one in K.
 * FAULTS_HOW=fault (EFAULT) or short (only part of it is read, the rest is garbage).
 * FAULTS_REPORT=FILE gets "READS FAULTS" at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static unsigned long reads, faults, every;
static bool by_chance, partly;

__attribute__((constructor)) static void begin(void)
{
	const char *k = getenv("FAULTS_EVERY"), *seed = getenv("FAULTS_SEED"),
		   *how = getenv("FAULTS_HOW");

	every = k ? strtoul(k, NULL, 10) : 0;
	by_chance = seed != NULL;
	srandom(seed ? (unsigned)atoi(seed) : 0);
	partly = how && strcmp(how, "short") == 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAULTS_REPORT");
	FILE *f = path ? fopen(path, "w") : NULL;

	if (f) {
		fprintf(f, "%lu %lu\n", reads, faults);
		fclose(f);
	}
}

static bool fails(void)
{
	reads++;
	bool yes = every && (by_chance ? (unsigned long)random() : reads) % every == 0;
	faults += yes;
	return yes;
}

/* What was read, cut in half. */
static ssize_t cut(const struct iovec *local, unsigned long n, ssize_t got)
{
	size_t left = (size_t)got / 2;

	for (unsigned long i = 0; i < n; i++) {
		size_t keep = left < local[i].iov_len ? left : local[i].iov_len;
		memset((char *)local[i].iov_base + keep, 0xa5, local[i].iov_len - keep);
		left -= keep;
	}
	if (got / 2 == 0)
		errno = EFAULT;
	return got / 2 ? got / 2 : -1;
}

ssize_t process_vm_readv(pid_t pid, const struct iovec *local, unsigned long n,
			 const struct iovec *remote, unsigned long remote_n,
			 unsigned long flags)
{
	static __typeof__(process_vm_readv) *real;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "process_vm_readv");
	if (!fails())
		return real(pid, local, n, remote, remote_n, flags);
	ssize_t got = partly ? real(pid, local, n, remote, remote_n, flags) : -1;
	if (got > 0)
		return cut(local, n, got);
	errno = EFAULT;
	return -1;
}

/* Is it /proc/PID/mem? */
static bool is_memory(int fd)
{
	char link[64], path[256];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, path, sizeof(path));
	return n > 4 && memcmp(path + n - 4, "/mem", 4) == 0 &&
	       memcmp(path, "/proc/", 6) == 0;
}

static ssize_t pread_or_fail(ssize_t (*real)(int, void *, size_t, off_t), int fd,
			     void *buf, size_t len, off_t at)
{
	if (!is_memory(fd) || !fails())
		return real(fd, buf, len, at);
	ssize_t got = partly ? real(fd, buf, len, at) : -1;
	if (got > 0)
		return cut(&(struct iovec){ buf, len }, 1, got);
	errno = EIO;
	return -1;
}

ssize_t pread(int fd, void *buf, size_t len, off_t at)
{
	static ssize_t (*real)(int, void *, size_t, off_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pread");
	return pread_or_fail(real, fd, buf, len, at);
}

ssize_t pread64(int fd, void *buf, size_t len, off_t at)
{
	static ssize_t (*real)(int, void *, size_t, off_t);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "pread64");
	return pread_or_fail(real, fd, buf, len, at);
}
