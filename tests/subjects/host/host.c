/* SPDX-License-Identifier: Apache-2.0 */

/* Subject: a C program with several Go runtimes inside, those of libraries that inside/
 * makes. Usage: host FIRST SECOND; "-" is what the program itself is linked with.
 * Its threads go different ways through them. A way is a word, a step a letter:
 *   1 2   by a call of the first, second library back into C, which takes the next step
 *   g     the same as 1, but by a goroutine of the library's own
 *   t u   there and back: a call of the first, second library that does nothing
 *   a b   the last one: park in the first, second library
 *   c     the last one: block in C */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef void (*function)(void *);

struct library {
	void (*start)(const char *name);
	void (*call)(function f, void *argument, const char *name);
	void (*spawn)(function f, void *argument, const char *name);
	void (*park)(const char *name);
	void (*touch)(void);
	void (*announce)(int n);
	const char *enters, *parks; /* its letters */
	int stated;
};

static struct library first = { .enters = "1g", .parks = "a" };
static struct library second = { .enters = "2", .parks = "b" };

/* A thread on its way: where it is in the word. */
struct way {
	const char *word;
	size_t at;
};

static const char *const words[] = { "a",   "b",   "1c",  "2c",	  "1a",	   "1b",
				     "2a",  "12c", "12b", "121a", "1212c", "gb",
				     "g2c", "tuc", "1uc", "1ub" };

static int blocked, to_block;

#define NOINLINE __attribute__((noinline))

static NOINLINE void c_block(void)
{
	char byte;
	int fds[2];

	if (pipe(fds))
		abort();
	__atomic_add_fetch(&blocked, 1, __ATOMIC_ACQ_REL);
	while (read(fds[0], &byte, 1) != 1)
		;
}

/* A goroutine states itself where its way comes to it last: with the letters before. */
static const char *statement(const struct way *w, const struct library *l)
{
	const char *rest = w->word + w->at + 1;

	return rest[strcspn(rest, l->enters)] || rest[strcspn(rest, l->parks)] ? NULL
									       : w->word;
}

static void c_step(void *argument);

static NOINLINE void take_step(struct way *w)
{
	struct library *l = strchr("1gta", w->word[w->at]) ? &first : &second;
	struct way next = { w->word, w->at + 1 };

	switch (w->word[w->at]) {
	case '1':
	case '2':
		l->call(c_step, &next, statement(w, l));
		break;
	case 'g': {
		struct way *copy = malloc(sizeof(*copy));
		*copy = next;
		l->spawn(c_step, copy, statement(w, l));
		break;
	}
	case 't':
	case 'u':
		l->touch();
		take_step(&next);
		break;
	case 'a':
	case 'b':
		l->park(w->word);
		break;
	case 'c':
		c_block();
		break;
	}
	/* Keeps the calls above from becoming jumps. */
	__asm__ volatile("");
}

static NOINLINE void c_step(void *argument)
{
	take_step(argument);
	__asm__ volatile("");
}

static void *c_thread(void *word)
{
	struct way w = { word, 0 };
	char line[120];
	int n = snprintf(line, sizeof(line),
			 "{\"name\": \"%s\", \"tid\": %ld, \"frames\": []}\n",
			 (char *)word, (long)syscall(SYS_gettid));

	if (write(1, line, n) != n)
		abort();
	c_step(&w);
	return NULL;
}

static void count(const char *word)
{
	first.stated += strpbrk(word, "1ga") != NULL;
	second.stated += strpbrk(word, "2b") != NULL;
	to_block += strchr(word, 'c') != NULL;
}

static void set_out(const char *word)
{
	pthread_t thread;

	count(word);
	if (pthread_create(&thread, NULL, c_thread, (void *)word))
		abort();
}

static void *find(void *library, const char *name)
{
	void *symbol = dlsym(library, name);

	if (!symbol) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return symbol;
}

static void load(struct library *l, const char *path)
{
	void *library = dlopen(strcmp(path, "-") ? path : NULL, RTLD_NOW | RTLD_DEEPBIND);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	l->start = find(library, "Start");
	l->call = find(library, "Call");
	l->spawn = find(library, "Spawn");
	l->park = find(library, "Park");
	l->touch = find(library, "Touch");
	l->announce = find(library, "Announce");
}

int main(int argc, char **argv)
{
	char byte;

	if (argc != 3)
		return 2;
	load(&first, argv[1]);
	load(&second, argv[2]);
	first.start("first");
	second.start("second");
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		set_out(words[i]);
	while (__atomic_load_n(&blocked, __ATOMIC_ACQUIRE) < to_block)
		sched_yield();
	first.announce(first.stated);
	second.announce(second.stated);
	if (write(1, "READY\n", 6) != 6)
		abort();
	while (read(0, &byte, 1) == 1)
		;
	return 0;
}
