/* SPDX-License-Identifier: Apache-2.0 */
/* spool_user.c - which user IDs count as one user. subuid(5) lends a user 65,536 IDs or more for his containers,
 * with which he would have as many shares of the spool. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/spool/spool_priv.h"

enum { LENT_MAX = 1 << 20 /* bytes of the file */ };

char *spool_lent_users(void)
{
	size_t len;

	return slurp("/etc/subuid", LENT_MAX, &len);
}

/* "name:first:count" */
static bool user_lends(const char *line, uid_t uid, uid_t *ret_first)
{
	unsigned long long first, count;

	line = strchr(line, ':');
	if (!line || sscanf(line, ":%llu:%llu", &first, &count) != 2 || uid < first ||
	    uid - first >= count)
		return false;
	*ret_first = (uid_t)first;
	return true;
}

uid_t spool_user(const char *lent, uid_t uid)
{
	uid_t first;

	for (const char *line = lent; line && *line;) {
		const size_t len = strcspn(line, "\n");
		AUTO(xfree) char *text = xstrndup(line, len);
		if (user_lends(text, uid, &first))
			return first;
		line += len + (line[len] == '\n');
	}
	return uid;
}
