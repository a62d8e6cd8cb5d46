/* SPDX-License-Identifier: Apache-2.0 */
/* compiled.h - a shared library made from source text by the C compiler (CC, or cc), and its
 * debugging information. */
#ifndef GOSNAP_TEST_COMPILED_H
#define GOSNAP_TEST_COMPILED_H

#include "lib/dwarf/dwarf_info.h"

struct compiled {
	char path[64];
	struct images *images;
	struct dwarf *dwarf;
};

/* language: as -x takes it. Fails the test when that does not work. */
void compiled_open(const char *language, const char *flags, const char *source,
		   struct compiled *ret);
void compiled_close(struct compiled *c);
/* The address of a symbol; fails the test when there is none. */
uint64_t compiled_symbol(const struct compiled *c, const char *name);

#endif
