/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "src/bpf/written.h"

#include <stdio.h>
#include <sys/inotify.h>
#include <unistd.h>

int written_open(void)
{
	return inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
}

int written_add(int written, int file)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return inotify_add_watch(written, path, IN_MODIFY | IN_ONESHOT);
}

void written_remove(int written, int number)
{
	if (number >= 0)
		inotify_rm_watch(written, number);
}

int written_next(int written)
{
	struct inotify_event event; /* has no name, as files are not in folders here */

	while (read(written, &event, sizeof(event)) == sizeof(event))
		if (event.mask & IN_MODIFY)
			return event.wd;
	return -1;
}
