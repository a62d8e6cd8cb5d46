/* SPDX-License-Identifier: Apache-2.0 */
/* broker.h - what a process in the sandbox asks its parent for, and how: one message each way over a
 * socket, with one descriptor at most. Each process in there has a socket of its own (ask.c). System
 * calls of syscalls.def that are ASK become questions in a signal handler, so that the code that
 * makes them need not know. The parent (broker.c) takes every question for an attacker's. */
#ifndef GOSNAP_SANDBOX_BROKER_H
#define GOSNAP_SANDBOX_BROKER_H

#include <limits.h>

#include "lib/sandbox/sandbox.h"

enum question_kind {
	ASK_OPEN =
		1, /* number: flags of open(); text: the path; descriptor: the folder, or none */
	ASK_OPEN_BELOW, /* likewise, below the root that is the descriptor */
	ASK_READ_LINK,
	ASK_STATUS,		 /* number: AT_ flags; answer: struct stat */
	ASK_END_CHILD,		 /* number: pid of a child of the sandbox */
	ASK_CHANNEL,		 /* the descriptor is the socket of one more process */
	TELL_FORBIDDEN,		 /* number: of the system call; not answered */
	ASK_SERVICE = 32,	 /* and above: see struct sandbox_service */
	ASK_PAGER = ASK_SERVICE, /* answer: the descriptor to write to */
	ASK_PAGER_ENDS,		 /* answer: how it ended */
	ASK_SPOOL_ENTRY = 64,	 /* number: of the entry; answer: its descriptor */
	ASK_DEBUG_FILE, /* number: seconds that it may take; text: the build-id in hexadecimal;
			 * answer: a descriptor and its path */
	ASK_EXECUTABLE, /* likewise */
	ASK_TRACER, /* text: the estimate; descriptor: to be kept by it; answer: its pid, and the
		     * descriptor of its socket, or why not */
	ASK_TRACER_MEMORY, /* answer: that, as a descriptor, and struct tracer_room */
	ASK_TRACER_END, /* number: 0: has it exited? 1: kill it. Answer: its status, if so */
	ASK_CONDITIONS, /* answer: struct conditions; number: 1: the price of a copy */
	ASK_LEFTOVERS,	/* answer: how many zombies */
	ASK_DESCRIPTORS, /* number: a thread; answer: a file of what sockets_list() writes */
	ASK_CACHED,	 /* text: kind and key, separated by NUL; answer: a descriptor */
	ASK_CACHE,	 /* likewise, and the descriptor has what is to be kept */
};

struct question {
	uint32_t kind;
	int32_t number;
	uint32_t len;	     /* of text */
	char text[PATH_MAX]; /* without NUL */
};

struct answer {
	int32_t result; /* negative: of errno */
	uint32_t len;	/* of bytes */
	char bytes[PATH_MAX];
};

/* More than files and processes, for those that stand above this room. */
struct sandbox_service {
	uint32_t kind; /* 0: no more of them */
	/* In the parent. fd: what came with the question, -1: nothing; it is closed afterwards. The
	 * answer is all zero; a descriptor in *ret_fd is sent with it and then closed here. */
	void (*serve)(void *arg, const struct question *q, int fd, struct answer *ret,
		      int *ret_fd);
	void *arg;
};

/* In the sandbox. fd: to send along, or -1. *ret_fd: what came, or -1; ret_fd NULL: nothing is
 * expected. False: the parent is gone. */
MUST_CHECK bool sandbox_ask(const struct question *q, int fd, struct answer *ret,
			    int *ret_fd);

#endif
