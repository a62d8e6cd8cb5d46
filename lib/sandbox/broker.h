/* SPDX-License-Identifier: Apache-2.0 */
/* broker.h - what a process in the sandbox asks its parent for, and how: one message each way over a
 * socket, with one descriptor at most. Each process in there has a socket of its own (ask.c). System
 * calls of syscalls.def that are ASK become questions in a signal handler, so that the code that
 * makes them need not know. The parent (broker.c) takes every question for an attacker's. */
#ifndef GOSNAP_SANDBOX_BROKER_H
#define GOSNAP_SANDBOX_BROKER_H

#include <limits.h>

#include "lib/sandbox/sandbox.h"

/* What the fields of question and answer are. The descriptor is what is sent along. */
enum question_kind {
	/* number: flags of open(); text: the path; descriptor: the folder, or none. Answer: a
	 * descriptor. */
	ASK_OPEN = 1,
	/* Likewise, below the root that is the descriptor. */
	ASK_OPEN_BELOW,
	ASK_READ_LINK,
	/* number: AT_ flags. Answer: struct stat. */
	ASK_STATUS,
	/* number: pid of a child of the sandbox, to be killed. */
	ASK_END_CHILD,
	/* The descriptor is the socket of one more process. Not answered. */
	ASK_CHANNEL,
	/* number: of the system call. Not answered. */
	TELL_FORBIDDEN,
	/* This and those above: see struct sandbox_service. */
	ASK_SERVICE = 32,
	/* Answer: the descriptor to write to. */
	ASK_PAGER = ASK_SERVICE,
	/* Answer: its exit status. */
	ASK_PAGER_ENDS,
	/* number: of an entry of the spool. Answer: its descriptor. */
	ASK_SPOOL_ENTRY,
	/* number: seconds that it may take; text: the build-id in hexadecimal. Answer: a descriptor
	 * and its path. */
	ASK_DEBUG_FILE,
	ASK_EXECUTABLE,
	/* text: the estimate; descriptor: to be kept by it. Answer: its pid and the descriptor of its
	 * socket, or why there is none. */
	ASK_TRACER,
	/* Answer: the memory shared with it, as a descriptor, and struct tracer_room. */
	ASK_TRACER_MEMORY,
	/* number: 0: has it exited? 1: kill it. Answer: its status, if it has. */
	ASK_TRACER_END,
	/* Answer: struct conditions; number 1: the price of a copy. */
	ASK_CONDITIONS,
	/* Answer: how many zombies. */
	ASK_LEFTOVERS,
	/* number: a thread. Answer: a file of what sockets_list() writes. */
	ASK_DESCRIPTORS,
	/* Of a series: waits until a snapshot is due; the result is how many were taken, or ESRCH: there is to
	 * be none. */
	ASK_SERIES_NEXT,
	/* Begins it. Answer: a descriptor, see process_lock.h, or none where none is needed. */
	ASK_SERIES_TURN,
	/* Answer: the descriptor to write to. */
	ASK_SERIES_OUTPUT,
	/* number: how what took it has ended, as of wait(). Result 1: it may begin again, without values. */
	ASK_SERIES_DONE,
	/* text: kind and key, separated by NUL. Answer: a descriptor. */
	ASK_CACHED,
	/* Likewise, and the descriptor has what is to be kept. */
	ASK_CACHE,
	/* number: of a document that was named. Answer: its descriptor. */
	ASK_DOCUMENT,
	/* text: the name of a document in a folder. Answer: its descriptor. */
	ASK_FOLDER_DOCUMENT,
	/* text: the key of a baseline. Answer: its descriptor. */
	ASK_BASELINE,
	/* Likewise, and the descriptor has what is to be in it. */
	ASK_BASELINE_KEEP,
	/* text: rows of the screen, see screen.c. */
	ASK_SCREEN_ROWS,
	ASK_SCREEN_UPDATE, /* what was drawn is shown */
	/* The same. number: as of screen_key(). Answer: struct key. */
	ASK_SCREEN_KEY,
	/* The descriptor has what is to be copied. */
	ASK_SCREEN_COPY,
	/* number: of rows; text: if they can have stacks. Answer: a file to write to, whose name the user was asked
	 * for; the result is what screen_file() returns of it. */
	ASK_SCREEN_FILE,
	/* text: to be said when the screen is gone. */
	ASK_SCREEN_SAY,
	/* text: a path as documents have it, and the version of Go, separated by NUL. Answer: the source file that is
	 * meant, and its path; result 0: the paths that were tried. */
	ASK_SOURCE,
	/* A process that reads a document. The result is its number; answer: its socket. */
	ASK_READER,
	/* number: of such a process, which is ended. */
	ASK_READER_END,
};

struct question {
	uint32_t kind;
	int32_t number;
	uint32_t len;	     /* of text */
	char text[PATH_MAX]; /* without NUL */
};

struct answer {
	int32_t result; /* negative: of errno, or ANSWER_LATER */
	uint32_t len;	/* of bytes */
	char bytes[PATH_MAX];
};

/* The result of what takes long: nobody else is kept waiting, nor do limits of time wait. */
enum { ANSWER_LATER = INT_MIN };

/* What an answer waits for. */
struct answer_wait {
	int fd; /* readable when there may be an answer; -1: look now and then */
	uint64_t until_ns; /* monotonic; when to look whatever happens; 0: not then */
};

/* More than files and processes, for those that stand above this room. */
struct sandbox_service {
	uint32_t kind; /* 0: no more of them */
	/* In the parent. fd: what came with the question, -1: nothing; it is closed afterwards. The
	 * answer is all zero; a descriptor in *ret_fd is sent with it and then closed here. Must not
	 * block: everybody waits. */
	void (*serve)(void *arg, const struct question *q, int fd, struct answer *ret,
		      int *ret_fd);
	void *arg;
	/* NULL: serve() always answers. Otherwise it may return ANSWER_LATER, and this is called
	 * until it returns true: there is the answer, as from serve(). Until then the service is busy,
	 * and further questions of this kind fail with EBUSY. It is not called again if the sandbox
	 * ends before. */
	bool (*finish)(void *arg, struct answer *ret, int *ret_fd,
		       struct answer_wait *ret_wait);
};

/* In the sandbox. fd: to send along, or -1. *ret_fd: what came, or -1; ret_fd NULL: nothing is
 * expected. False: the parent is gone. */
MUST_CHECK bool sandbox_ask(const struct question *q, int fd, struct answer *ret,
			    int *ret_fd);
/* For the file with that number in a list that both have; the caller closes it. -1: errno. */
int sandbox_ask_for_file(uint32_t kind, size_t number);

#endif
