/* SPDX-License-Identifier: Apache-2.0 */
#include "src/trace/match.h"

#include <string.h>

#include "lib/base/util.h"

static bool is_anything(const char *word, const char *at)
{
	return *at == '*' && !(at > word && at[-1] == '(');
}

/* The last * takes more, until the rest fits. */
static bool fits(const char *word, const char *name)
{
	const char *at = word, *star = NULL, *tried = NULL;

	while (*name) {
		if (is_anything(word, at)) {
			star = at++;
			tried = name;
		} else if (*at == *name) {
			at++;
			name++;
		} else if (star) {
			at = star + 1;
			name = ++tried;
		} else {
			return false;
		}
	}
	while (is_anything(word, at))
		at++;
	return !*at;
}

/* main.Map[...], main.(*List[go.shape.int]).Add: without what is in brackets. */
static char *without_arguments(const char *name)
{
	char *ret = xstrdup(name), *to = ret;
	unsigned depth = 0;

	for (; *name; name++) {
		depth += *name == '[';
		if (!depth)
			*to++ = *name;
		if (*name == ']' && depth)
			depth--;
	}
	*to = '\0';
	return ret;
}

bool trace_matches(const char *word, const char *name)
{
	if (fits(word, name))
		return true;
	if (!strchr(name, '['))
		return false;
	AUTO(xfree) char *plain = without_arguments(name);
	return fits(word, plain);
}
