/* SPDX-License-Identifier: Apache-2.0 */
/* downloader.h - a child of the parent of the sandbox that gets files from the network: the sandbox has
 * no network, and the parent rights that nobody is to have who reads what a server sends. The child has
 * no capabilities and no new privileges, reads what name resolution and TLS need, writes only to one
 * folder (Landlock), makes the system calls of downloads.def and no others, has limits on memory, CPU,
 * time and the size of files, and ends with its parent. What it says is believed no more than what
 * the sandbox says: a file is only taken if it is open for reading and begins as programs do.
 *
 * How many files a run gets, and how long that takes altogether, is bounded here: who asks may be
 * taken over, and what it asks for leaves the machine. */
#ifndef GOSNAP_DOWNLOADER_H
#define GOSNAP_DOWNLOADER_H

#include "lib/sandbox/broker.h"

enum {
	DOWNLOADS_MAX = 16,
	/* Bytes of a build-id: linkers make 8, 16, 20 or 32. */
	DOWNLOAD_ID_MIN = 8,
	DOWNLOAD_ID_MAX = 32,
};

struct download {
	uint32_t kind;	  /* an enum question_kind */
	uint32_t seconds; /* that it may take */
	uint32_t id_len;
	unsigned char id[DOWNLOAD_ID_MAX];
};

/* In the child. The file's descriptor, and its name; negative: of errno. */
typedef int download_fn(const struct download *wanted, char *ret_path, size_t size);

struct downloader;
/* folder: all that it may write to; it is copied, and need not be there. total_ns: for all downloads.
 * Starts nothing yet. */
struct downloader *downloader_new(const char *folder, download_fn *get,
				  uint64_t total_ns);
void downloader_free(struct downloader *d);
DEFINE_AUTO(struct downloader, downloader_free)

/* For the next snapshot: as many files and as much time again. */
void downloader_renew(struct downloader *d);

/* As struct sandbox_service has them. What failed is in bytes, or only of errno in result. */
void downloader_ask(struct downloader *d, const struct download *wanted,
		    struct answer *ret);
bool downloader_finish(struct downloader *d, struct answer *ret, int *ret_fd,
		       struct answer_wait *ret_wait);

#endif
