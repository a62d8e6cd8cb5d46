/* SPDX-License-Identifier: Apache-2.0 */
/* decode.h - what probes copied, as JSON or text: in a sandbox, as all of it is of the subjects. It gets
 * messages through a pipe, each smaller than what a pipe takes at once, and reads no process. */
#ifndef GOSNAP_TRACE_DECODE_H
#define GOSNAP_TRACE_DECODE_H

#include "printers/printers.h"
#include "src/bpf/trace_probes.h"
#include "src/trace/find.h"
#include "src/trace/take.h"

enum trace_message_kind {
	TRACE_MESSAGE_HIT,
	TRACE_MESSAGE_LOST,
	TRACE_MESSAGE_TIMES,
	TRACE_MESSAGE_SNAPSHOT,
	TRACE_MESSAGE_END
};

struct trace_message {
	uint32_t kind, padding;
	union {
		struct trace_hit hit;
		struct trace_latency {
			uint32_t function, padding;
			struct trace_times times;
		} latency;
		struct trace_taken taken;
		struct trace_totals {
			uint64_t calls; /* while functions were traced */
			uint64_t told, lost, excluded, beyond_rate, beyond_count;
			bool with_returns;
			uint64_t returns, returns_told, returns_lost;
			bool with_snapshots;
			uint64_t snapshots, snapshots_failed;
			uint64_t beyond_interval; /* calls that were told */
		} totals;
	};
};
/* Of one of that kind. */
size_t trace_message_bytes(uint32_t kind);

enum trace_format { TRACE_JSON, TRACE_TEXT };

struct trace_decoder {
	int file, pipe; /* the program, and what messages are read from */
	const char *name;
	const struct trace_functions *functions;
	struct redaction *redaction;
	const struct value_rules *rules; /* or NULL */
	unsigned format;		 /* enum trace_format */
	bool no_sandbox;
};
/* Until the end of the pipe, or nobody reads what is written. */
MUST_CHECK bool trace_decode(const struct trace_decoder *decoder, struct err *err);

#endif
