/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* uprobes.h - attaches a program to places in a file, in all processes that run it, now and later: by one
 * uprobe_multi link, or by a perf event for each place where the kernel is older than 6.6. Private to
 * src/bpf. */
#ifndef GOSNAP_BPF_UPROBES_H
#define GOSNAP_BPF_UPROBES_H

#include <bpf/libbpf.h>

#include "lib/base/err.h"
#include "src/bpf/uprobe_links.h"

/* Before it is loaded. */
void uprobes_set_multi(struct bpf_program *program);

/* Once it is loaded: older kernels may load it, and then know no such link. */
bool uprobes_has_multi(const struct bpf_program *program);

/* multi: it was loaded so. file: its descriptor. NULL: err. */
struct uprobe_links *uprobes_attach(const struct bpf_program *program, bool multi,
				    int file, const uint64_t *offsets,
				    const uint64_t *cookies, size_t n, struct err *err);

/* Says in one sentence why the kernel does not load a program, and which release does ("6.1"); false. */
bool bpf_refused(int error, const char *needed, struct err *err);
void bpf_say_nothing(void); /* by libbpf, on stderr */

#endif
