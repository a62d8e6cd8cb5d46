/* SPDX-License-Identifier: Apache-2.0 */
/* job.h - looks through all goroutines. A key is answered meanwhile, so each step is short. */
#ifndef GOSNAP_JOB_H
#define GOSNAP_JOB_H

#include <stdbool.h>
#include <stdint.h>

struct browse;
struct filter;
struct job;

/* Those with that address in their variables, but one; -1: all. why: of its message; borrowed. */
struct job *job_new_pointer(uint64_t address, const char *why, int64_t except);
/* Those that pass; takes the filter. */
struct job *job_new_filter(struct browse *b, struct filter *filter, const char *words);
void job_free(struct job *job);

/* True: it is done, and they are listed, or it was said that there are none. */
bool job_step(struct job *job, struct browse *b);

#endif
