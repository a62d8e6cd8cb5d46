/* SPDX-License-Identifier: Apache-2.0 */
#include "src/profile/heap_ways.h"

#include "goruntime/goruntime.h"
#include "src/profile/pprof.h"
#include "src/profile/profile.h"

void heap_ways_begin(const struct capture *c, struct pprof *to)
{
	pprof_time(to, c->realtime_ns);
	profile_add_mappings(c, to);
	pprof_period(to, "space", "bytes", 1);
	pprof_sample_type(to, "inuse_objects", "count");
	pprof_sample_type(to, "inuse_space", "bytes");
}

void heap_ways_encode(const struct heap_summary *s, struct pprof *to)
{
	for (size_t i = 0; i < s->way_count; i++) {
		const uint64_t values[] = { s->ways[i].live.objects,
					    s->ways[i].live.bytes };
		if (!values[0])
			continue;
		for (size_t at = i + 1; at; at = s->ways[at - 1].parent)
			pprof_frame(to, &(struct profile_frame){
						.function = s->ways[at - 1].name });
		pprof_sample(to, values, ARRAY_SIZE(values));
	}
}
