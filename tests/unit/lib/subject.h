/* SPDX-License-Identifier: Apache-2.0 */
/* subject.h - a child process to be examined. It says by a byte that it is ready; nothing
 * sleeps. */
#ifndef GOSNAP_TEST_SUBJECT_H
#define GOSNAP_TEST_SUBJECT_H

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

/* Memory that the subject and the test share. */
struct subject_shared {
	_Atomic uint64_t counter, other;
	_Atomic uint64_t address, value;
	_Atomic int go;
};

/* Runs body(shared) in a child of the name "subject", which calls subject_ready() when it is; then returns. */
typedef void subject_fn(struct subject_shared *shared);
pid_t subject_start(subject_fn *body, struct subject_shared **ret_shared);
void subject_ready(void);

/* Kills and reaps it, unmaps shared. */
void subject_end(pid_t pid, struct subject_shared *shared);

/* Waits until *counter has grown by n: proof that the subject runs. */
void subject_runs(const _Atomic uint64_t *counter, uint64_t n);

#endif
