/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/src/analysis/scene.h"

#include "lib/document/sink.h"
#include "printers/printers.h"

struct scene scene;

struct operations {
	struct runtime *rt;
};

static char runtimes[4]; /* only their addresses matter */

struct runtime *runtimes_get(const struct runtimes *all, size_t i)
{
	(void)all;
	return (struct runtime *)&runtimes[i];
}

size_t runtimes_count(const struct runtimes *all)
{
	(void)all;
	return scene.runtimes;
}

size_t runtimes_stack_count(const struct runtimes *all)
{
	(void)all;
	return SCENE_STACKS;
}

size_t runtimes_goroutine_count(const struct runtimes *all)
{
	(void)all;
	return scene.count;
}

struct goroutine_of runtimes_goroutine(const struct runtimes *all, size_t i)
{
	const struct scene_goroutine *g = &scene.goroutines[i];

	return (struct goroutine_of){ g->runtime, runtimes_get(all, g->runtime),
				      &g->record };
}

static struct scene_goroutine *goroutine_of(const struct goroutine *g)
{
	return &scene.goroutines[g->id - SCENE_FIRST_ID];
}

bool runtime_wait(struct runtime *rt, const struct goroutine *g, struct wait *ret)
{
	(void)rt;
	*ret = goroutine_of(g)->wait;
	return goroutine_of(g)->waits;
}

enum wait_operation runtime_wait_case(const struct runtime *rt, size_t i,
				      struct wait_channel *ret)
{
	(void)rt;
	*ret = scene.cases[i].channel;
	return scene.cases[i].operation;
}

struct operations *operations_new(struct runtime *rt)
{
	struct operations *ret = xcalloc(1, sizeof(*ret));

	ret->rt = rt;
	scene.known++;
	return ret;
}

void operations_free(struct operations *a)
{
	scene.known -= a != NULL;
	xfree(a);
}

/* Of a goroutine of another runtime it knows nothing. */
bool operations_of(struct operations *a, const struct goroutine *g,
		   const struct operation_question *question, bool *ret_any)
{
	const struct scene_goroutine *one = goroutine_of(g);

	*ret_any = false;
	if (scene.asked == scene.allowed)
		return false;
	if (scene.asked++ == 0)
		scene.first_asked = (uint32_t)(one - scene.goroutines);
	if (a->rt != runtimes_get(NULL, one->runtime))
		return true;
	for (size_t i = 0; i < one->operation_count; i++)
		if (!one->operations[i].addr ||
		    question->wanted(question->arg, one->operations[i].addr))
			question->fn(question->arg, &one->operations[i]);
	*ret_any = one->operation_count != 0;
	return true;
}

struct operation_doubt operations_doubt(struct operations *a, const struct goroutine *g,
					enum operation release, uint64_t addr,
					uint32_t frame)
{
	(void)a;
	(void)release;
	(void)addr;
	(void)frame;
	return goroutine_of(g)->doubt;
}

bool operations_started(struct operations *a, const struct goroutine *g, uint32_t frame,
			const struct goroutine *started)
{
	(void)a;
	return frame == 0 && goroutine_of(started)->started_by == g->id;
}

bool runtime_code_at(struct runtime *rt, uint64_t pc, struct code_frame *ret)
{
	(void)rt;
	*ret = (struct code_frame){
		.line = (uint32_t)pc,
		.function = pc == SCENE_IN_WAIT ? "sync.(*Cond).Wait" : NULL,
	};
	return pc != NO_CODE;
}

void print_code_location(struct sink *out, const struct code_frame *f)
{
	sink_named_uint(out, "line", f->line);
}

void print_whose(struct sink *out, const struct runtimes *all, const struct runtime *rt)
{
	(void)all;
	sink_named_uint(out, "runtime", (uint64_t)((const char *)rt - runtimes));
}

const char *wait_kind_name(enum wait_kind kind)
{
	return kind == WAIT_MUTEX ? "mutex" : "other";
}

void scene_begin(void)
{
	memset(&scene, 0, sizeof(scene));
	scene.runtimes = 1;
	scene.allowed = SIZE_MAX;
}

uint32_t scene_add(void)
{
	const size_t i = scene.count++;

	scene.goroutines[i].record = (struct goroutine){
		.id = SCENE_FIRST_ID + i,
		.stack = (uint32_t)(i % SCENE_STACKS),
	};
	return (uint32_t)i;
}

uint32_t scene_waiter(enum wait_kind kind, uint64_t addr)
{
	const uint32_t i = scene_add();

	scene.goroutines[i].waits = true;
	scene.goroutines[i].wait = (struct wait){
		.kind = kind,
		.addr = addr,
		.channel.addr = addr,
	};
	return i;
}

void scene_says_at(uint32_t goroutine, const struct operation_at *at)
{
	struct scene_goroutine *g = &scene.goroutines[goroutine];

	g->operations[g->operation_count++] = *at;
}

void scene_says(uint32_t goroutine, enum operation operation, enum operation_when when,
		uint64_t addr)
{
	const struct operation_at at = { operation, when, addr, 1, 0, false };

	scene_says_at(goroutine, &at);
}

bool scene_everybody(void *arg, const struct goroutine *g)
{
	(void)arg;
	(void)g;
	return true;
}

bool scene_not_first_stack(void *arg, const struct goroutine *g)
{
	(void)arg;
	return g->stack != 0;
}

void scene_look(struct wait_graph *ret)
{
	struct groups groups;

	groups_init(&groups, NULL, scene_everybody, NULL);
	wait_graph_find(ret, NULL, &groups);
	groups_done(&groups);
}

const struct partner *scene_partner(const struct wait_graph *w, uint64_t addr,
				    uint32_t goroutine)
{
	const struct wait_object *o = wait_graph_object(w, addr);

	for (uint32_t i = 0; o && i < o->partner_count; i++)
		if (w->partners[o->first_partner + i].goroutine == goroutine)
			return &w->partners[o->first_partner + i];
	return NULL;
}
