/* SPDX-License-Identifier: Apache-2.0 */
/* tls.h - finds an ELF object's thread-local variables for one thread, by the ABI (ELF
 * Handling For Thread-Local Storage, variant II) and the thread descriptors of glibc and
 * musl. amd64 only. */
#ifndef GOSNAP_TLS_H
#define GOSNAP_TLS_H

#include "lib/elf/image.h"
#include "lib/target/target.h"

/* The address of offset 0. ERR_NOT_FOUND: the object has no thread-local storage, this
 * thread has not used it yet, or nothing in the object says where it is. */
MUST_CHECK bool tls_block(struct target *t, const struct images *images,
			  const struct image *img, uint64_t thread_pointer, uint64_t *ret,
			  struct err *err);

#endif
