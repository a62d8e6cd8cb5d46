/* SPDX-License-Identifier: Apache-2.0 */
/* reply.h - replies made of JSON, those that others give, and the numbers in what is asked for. */
#ifndef GOSNAP_SERVE_REPLY_H
#define GOSNAP_SERVE_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct http_reply;
struct http_request;
struct readers;
struct sink;

/* Frees part. */
void reply_take(struct http_reply *ret, struct sink *part, bool takes_gzip);
/* Takes json. */
void reply_json(struct http_reply *ret, char *json);
/* A copy of JSON that is packed. */
void reply_packed(struct http_reply *ret, const void *bytes, size_t len);
/* {"why": ...}: of a document that cannot be read. */
void reply_why(struct http_reply *ret, const char *why);
/* Words, in place of an answer. */
void reply_failure(struct http_reply *ret, const char *words);
/* What the process that reads a document answers, later. */
void reply_of_reader(struct http_reply *ret, struct readers *readers, size_t document,
		     const struct http_request *request);
/* What follows the prefix and a number; NULL: the path is another. */
const char *reply_path_number(const char *path, const char *prefix, uint64_t *ret);

#endif
