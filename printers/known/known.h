/* SPDX-License-Identifier: Apache-2.0 */
/* known.h - well-known types: next to its fields, a value of such a type gets a text,
 * as its program would print it. The text is made from the fields; if they are not as
 * expected, there is none, but the fields are printed anyway. Each type has a row in
 * known.c. Keeps nothing. Knows what goruntime/stdlib found; reads the subject only
 * through it and through goruntime/values. */
#ifndef GOSNAP_KNOWN_H
#define GOSNAP_KNOWN_H

#include "printers/rules/rules_priv.h"
#include "printers/values/value_printers.h"

struct known_words {
	char bytes[1024];
	size_t len;
	unsigned steps; /* spent on the user's rules */
};

/* Appends; truncates what does not fit. */
void known_add(struct known_words *t, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void known_add_bytes(struct known_words *t, const char *bytes, size_t len);

/* "2026-11-22T02:15:06.5Z" */
void known_add_time(struct known_words *to, const struct time_value *t);
/* "1h0m1.5s". known_add_about(): only the leading digits. */
void known_add_duration(struct known_words *to, uint64_t ns);
void known_add_about(struct known_words *to, uint64_t ns);

bool known_same(const struct known_words *a, const struct known_words *b);

/* False: no text. */
typedef bool known_text(struct printing *p, const struct value *v,
			struct known_words *ret);

/* known_time.c */
known_text text_of_time, text_of_duration, text_of_month, text_of_weekday, text_of_timer,
	text_of_ticker;
/* known_context.c */
known_text text_of_context;
/* known_sync.c */
known_text text_of_mutex, text_of_rwmutex, text_of_waitgroup, text_of_cond, text_of_once,
	text_of_pool, text_of_atomic, text_of_atomic_value;
/* known_number.c */
known_text text_of_big_int, text_of_big_rat, text_of_big_float;
/* known_net.c: the bytes of an address, mask or other slice; a text has no room for
 * more. */
struct known_address {
	uint8_t bytes[340];
	size_t len;
};
bool known_bytes(struct printing *p, const struct value *v, struct known_address *ret);
/* As net.IP prints itself, whatever its length. */
void known_add_ip(struct known_words *ret, const uint8_t *bytes, size_t len);
/* known_quote.c: quotes a string like strconv.Quote(). False: not known how it treats
 * some of its characters. */
bool known_go_quoted(const struct known_words *s, struct known_words *ret);
/* known_address.c */
known_text text_of_socket_address, text_of_unix_address, text_of_hardware_address,
	text_of_ip_net, text_of_prefix, text_of_address_port, text_of_net_error,
	text_of_dns_error;
/* known_file.c */
known_text text_of_file, text_of_connection, text_of_tls;
/* known_service.c */
known_text text_of_request, text_of_response, text_of_server, text_of_database;
/* known_other.c */
enum { UUID_BYTES = 16 };
known_text text_of_regexp, text_of_location, text_of_level, text_of_list, text_of_uuid,
	text_of_enum;
/* known_container.c */
known_text text_of_sync_map;
/* Prints members besides the text; the value's object is open. */
typedef void known_members(struct printing *p, const struct value *v);
known_members members_of_sync_map, members_of_list, members_of_reflection,
	members_of_atomic_pointer;
/* known_error.c: v is the struct itself, not a pointer to it, if the error is a
 * struct. */
known_text text_of_error_string, text_of_path_error, text_of_syscall_error,
	text_of_link_error, text_of_errno, text_of_url_error, text_of_num_error,
	text_of_joined_errors, text_of_deadline_exceeded, text_of_message_error,
	text_of_stack_error, text_of_constant_error;
#define CONTEXT_DEADLINE_WORDS "context deadline exceeded"
#define CONTEXT_CANCEL_WORDS "context canceled"
/* known_net.c */
known_text text_of_url, text_of_ip, text_of_address;
/* known_buffer.c */
known_text text_of_buffer, text_of_builder;

/* Follows pointers and interfaces too. False: not a known type. */
bool known_text_of(struct printing *p, const struct value *v, struct known_words *ret);
/* For the value itself, ignoring the user's rules. */
bool known_built_in(struct printing *p, const struct value *v, struct known_words *ret);
/* known_context.c: member contexts of a context.Context. */
void print_contexts(struct printing *p, const struct value *v);

/* For printing_begin(). */
extern const struct value_texts known_texts;

/* rules_text.c: False: the rule gives no text. */
bool rule_text(struct printing *p, const struct rule *rule, const struct value *v,
	       struct known_words *ret);

/* Like runtime_bytes(): known_letters() for bytes copied to the text unchanged,
 * known_read() for bytes represented otherwise. If they are part of a secret that the
 * text would not show, the text is dropped. Code that makes texts must read with
 * these. */
bool known_letters(struct printing *p, uint64_t addr, char *ret, size_t len);
bool known_read(struct printing *p, uint64_t addr, void *ret, size_t len);
/* The same for a text written differently: escaped or quoted. */
void known_reworded(struct printing *p, const struct known_words *from, const char *as,
		    size_t len);
/* Reads a number that the text shows. */
bool known_shown_number(struct printing *p, const struct value *v, const char *paths,
			uint64_t *ret);
/* Like runtime_field() and runtime_number(). */
bool known_field(struct printing *p, const struct value *v, const char *paths,
		 struct value *ret);
bool known_number(struct printing *p, const struct value *v, const char *paths,
		  uint64_t *ret);
/* The length of a slice. */
bool known_length(struct printing *p, const struct value *v, const char *paths,
		  uint64_t *ret);
/* A string in quotes. */
void known_quoted(struct printing *p, const struct value *v, struct known_words *ret);
/* Appends the text of a string or of something that holds one; known_string(): of a
 * string field. */
bool known_add_string(struct printing *p, const struct value *v, struct known_words *ret);
bool known_string(struct printing *p, const struct value *v, const char *paths,
		  struct known_words *ret);

#endif
