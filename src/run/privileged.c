/* SPDX-License-Identifier: Apache-2.0 */
#include "src/run/privileged.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/procfs/proc_file.h"

static bool may_trace_all(void)
{
	AUTO(xfree) char *status = proc_file(getpid(), "status");

	return has_capability(proc_number(status, "CapEff", 16), CAP_SYS_PTRACE);
}

static bool gives_privileges(const char *path)
{
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	return st.st_mode & S_ISUID || (st.st_mode & S_ISGID && st.st_mode & S_IXGRP) ||
	       getxattr(path, "security.capability", NULL, 0) > 0;
}

/* The first that can be executed. */
static bool is_found_privileged(const char *program)
{
	const char *path = getenv("PATH");

	for (const char *at = path ? path : "/bin:/usr/bin", *end;; at = end + 1) {
		end = at + strcspn(at, ":");
		AUTO(xfree)
		char *file = xasprintf("%.*s/%s", end > at ? (int)(end - at) : 1,
				       end > at ? at : ".", program);
		if (access(file, X_OK) == 0)
			return gives_privileges(file);
		if (!*end)
			return false;
	}
}

bool is_privileged(const char *program)
{
	if (may_trace_all())
		return false;
	return strchr(program, '/') ? gives_privileges(program)
				    : is_found_privileged(program);
}
