/* SPDX-License-Identifier: Apache-2.0 */
/* The only place that parses a version. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "goruntime/layout/build_info_priv.h"

int version_minor(const char *version)
{
	const char *at = version ? strstr(version, "go1.") : NULL;

	if (!at || !isdigit((unsigned char)at[4]))
		return -1;
	return atoi(at + 4);
}
