/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* kernel.h - the few types of the kernel that our programs look at, for programs that run in it. Names are
 * the kernel's; order, and what is left out, do not matter: CO-RE relocates each access to the
 * running kernel. So no vmlinux.h is needed. */
#ifndef GOSNAP_BPF_KERNEL_H
#define GOSNAP_BPF_KERNEL_H

#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define KERNEL_TYPE __attribute__((preserve_access_index))

struct thread_struct {
	unsigned long fsbase;
} KERNEL_TYPE;
struct tty_struct;
struct upid {
	int nr;
} KERNEL_TYPE;
struct pid {
	unsigned int level;
	struct upid numbers[];
} KERNEL_TYPE;
enum { PIDTYPE_TGID = 1 };
struct signal_struct {
	struct pid *pids[4];
	struct tty_struct *tty;
	unsigned int flags;
	int group_exit_code;
} KERNEL_TYPE;
struct super_block {
	__u32 s_dev;
} KERNEL_TYPE;
struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
} KERNEL_TYPE;
struct file {
	struct inode *f_inode;
} KERNEL_TYPE;
struct fdtable {
	struct file **fd;
} KERNEL_TYPE;
struct files_struct {
	struct fdtable *fdt;
} KERNEL_TYPE;
struct mm_struct {
	unsigned long start_code, start_stack, env_end;
	unsigned long saved_auxv[1];
	struct file *exe_file;
} KERNEL_TYPE;
struct task_struct {
	int pid, tgid;
	char comm[16];
	struct mm_struct *mm;
	struct files_struct *files;
	struct task_struct *real_parent;
	struct pid *thread_pid;
	unsigned int ptrace;
	__u64 start_boottime;
	struct thread_struct thread;
	struct signal_struct *signal;
	struct task_struct *group_leader;
} KERNEL_TYPE;

/* Of signal_struct.flags: SIGNAL_STOP_STOPPED, SIGNAL_GROUP_EXIT. */
enum { KERNEL_STOPPED = 1, KERNEL_GROUP_EXIT = 4 };

#endif
