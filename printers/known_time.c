/* SPDX-License-Identifier: Apache-2.0 */
/* time/time.go, format.go: unchanged from Go 1.9 to 1.27. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "known.h"

/* Nine digits, without the zeros at the end. */
static void add_fraction(struct known_words *t, uint32_t ns)
{
	char digits[16];
	int len = snprintf(digits, sizeof(digits), ".%09" PRIu32, ns);

	while (len > 1 && digits[len - 1] == '0')
		len--;
	if (ns)
		known_add_bytes(t, digits, (size_t)len);
}

/* As RFC 3339 has it, in UTC. */
bool known_add_time(struct known_words *to, const struct time_value *t)
{
	time_t when = (time_t)t->seconds;
	struct tm tm;

	if (!gmtime_r(&when, &tm))
		return false;
	known_add(to, "%04ld-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900L, tm.tm_mon + 1,
		  tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
	add_fraction(to, t->ns);
	known_add(to, "Z");
	return true;
}

bool text_of_time(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct time_value t;

	return runtime_time(p->rt, v, &t) && known_add_time(ret, &t);
}

static bool number_of(struct printing *p, const struct value *v, int64_t *ret)
{
	struct err ignored;

	return type_size(v->type) == sizeof(*ret) &&
	       runtime_bytes(p->rt, v->addr, ret, sizeof(*ret), &ignored);
}

/* As time.Duration prints itself: 1h0m1.5s, 2.5ms. */
void known_add_duration(struct known_words *to, uint64_t ns)
{
	static const struct {
		uint32_t ns;
		const char *name;
	} units[] = { { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" } };

	for (size_t i = 0; ns && ns < 1000000000 && i < ARRAY_SIZE(units); i++) {
		if (ns < units[i].ns)
			continue;
		known_add(to, "%" PRIu64, ns / units[i].ns);
		add_fraction(to,
			     (uint32_t)(ns % units[i].ns * (1000000000 / units[i].ns)));
		known_add(to, "%s", units[i].name);
		return;
	}
	uint64_t seconds = ns / 1000000000, minutes = seconds / 60;
	if (minutes >= 60)
		known_add(to, "%" PRIu64 "h", minutes / 60);
	if (minutes)
		known_add(to, "%" PRIu64 "m", minutes % 60);
	known_add(to, "%" PRIu64, seconds % 60);
	add_fraction(to, (uint32_t)(ns % 1000000000));
	known_add(to, "s");
}

void known_add_about(struct known_words *to, uint64_t ns)
{
	static const uint64_t units[] = { 60000000000, 1000000000, 1000000 };
	static const uint64_t exact[] = { 1000000000, 10000000, 10000 };

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (ns < units[i])
			continue;
		ns = ns / exact[i] * exact[i];
		break;
	}
	known_add_duration(to, ns);
}

bool text_of_duration(struct printing *p, const struct value *v, struct known_words *ret)
{
	int64_t ns;

	if (!number_of(p, v, &ns))
		return false;
	if (ns < 0)
		known_add(ret, "-");
	known_add_duration(ret, ns < 0 ? -(uint64_t)ns : (uint64_t)ns);
	return true;
}

static bool name_of(struct printing *p, const struct value *v, const char *const *names,
		    int64_t first, int64_t n, struct known_words *ret)
{
	int64_t i;

	if (!number_of(p, v, &i) || i < first || i >= first + n)
		return false;
	known_add(ret, "%s", names[i - first]);
	return true;
}

bool text_of_month(struct printing *p, const struct value *v, struct known_words *ret)
{
	static const char *const names[] = { "January", "February", "March",
					     "April",	"May",	    "June",
					     "July",	"August",   "September",
					     "October", "November", "December" };

	return name_of(p, v, names, 1, ARRAY_SIZE(names), ret);
}

bool text_of_weekday(struct printing *p, const struct value *v, struct known_words *ret)
{
	static const char *const names[] = { "Sunday",	 "Monday", "Tuesday", "Wednesday",
					     "Thursday", "Friday", "Saturday" };

	return name_of(p, v, names, 0, ARRAY_SIZE(names), ret);
}

struct timer {
	uint64_t when, period; /* when: 0: it was stopped, or has fired */
};

/* Up to Go 1.22 the runtime's timer is the field r; status is one of runtime/time.go timerNoStatus
 * and so on. */
static bool timer_in_field(struct printing *p, const struct value *v, struct timer *ret)
{
	enum { WAITING = 1, MODIFIED_EARLIER = 7, MODIFIED_LATER = 8 };
	uint64_t status;

	if (!known_number(p, v, "r.status.value|r.status", &status) ||
	    !known_number(p, v, "r.period", &ret->period))
		return false;
	ret->when = 0;
	if (status == WAITING)
		return known_number(p, v, "r.when", &ret->when);
	if (status == MODIFIED_EARLIER || status == MODIFIED_LATER)
		return known_number(p, v, "r.nextwhen", &ret->when);
	return true;
}

/* From 1.23 on what package time sees is the beginning of a runtime.timeTimer, unless it is a copy:
 * what it calls when it fires is of package time. Those of testing/synctest have another clock. */
static bool timer_around(struct printing *p, const struct value *v, struct timer *ret)
{
	struct value timer = { .addr = v->addr }, function;
	struct func_value f;
	struct code_frame code;
	struct err ignored;
	uint64_t made, fake = 0;

	timer.type = runtime_type_named(p->rt, "runtime.timeTimer", &ignored);
	return timer.type && known_number(p, v, "initTimer|initTicker", &made) && made &&
	       known_field(p, &timer, "timer.f", &function) &&
	       type_kind(function.type) == KIND_FUNC &&
	       runtime_func(p->rt, &function, &f, &ignored) &&
	       runtime_code_at(p->rt, f.entry, &code) && code.function &&
	       strncmp(code.function, "time.", strlen("time.")) == 0 &&
	       !(known_number(p, &timer, "timer.isFake", &fake) && fake) &&
	       known_number(p, &timer, "timer.when", &ret->when) &&
	       known_number(p, &timer, "timer.period", &ret->period);
}

static bool read_timer(struct printing *p, const struct value *v, struct timer *ret)
{
	return p->moment && p->moment->now_ns &&
	       (timer_in_field(p, v, ret) || timer_around(p, v, ret)) &&
	       ret->when <= INT64_MAX && ret->period <= INT64_MAX;
}

static void add_distance(struct printing *p, uint64_t when, const char *before,
			 struct known_words *ret)
{
	const uint64_t now = p->moment->now_ns;
	const bool due = when < now;

	known_add(ret, "%s", due ? "due " : before);
	known_add_about(ret, due ? now - when : when - now);
	known_add(ret, "%s", due ? " ago" : "");
}

bool text_of_timer(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct timer t;

	if (!read_timer(p, v, &t))
		return false;
	if (t.when)
		add_distance(p, t.when, "fires in ", ret);
	else
		known_add(ret, "stopped or fired");
	return true;
}

bool text_of_ticker(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct timer t;

	if (!read_timer(p, v, &t))
		return false;
	if (!t.when) {
		known_add(ret, "stopped");
		return true;
	}
	known_add(ret, "every ");
	known_add_duration(ret, t.period);
	known_add(ret, ", ");
	add_distance(p, t.when, "next in ", ret);
	return true;
}
