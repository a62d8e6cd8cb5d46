/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/ere.h"

#include <ctype.h>
#include <errno.h>
#include <malloc.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DEPTH_MAX = 200, /* the compiler recurses for each parenthesis */
	COPIES_MAX = RE_DUP_MAX,
	/* Memory that glibc's matcher may use per byte of text: two or three states with
	 * tables, and all positions of the expression that they represent. */
	STATE_BYTES = 4096,
	POSITION_BYTES = 160,
	ROOM_BYTES = 64, /* memory for compilation per unit of ERE_ROOM */
	LEAST_BYTES = 1 << 20,
	COMPILE_SECONDS = 1, /* of CPU time */
	/* Per expression: kept between texts, and during one match. */
	KEPT_BYTES = 64 << 20,
	MOST_BYTES = 256 << 20,
	PIECE = 4096,
	ANCHORS_MAX = 16,  /* without a child process to compile in */
	DOUBLE_COSTS = 16, /* worst-case cost factor when the text doubles */
	/* A byte usually takes some nanoseconds. */
	BYTE_NS = 2000,
};
#define FREE_NS (UINT64_C(5) * 1000 * 1000 * 1000)

/* Size of an expression with its repetitions expanded: characters, and items that match
 * no character: alternatives, anchors, parentheses. The compiler recurses for each of the
 * latter. */
struct size {
	uint64_t positions, choices;
	uint64_t anchors; /* beyond ANCHORS_MAX if one is repeated */
};

struct ere {
	regex_t regex;
	char *text;
	int flags;
	size_t unchecked, check_every; /* bytes of text */
	size_t heap;		       /* in use when compiled */
	uint64_t matched, spent_ns;    /* bytes, and time for them */
};

static uint64_t bounded(uint64_t n)
{
	return n < UINT32_MAX ? n : UINT32_MAX;
}

static void add(struct size *to, struct size what)
{
	to->positions = bounded(to->positions + what.positions);
	to->choices = bounded(to->choices + what.choices);
	to->anchors = bounded(to->anchors + what.anchors);
}

static void multiply(struct size *size, uint64_t by)
{
	size->positions = bounded(size->positions * by);
	size->choices = bounded(size->choices * by);
	size->anchors = bounded(size->anchors * by);
}

/* Returns the end of "[...]". "]" may come first in it, and classes such as "[:alpha:]"
 * have brackets of their own. */
static const char *skip_bracket(const char *p)
{
	p += 1 + (p[1] == '^');
	p += *p == ']';
	for (; *p && *p != ']'; p++) {
		char kind = p[0] == '[' ? p[1] : 0;
		if (kind != ':' && kind != '.' && kind != '=')
			continue;
		const char end[] = { kind, ']', 0 };
		const char *close = strstr(p + 2, end);
		p = close ? close + 1 : p;
	}
	return p + (*p == ']');
}

/* Returns the end of "{m}", "{m,}" or "{m,n}"; p itself: not a repetition. */
static const char *repeat(const char *p, struct size *what)
{
	char *end;
	bool open = false;
	uint64_t least = strtoul(p + 1, &end, 10), most = least;

	if (!isdigit((unsigned char)p[1]) && p[1] != ',')
		return p;
	if (*end == ',') {
		open = !isdigit((unsigned char)end[1]);
		most = open ? least + 1 : strtoul(end + 1, &end, 10);
		end += open;
	}
	if (*end != '}' || most > COPIES_MAX || least > most)
		return p;		 /* the C library will report an error */
	multiply(what, most ? most : 1); /* compiled even if then dropped */
	add(what, (struct size){ .choices = most - least });
	return end + 1;
}

/* A parenthesized level being read. */
struct level {
	struct size all, last; /* last: what a repetition would apply to */
};

static void take(struct level *at, struct size what)
{
	add(&at->all, at->last);
	at->last = what;
}

/* p: after a backslash. */
static bool is_anchor(const char *p)
{
	return *p && strchr("bB<>`'", *p);
}

static const struct size one = { .positions = 1 }, choice = { .choices = 1 }, none;
static const struct size anchor = { .choices = 1, .anchors = 1 };

struct measuring {
	struct level levels[DEPTH_MAX], *at;
	const char *why; /* it was refused */
};

/* p: at the backslash. Returns what is behind; NULL: a back-reference. */
static const char *measure_escape(struct measuring *m, const char *p)
{
	if (p[1] >= '1' && p[1] <= '9') {
		m->why = "back-references are not allowed, as they can take forever to "
			 "match";
		return NULL;
	}
	take(m->at, is_anchor(p + 1) ? anchor : one);
	return p + 1 + (p[1] != 0);
}

/* NULL: nested too deeply. */
static const char *measure_open(struct measuring *m, const char *p)
{
	if (++m->at == m->levels + DEPTH_MAX) {
		m->why = "its parentheses are nested too deeply";
		return NULL;
	}
	*m->at = (struct level){ 0 };
	return p + 1;
}

static const char *measure_close(struct measuring *m, const char *p)
{
	const bool opened = m->at > m->levels;

	take(m->at, opened ? choice : one);
	if (opened) {
		take(m->at, none);
		m->at--;
		take(m->at, m->at[1].all);
	}
	return p + 1;
}

/* By +, * or ?. */
static void note_repeated(struct measuring *m)
{
	if (m->at->last.anchors)
		add(&m->at->last, (struct size){ .anchors = ANCHORS_MAX });
}

static const char *measure_repeat(struct measuring *m, const char *p)
{
	const char *behind = repeat(p, &m->at->last);

	if (behind != p)
		return behind;
	take(m->at, one);
	return p + 1;
}

/* Returns what is behind; NULL: too many parentheses, or a back-reference. */
static const char *measure_item(struct measuring *m, const char *p)
{
	switch (*p) {
	case '\\':
		return measure_escape(m, p);
	case '^':
	case '$':
		take(m->at, anchor);
		return p + 1;
	case '[':
		take(m->at, one);
		return skip_bracket(p);
	case '(':
		return measure_open(m, p);
	case ')':
		return measure_close(m, p);
	case '|':
		take(m->at, choice);
		take(m->at, none);
		return p + 1;
	case '+':
		note_repeated(m);
		multiply(&m->at->last, 2);
		add(&m->at->last, choice);
		return p + 1;
	case '*':
	case '?':
		note_repeated(m);
		add(&m->at->last, choice);
		return p + 1;
	case '{':
		return measure_repeat(m, p);
	default:
		take(m->at, one);
		return p + 1;
	}
}

static bool measure(const char *p, struct size *ret, const char **ret_why)
{
	struct measuring m = { .why = NULL };

	m.at = m.levels;
	while (p && *p)
		p = measure_item(&m, p);
	*ret_why = m.why;
	if (!p)
		return false;
	for (; m.at >= m.levels; m.at--) { /* unbalanced ones are rejected later */
		add(ret, m.at->all);
		add(ret, m.at->last);
	}
	return true;
}

/* Time and memory grow with the square of the choices. */
static uint64_t cost_of(struct size size)
{
	return 16 * size.positions + size.choices * size.choices;
}

static size_t heap_in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* Bytes mapped by this process; 0: unknown. */
static uint64_t mapped_bytes(void)
{
	AUTO(xfree) char *statm = slurp("/proc/self/statm", 256, NULL);

	return statm ? strtoull(statm, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Limits the C library to that many more bytes, until limit_end(). */
static void limit_begin(uint64_t bytes, struct rlimit *ret_before)
{
	uint64_t mapped = mapped_bytes();

	if (getrlimit(RLIMIT_AS, ret_before) < 0)
		*ret_before = (struct rlimit){ RLIM_INFINITY, RLIM_INFINITY };
	struct rlimit less = { mapped + bytes, ret_before->rlim_max };
	if (mapped && less.rlim_cur < ret_before->rlim_cur)
		setrlimit(RLIMIT_AS, &less);
}

static void limit_end(const struct rlimit *before)
{
	setrlimit(RLIMIT_AS, before);
}

static bool too_large(const char *text, struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "%.100s is too large with its repetitions expanded: use smaller "
		       "numbers in {}, especially in nested ones, a * or fewer anchors",
		       text);
}

/* In a child process: with anchors in repetitions, compilation can take exponential time
 * and cannot be interrupted. */
static bool can_be_compiled(const char *text, int flags, uint64_t most_bytes,
			    struct err *err)
{
	const struct itimerval most = { .it_value = { .tv_sec = COMPILE_SECONDS } };
	const struct rlimit no_core = { 0, 0 };
	struct rlimit before;
	sigset_t timer;
	regex_t regex;
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGPROF, SIG_DFL);
		sigemptyset(&timer);
		sigaddset(&timer, SIGPROF);
		sigprocmask(SIG_UNBLOCK, &timer, NULL);
		setrlimit(RLIMIT_CORE, &no_core);
		setitimer(ITIMER_PROF, &most, NULL);
		limit_begin(most_bytes, &before);
		_exit(regcomp(&regex, text, flags) == REG_ESPACE);
	}
	if (pid < 0)
		return err_sys(err, "cannot start a process to compile %.100s", text);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return (WIFEXITED(status) && WEXITSTATUS(status) == 0) || too_large(text, err);
}

static bool compile(struct ere *e, uint64_t most_bytes, struct err *err)
{
	struct rlimit before;
	char why[100];

	limit_begin(most_bytes, &before);
	int status = regcomp(&e->regex, e->text, e->flags);
	limit_end(&before);
	if (status == 0) {
		e->unchecked = 0;
		e->heap = heap_in_use();
		return true;
	}
	if (status == REG_ESPACE)
		return too_large(e->text, err);
	regerror(status, &e->regex, why, sizeof(why));
	return err_set(err, ERR_USAGE, "invalid regular expression \"%.100s\": %s",
		       e->text, why);
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool children_forbidden;

void ere_forbid_children(void)
{
	children_forbidden = true;
}

/* With few anchors and none repeated, what cost_of() permits takes no longer than it says. */
static bool is_safe(const char *text, const struct size *size, int flags,
		    uint64_t most_bytes, struct err *err)
{
	if (!size->choices)
		return true;
	if (!children_forbidden)
		return can_be_compiled(text, flags, most_bytes, err);
	return size->anchors <= ANCHORS_MAX ||
	       err_set(err, ERR_USAGE,
		       "%.100s has too many anchors, or repeats one, which can take "
		       "forever: use fewer of ^ $ \\b \\< \\>",
		       text);
}

struct ere *ere_new(const char *text, bool lines, uint64_t *room, struct err *err)
{
	struct size size = none;
	const char *why;

	if (!measure(text, &size, &why)) {
		err_set(err, ERR_USAGE, "%.100s: %s", text, why);
		return NULL;
	}
	if (cost_of(size) > *room) {
		too_large(text, err);
		return NULL;
	}
	struct ere *e = xcalloc(1, sizeof(*e));
	e->text = xstrdup(text);
	e->flags = REG_EXTENDED | (lines ? REG_NEWLINE : 0);
	e->check_every = KEPT_BYTES /
			 (STATE_BYTES + POSITION_BYTES * (size.positions + size.choices));
	uint64_t most_bytes = *room * ROOM_BYTES + LEAST_BYTES;
	size_t heap = heap_in_use();
	if (!is_safe(text, &size, e->flags, most_bytes, err) ||
	    !compile(e, most_bytes, err)) {
		xfree(e->text);
		xfree(e);
		return NULL;
	}
	/* Adjacent anchors take more than estimated. */
	uint64_t taken = e->heap > heap ? (e->heap - heap) / ROOM_BYTES : 0;
	*room -= lesser(*room, taken > cost_of(size) ? taken : cost_of(size));
	return e;
}

void ere_free(struct ere *e)
{
	if (!e)
		return;
	regfree(&e->regex);
	xfree(e->text);
	xfree(e);
}

/* Recompiles, since the matcher accumulates state from the text. */
static void compile_again(struct ere *e)
{
	struct err ignored;

	regfree(&e->regex);
	if (!compile(e, ERE_ROOM * ROOM_BYTES + LEAST_BYTES, &ignored))
		out_of_memory();
}

static int match_limited(const struct ere *e, const char *text, regmatch_t *match)
{
	struct rlimit before;

	limit_begin(MOST_BYTES, &before);
	int status = regexec(&e->regex, text, 1, match, REG_STARTEND);
	limit_end(&before);
	return status;
}

/* Time left for this expression, given the text so far. */
static uint64_t left_ns(const struct ere *e)
{
	uint64_t all = FREE_NS + e->matched * BYTE_NS;

	return all > e->spent_ns ? all - e->spent_ns : 0;
}

static int match(struct ere *e, const char *text, size_t begin, size_t end,
		 regmatch_t *ret)
{
	uint64_t start = processor_ns();

	*ret = (regmatch_t){ (regoff_t)begin, (regoff_t)end };
	int status = end - begin > e->check_every
			     ? match_limited(e, text, ret)
			     : regexec(&e->regex, text, 1, ret, REG_STARTEND);
	e->spent_ns += processor_ns() - start;
	e->unchecked += end - begin;
	if (e->unchecked > e->check_every) {
		e->unchecked = 0;
		if (heap_in_use() > e->heap + KEPT_BYTES)
			compile_again(e);
	}
	return status;
}

/* Matching can take quadratic time or worse, and cannot be interrupted. Time increasingly
 * large pieces to predict it. */
static bool is_affordable(struct ere *e, const char *text, size_t begin, size_t end)
{
	regmatch_t ignored;

	for (size_t size = PIECE; size < end - begin; size *= 2) {
		for (size_t at = begin; at < end; at += size) {
			uint64_t before = e->spent_ns;
			int status = match(e, text, at, end - at < size ? end : at + size,
					   &ignored);
			if ((status != 0 && status != REG_NOMATCH) ||
			    (e->spent_ns - before) * DOUBLE_COSTS > left_ns(e))
				return false;
		}
	}
	return left_ns(e) > 0;
}

bool ere_find(struct ere *e, const char *text, size_t len, size_t from, size_t *ret_begin,
	      size_t *ret_end)
{
	regmatch_t found;

	e->matched += from ? 0 : len;
	int status = from || is_affordable(e, text, from, len)
			     ? match(e, text, from, len, &found)
			     : REG_ESPACE;
	if (status != 0 && status != REG_NOMATCH)
		found = (regmatch_t){ (regoff_t)from, (regoff_t)len };
	*ret_begin = (size_t)found.rm_so;
	*ret_end = (size_t)found.rm_eo;
	return status != REG_NOMATCH;
}
