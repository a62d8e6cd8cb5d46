/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#include "src/bpf/uprobes.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of kernel 6.6, newer than the headers of Debian 12: BPF_TRACE_UPROBE_MULTI. */
enum { TRACE_UPROBE_MULTI = 48 };

struct uprobe_links {
	int multi; /* a link with all points; -1: none */
	struct bpf_link **list;
	size_t count;
};

/* bpf(2), BPF_LINK_CREATE. */
struct multi_link {
	uint32_t program, target, type, flags;
	uint64_t path, offsets, counters, cookies;
	uint32_t count, multi_flags, pid, padding;
};

void uprobes_set_multi(struct bpf_program *program)
{
	bpf_program__set_expected_attach_type(program,
					      (enum bpf_attach_type)TRACE_UPROBE_MULTI);
}

static int link_multi(int program, const char *path, const uint64_t *offsets,
		      const uint64_t *cookies, size_t n)
{
	struct multi_link link = {
		.program = (uint32_t)program,
		.type = TRACE_UPROBE_MULTI,
		.path = (uintptr_t)path,
		.offsets = (uintptr_t)offsets,
		.cookies = (uintptr_t)cookies,
		.count = (uint32_t)n,
	};

	return (int)syscall(SYS_bpf, BPF_LINK_CREATE, &link, sizeof(link));
}

/* Who knows the link looks at the path: this is no file. */
bool uprobes_has_multi(const struct bpf_program *program)
{
	const uint64_t offset = 0, cookie = 0;
	const int link = link_multi(bpf_program__fd(program), "/", &offset, &cookie, 1);

	if (link >= 0)
		close(link);
	return link < 0 && errno == EBADF;
}

static bool attach_each(const struct bpf_program *program, const char *path,
			const uint64_t *offsets, const uint64_t *cookies, size_t n,
			struct uprobe_links *ret)
{
	ret->list = xcalloc(n, sizeof(struct bpf_link *));
	for (size_t i = 0; i < n; i++) {
		LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = cookies[i]);
		ret->list[i] = bpf_program__attach_uprobe_opts(program, -1, path,
							       offsets[i], &options);
		if (!ret->list[i])
			return false;
		ret->count++;
	}
	return true;
}

struct uprobe_links *uprobes_attach(const struct bpf_program *program, bool multi,
				    int file, const uint64_t *offsets,
				    const uint64_t *cookies, size_t n, struct err *err)
{
	AUTO(xfree) char *path = xasprintf("/proc/self/fd/%d", file);
	AUTO(uprobe_links_close) struct uprobe_links *links = xcalloc(1, sizeof(*links));

	links->multi = -1;
	if (multi)
		links->multi =
			link_multi(bpf_program__fd(program), path, offsets, cookies, n);
	if (multi ? links->multi < 0
		  : !attach_each(program, path, offsets, cookies, n, links)) {
		if (!multi && errno == EACCES)
			err_set(err, ERR_PERMISSION,
				"the older kind of probe requires CAP_SYS_ADMIN: run "
				"gosnap as root, or with it");
		else
			err_sys(err, "cannot attach probes");
		return NULL;
	}
	return TAKE(links);
}

void uprobe_links_close(struct uprobe_links *links)
{
	if (!links)
		return;
	if (links->multi >= 0)
		close(links->multi);
	for (size_t i = 0; i < links->count; i++)
		bpf_link__destroy(links->list[i]);
	xfree(links->list);
	xfree(links);
}

bool bpf_refused(int error, const char *needed, struct err *err)
{
	if (error == EPERM || error == EACCES)
		return err_set(err, ERR_PERMISSION,
			       "the kernel does not permit gosnap to load its programs: "
			       "run it as root, or with CAP_BPF, CAP_PERFMON and "
			       "CAP_SYS_PTRACE");
	return err_set(err, ERR_UNSUPPORTED,
		       "the kernel cannot run the programs of gosnap (%s): they need "
		       "Linux %s",
		       strerror(error), needed);
}

static int say_nothing(enum libbpf_print_level level, const char *format, va_list ap)
{
	(void)level, (void)format, (void)ap;
	return 0;
}

void bpf_say_nothing(void)
{
	libbpf_set_print(say_nothing);
}
