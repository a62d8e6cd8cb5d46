/* SPDX-License-Identifier: Apache-2.0 */
/* http_client.h - tells whether the client of an HTTP/1 request has gone while a server of net/http
 * handles it. Private to src/findings/program. */
#ifndef GOSNAP_HTTP_CLIENT_H
#define GOSNAP_HTTP_CLIENT_H

#include "src/findings/finding.h"

/* Has the client gone? conn: a *net/http.conn whose serve() has called the handler. False
 * if the client is still there, or if that is not known. */
bool http_client_has_gone(const struct finder *f, struct runtime *rt,
			  const struct value *conn);

/* Has a handler taken over the connection (http.Hijacker)? Then the handler alone decides
 * how long the connection stays. */
bool http_is_taken_over(struct runtime *rt, const struct value *conn);

#endif
