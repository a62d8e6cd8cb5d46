/* SPDX-License-Identifier: Apache-2.0 */
/* pseudo.h - a Go process that was never one: a synthetic pclntab and moduledata, stacks
 * and goroutines in arrays, as a target and a runtime over it. */
#ifndef GOSNAP_TESTS_PSEUDO_H
#define GOSNAP_TESTS_PSEUDO_H

#include "goruntime/runtime/runtime_priv.h"
#include "tests/unit/goruntime/pclntab_writer.h"

enum {
	PSEUDO_IMAGE = 0x10000000,
	PSEUDO_TEXT =
		0x8000000, /* above where our own file has something, also with sanitizers */
	PSEUDO_FUNC_SIZE = 0x100,
	PSEUDO_DATA = 0x20000000,
	PSEUDO_MODULE = PSEUDO_DATA, /* moduledata first */
	PSEUDO_FREE = PSEUDO_DATA + 0x1000,
	PSEUDO_TYPES = PSEUDO_DATA + 0x3f000, /* of the module, to the end */
	PSEUDO_STACK = 0x30000000,	      /* of the goroutine */
	PSEUDO_G0 = 0x31000000,		      /* of g0 */
	PSEUDO_SIGNAL = 0x32000000,	      /* of gsignal */
	PSEUDO_STACK_SIZE = 0x10000,
	PSEUDO_DATA_SIZE = 0x40000,
};

/* A function of which every instruction but the first few has a frame of that size. */
struct pseudo_func {
	const char *name;
	int32_t frame; /* -1: no frame sizes at all */
	uint8_t flags;
};

struct pseudo {
	struct target *target;
	struct images *images;
	struct warnings *warnings;
	struct runtimes *all;
	struct runtime *rt;   /* its only one */
	struct go_m *machine; /* of its only thread */
	const struct pseudo_func *funcs;
	size_t func_count;
	uint8_t *image, *data, *stack, *g0, *signal;
};

/* As Go 1.minor lays it out. */
struct pseudo *pseudo_new(int minor, const struct pseudo_func *funcs, size_t n);
void pseudo_free(struct pseudo *p);
DEFINE_AUTO(struct pseudo, pseudo_free)

uint64_t pseudo_pc(const struct pseudo *p, const char *name, uint64_t off);
int32_t pseudo_frame(const struct pseudo *p, const char *name);
/* len bytes (borrowed) more of writable memory. */
void pseudo_map(struct pseudo *p, uint64_t addr, void *bytes, size_t len);
void pseudo_map_code(struct pseudo *p, uint64_t addr, void *bytes, size_t len);
/* From here on the k-th read and each k-th after it fails; 0: none. */
void pseudo_faults(struct pseudo *p, uint64_t k);
void pseudo_put(struct pseudo *p, uint64_t addr, uint64_t value);
/* A field of the struct at addr, as the layout has it. */
void pseudo_field(struct pseudo *p, uint64_t addr, enum layout_slot slot, uint64_t value);

#endif
