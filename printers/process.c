/* SPDX-License-Identifier: Apache-2.0 */
#include "image_debug.h"
#include "printers.h"

static void print_limits(struct sink *out, const struct process *p)
{
	sink_named_begin(out, "limits", SINK_ARRAY);
	for (size_t i = 0; i < p->limit_count; i++) {
		sink_begin(out, SINK_OBJECT);
		sink_named_string(out, "name", p->limits[i].name);
		sink_named_string(out, "soft", p->limits[i].soft);
		sink_named_string(out, "hard", p->limits[i].hard);
		sink_named_string(out, "units", p->limits[i].units);
		sink_end(out);
	}
	sink_end(out);
}

static void print_files(struct sink *out, const struct process *p)
{
	sink_named_begin(out, "files", SINK_ARRAY);
	for (size_t i = 0; i < p->file_count; i++) {
		sink_begin(out, SINK_OBJECT);
		sink_named_int(out, "fd", p->files[i].fd);
		sink_named_string(out, "target", p->files[i].target);
		sink_end(out);
	}
	sink_end(out);
}

static void print_mappings(struct sink *out, struct target *t)
{
	size_t n;
	const struct target_mapping *m = target_mappings(t, &n);

	sink_named_begin(out, "mappings", SINK_ARRAY);
	for (; n > 0; n--, m++) {
		char permissions[] = { m->readable ? 'r' : '-', m->writable ? 'w' : '-',
				       m->executable ? 'x' : '-', m->shared ? 's' : 'p',
				       '\0' };
		sink_begin(out, SINK_OBJECT);
		sink_named_address(out, "start", m->start);
		sink_named_address(out, "end", m->end);
		sink_named_string(out, "permissions", permissions);
		if (m->inode)
			sink_named_address(out, "offset", m->offset);
		sink_named_string(out, "path", m->path[0] ? m->path : NULL);
		sink_end(out);
	}
	sink_end(out);
}

static const char *unless_empty(const char *s)
{
	return s && *s ? s : NULL;
}

/* When it is a file apart. */
static void print_debug_file(struct sink *out, const struct image *exe)
{
	struct err ignored;
	const struct image *from = image_debug(exe, &ignored);

	if (from && from != exe)
		sink_named_string(out, "debug_file", image_path(from));
}

void print_process(struct sink *out, const struct process *p, struct target *t,
		   const struct images *images)
{
	const struct image *exe = images_count(images) ? images_get(images, 0) : NULL;

	sink_begin(out, SINK_OBJECT);
	sink_named_int(out, "pid", p->pid);
	if (p->pid_inside)
		sink_named_int(out, "pid_inside", p->pid_inside);
	sink_named_int(out, "ppid", p->ppid);
	sink_named_string(out, "exe", p->exe);
	if (p->exe_deleted)
		sink_named_bool(out, "exe_deleted", true);
	if (exe) {
		sink_named_string(out, "build_id", unless_empty(image_build_id(exe)));
		sink_named_string(out, "go_build_id",
				  unless_empty(image_go_build_id(exe)));
	}
	if (exe)
		print_debug_file(out, exe);
	sink_named_string(out, "cwd", p->cwd);
	if (p->has_ids) {
		sink_named_uint(out, "uid", p->uid);
		sink_named_uint(out, "gid", p->gid);
	}
	if (p->has_started) {
		sink_name(out, "started_at");
		sink_time(out, p->started_at_ns);
	}
	if (p->has_rss)
		sink_named_uint(out, "rss_bytes", p->rss_bytes);
	sink_named_string(out, "cgroup", p->cgroup);
	sink_named_string(out, "container", p->container);
	print_limits(out, p);
	if (p->files_readable)
		print_files(out, p);
	print_mappings(out, t);
	sink_end(out);
}
