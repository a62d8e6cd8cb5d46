/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz.h - what is fed with damaged bytes: one function, which libFuzzer calls (configure
 * --enable-fuzz, make fuzz), and replay.c with what is kept in corpus/ (make check). */
#ifndef GOSNAP_FUZZ_H
#define GOSNAP_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Always 0. What is wrong ends the process. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
