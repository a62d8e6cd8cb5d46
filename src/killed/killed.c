/* SPDX-License-Identifier: Apache-2.0 */
#include "src/killed/killed.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/target/arch.h"

/* A control group may be killed as a whole. */
enum { AT_ONCE = 64 };
/* Of pieces, of all of them. */
#define BYTES_MAX (UINT64_C(256) << 20)
/* The end of a process is lost if there was no room for it. */
#define OLD_NS (UINT64_C(10) * 1000 * 1000 * 1000)

struct dying_process {
	pid_t pid; /* 0: none */
	uint64_t start_boottime_ns, heard_ns, bytes, left_out;
	FILE *pieces; /* NULL: it could not be made */
};

struct killed_list {
	struct dying_process list[AT_ONCE];
	uint64_t bytes, lost;
};

struct killed_list *killed_list_new(void)
{
	return xcalloc(1, sizeof(struct killed_list));
}

static void give_up(struct killed_list *all, struct dying_process *p)
{
	all->bytes -= p->bytes;
	if (p->pieces)
		fclose(p->pieces);
	*p = (struct dying_process){ .pid = 0 };
}

void killed_list_free(struct killed_list *list)
{
	if (!list)
		return;
	for (size_t i = 0; i < AT_ONCE; i++)
		give_up(list, &list->list[i]);
	xfree(list);
}

void killed_done(struct killed *killed)
{
	if (killed->pieces >= 0)
		close(killed->pieces);
	killed->pieces = -1;
}

static bool is_of(const struct dying_process *p, const struct kill_record *record)
{
	return p->pid == (pid_t)record->pid &&
	       p->start_boottime_ns == record->start_boottime_ns;
}

static void begin(struct dying_process *p, const struct kill_record *record)
{
	const int file = memfd_create("gosnap-killed", MFD_CLOEXEC);

	*p = (struct dying_process){ .pid = (pid_t)record->pid,
				     .start_boottime_ns = record->start_boottime_ns,
				     .pieces = file < 0 ? NULL : fdopen(file, "w+") };
	if (file >= 0 && !p->pieces)
		close(file);
}

/* NULL: too many at once. */
static struct dying_process *process_of(struct killed_list *all,
					const struct kill_record *record, uint64_t now)
{
	struct dying_process *place = NULL;

	for (size_t i = 0; i < AT_ONCE; i++) {
		struct dying_process *p = &all->list[i];
		if (p->pid && is_of(p, record))
			return p;
		if (p->pid && now - p->heard_ns > OLD_NS)
			give_up(all, p);
		if (!p->pid)
			place = p;
	}
	if (place)
		begin(place, record);
	return place;
}

static void keep(struct killed_list *all, struct dying_process *p,
		 const struct kill_record *record, uint64_t len)
{
	static const uint8_t zeros[WORD];

	if (p->pieces && all->bytes + len <= BYTES_MAX &&
	    fwrite(&len, sizeof(len), 1, p->pieces) == 1 &&
	    fwrite(record, len, 1, p->pieces) == 1 &&
	    fwrite(zeros, 1, -len % WORD, p->pieces) == -len % WORD) {
		p->bytes += len;
		all->bytes += len;
	} else {
		p->left_out++;
	}
}

static bool finish(struct killed_list *all, struct dying_process *p,
		   const struct kill_record *record, struct killed *ret)
{
	*ret = (struct killed){ .end = *(const struct kill_end *)record, .pieces = -1 };
	if (p->pieces && fflush(p->pieces) == 0)
		ret->pieces = dup(fileno(p->pieces));
	ret->left_out = p->left_out;
	give_up(all, p);
	return true;
}

bool killed_list_add(struct killed_list *list, const struct kill_record *record,
		     size_t len, struct killed *ret)
{
	const uint64_t now = monotonic_ns();
	struct dying_process *p = process_of(list, record, now);

	if (!p) {
		list->lost++;
		return false;
	}
	p->heard_ns = now;
	if (record->kind == KILL_END)
		return finish(list, p, record, ret);
	keep(list, p, record, len);
	return false;
}

uint64_t killed_list_lost(const struct killed_list *list)
{
	return list->lost;
}
