/* SPDX-License-Identifier: Apache-2.0 */
/* floor PID < RANGES: the least that reading costs. Stops the threads of a process, reads
 * the ranges ("ADDRESS LENGTH" in decimal, a line each) with process_vm_readv, 1,024 spans a
 * call, and lets them go. Prints how long the process was held, and since when. Only for the
 * bench: no care is taken of anything. */
#define _GNU_SOURCE
#include <sys/uio.h>

#include "threads.h"

enum { SPANS = 1024 };

static size_t read_ranges(struct iovec **ret, size_t *ret_bytes)
{
	struct iovec *list = NULL;
	unsigned long long addr, len;
	size_t n = 0, cap = 0, bytes = 0;

	while (scanf("%llu %llu", &addr, &len) == 2) {
		if (n == cap) {
			cap = cap ? cap * 2 : 1024;
			list = realloc(list, cap * sizeof(*list));
			if (!list)
				abort();
		}
		list[n++] = (struct iovec){ (void *)(uintptr_t)addr, len };
		bytes += len;
	}
	*ret = list;
	*ret_bytes = bytes;
	return n;
}

int main(int argc, char **argv)
{
	static pid_t tids[THREADS_MAX];
	struct iovec *ranges;
	size_t bytes, n = read_ranges(&ranges, &bytes), got = 0;
	char *to = malloc(bytes);

	if (argc != 2 || n == 0 || !to)
		return 1;
	uint64_t begin = now_ns();
	size_t threads = seize_threads(atoi(argv[1]), 0, tids);
	stop_threads(tids, threads);
	for (size_t i = 0; i < n; i += SPANS) {
		size_t some = n - i < SPANS ? n - i : SPANS, len = 0;
		for (size_t k = 0; k < some; k++)
			len += ranges[i + k].iov_len;
		struct iovec local = { to + got, len };
		ssize_t r =
			process_vm_readv(atoi(argv[1]), &local, 1, ranges + i, some, 0);
		if (r < 0 || (size_t)r != len)
			return 2;
		got += len;
	}
	for (size_t i = 0; i < threads; i++)
		ptrace(PTRACE_DETACH, tids[i], 0, 0);
	uint64_t end = now_ns();
	print_hold(begin, end);
	return 0;
}
