/* SPDX-License-Identifier: Apache-2.0 */
#include "src/options/spool_options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

const struct option_info spool_options[] = { { 0, "spool", "DIR", "read the spool in DIR",
					       OPTION_STRING(struct spool_arguments,
							     spool) },
					     { .name = NULL } };

struct spool *spool_of(struct spool_arguments *arguments, struct err *err)
{
	struct err ignored; /* what is not understood has its default */

	const char *path = arguments->spool ? arguments->spool : getenv("GOSNAP_SPOOL");

	settings_read(SETTINGS_FOLDER, &arguments->settings, &ignored);
	if (!path || !*path)
		path = arguments->settings.spool;
	return spool_open_folder(path, false, err);
}

static int open_entry(const struct spool_entry *e)
{
	return open(e->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

/* The parent of the sandbox opens the entries of its own list, and nothing else. */
static void serve(void *arg, const struct question *q, int fd, struct answer *ret,
		  int *ret_fd)
{
	const struct spool_entries *all = arg;
	(void)fd;

	if (q->number < 0 || (size_t)q->number >= all->count) {
		ret->result = -EINVAL;
		return;
	}
	*ret_fd = open_entry(&all->list[q->number]);
	ret->result = *ret_fd < 0 ? -errno : 0;
}

struct spool_service spool_service_of(struct spool_entries *all)
{
	return (struct spool_service){ { { ASK_SPOOL_ENTRY, serve, all, NULL },
					 { .kind = 0 } } };
}

bool spool_entry_head(const struct spool_entries *all, size_t i, struct spool_head *ret,
		      struct err *err)
{
	int fd = sandbox_is_closed() ? sandbox_ask_for_file(ASK_SPOOL_ENTRY, i)
				     : open_entry(&all->list[i]);

	*ret = (struct spool_head){ 0 };
	return fd < 0 ? err_sys(err, "cannot open it") : spool_head_read(fd, ret, err);
}
