/* SPDX-License-Identifier: Apache-2.0 */
/* match.h - which functions a word means. */
#ifndef GOSNAP_TRACE_MATCH_H
#define GOSNAP_TRACE_MATCH_H

#include <stdbool.h>

/* A name, "main.(*Server).handle", or a pattern in which * is anything: "net/http.(*conn).*". A * right
 * behind a parenthesis is that of a pointer. Type arguments of the name may be left out. */
bool trace_matches(const char *word, const char *name);

#endif
