/* SPDX-License-Identifier: Apache-2.0 */
/* hand_on_priv.h - internals shared by hand_on*.c. */
#ifndef GOSNAP_HAND_ON_PRIV_H
#define GOSNAP_HAND_ON_PRIV_H

#include "src/handler/hand_on.h"

/* The bytes of a core, one piece after the other. */
bool source_next(struct core_source *source, const uint8_t **ret, size_t *ret_len);
/* hand_on_file.c: writes what the kernel would have written. */
void hand_on_file(const struct crash *crash, const char *pattern,
		  struct core_source *source);

#endif
