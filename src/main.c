/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the command line. */
#include "config.h"

#include <stdio.h>

int main(void)
{
	puts(PACKAGE_STRING " with libunwind " BUILT_WITH_LIBUNWIND ", elfutils " BUILT_WITH_LIBDW
			    ", jansson " BUILT_WITH_JANSSON ", zstd " BUILT_WITH_ZSTD);
	return 0;
}
