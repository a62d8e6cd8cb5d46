/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* ability.h - may and can we run programs in this kernel? Decided from facts, so that what cannot be had
 * here can be tested. */
#ifndef GOSNAP_BPF_ABILITY_H
#define GOSNAP_BPF_ABILITY_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "src/bpf/fault.h"

struct bpf_facts {
	bool built;	   /* this gosnap has such programs */
	bool whole;	   /* we see the process numbers of the machine: no container */
	bool btf;	   /* the kernel describes its types */
	bool confidential; /* it is locked down so that nothing may read its memory */
	bool permitted;	   /* CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE, or CAP_SYS_ADMIN */
	unsigned linux_major, linux_minor; /* Linux 6.1 */
	bool admin;	 /* CAP_SYS_ADMIN, without which only Linux 6.6 attaches probes */
	bool may_signal; /* CAP_KILL */
};
/* Says so in err; false. */
bool bpf_not_built(struct err *err);
void bpf_facts_read(struct bpf_facts *ret);
/* False: err says in one sentence what is in the way: ERR_UNSUPPORTED, ERR_CANNOT, ERR_PERMISSION. */
MUST_CHECK bool bpf_judge(const struct bpf_facts *facts, struct err *err);
/* The same of the programs that see faults, which an older kernel has if it need not keep threads. */
MUST_CHECK bool bpf_judge_faults(const struct bpf_facts *facts, enum fault_hold hold_by,
				 struct err *err);
/* The same of stopping processes, all of which we must be able to let go again. */
MUST_CHECK bool bpf_judge_stops(const struct bpf_facts *facts, struct err *err);

#endif
