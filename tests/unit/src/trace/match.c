/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/util.h"
#include "tests/unit/unit.h"

static void means(void **state)
{
	static const char *const pairs[][2] = {
		{ "main.handle", "main.handle" },
		{ "main.(*Server).handle", "main.(*Server).handle" },
		{ "net/http.(*conn).*", "net/http.(*conn).serve" },
		{ "main.*", "main." },
		{ "main.*", "main.(*Server).handle" },
		{ "*", "main.main" },
		{ "*", "" },
		{ "**", "main.main" },
		{ "*.handle", "main.(*Server).handle" },
		/* The first place that fits may be too early. */
		{ "*ab", "aab.ab" },
		{ "a*b*c", "a.b.b.c.c" },
		{ "*(*Server)*", "main.(*Server).handle.func1" },
		{ "main.(*).handle", "main.(*).handle" },
		/* Type arguments may be left out, also of a type in brackets. */
		{ "main.Map", "main.Map[...]" },
		{ "main.Map[...]", "main.Map[...]" },
		{ "main.(*List).Add", "main.(*List[go.shape.int]).Add" },
		{ "main.(*List).*", "main.(*List[go.shape.map[string][]int]).Add" },
		{ "main.open", "main.open[" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (!trace_matches(pairs[i][0], pairs[i][1]))
			fail_msg("%s does not mean %s", pairs[i][0], pairs[i][1]);
}

static void means_not(void **state)
{
	static const char *const pairs[][2] = {
		{ "", "main.main" },
		{ "main.handle", "" },
		{ "main.handle", "main.handler" },
		{ "main.handle", "main.handl" },
		{ "handle", "main.handle" },
		{ "main.*x", "main.handle" },
		{ "main.handle*x", "main.handle" },
		/* That of a pointer is a letter. */
		{ "main.(*).handle", "main.(*Server).handle" },
		{ "main.(*Server).handle", "main.(Server).handle" },
		{ "main.(*Server).handle", "main.(xyServer).handle" },
		{ "main.Map[int]", "main.Map[...]" },
		{ "main.Map", "main.Map[...].func1" },
		/* Only names have them. */
		{ "main.Map[...]", "main.Map" },
		{ "main.Map]", "main.Map[...]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		if (trace_matches(pairs[i][0], pairs[i][1]))
			fail_msg("%s means %s", pairs[i][0], pairs[i][1]);
}

/* Not as often as there are ways to divide a name. */
static void does_not_take_long(void **state)
{
	enum { BYTES = 4096, STARS = 60 };
	char word[2 * STARS + 2] = "", name[BYTES];

	(void)state;
	for (size_t i = 0; i < STARS; i++)
		memcpy(word + 2 * i, "*a", 2);
	word[2 * STARS] = 'b';
	memset(name, 'a', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	assert_false(trace_matches(word, name));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means),
		cmocka_unit_test(means_not),
		cmocka_unit_test(does_not_take_long),
	};

	return unit_run(argc, argv, tests, NULL, NULL);
}
