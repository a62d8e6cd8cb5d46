/* SPDX-License-Identifier: Apache-2.0 */
/* reader_process.h - a process that reads a document, in a sandbox of its own: if it hangs, takes too much
 * memory or is taken over, that costs the answers of this document. Who has the browsers in another
 * sandbox asks the parent of both for one, and then the process itself, over a socket: a message for each question,
 * and some for its answer. Neither believes the other. */
#ifndef GOSNAP_READER_PROCESS_H
#define GOSNAP_READER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/util.h"

enum {
	READERS_MAX = 4, /* documents that are open */
	READER_WORDS_MAX = 20 * 1024,
	READER_PART_MAX = 64 * 1024,
};

enum reader_question_kind {
	/* The document, with its descriptor. Answer: what is wrong with it. It is the first question. */
	READER_OPEN = 1,
	/* Another one, with its descriptor. Answer: members, as summary.h has them. */
	READER_SUMMARIZE,
	/* words: what is asked for, see document.h, NUL, and the expression, if any. */
	READER_ANSWER,
	/* Nobody waits for the answer to the question with that id any more: it may be short. */
	READER_FORGET,
};

struct reader_question {
	uint32_t kind, id;
	bool takes_gzip, of_folder, has_expr;
	uint32_t len; /* of words, which end with NUL */
	char words[READER_WORDS_MAX];
};

/* Part of an answer. */
struct reader_part {
	uint32_t id; /* of the question; 0: the process has ended, and this is why */
	bool has, gzip,
		is_last; /* has: there is such a thing; else the bytes say why not */
	char bytes[READER_PART_MAX];
};

struct reader_host;
struct sandbox_service;

/* In the parent. Those who ask without a sandbox have this, too. */
struct reader_host *reader_host_new(bool no_sandbox);
const struct sandbox_service *reader_host_services(const struct reader_host *host);
void reader_host_free(struct reader_host *host);
DEFINE_AUTO(struct reader_host, reader_host_free)

/* In whoever asks, which is the sandbox or has the host. The socket; -1: err says why. */
int reader_start(struct reader_host *host, int *ret_number, struct err *err);
void reader_end(struct reader_host *host, int number);

/* The process itself: answers until the socket, whose descriptor is at arg, is closed. */
enum { READER_OUT_OF_MEMORY = 60 }; /* as it returns otherwise */
int reader_process_live(void *arg);

#endif
