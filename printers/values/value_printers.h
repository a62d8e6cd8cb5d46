/* SPDX-License-Identifier: Apache-2.0 */
/* value_printers.h - how values are printed: one printer for each kind, in the table of
 * value.c. It is called inside the value's object, after type and address. It reads its
 * own bytes, passes what it contains to print_value(), never fails and never recurses
 * directly. */
#ifndef GOSNAP_VALUE_PRINTERS_H
#define GOSNAP_VALUE_PRINTERS_H

#include "lib/base/table.h"
#include "printers/values/naming.h"
#include "printers/values/objects.h"
#include "printers/values/print_values.h"
#include "redaction/redaction.h"

/* What types are known for besides their fields: known.h, in a layer above. */
struct known;
struct printing;
struct type_notes;
struct value_texts {
	const struct known *(*row_of)(const struct type *type); /* NULL: none */
	/* Prints members of the value's open object. */
	void (*print)(struct printing *p, const struct value *v,
		      const struct type_notes *notes);
};

struct printing {
	struct sink *out;
	struct runtime *rt;
	const struct value_bounds *bounds;
	const struct snapshot_time *moment; /* NULL: not known */
	const struct value_texts *known;
	struct redaction *redaction;
	const char *redacted;	  /* the rule that redacts everything here; NULL: none */
	bool in_key;		  /* inside a value of a redacted type */
	bool is_public;		  /* inside the public key in it: not learned */
	bool in_web_key;	  /* a number of a private key in JSON */
	bool in_pem;		  /* a private key began in a previous text */
	size_t secret_from;	  /* secret from this byte of the next string; 0: not */
	uint64_t consumed;	  /* bytes at the start of the next slice; buffer.h */
	unsigned depth;		  /* nesting of this value */
	unsigned pointers;	  /* followed so far */
	struct objects *objects;  /* NULL: what is referred to is printed in place */
	bool inside;		  /* the value about to be printed is in another */
	unsigned level;		  /* of what is printed: references from a frame */
	uint64_t redacted_bytes;  /* of texts redacted so far */
	uint64_t begun;		  /* document size and those, before this variable */
	uint64_t goroutine_begun; /* document size before the goroutine's first */
	uint64_t variables;	  /* printed so far */
	uint64_t redacted_count;  /* values redacted so far */
	bool has_text;		  /* of the value being printed */
	bool of_secret;		  /* current text uses a secret's bytes: known_bytes() */
	unsigned text_depth;	  /* nesting of texts */
	unsigned texts;		  /* made for the outermost text */
	uint64_t number;	  /* the value being printed, read to be judged */
	bool has_number;
	bool has_leads;	   /* printed what may lead to other values, or to secrets */
	struct table seen; /* values printed in this goroutine */
};

/* Begin and end printing the variables of one goroutine. */
void printing_begin(struct printing *p, struct sink *out,
		    const struct value_bounds *bounds, const struct snapshot_time *moment,
		    const struct value_texts *known, struct redaction *redaction);
void printing_end(struct printing *p);

typedef void value_printer(struct printing *p, const struct value *v);
value_printer print_scalar, print_complex, print_string, print_array, print_slice,
	print_struct, print_pointer, print_interface, print_map, print_channel,
	print_func;
/* What the runtime has for a map, channel or closure, at v's address. */
value_printer print_map_at, print_channel_at, print_func_at;
/* For a value that is a pointer to such. */
void print_header(struct printing *p, const struct value *v, value_printer *print_at);

/* A value inside p's: as an array element, as the members of an object already begun, or
 * as a member. */
void print_value(struct printing *p, const struct value *v);
void print_value_members(struct printing *p, const struct value *v);
void print_named_value(struct printing *p, const char *name, const struct value *v);
/* The same for what lies in p's value: an element, or what is in an open object after its
 * type. */
void print_element(struct printing *p, const struct value *v);
void print_inside(struct printing *p, const struct value *v);
/* The members after type and kind, which the object already has. */
void print_value_rest(struct printing *p, const struct value *v);
/* For a string or slice that is not fully available: as much of len and cap as is
 * known. */
void print_kept_size(struct printing *p, const struct value *v);
const char *kind_name(enum type_kind kind); /* NULL: none */

/* An argument, result or local as an object. */
void print_variable(struct printing *p, struct runtime *rt, const struct variable *v);
/* The same for a variable that belongs to a value. */
void print_inner_variable(struct printing *p, const struct variable *v);

/* redacted.c: redacts everything inside what has this name, if it is a secret's. Returns
 * the previous p->redacted, for the caller to restore. */
const char *redact_named(struct printing *p, const char *name, size_t len);
/* The same for a map entry with that key, or a context's value; naming.h. */
const char *redact_entry(struct printing *p, const struct value *key,
			 const struct value *elem);
/* The same for element i of n of a list. */
const char *redact_element(struct printing *p, struct listed *list,
			   const struct value *element, uint64_t i, uint64_t n);
/* The rule that redacts what the naming_field() of a struct names. */
const char *rule_of_pair(struct printing *p, const struct value *v);
/* struct.c: the same for field i of v; pair: rule_of_pair() of v. */
const char *redact_field(struct printing *p, const struct value *v, size_t i,
			 const char *pair);
/* path.c: redacts everything after that path. */
void redact_behind(struct printing *p, const struct value_path *path);
/* Call for a text that is skipped: the next one may be the rest of its key. */
void pass_over(struct printing *p, const struct value *v);
/* If p->redacted or the value itself calls for it, prints what replaces the value and
 * returns true. */
bool redact_value(struct printing *p, const struct value *v);
struct buffer_use;
/* A text to print. whole: its full length, if it continues after len. shown: how many
 * bytes may be seen. */
struct shown_text {
	uint64_t addr;
	const char *bytes;
	size_t len, shown;
	uint64_t whole;
	const struct buffer_use *use; /* it is that part of n bytes; NULL: all */
	uint64_t n;
};
/* Prints member value (or text) with secrets masked. False: nothing in it is secret;
 * printed nothing. */
bool print_masked(struct printing *p, const char *member, const struct shown_text *text);
/* Learns what is redacted, except public keys. bytes NULL: not text. */
void learn_redacted(struct printing *p, uint64_t addr, uint64_t size, const void *bytes,
		    size_t len);
/* redacted_row.c: consecutive numbers that are a secret, or its characters. */
bool redact_row(struct printing *p, const struct type *elem, uint64_t addr, uint64_t n);
/* Members redacted and redacted_hash of a redacted value. */
void print_redacted(struct printing *p, const void *bytes, size_t len, const char *rule);
/* How far past what is shown to look for a secret. */
enum { SECRETS_BEHIND = 256 };

/* How many of these bytes are to be printed, if they end with zeros; and then how
 * many zeros there are. */
size_t without_zeros(const void *bytes, size_t len);
void print_zeros(struct printing *p, size_t n);

/* length.c: Is there memory at addr, even unreadable? Otherwise it is not an address.
 * Small numbers are never addresses. */
bool has_memory(struct printing *p, uint64_t addr);
/* Can n be a number of items of `size` bytes each, from addr on? */
bool is_length(struct printing *p, uint64_t n, uint64_t addr, uint64_t size);
/* Is there memory from the first to the end of the last? */
bool ends_in_memory(struct printing *p, uint64_t n, uint64_t addr, uint64_t size);
/* Is this more than the heap object or the stack at addr has? Where a pointer to
 * [1 << 16]T leads to fewer, as one in runtime.selectgo does, or was never set, what
 * follows must not be taken for it. Returns the reason; NULL: no, or not known. */
const char *reaches_beyond(struct printing *p, uint64_t addr, uint64_t size);
/* The same of n elements; if they are many, there must be memory, too. */
const char *row_reaches_beyond(struct printing *p, uint64_t n, uint64_t addr,
			       uint64_t size);
/* For a value without such an address or length. */
void print_nowhere(struct printing *p);
/* An error message, without numbers that are not lengths. */
void print_reason(struct printing *p, const char *member, const char *why);

/* Members that any value may have. */
void print_unreadable(struct printing *p, const char *why);
/* The same for what could not be read. */
void print_failure(struct printing *p, const struct err *err);
/* What limited it: a closed list of words in gosnap-snapshot(5). */
enum limited_by {
	LIMITED_BY_STRING_BYTES,
	LIMITED_BY_ELEMENTS,
	LIMITED_BY_ENTRIES,
	LIMITED_BY_DEPTH,
	LIMITED_BY_OUTPUT_BYTES,
	LIMITED_BY_PAUSE,
	LIMITED_BY_LEVELS,
	LIMITED_BY_DOCUMENT_BYTES,
	LIMITED_BY_UNUSED,
};
void print_limited(struct printing *p, enum limited_by by);
void print_omitted(struct printing *p, uint64_t n, enum limited_by by);

/* May values inside this one be printed? If not, prints how many were left out. */
bool may_descend(struct printing *p, uint64_t n);
/* Is there room for another value in this variable? */
bool has_room(const struct printing *p);
/* ... in this goroutine? */
bool goroutine_has_room(const struct printing *p);
/* True: it was printed before; prints that. */
bool was_seen(struct printing *p, const struct value *v);
/* The same, without printing. */
bool note_seen(struct printing *p, const struct value *v);

/* snapshot_time.c: how long after the snapshot t is; negative: before it. False: not known. */
bool snapshot_time_until(const struct snapshot_time *m, const struct time_value *t,
			 int64_t *ret);
/* A member with that name; none for a time before 1970. */
void print_instant(struct sink *out, const char *name, const struct time_value *t);

/* What a pointer points to: members to and target. */
void print_target(struct printing *p, const struct value *target);
/* An entry of a map, as an object. */
void print_entry(struct printing *p, const struct value *key, const struct value *elem);

/* False: unreadable; prints why. */
bool read_value(struct printing *p, const struct value *v, void *ret, size_t len);
/* Member elements: n of them, at the addresses that `at` returns, each by print; omits what
 * is too many. */
typedef uint64_t element_fn(const void *arg, uint64_t i);
void print_elements(struct printing *p, const struct type *elem, uint64_t n,
		    value_printer *print, element_fn *at, const void *arg);

#endif
