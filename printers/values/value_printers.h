/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - how values are printed: one printer a kind, in the table of value.c. A printer is
 * called inside the value's object, after its type and address; it reads its own bytes, hands
 * what it contains to print_value(), never fails and never recurses by itself. */
#ifndef GOSNAP_VALUE_PRINTERS_H
#define GOSNAP_VALUE_PRINTERS_H

#include "printers/values/naming.h"
#include "printers/values/print_values.h"
#include "redaction/redaction.h"

/* What types are known for besides their fields: known.h, which is above. */
struct known;
struct printing;
struct type_notes;
struct value_texts {
	const struct known *(*row_of)(const struct type *type); /* NULL: for nothing */
	/* Members of the value's open object. */
	void (*print)(struct printing *p, const struct value *v,
		      const struct type_notes *notes);
};

struct printing {
	struct sink *out;
	struct runtime *rt;
	const struct value_bounds *bounds;
	const struct moment *moment; /* NULL: not known */
	const struct value_texts *known;
	struct redaction *redaction;
	const char *withheld; /* the rule that withholds all in here; NULL: none */
	bool in_key;	      /* in a value of a type that is withheld */
	bool is_public;	      /* ... what it says of the public key: it is not learned */
	bool in_pem;	      /* a private key began in the text before this one */
	size_t secret_from;   /* of the string that is printed next; 0: none of it */
	unsigned depth;	      /* values around this one */
	unsigned pointers;    /* followed to get here */
	uint64_t withheld_bytes; /* of texts, so far */
	uint64_t begun; /* bytes of the document, and those, before this variable */
	uint64_t goroutine_begun; /* ... before its goroutine's first */
	uint64_t variables;	  /* printed so far */
	uint64_t withheld_count;  /* values, so far */
	bool has_text;		  /* the value that is being printed */
	bool of_secret;	     /* a text is being made of bytes of one: known_bytes() */
	unsigned text_depth; /* texts that this one is part of */
	unsigned texts;	     /* made for the outermost of them */
	uint64_t number;     /* the value that is being printed, read to be judged */
	bool has_number;
	struct seen *seen;
};

/* One goroutine's variables, between these two. */
void printing_begin(struct printing *p, struct sink *out,
		    const struct value_bounds *bounds, const struct moment *moment,
		    const struct value_texts *known, struct redaction *redaction);
void printing_end(struct printing *p);

typedef void value_printer(struct printing *p, const struct value *v);
value_printer print_scalar, print_complex, print_string, print_array, print_slice,
	print_struct, print_pointer, print_interface, print_map, print_channel,
	print_func;

/* A value inside of p's: an element of an array, a member of an object, or the members
 * themselves of an object that was begun. */
void print_value(struct printing *p, const struct value *v);
void print_value_members(struct printing *p, const struct value *v);
void print_named_value(struct printing *p, const char *name, const struct value *v);
/* The same behind its type and kind: of an object that has them. */
void print_value_rest(struct printing *p, const struct value *v);
/* Of a string or slice that is not there as a whole, its len and cap as far as they are. */
void print_kept_size(struct printing *p, const struct value *v);
const char *kind_name(enum type_kind kind); /* NULL: it has none */

/* An argument, result or local, as an object. */
void print_variable(struct printing *p, struct runtime *rt, const struct variable *v);
/* The same of one that belongs to a value. */
void print_inner_variable(struct printing *p, const struct variable *v);

/* withheld.c. All inside of what has this name, which is a secret's; returns what p->withheld was
 * before, to be put back. */
const char *withhold_named(struct printing *p, const char *name, size_t len);
/* The same of the entry of a map with that key, of a context's value; naming.h. */
const char *withhold_entry(struct printing *p, const struct value *key,
			   const struct type *elem);
/* The same of element i of n of a list. */
const char *withhold_element(struct printing *p, struct listed *list,
			     const struct value *element, uint64_t i, uint64_t n);
/* The rule that withholds what a field of a struct names, its naming_field(). */
const char *rule_of_pair(struct printing *p, const struct value *v);
/* struct.c: of field i of v, whose rule_of_pair() is pair. */
const char *withhold_field(struct printing *p, const struct value *v, size_t i,
			   const char *pair);
/* path.c: all behind that path. */
void withhold_behind(struct printing *p, const struct value_path *path);
/* A text that is passed over: what is behind it may be the rest of its key. */
void pass_over(struct printing *p, const struct value *v);
/* Where p->withheld, or what it holds, withholds this value, prints what takes its place. */
bool withhold_value(struct printing *p, const struct value *v);
/* Member value (or text), with masks where it holds secrets; whole: it goes on behind len. shown is
 * how many of its bytes may be seen. */
struct shown_text {
	uint64_t addr;
	const char *bytes;
	size_t len, shown;
	uint64_t whole;
};
/* False: nothing in it is a secret, and nothing was printed. */
bool print_masked(struct printing *p, const char *member, const struct shown_text *text);
/* What is withheld, but for public keys: bytes NULL: they are no text. */
void learn_withheld(struct printing *p, uint64_t addr, uint64_t size, const void *bytes,
		    size_t len);
/* withheld_row.c. Numbers one after the other that are a secret, or the letters of one. */
bool withhold_row(struct printing *p, const struct type *elem, uint64_t addr, uint64_t n);
/* Members redacted and same, of what is withheld. */
void print_same(struct printing *p, const void *bytes, size_t len, const char *rule);
/* How far behind what is shown a secret is looked for. */
enum { SECRETS_BEHIND = 256 };

/* length.c. Is there memory, even if it cannot be read? Else it is no address. Small ones are like
 * any other number. */
bool has_memory(struct printing *p, uint64_t addr);
/* Is n how many there are, of `size` bytes each, from addr on? */
bool is_length(struct printing *p, uint64_t n, uint64_t addr, uint64_t size);
/* Of what has no such address or length. */
void print_nowhere(struct printing *p);
/* A sentence of those below, without numbers that are no lengths. */
void print_reason(struct printing *p, const char *member, const char *why);

/* Members that any value may have. */
void print_unreadable(struct printing *p, const char *why);
/* What limited it: the words are a closed list in gosnap-snapshot(5). */
enum limited_by {
	LIMITED_BY_STRING,
	LIMITED_BY_ELEMENTS,
	LIMITED_BY_ENTRIES,
	LIMITED_BY_DEPTH,
	LIMITED_BY_SIZE,
};
void print_elided(struct printing *p, uint64_t n, enum limited_by by);

/* May values be printed inside of this one? Else it says how many were left out. */
bool may_descend(struct printing *p, uint64_t n);
/* Is there room for one more in this variable? */
bool has_room(const struct printing *p);
/* ... in this goroutine? */
bool goroutine_has_room(const struct printing *p);
/* True: it was printed before, which it says. */
bool was_seen(struct printing *p, const struct value *v);
/* The same without a word. */
bool note_seen(struct printing *p, const struct value *v);

/* moment.c: how long after the snapshot t is; negative: before. False: not known. */
bool moment_until(const struct moment *m, const struct time_value *t, int64_t *ret);
/* The member of this name; none for a time before 1970. */
void print_instant(struct sink *out, const char *name, const struct time_value *t);

/* What a pointer points to: members to and target. */
void print_target(struct printing *p, const struct value *target);
/* One of a map, as an object. */
void print_entry(struct printing *p, const struct value *key, const struct value *elem);

/* False: it cannot be read, which is said. */
bool read_value(struct printing *p, const struct value *v, void *ret, size_t len);
/* Member elements: n of them, each where `at` says; those that are too many are elided. */
typedef uint64_t element_fn(const void *arg, uint64_t i);
void print_elements(struct printing *p, const struct type *elem, uint64_t n,
		    element_fn *at, const void *arg);

#endif
