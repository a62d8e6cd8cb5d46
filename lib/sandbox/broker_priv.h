/* SPDX-License-Identifier: Apache-2.0 */
/* broker_priv.h - both ends of the sockets of broker.h. */
#ifndef GOSNAP_SANDBOX_BROKER_PRIV_H
#define GOSNAP_SANDBOX_BROKER_PRIV_H

#include "lib/sandbox/broker.h"
#include "lib/sandbox/message.h"

/* ask.c: from now on, calls that the filter traps go through this socket. */
void ask_begin(int channel);

/* broker.c */
struct broker;
/* child: that of the sandbox, whose socket channel is. Takes ownership of channel. */
struct broker *broker_new(const struct sandbox *how, pid_t child, int channel);
/* Answers until the child has ended, and says how. Takes starts, see sandbox_close(). False: the time
 * is over, or it did something forbidden; it may live. */
MUST_CHECK bool broker_serve(struct broker *b, int starts, int *ret_status,
			     struct err *err);
void broker_free(struct broker *b);
DEFINE_AUTO(struct broker, broker_free)

/* cached.c: the cache of the user, for the sandbox. */
struct cache;
struct cached {
	bool allowed, opened;
	struct cache *cache; /* NULL: not usable */
	unsigned puts;
};
/* In the sandbox: from now on, the parent opens its files. */
void cached_begin(void);
void cached_serve(struct cached *c, const struct question *q, int fd, struct answer *ret,
		  int *ret_fd);

/* files.c: what the parent opens for it; negative: of errno. flags BELOW_ROOT:
 * the folder is the root of a process. folder: -1 or a descriptor of the child's. */
enum { BELOW_ROOT = -1 };
bool files_is_temporary(int flags);
int files_open(const struct sandbox *how, int folder, const char *path, int flags);
int files_read_link(const struct sandbox *how, int folder, const char *path, char *ret,
		    size_t size);
/* files_proc.c: likewise, of the subject. *ret_other: it is no file of it, so others may be permitted. */
int proc_open(const struct sandbox *how, int folder, const char *path, int flags,
	      bool *ret_other);
int proc_read_link(const struct sandbox *how, int folder, const char *path, char *ret,
		   size_t size, bool *ret_other);
/* Is it a regular file that begins as programs do, libraries and debug files, and no core? */
bool files_is_program(int fd);
struct stat;
int files_status(const struct sandbox *how, int folder, const char *path, int flags,
		 struct stat *ret);

#endif
