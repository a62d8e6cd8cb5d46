/* SPDX-License-Identifier: Apache-2.0 */
/* http_priv.h - what decides whether a request is answered. */
#ifndef GOSNAP_HTTP_PRIV_H
#define GOSNAP_HTTP_PRIV_H

#include "src/viewer/serve/http.h"

struct MHD_Connection;

/* NULL: it may come from our page, or from a person who has the address; else why not. */
const char *http_refusal(struct MHD_Connection *connection,
			 const struct http_server *server);
/* What follows the token; NULL: it has another, or none. Takes as long for each. */
const char *http_behind_token(const char *url, const char *token);

#endif
