/* SPDX-License-Identifier: Apache-2.0 */
/* privileged.h - does a program get privileges as it starts? The kernel refuses them to a program
 * whose tracer lacks CAP_SYS_PTRACE. Knows files only. */
#ifndef GOSNAP_PRIVILEGED_H
#define GOSNAP_PRIVILEGED_H

#include <stdbool.h>

/* A name without a slash is looked for as execvp() does. False if we may trace it all the same. */
bool is_privileged(const char *program);

#endif
