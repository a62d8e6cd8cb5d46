/* SPDX-License-Identifier: Apache-2.0 */
#include "lookup.h"

bool lookup_option(struct lookup *lookup, int option, const char *argument)
{
	switch (option) {
	case LOOKUP_DEBUG_FILE:
		lookup->debug_file = argument;
		return true;
	case LOOKUP_DEBUGINFOD:
		lookup->debuginfod = true;
		return true;
	case LOOKUP_NO_CACHE:
		lookup->no_cache = true;
		return true;
	default:
		return false;
	}
}
