/* SPDX-License-Identifier: Apache-2.0 */
/* folder.h - a folder in /tmp for the files of one unit test, made before its cases and removed behind them. */
#ifndef TESTS_UNIT_FOLDER_H
#define TESTS_UNIT_FOLDER_H

#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/gosnap-unit-XXXXXX";

static inline int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
	char command[sizeof("rm -r ") + sizeof(folder)];
	(void)state;

	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

#endif
