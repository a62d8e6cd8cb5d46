/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h - a document, or a folder of them, for a browser on this machine. The main header of
 * src/viewer/serve. Knows which documents there are, what of them is asked for, and who
 * may ask; how a page looks is known in src/viewer/html. Writes nothing. Whoever has the browsers reads no document:
 * each has a process of its own (reader_process.h). */
#ifndef GOSNAP_SERVE_H
#define GOSNAP_SERVE_H

#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "src/viewer/serve/http.h"

struct folder;
struct reader_host;

/* The address, with the token. */
char *serve_address(const struct http_server *server);

/* Of a document. */
struct serve_document {
	int fd; /* of it; read again, where that is possible, after a process that reads it has ended */
	const char *name;
	/* Called when it has been read, and that it is not whole, if so. */
	bool (*begin)(const struct http_server *server, struct err *err);
	void (*say_damage)(const char *damage);
};

/* Until it is asked to quit. host: borrowed; only asked without a sandbox. */
MUST_CHECK bool serve_document(struct http_server *server, struct reader_host *host,
			       const struct serve_document *document, struct err *err);
/* The same of all documents in a folder, which may come and go. */
MUST_CHECK bool serve_folder(struct http_server *server, struct reader_host *host,
			     const struct folder *folder, const char *name,
			     struct err *err);

#endif
