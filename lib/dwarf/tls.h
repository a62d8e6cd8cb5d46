/* SPDX-License-Identifier: Apache-2.0 */
/* tls.h - where the thread-local variables of an ELF object are, for one thread: by the ABI (ELF
 * Handling For Thread-Local Storage, variant II), and by what glibc and musl keep where the thread
 * pointer leads to. amd64 only. */
#ifndef GOSNAP_TLS_H
#define GOSNAP_TLS_H

#include "lib/elf/image.h"
#include "lib/target/target.h"

/* Where offset 0 is. ERR_NOT_FOUND: the object has none, the thread has not used them yet, or
 * nothing in the object says where they are. */
MUST_CHECK bool tls_block(struct target *t, const struct images *images,
			  const struct image *img, uint64_t thread_pointer, uint64_t *ret,
			  struct err *err);

#endif
