/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* hold.h - keeps a thread in the kernel, at the instruction where it is, until user space lets it go on, or a
 * time is over. No signal is sent, so nobody sees it; and whatever happens to us, the thread goes on by
 * itself. For programs that may sleep. */
#ifndef GOSNAP_BPF_HOLD_H
#define GOSNAP_BPF_HOLD_H

#include "src/bpf/kernel.h"

enum { HOLD_TURNS = 1 << 22 }; /* more than there is time for */

struct hold {
	__u64 number; /* that user space writes to *released */
	__u64 until;
	__u64 page; /* an address on the thread's stack */
	const volatile __u64 *released;
};

static int hold_once(__u32 i, struct hold *h)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 word;

	if (*h->released == h->number || bpf_ktime_get_ns() > h->until ||
	    (BPF_CORE_READ(task, signal, flags) & KERNEL_GROUP_EXIT))
		return 1;
	/* Others get the CPU here, also where the kernel is not preempted: get_user_pages() yields, if the
	 * page exists. So it is the thread's stack. */
	bpf_copy_from_user_task(&word, sizeof(word), (void *)h->page, task, 0);
	return 0;
}

/* False: nobody has let it go. */
static __attribute__((noinline)) bool hold(struct hold *h)
{
	bpf_loop(HOLD_TURNS, hold_once, h, 0);
	return *h->released == h->number;
}

#endif
