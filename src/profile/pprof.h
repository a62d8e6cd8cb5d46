/* SPDX-License-Identifier: Apache-2.0 */
/* pprof.h - the format of pprof (github.com/google/pprof, proto/profile.proto), as runtime/pprof writes
 * it. Knows the format, not what is measured. */
#ifndef GOSNAP_PPROF_H
#define GOSNAP_PPROF_H

#include "goruntime/goruntime.h"

struct pprof;

struct pprof *pprof_new(void);
void pprof_free(struct pprof *p);
DEFINE_AUTO(struct pprof, pprof_free)

void pprof_time(struct pprof *p, uint64_t realtime_ns);
/* What it is sampled by, and how often. */
void pprof_period(struct pprof *p, const char *type, const char *unit, uint64_t value);
/* What the values of samples are, in their order. */
void pprof_sample_type(struct pprof *p, const char *type, const char *unit);
/* Code, and the file that it is from; before the frames in it. */
struct pprof_mapping {
	uint64_t start, end, offset;
	const char *path, *build_id;
	size_t path_len;
};
void pprof_mapping(struct pprof *p, const struct pprof_mapping *m);

/* One sample: its frames, innermost first, and its labels; then it is finished. */
profile_frame_fn pprof_frame; /* arg: the struct pprof */
void pprof_label_text(struct pprof *p, const char *key, size_t key_len, const char *value,
		      size_t value_len);
void pprof_label_number(struct pprof *p, const char *key, uint64_t value);
void pprof_sample(struct pprof *p, const uint64_t *values, size_t n);

/* The whole, compressed by gzip. The caller frees it. */
void *pprof_finish(struct pprof *p, size_t *ret_len);

#endif
