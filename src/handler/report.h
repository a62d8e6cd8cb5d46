/* SPDX-License-Identifier: Apache-2.0 */
/* report.h - what a handler says. The kernel starts it without a terminal: then it speaks to the log of
 * the kernel, which is where the kernel itself complains about cores. */
#ifndef GOSNAP_REPORT_H
#define GOSNAP_REPORT_H

#include <sys/types.h>

/* Before anything else. pid: whose crash it is. */
void report_open(pid_t pid);
/* One sentence. To the kernel's log as "gosnap: crash of PID: ...". */
void report(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
