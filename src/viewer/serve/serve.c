/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/serve.h"

#include <string.h>

#include "src/viewer/serve/document.h"
#include "src/viewer/serve/timeline.h"

char *serve_address(const struct http_server *server)
{
	return xasprintf("http://127.0.0.1:%u/%s/", (unsigned)server->port,
			 server->token);
}

static void answer(void *arg, const struct http_request *request, struct http_reply *ret)
{
	if (!*request->path)
		document_page(ret);
	else
		document_answer(arg, request->path, request, ret);
}

bool serve_document(struct http_server *server, struct reader *reader, const char *name,
		    void (*say_damage)(const char *damage), struct err *err)
{
	AUTO(document_free)
	struct document *d = document_load(reader, name, false, err);

	if (!d)
		return false;
	if (document_damage(d))
		say_damage(document_damage(d));
	server->answer = answer;
	server->arg = d;
	return http_serve(server, err);
}

static void answer_of_folder(void *arg, const struct http_request *request,
			     struct http_reply *ret)
{
	timeline_answer(arg, request, ret);
}

bool serve_folder(struct http_server *server, const struct folder *folder,
		  const char *name, struct err *err)
{
	AUTO(timeline_free) struct timeline *t = timeline_new(folder, name);

	server->answer = answer_of_folder;
	server->arg = t;
	return http_serve(server, err);
}
