/* SPDX-License-Identifier: Apache-2.0 */
/* http_client.h - tells whether the client of an HTTP/1 request has gone while a server of net/http
 * handles it. Private to src/findings/program. */
#ifndef GOSNAP_HTTP_CLIENT_H
#define GOSNAP_HTTP_CLIENT_H

#include "src/findings/finding.h"

/* conn: a *net/http.conn whose serve() has called the handler. Returns false if the client is still there,
 * and where that is not known. */
bool http_client_has_gone(const struct finder *f, struct runtime *rt,
			  const struct value *conn);

/* Has a handler taken over the connection (http.Hijacker)? Then it is the handler's own for how long it stays. */
bool http_is_taken_over(struct runtime *rt, const struct value *conn);

#endif
