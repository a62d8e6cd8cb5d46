/* SPDX-License-Identifier: Apache-2.0 */
#include "src/viewer/serve/reply.h"

#include <ctype.h>
#include <string.h>

#include "lib/base/util.h"
#include "lib/document/gzip.h"
#include "lib/document/sink.h"
#include "src/viewer/serve/http.h"
#include "src/viewer/serve/readers.h"

enum {
	PACKED_FROM = 1024, /* bytes: less is one packet either way */
	DIGITS_MAX = 18,
};

static void *copy_of(const void *bytes, size_t len)
{
	return memcpy(xmalloc(len), bytes, len);
}

void reply_take(struct http_reply *ret, struct sink *part, bool takes_gzip)
{
	const char *text = sink_part_text(part);
	const size_t bytes = sink_part_bytes(part);
	const bool gzip = takes_gzip && bytes >= PACKED_FROM;

	*ret = (struct http_reply){ .type = "application/json", .gzip = gzip };
	ret->len = bytes;
	ret->bytes = gzip ? gzip_compress(text, bytes, &ret->len) : copy_of(text, bytes);
	sink_free(part);
}

void reply_json(struct http_reply *ret, char *json)
{
	*ret = (struct http_reply){ .type = "application/json",
				    .bytes = json,
				    .len = strlen(json) };
}

void reply_packed(struct http_reply *ret, const void *bytes, size_t len)
{
	*ret = (struct http_reply){ .type = "application/json",
				    .bytes = copy_of(bytes, len),
				    .len = len,
				    .gzip = true };
}

void reply_why(struct http_reply *ret, const char *why)
{
	struct sink *out = sink_part_new();

	sink_begin(out, SINK_OBJECT);
	sink_named_string(out, "why", why);
	sink_end(out);
	reply_take(ret, out, false);
}

void reply_failure(struct http_reply *ret, const char *words)
{
	*ret = (struct http_reply){ .failed = true,
				    .type = "text/plain; charset=utf-8",
				    .bytes = xstrdup(words),
				    .len = strlen(words) };
}

static void finish(void *arg, const struct readers_answer *answer)
{
	struct http_reply reply = { .type = "application/json",
				    .bytes = answer->bytes,
				    .len = answer->len,
				    .gzip = answer->gzip };

	if (answer->ended) {
		AUTO(xfree)
		char *words = xasprintf("The document is not read any more: %s. "
					"When it is asked for again, it is opened again.",
					answer->bytes);
		reply_failure(&reply, words);
	} else if (!answer->has)
		reply = (struct http_reply){ .type = NULL };
	if (reply.bytes != answer->bytes)
		xfree(answer->bytes);
	http_finish(arg, &reply);
}

void reply_of_reader(struct http_reply *ret, struct readers *readers, size_t document,
		     const struct http_request *request)
{
	struct err err;

	if (readers_ask(readers, document, request, finish, request->pending, &err))
		ret->later = true;
	else
		reply_failure(ret, err.text);
}

const char *reply_path_number(const char *path, const char *prefix, uint64_t *ret)
{
	const size_t len = strlen(prefix);
	size_t digits = 0;

	if (strncmp(path, prefix, len) != 0)
		return NULL;
	path += len;
	*ret = 0;
	for (; isdigit((unsigned char)path[digits]) && digits <= DIGITS_MAX; digits++)
		*ret = *ret * 10 + (uint64_t)(path[digits] - '0');
	return digits && digits <= DIGITS_MAX ? path + digits : NULL;
}
