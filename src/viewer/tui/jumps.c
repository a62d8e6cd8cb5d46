/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "lib/document/reader.h"
#include "src/viewer/lookup/locks.h"
#include "src/viewer/panes/words.h"
#include "src/viewer/tui/tui_priv.h"

static const struct model_goroutine *goroutine_of(struct tui *t)
{
	const int64_t id = pane_goroutine_id(tui_focused(t), t->b);

	return id >= 0 ? words_find(t->b, id) : browse_current(t->b);
}

/* The first channel of a select; *ret_count: how many there are. */
static uint64_t first_channel(struct browse *b, const struct model_goroutine *g,
			      size_t *ret_count)
{
	const struct reader_node *what =
		model_open_member(b->model, g->place, "waiting_for");
	const struct reader_node *cases = node_get(what, "cases");
	const uint64_t first = node_address(node_get(node_at(cases, 0), "address"), 0);

	*ret_count = node_count(cases);
	node_drop(what);
	return first;
}

/* Of a select with several channels, the user chooses one: the cursor goes to the first. */
static uint64_t address_in_select(struct tui *t, const struct model_goroutine *g)
{
	size_t count;
	const uint64_t first = first_channel(t->b, g, &count);

	if (!first)
		browse_say(t->b, "it waits for no lock or channel");
	if (count < 2 || !first)
		return first;
	browse_goroutine(t->b, g->id, PANE_STACK);
	t->b->lock = first;
	browse_say(t->b,
		   "it waits for one of %zu channels: H, W and P are about the "
		   "row that is chosen",
		   count);
	return 0;
}

/* What the row is about, else what the goroutine waits for. 0: there is none yet, and it was said. */
static uint64_t address_of(struct tui *t)
{
	const uint64_t address = pane_address(tui_focused(t), t->b);
	const struct model_goroutine *g = goroutine_of(t);

	if (address)
		return address;
	if (g)
		return g->waits_address ? g->waits_address : address_in_select(t, g);
	browse_say(t->b, "this is about no lock, channel, pointer or goroutine");
	return 0;
}

void jump_to_creator(struct tui *t)
{
	const struct model_goroutine *g = goroutine_of(t);

	if (!g)
		browse_say(t->b, "this is about no goroutine");
	else
		browse_creator(t->b, g);
}

/* Lists them, unless there are none. */
static void list(struct tui *t, struct narrowing narrowing, const char *none)
{
	size_t count;

	xfree(narrowing_rows(&narrowing, t->b->model, true, SORT_AS_WRITTEN, &count));
	if (count) {
		browse_list(t->b, narrowing);
		return;
	}
	browse_say(t->b, "%s", none);
	narrowing_done(&narrowing);
}

void jump_to_children(struct tui *t)
{
	const struct model_goroutine *g = goroutine_of(t);

	if (g)
		list(t, (struct narrowing){ .kind = NARROW_CHILDREN, .number = g->id },
		     "none of the goroutines was created by this one");
	else
		browse_say(t->b, "this is about no goroutine");
}

struct waiters {
	struct model *model;
	bool *marked;	 /* by row */
	uint32_t likely; /* row of the next */
};

/* Most come in the order of the rows: of a million, to find each one takes too long. */
static void mark_waiter(void *arg, int64_t goroutine)
{
	struct waiters *waiters = arg;
	size_t count;
	const struct model_goroutine *all = model_goroutines(waiters->model, &count);
	const bool is_next =
		waiters->likely < count && all[waiters->likely].id == goroutine;
	const uint32_t row = is_next ? waiters->likely
				     : model_find_goroutine(waiters->model, goroutine);

	if (row == MODEL_NONE)
		return;
	waiters->marked[row] = true;
	waiters->likely = row + 1;
}

/* Of a select, only the document knows whether it is for this one, too. */
static void mark_listed(struct browse *b, uint64_t address, bool *marked)
{
	const size_t lock = locks_find(b->locks, address);
	struct waiters waiters = { b->model, marked, 0 };

	if (lock != SIZE_MAX)
		locks_each_waiter(b->locks, b->model, lock, mark_waiter, &waiters);
}

static struct narrowing waiters_of(struct browse *b, uint64_t address)
{
	struct narrowing n = { .kind = NARROW_ROWS };
	size_t count;
	const struct model_goroutine *all = model_goroutines(b->model, &count);
	AUTO(xfree) bool *marked = xcalloc(count + 1, sizeof(*marked));

	mark_listed(b, address, marked);
	n.words = xasprintf("waiting for 0x%" PRIx64, address);
	n.rows = xcalloc(count + 1, sizeof(*n.rows));
	for (uint32_t i = 0; i < count; i++)
		if (marked[i] || all[i].waits_address == address)
			n.rows[n.count++] = i;
	return n;
}

void jump_to_waiters(struct tui *t)
{
	const uint64_t address = address_of(t);

	if (address)
		list(t, waiters_of(t->b, address), "no goroutine waits for it");
}

static int64_t partner_of(struct browse *b, size_t lock)
{
	const struct reader_node *partners = locks_partners(b->locks, b->model, lock);
	const int64_t id = node_int(node_get(node_at(partners, 0), "goroutine"), -1);

	node_drop(partners);
	return id;
}

static void look_for(struct tui *t, uint64_t address, const char *why, int64_t except)
{
	job_free(t->job);
	t->job = job_new_pointer(address, why, except);
}

/* If it is not known, who could have it: goroutines that refer to it. */
void jump_to_holder(struct tui *t)
{
	const struct model_goroutine *g = goroutine_of(t);
	const int64_t asks = g ? g->id : -1;
	const uint64_t address = address_of(t);
	const size_t lock = locks_find(t->b->locks, address);
	const int64_t id = lock == SIZE_MAX ? -1 : partner_of(t->b, lock);

	if (id >= 0)
		browse_goroutine(t->b, id, PANE_STACK);
	else if (address)
		look_for(t, address, "it is not known who has it: ", asks);
}

void jump_to_pointers(struct tui *t)
{
	const uint64_t address = address_of(t);

	if (address)
		look_for(t, address, "", -1);
}
