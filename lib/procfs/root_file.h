/* SPDX-License-Identifier: Apache-2.0 */
/* root_file.h - opens files whose paths come from elsewhere: from a process, or from
 * anyone who can write to its folders. Below the root of another process, links resolve
 * as they do for it, and none can escape. Pipes, devices and kernel files (/proc, /sys)
 * are never opened. */
#ifndef GOSNAP_ROOT_FILE_H
#define GOSNAP_ROOT_FILE_H

#include <sys/types.h>

/* The root of a process, for root_file_open(). -1: not available. */
int root_open(pid_t pid);
/* Opens a regular file for reading; -1 and errno (EINVAL: not a regular file). path is
 * absolute, below root; root -1: our own root. */
int root_file_open(int root, const char *path);
/* The text of a link, as readlink(2) gives it, unless it is on a kernel file system. path: from our own
 * root. */
ssize_t root_link_read(const char *path, char *ret, size_t size);

#endif
