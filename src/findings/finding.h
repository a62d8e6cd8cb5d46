/* SPDX-License-Identifier: Apache-2.0 */
/* finding.h - functions that the files of findings share. Private to src/findings and its
 * rooms. */
#ifndef GOSNAP_FINDING_H
#define GOSNAP_FINDING_H

#include "src/analysis/ages.h"
#include "src/findings/chain.h"
#include "src/findings/findings.h"

struct finder {
	struct findings *findings;
	struct findings_about about;
	struct chains chains;
	unsigned rank; /* of the finding that is looked for at the moment */
	bool is_idle;  /* no goroutine of the program runs, or is about to */
	uint8_t *told; /* by goroutine: a finding has explained why it does not go on */
};

#define FINDING(kind) void finding_##kind(struct finder *f);
#include "src/findings/findings.def"
#undef FINDING

/* Adds a finding, to which the caller adds the text. Borrowed until findings_free(). */
struct finding *finding_add(struct finder *f, const char *kind, enum severity severity,
			    uint64_t affected, const char *advice);
void finding_shows_goroutine(const struct finder *f, struct finding *to,
			     uint32_t goroutine);
void finding_shows_address(struct finding *to, uint64_t addr);

struct goroutine_of finder_goroutine(const struct finder *f, uint32_t i);
#define FINDER_LONG_NS (UINT64_C(10) * 1000 * 1000 * 1000)
/* Returns how long a goroutine has waited at least; 0: not known. */
uint64_t finder_age(const struct finder *f, uint32_t goroutine);
/* Returns the same if that is known only because the goroutine was seen to stay; else
 * 0. */
uint64_t finder_observed(const struct finder *f, uint32_t goroutine);
/* Returns how long it was seen to stay. If that is not known, returns 0 and asks for a
 * look. */
uint64_t finder_stayed(const struct finder *f, uint32_t goroutine);
/* Has it waited for FINDER_LONG_NS or more, or as long as it was looked at? If not, asks
 * for a look. */
bool finder_waits_long(const struct finder *f, uint32_t goroutine);

/* Returns stack_text_place() of its stack, for the fingerprint. Allocated. */
char *place_of(const struct finder *f, uint32_t goroutine);

const char *wait_name(enum wait_kind kind);
/* Adds "mutex 0xc00001". */
void say_object(struct text *text, const struct wait_object *o);
/* Adds " in main.f at main.go:12": the innermost frame of the program itself, not of Go's
 * functions that it calls. */
void say_where(const struct finder *f, struct text *text, uint32_t goroutine);
/* Adds ", created in main.f at main.go:12". */
void say_created(const struct finder *f, struct text *text, uint32_t goroutine);
/* Adds " in main.f at main.go:12" for a call at pc. */
void say_place(const struct finder *f, struct text *text, uint32_t goroutine,
	       uint64_t pc);
/* Adds "waits to send on channel 0xc0 (full, 16) in main.f at main.go:12, for 3 min". */
void say_state(const struct finder *f, struct text *text, uint32_t goroutine);

#endif
