/* SPDX-License-Identifier: Apache-2.0 */
/* The first stack, from low addresses to high ones: argc, argv, 0, envp, 0, the auxiliary vector,
 * some bytes, and the strings of argv, of envp, and the name of the file
 * (fs/binfmt_elf.c, create_elf_tables()). */
#include "lib/corefile/core_process.h"

#include <elf.h>
#include <string.h>

#include "lib/corefile/target_core.h"

enum {
	SEARCHED = 256 << 10, /* bytes below the strings: pointers to 30,000 of them */
	FOUND_BY = 4 * WORD,  /* bytes of the auxiliary vector that identify it */
	STRINGS_MAX = 4 << 20,
	STACK_MAX = 8 << 20, /* of both: a mapping may claim any size */
};

/* What lies below the random bytes that the kernel gave the process. */
struct stack {
	uint64_t addr;
	uint64_t *words;
	size_t count;
};

static bool read_stack(struct target *t, struct stack *ret)
{
	uint64_t random, left = SEARCHED;
	struct err ignored;

	if (!target_auxv(t, AT_RANDOM, &random))
		return false;
	const struct target_mapping *m = target_mapping_at(t, random);
	const uint64_t end = random & ~(uint64_t)(WORD - 1);
	if (!m || end < m->start)
		return false;
	if (end - m->start < left)
		left = end - m->start;
	ret->words = xcalloc(left / WORD + 1, WORD);
	/* A small core has only the end of it. */
	while (left > 0) {
		ret->addr = end - left;
		ret->count = left / WORD;
		if (target_search(t, ret->addr, ret->words, left, &ignored))
			return true;
		const uint64_t page = PAGE_BYTES - ret->addr % PAGE_BYTES;
		left -= page < left ? page : left;
	}
	return false;
}

/* The index of the auxiliary vector; 0: not found. */
static size_t find_auxv(const struct target *t, const struct stack *s)
{
	size_t len;
	const uint64_t *auxv = target_auxv_pairs(t, &len);

	if (len < FOUND_BY / (2 * WORD))
		return 0;
	for (size_t i = s->count < FOUND_BY / WORD ? 0 : s->count - FOUND_BY / WORD;
	     i > 0; i--)
		if (memcmp(&s->words[i], auxv, FOUND_BY) == 0)
			return i;
	return 0;
}

/* The index of the first pointer of envp, which ends before `end`. */
static size_t environment_before(const struct stack *s, size_t end)
{
	size_t at = end;

	while (at > 0 && s->words[at - 1] != 0)
		at--;
	return at;
}

/* argv, which ends before `end`, follows argc. 0: it does not. */
static size_t arguments_before(const struct stack *s, size_t end)
{
	for (size_t n = 1; n < end; n++)
		if (s->words[end - 1 - n] == n)
			return end - n;
	return 0;
}

static void read_strings(struct target *t, uint64_t from, uint64_t to,
			 struct process_words *ret)
{
	struct err ignored;

	if (from >= to || to - from > STRINGS_MAX)
		return;
	ret->bytes = xcalloc(to - from + 1, 1);
	if (target_read(t, from, ret->bytes, to - from, &ignored))
		ret->len = to - from;
	else
		xfree(TAKE(ret->bytes));
}

static bool find_words(struct target *t, const struct stack *s, struct first_stack *ret)
{
	const size_t auxv = find_auxv(t, s);
	uint64_t name;

	if (auxv < 2 || !target_auxv(t, AT_EXECFN, &name))
		return false;
	const size_t environment = environment_before(s, auxv - 1);
	const size_t arguments =
		environment > 0 ? arguments_before(s, environment - 1) : 0;
	ret->begin = s->addr + (arguments ? arguments - 1 : environment) * WORD;
	ret->name = name;
	ret->environment = environment < auxv - 1 ? s->words[environment] : name;
	ret->arguments = arguments ? s->words[arguments] : ret->environment;
	return true;
}

bool core_first_stack(struct target *t, struct first_stack *ret)
{
	struct stack stack = { .words = NULL };
	const bool found = read_stack(t, &stack) && find_words(t, &stack, ret);
	const struct target_mapping *m = found ? target_mapping_at(t, ret->begin) : NULL;

	xfree(stack.words);
	if (!m)
		return false;
	ret->end = m->end - ret->begin < STACK_MAX ? m->end : ret->begin + STACK_MAX;
	return true;
}

struct process *core_process(struct target *t)
{
	const struct core_facts *facts = target_core_facts(t);
	struct process *p = xcalloc(1, sizeof(*p));
	struct first_stack stack;

	p->pid = target_pid(t);
	p->ppid = -1;
	/* Delve writes zeros for what it does not know. */
	if (facts->has_process && (facts->ppid != 0 || facts->pid == 1)) {
		p->ppid = facts->ppid;
		p->has_ids = true;
		p->uid = facts->uid;
		p->gid = facts->gid;
	}
	if (facts->name[0])
		p->comm = xstrdup(facts->name);
	if (core_first_stack(t, &stack)) {
		read_strings(t, stack.arguments, stack.environment, &p->args);
		read_strings(t, stack.environment, stack.name, &p->environment);
	}
	return p;
}
