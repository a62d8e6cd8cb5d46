/* SPDX-License-Identifier: Apache-2.0 */
/* root_file.h - files whose names others choose: a process, or whoever may write to its folders.
 * Below the root of another process its links are followed as it would follow them, and none
 * leads out. Pipes, devices and files of the kernel (/proc, /sys) are never opened. */
#ifndef GOSNAP_ROOT_FILE_H
#define GOSNAP_ROOT_FILE_H

#include <sys/types.h>

/* The root of a process, for root_file_open(); -1: it cannot be had. */
int root_open(pid_t pid);
/* A regular file for reading; -1 and errno, EINVAL: it is none. path is absolute below a root.
 * root -1: our own. */
int root_file_open(int root, const char *path);

#endif
