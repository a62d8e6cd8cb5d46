/* SPDX-License-Identifier: Apache-2.0 */
#include "src/handler/report.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/util.h"

enum { LINE_MAX = 900 }; /* of a record: printk's LOG_LINE_MAX */

static int to = -1;
static pid_t whose;

/* main() fills the gaps of descriptors with those that cannot be written to. */
static bool is_usable(int fd)
{
	const int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & O_PATH);
}

void report_open(pid_t pid)
{
	whose = pid;
	to = is_usable(STDERR_FILENO) ? STDERR_FILENO
				      : open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
}

void report(const char *format, ...)
{
	char line[LINE_MAX];
	va_list ap;
	int n = snprintf(line, sizeof(line),
			 "%sgosnap: crash of %d: ", to == STDERR_FILENO ? "" : "<4>",
			 (int)whose);

	va_start(ap, format);
	vsnprintf(line + n, sizeof(line) - (size_t)n - 1, format, ap);
	va_end(ap);
	/* Names of files are untrusted. */
	for (char *c = line + n; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	n = (int)strlen(line);
	line[n] = '\n';
	if (to >= 0 && write(to, line, (size_t)n + 1) < 0)
		return; /* there is nobody else to tell */
}
