/* SPDX-License-Identifier: Apache-2.0 */
/* time/time.go, format.go: unchanged from Go 1.9 to 1.27. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "printers/known/known.h"

/* Nine digits without trailing zeros. */
static void add_fraction(struct known_words *t, uint32_t ns)
{
	char digits[16];
	int len = snprintf(digits, sizeof(digits), ".%09" PRIu32, ns);

	while (len > 1 && digits[len - 1] == '0')
		len--;
	if (ns)
		known_add_bytes(t, digits, (size_t)len);
}

struct date {
	int64_t year;
	unsigned month, day;
};

/* In the Gregorian calendar, which Go extends to all years. 400 years have 146097 days,
 * and a year starting in March has its leap day at the end. */
static struct date date_of(int64_t days_since_1970)
{
	enum { ERA_DAYS = 146097, ERA_YEARS = 400, DAYS_TO_1970 = 719468 };
	int64_t days = days_since_1970 + DAYS_TO_1970;
	int64_t era = (days >= 0 ? days : days - (ERA_DAYS - 1)) / ERA_DAYS;
	unsigned day = (unsigned)(days - era * ERA_DAYS);
	unsigned year = (day - day / 1460 + day / 36524 - day / 146096) / 365;

	day -= 365 * year + year / 4 - year / 100;
	unsigned month = (5 * day + 2) / 153;
	return (struct date){
		.year = era * ERA_YEARS + year + (month >= 10),
		.month = month < 10 ? month + 3 : month - 9,
		.day = day - (153 * month + 2) / 5 + 1,
	};
}

/* RFC 3339 in UTC, extended like Go to years before 0 and after 9999. */
void known_add_time(struct known_words *to, const struct time_value *t)
{
	enum { MINUTE = 60, HOUR = 60 * MINUTE, DAY = 24 * HOUR };
	int64_t days = t->seconds / DAY, rest = t->seconds % DAY;

	if (rest < 0) {
		days--;
		rest += DAY;
	}
	struct date date = date_of(days);
	known_add(to, date.year < 0 ? "-%04" PRId64 : "%04" PRId64,
		  date.year < 0 ? -date.year : date.year);
	known_add(to, "-%02u-%02uT%02d:%02d:%02d", date.month, date.day,
		  (int)(rest / HOUR), (int)(rest % HOUR / MINUTE), (int)(rest % MINUTE));
	add_fraction(to, t->ns);
	known_add(to, "Z");
}

bool text_of_time(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct time_value t;

	if (!runtime_time(p->rt, v, &t))
		return false;
	known_add_time(ret, &t);
	return true;
}

static bool number_of(struct printing *p, const struct value *v, int64_t *ret)
{
	return type_size(v->type) == sizeof(*ret) &&
	       known_read(p, v->addr, ret, sizeof(*ret));
}

/* Like time.Duration's String(): 1h0m1.5s, 2.5ms. */
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
		    int64_t first, int64_t n, const char *type, struct known_words *ret)
{
	int64_t i;

	if (!number_of(p, v, &i))
		return false;
	if (i >= first && i < first + n)
		known_add(ret, "%s", names[i - first]);
	else
		known_add(ret, "%%!%s(%" PRIu64 ")", type, (uint64_t)i);
	return true;
}

bool text_of_month(struct printing *p, const struct value *v, struct known_words *ret)
{
	static const char *const names[] = { "January", "February", "March",
					     "April",	"May",	    "June",
					     "July",	"August",   "September",
					     "October", "November", "December" };

	return name_of(p, v, names, 1, ARRAY_SIZE(names), "Month", ret);
}

bool text_of_weekday(struct printing *p, const struct value *v, struct known_words *ret)
{
	static const char *const names[] = { "Sunday",	 "Monday", "Tuesday", "Wednesday",
					     "Thursday", "Friday", "Saturday" };

	return name_of(p, v, names, 0, ARRAY_SIZE(names), "Weekday", ret);
}

struct timer {
	uint64_t when, period; /* when 0: stopped, or has fired */
};

/* Up to Go 1.22 field r is the runtime's timer; status is timerNoStatus etc. of
 * runtime/time.go. */
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

/* From 1.23 on package time sees the start of a runtime.timeTimer, unless it is a copy: a
 * real one calls a function of package time when it fires. Timers in testing/synctest
 * have another clock. */
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
