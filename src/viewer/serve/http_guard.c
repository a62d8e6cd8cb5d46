/* SPDX-License-Identifier: Apache-2.0 */
#include <microhttpd.h>
#include <stdio.h>
#include <string.h>

#include "src/viewer/serve/http_priv.h"

enum { ADDRESS_BYTES = sizeof("http://127.0.0.1:65535") };

/* The names under which we are known. Another name, of somebody who makes it lead to this machine, is none
 * of them. */
static const char *const hosts[] = { "127.0.0.1", "localhost" };

struct header {
	const char *name, *value;
	unsigned count;
};

static enum MHD_Result note(void *arg, enum MHD_ValueKind kind, const char *name,
			    const char *value)
{
	struct header *header = arg;

	(void)kind;
	if (strcasecmp(name, header->name) != 0)
		return MHD_YES;
	header->value = value ? value : "";
	header->count++;
	return MHD_YES;
}

static struct header header_of(struct MHD_Connection *connection, const char *name)
{
	struct header header = { .name = name };

	MHD_get_connection_values(connection, MHD_HEADER_KIND, note, &header);
	return header;
}

static bool is_ours(const char *text, const char *scheme, uint16_t port)
{
	char ours[ADDRESS_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		snprintf(ours, sizeof(ours), "%s%s:%u", scheme, hosts[i], (unsigned)port);
		if (strcmp(text, ours) == 0)
			return true;
	}
	return false;
}

const char *http_refusal(struct MHD_Connection *connection,
			 const struct http_server *server)
{
	const struct header host = header_of(connection, "Host"),
			    origin = header_of(connection, "Origin"),
			    site = header_of(connection, "Sec-Fetch-Site");

	if (host.count != 1 || !is_ours(host.value, "", server->port))
		return "This is not the name of this server.\n";
	if (origin.count > 1 ||
	    (origin.count == 1 && !is_ours(origin.value, "http://", server->port)))
		return "Pages of others are not answered.\n";
	if (site.count > 1 ||
	    (site.count == 1 && strcmp(site.value, "same-origin") != 0 &&
	     strcmp(site.value, "none") != 0))
		return "Links on other sites do not lead here: paste the address that "
		       "gosnap "
		       "serve has printed.\n";
	return NULL;
}

const char *http_behind_token(const char *url, const char *token)
{
	const size_t len = strlen(token);
	unsigned differ = 0;

	if (*url != '/' || strnlen(url + 1, len + 1) <= len || url[1 + len] != '/')
		return NULL;
	for (size_t i = 0; i < len; i++)
		differ |= (unsigned char)url[1 + i] ^ (unsigned char)token[i];
	return differ ? NULL : url + len + 2;
}
