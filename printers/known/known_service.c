/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP requests and servers, database pools: net/http/request.go, response.go, server.go,
 * database/sql/sql.go. */
#include <inttypes.h>
#include <string.h>

#include "printers/known/known.h"

/* A server's request has the path in URL, and the host in a separate field. */
static bool add_target(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_words own = { .len = 0 };
	struct value url;

	if (!known_string(p, v, "URL.Host", &own) || !known_field(p, v, "URL", &url))
		return false;
	if (!own.len && !known_string(p, v, "Host", ret))
		return false;
	return known_text_of(p, &url, ret);
}

bool text_of_request(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_words remote = { .len = 0 };

	if (!known_string(p, v, "Method", ret) ||
	    !known_string(p, v, "RemoteAddr", &remote))
		return false;
	known_add(ret, ret->len ? " " : "GET ");
	if (!add_target(p, v, ret))
		return false;
	if (remote.len)
		known_add(ret, " from ");
	known_add_bytes(ret, remote.bytes, remote.len);
	return true;
}

bool text_of_response(struct printing *p, const struct value *v, struct known_words *ret)
{
	return known_string(p, v, "Status", ret);
}

bool text_of_server(struct printing *p, const struct value *v, struct known_words *ret)
{
	return known_string(p, v, "Addr", ret);
}

/* A map up to 1.22, later a list. */
static bool count_waiting(struct printing *p, const struct value *v, uint64_t *ret)
{
	struct value requests;
	struct map_value map;
	struct err ignored;

	if (known_field(p, v, "connRequests", &requests) &&
	    type_kind(requests.type) == KIND_MAP) {
		if (!runtime_map(p->rt, &requests, &map, &ignored))
			return false;
		*ret = map.len;
		return true;
	}
	return known_length(p, v, "connRequests.s", ret);
}

bool text_of_database(struct printing *p, const struct value *v, struct known_words *ret)
{
	uint64_t open, idle, waiting, most, closed;

	if (!known_number(p, v, "numOpen", &open) ||
	    !known_length(p, v, "freeConn", &idle) || !count_waiting(p, v, &waiting) ||
	    !known_number(p, v, "maxOpen", &most) ||
	    !known_number(p, v, "closed", &closed))
		return false;
	known_add(ret,
		  "%s%" PRIu64 " open, %" PRIu64 " in use, %" PRIu64 " idle, %" PRIu64
		  " waiting",
		  closed ? "closed, " : "", open, open > idle ? open - idle : 0, idle,
		  waiting);
	if ((int64_t)most > 0)
		known_add(ret, ", at most %" PRIu64, most);
	return true;
}
