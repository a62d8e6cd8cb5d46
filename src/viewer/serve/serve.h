/* SPDX-License-Identifier: Apache-2.0 */
/* serve.h - a document, or a folder of them, for a browser on this machine. The main header of
 * src/viewer/serve. Knows which documents there are, what of them is asked for, and who
 * may ask; how a page looks is known in src/viewer/html. Writes nothing. */
#ifndef GOSNAP_SERVE_H
#define GOSNAP_SERVE_H

#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/util.h"
#include "src/viewer/serve/http.h"

struct reader;

/* The address, with the token. */
char *serve_address(const struct http_server *server);

/* Until it is asked to quit. say_damage(): if the document is not whole. */
MUST_CHECK bool serve_document(struct http_server *server, struct reader *reader,
			       const char *name, void (*say_damage)(const char *damage),
			       struct err *err);

struct folder;
/* The same of all documents in a folder, which may come and go. */
MUST_CHECK bool serve_folder(struct http_server *server, const struct folder *folder,
			     const char *name, struct err *err);

#endif
