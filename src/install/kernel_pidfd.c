/* SPDX-License-Identifier: Apache-2.0 */
#include "src/install/kernel_pidfd.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

enum { FIRST = 6, SECOND = 16 };

bool kernel_is(unsigned wanted_first, unsigned wanted_second)
{
	struct utsname kernel;
	unsigned first, second;

	return uname(&kernel) == 0 &&
	       sscanf(kernel.release, "%u.%u", &first, &second) == 2 &&
	       (first > wanted_first ||
		(first == wanted_first && second >= wanted_second));
}

/* Lines like "ffffffff8175bf50 t umh_coredump_setup"; compilers may append ".llvm.1234". */
static bool has_function(const char *wanted)
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512];
	bool found = false;

	while (f && !found && fgets(line, sizeof(line), f)) {
		const char *name = strrchr(line, ' ');
		const size_t len = strlen(wanted);
		found = name && strncmp(name + 1, wanted, len) == 0 &&
			strchr(".\n", name[1 + len]);
	}
	if (f)
		fclose(f);
	return found;
}

bool kernel_passes_pidfd(void)
{
	return kernel_is(FIRST, SECOND) || has_function("umh_coredump_setup");
}
