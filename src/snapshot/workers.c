/* SPDX-License-Identifier: Apache-2.0 */
#include "src/snapshot/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PIPE_BYTES = 1 << 20,
	DEATHS_MAX = 16, /* no more workers after that */
	SLOT_BYTES = 512 << 10,
	SLOTS = 8,
	NO_SLOT = SLOTS, /* the text comes through the pipe */
};

#define MESSAGE_MAX (UINT64_C(1) << 30)

struct message {
	uint64_t n, bytes; /* goroutines and size of their text; n 0: end of batch */
	uint64_t slot;	   /* contains the text */
};

/* Shared memory that a worker fills and we empty, slot by slot in turn: data in a pipe
 * would be copied twice by the kernel. */
struct slots {
	char *text; /* NULL: not available */
	int free;   /* eventfd that counts the free ones */
};

struct worker {
	pid_t pid;     /* 0: none */
	int to, from;  /* requests and messages */
	uint64_t born; /* its first batch */
	struct slots slots;
};

struct workers {
	struct worker list[WORKERS_MAX];
	unsigned count, deaths;
	uint64_t submitted, collected; /* batches */
	print_batch_fn *print;
	void (*prepare)(void *arg);
	void *arg;
	struct printed printed[BATCH_MAX];
	char *text;
	size_t text_size;
	char death[64];
};

/* The slots of all workers. */
static char *reserved;
static unsigned reserved_count;

void workers_reserve(unsigned count)
{
	const size_t size = (size_t)count * SLOTS * SLOT_BYTES;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	reserved = memory == MAP_FAILED ? NULL : memory;
	reserved_count = count;
}

unsigned workers_reserved(void)
{
	return reserved_count;
}

static struct slots slots_new(size_t worker)
{
	struct slots slots = { NULL, eventfd(SLOTS, EFD_SEMAPHORE | EFD_CLOEXEC) };

	if (reserved && worker < reserved_count && slots.free >= 0)
		slots.text = reserved + worker * SLOTS * SLOT_BYTES;
	return slots;
}

static void slots_done(struct slots *slots)
{
	if (slots->free >= 0)
		close(slots->free);
}

static char *slot_at(const struct slots *slots, uint64_t i)
{
	return slots->text + i * SLOT_BYTES;
}

/* Additional state of a worker. */
struct own {
	int to;
	struct slots slots;
	uint64_t next;
};

/* Waits for a free slot. False: use the pipe instead. */
static bool fill_slot(struct own *own, const char *text, size_t bytes, uint64_t *ret)
{
	uint64_t one;

	if (!own->slots.text || bytes > SLOT_BYTES ||
	    !read_fully(own->slots.free, &one, sizeof(one)))
		return false;
	*ret = own->next++ % SLOTS;
	memcpy(slot_at(&own->slots, *ret), text, bytes);
	return true;
}

static void send_back(void *arg, const struct printed *list, size_t n, const char *text,
		      size_t bytes)
{
	struct own *own = arg;
	struct message m = { n, bytes, NO_SLOT };
	const bool filled = fill_slot(own, text, bytes, &m.slot);

	if (!write_fully(own->to, &m, sizeof(m)) ||
	    !write_fully(own->to, list, n * sizeof(*list)) ||
	    (!filled && !write_fully(own->to, text, bytes)))
		_exit(0); /* our parent no longer needs it */
}

static void work(struct workers *w, int from, struct own *own) __attribute__((noreturn));
static void work(struct workers *w, int from, struct own *own)
{
	const struct message done = { 0, 0, NO_SLOT };
	struct batch batch;

	while (read_fully(from, &batch, sizeof(batch))) {
		w->print(w->arg, &batch, send_back, own);
		if (!write_fully(own->to, &done, sizeof(done)))
			break;
	}
	_exit(0);
}

/* Exits when the parent does, and closes the pipes of other workers. */
static void begin_work(struct workers *w, pid_t parent, int from, struct own *own)
{
	prctl(PR_SET_NAME, "gosnap-worker");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	for (unsigned i = 0; i < w->count; i++) {
		if (w->list[i].pid) {
			close(w->list[i].to);
			close(w->list[i].from);
			slots_done(&w->list[i].slots);
		}
	}
	w->prepare(w->arg);
	work(w, from, own);
}

static void start(struct workers *w, struct worker *ret)
{
	int requests[2], messages[2];
	pid_t parent = getpid();

	*ret = (struct worker){ .pid = 0 };
	if (pipe2(requests, O_CLOEXEC))
		return;
	if (pipe2(messages, O_CLOEXEC)) {
		close(requests[0]);
		close(requests[1]);
		return;
	}
	fcntl(messages[1], F_SETPIPE_SZ, PIPE_BYTES);
	struct slots slots = slots_new((size_t)(ret - w->list));
	pid_t pid = fork();
	if (pid == 0) {
		struct own own = { messages[1], slots, 0 };
		close(requests[1]);
		close(messages[0]);
		begin_work(w, parent, requests[0], &own);
	}
	close(requests[0]);
	close(messages[1]);
	if (pid > 0) {
		*ret = (struct worker){ pid, requests[1], messages[0], 0, slots };
	} else {
		slots_done(&slots);
		close(requests[1]);
		close(messages[0]);
	}
}

struct workers *workers_start(unsigned count, print_batch_fn *print,
			      void (*prepare)(void *arg), void *arg)
{
	struct workers *w = xcalloc(1, sizeof(*w));

	w->count = count < WORKERS_MAX ? count : WORKERS_MAX;
	if (!reserved_count)
		workers_reserve(w->count);
	w->print = print;
	w->prepare = prepare;
	w->arg = arg;
	for (unsigned i = 0; i < w->count; i++)
		start(w, &w->list[i]);
	return w;
}

static int end(struct worker *worker)
{
	int status = 0;

	if (!worker->pid)
		return 0;
	close(worker->to);
	close(worker->from);
	slots_done(&worker->slots);
	while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR)
		;
	worker->pid = 0;
	return status;
}

void workers_end(struct workers *w)
{
	for (unsigned i = 0; w && i < w->count; i++)
		if (w->list[i].pid)
			kill(w->list[i].pid, SIGKILL);
	for (unsigned i = 0; w && i < w->count; i++)
		end(&w->list[i]);
	if (w)
		xfree(w->text);
	xfree(w);
}

/* Its batches are lost, including the one submitted last. */
static void bury(struct workers *w, struct worker *worker)
{
	kill(worker->pid, SIGKILL); /* it may be alive and only have sent nonsense */
	int status = end(worker);

	if (WIFSIGNALED(status))
		snprintf(w->death, sizeof(w->death), "signal %d", WTERMSIG(status));
	else
		snprintf(w->death, sizeof(w->death), "status %d", WEXITSTATUS(status));
	if (++w->deaths <= DEATHS_MAX)
		start(w, worker);
	worker->born = w->submitted;
}

void workers_submit(struct workers *w, const struct batch *batch)
{
	struct worker *worker = &w->list[w->submitted % w->count];

	w->submitted++;
	if (worker->pid && !write_fully(worker->to, batch, sizeof(*batch)))
		bury(w, worker);
}

/* *ret_text: valid until end_message(). */
static bool read_message(struct workers *w, const struct worker *from,
			 struct message *ret, const char **ret_text)
{
	if (!read_fully(from->from, ret, sizeof(*ret)) || ret->n > BATCH_MAX ||
	    ret->bytes > MESSAGE_MAX || ret->slot > NO_SLOT ||
	    !read_fully(from->from, w->printed, (size_t)ret->n * sizeof(w->printed[0])))
		return false;
	if (ret->slot != NO_SLOT) {
		*ret_text = slot_at(&from->slots, ret->slot);
		return from->slots.text && ret->bytes <= SLOT_BYTES;
	}
	if (ret->bytes > w->text_size) {
		w->text_size = (size_t)ret->bytes;
		w->text = xreallocarray(w->text, w->text_size, 1);
	}
	*ret_text = w->text;
	return read_fully(from->from, w->text, (size_t)ret->bytes);
}

/* Only goroutines of this batch are accepted from a worker, in order. */
static bool is_sound(const struct workers *w, const struct message *m,
		     const struct batch *batch, uint64_t next)
{
	uint64_t bytes = 0;

	for (uint64_t i = 0; i < m->n; i++) {
		const struct printed *p = &w->printed[i];
		if (p->goroutine < next || p->goroutine >= batch->end ||
		    p->values > VALUES_NOT_ASKED)
			return false;
		next = p->goroutine + 1;
		bytes += p->bytes;
	}
	return bytes <= m->bytes;
}

/* False: the worker is gone. */
static bool end_message(const struct worker *from, const struct message *m)
{
	const uint64_t one = 1;

	return m->slot == NO_SLOT || write_fully(from->slots.free, &one, sizeof(one));
}

uint64_t workers_collect(struct workers *w, const struct batch *batch, printed_fn *fn,
			 void *fn_arg)
{
	struct worker *worker = &w->list[w->collected % w->count];
	uint64_t next = batch->first;
	struct message m;
	const char *text;

	bool has_it = worker->pid && worker->born <= w->collected;
	w->collected++;
	while (has_it) {
		if (!read_message(w, worker, &m, &text) ||
		    !is_sound(w, &m, batch, next)) {
			bury(w, worker);
			return next;
		}
		if (!m.n)
			return batch->end;
		fn(fn_arg, w->printed, (size_t)m.n, text, (size_t)m.bytes);
		next = w->printed[m.n - 1].goroutine + 1;
		if (!end_message(worker, &m)) {
			bury(w, worker);
			return next;
		}
	}
	return next;
}

const char *workers_death(const struct workers *w)
{
	return w->death[0] ? w->death : NULL;
}
