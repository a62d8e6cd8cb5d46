/* SPDX-License-Identifier: Apache-2.0 */
/* goruntime.h - the Go runtimes inside a target: goroutines, threads, their true stacks.
 * The only header of this folder for those outside. Prints nothing. Works on stripped
 * binaries; also takes a process without Go, whose threads it unwinds as C.
 * In three steps: runtimes_open() while the process runs, runtimes_capture() of the memory
 * of one instant, runtimes_decode() of what was captured.
 * A process has one Go runtime as a rule; none, and its threads are still shown; several
 * when a C program loads several libraries of -buildmode=c-shared. What belongs to the
 * process (threads, stacks) is struct runtimes, what belongs to one Go is struct runtime. */
#ifndef GOSNAP_GORUNTIME_H
#define GOSNAP_GORUNTIME_H

#include "image.h"
#include "target.h"
#include "warnings.h"

struct runtimes;
struct runtime;

struct build_setting {
	char *key, *value;
};

struct build_dependency {
	char *path, *version, *replaced_by; /* version, replaced_by: NULL when none */
};

enum version_source {
	VERSION_BUILD_INFO,
	VERSION_VARIABLE,  /* runtime.buildVersion */
	VERSION_FUNCTIONS, /* inferred: from the functions that the runtime has */
	VERSION_TABLES, /* inferred: from the format of pclntab and the layout that fits */
	VERSION_ASSUMED, /* the user says so, the program does not say otherwise */
};

struct build_info {
	char *version; /* "go1.24.4"; NULL: not known */
	enum version_source version_source;
	char *not_a_version; /* what stands where the version should; NULL: nothing */
	char *path, *module, *module_version; /* NULL when not known */
	struct build_setting *settings;
	size_t setting_count, setting_cap;
	struct build_dependency *dependencies;
	size_t dependency_count, dependency_cap;
};

/* Never NULL. t, images and warnings outlive it. assume_go: "1.24" overrides what the
 * binary says, or NULL. */
struct runtimes *runtimes_open(struct target *t, const struct images *images,
			       const char *assume_go, struct warnings *warnings);
void runtimes_close(struct runtimes *all);
DEFINE_AUTO(struct runtimes, runtimes_close)

/* About how many goroutines there are, and how many bytes runtimes_capture() will copy;
 * while the process runs. */
uint64_t runtimes_expected_goroutines(struct runtimes *all);
uint64_t runtimes_expected_bytes(struct runtimes *all);

/* source: the memory of one instant, a stopped process or a copy of it; frozen: open extents
 * over it (target_extents.h). Reads all g structs, unwinds what stands on threads, copies the
 * used stacks. From here on frozen only is read. When goroutines cannot be had,
 * runtime_unusable() says why.
 * lasting: source is there for as long as it is wanted, as a copy is. Then stacks that are
 * large in all are not copied but read again whenever they are needed, some thousand at a
 * time: runtimes_streams(), and frozen is to stay open. */
void runtimes_capture(struct runtimes *all, struct target *source, struct target *frozen,
		      bool lasting);
bool runtimes_streams(const struct runtimes *all);
/* To be called before goroutines first to end of the document are looked at. What was read for
 * others is dropped where source lasts; values: so is memory that was looked into for values. */
void runtimes_read_ahead(struct runtimes *all, size_t first, size_t end, bool values);
/* Where source was a running process: marks the goroutines that have changed since they were
 * read, for their stacks may have, too. */
void runtimes_mark_changed(struct runtimes *all, struct target *source);
/* Where only some memory was that of a running process: marks those whose stack or g struct
 * is in it. */
void runtimes_mark_changeable(struct runtimes *all,
			      bool (*is_of_running)(void *arg, uint64_t addr,
						    uint64_t len),
			      void *arg);

/* Unwinds the rest. */
void runtimes_decode(struct runtimes *all);
/* How many goroutines that were so far, for another thread to look at. */
const _Atomic uint64_t *runtimes_decoded(const struct runtimes *all);

/* Why there is no runtime; NULL: there is one at least. */
const char *runtimes_unusable(const struct runtimes *all);
size_t runtimes_count(const struct runtimes *all);
struct runtime *runtimes_get(const struct runtimes *all, size_t i); /* borrowed */

/* The ELF objects that its Go code lies in: its own first, then those of its plugins and of
 * programs and libraries that are linked with it (-linkshared). One at least. Borrowed. */
struct runtime_image {
	const char *path;   /* "" when not known */
	const char *plugin; /* as the plugin calls itself; NULL: it is none */
	bool executable;    /* of the process */
};
size_t runtime_image_count(const struct runtime *rt);
struct runtime_image runtime_image(const struct runtime *rt, size_t i);
/* Never NULL; borrowed. */
const struct build_info *runtime_build_info(const struct runtime *rt);
/* Why goroutines cannot be read; NULL: they can. Final after runtimes_capture(). */
const char *runtime_unusable(const struct runtime *rt);
/* "dwarf", "table go1.26 amd64", "assumed go1.27"; NULL when unusable. */
const char *runtime_layout_source(const struct runtime *rt);

enum stack_state {
	STACK_NONE, /* there is none: a dead goroutine, a thread on its goroutine's stack */
	STACK_COMPLETE,
	STACK_TRUNCATED,
	STACK_LOST,
};

enum { NO_STACK = UINT32_MAX };

/* Statuses are the runtime's numbers without the scan bit: runtime/runtime2.go. */
enum goroutine_status {
	GOROUTINE_IDLE,
	GOROUTINE_RUNNABLE,
	GOROUTINE_RUNNING,
	GOROUTINE_SYSCALL,
	GOROUTINE_WAITING,
	GOROUTINE_DEAD = 6,
	GOROUTINE_COPYSTACK = 8,
	GOROUTINE_PREEMPTED,
	GOROUTINE_LEAKED,
	GOROUTINE_DEAD_EXTRA,
};

/* At most 128 bytes, no string and no allocation each: there can be millions. */
struct goroutine {
	uint64_t addr, id;
	uint64_t pc, sp; /* where unwinding starts */
	uint64_t stack_low, stack_high;
	uint64_t created_pc, start_pc, parent; /* 0: not known */
	uint64_t waiting_since;		       /* CLOCK_MONOTONIC, 0: not known */
	uint64_t machine, locked_machine;      /* addresses of Ms, 0: none */
	uint32_t stack;			       /* for runtimes_stack(), NO_STACK */
	uint16_t reason; /* for runtimes_reason(), when truncated or lost */
	uint16_t
		frame_pointer; /* where unwinding starts: for goroutine_frame_pointer() */
	int32_t thread;	       /* index in target_threads(), -1: on none */
	uint8_t status, wait_reason, state /* enum stack_state */;
	bool system : 1;
	bool exact : 1;	  /* pc is that of an instruction about to run */
	bool syscall : 1; /* pc and sp come from syscallpc, syscallsp */
	bool unwound : 1;
	bool bad_context : 1; /* reason says why there is no pc to start from */
	bool same_id : 1;     /* another one that is not dead has its id, too */
	bool changed : 1;     /* or may have, while it was read: its process ran */
};

/* In the order of the document: user goroutines by id, then system ones by id. */
size_t runtime_goroutine_count(const struct runtime *rt);
const struct goroutine *runtime_goroutine(const struct runtime *rt, size_t i);
const char *runtime_status_name(unsigned status); /* NULL: a number we do not know */
/* The runtime's own words, NULL when they could not be read or are empty. Borrowed. */
const char *runtime_wait_reason(const struct runtime *rt, unsigned reason);
/* Why something is not whole. Borrowed, never NULL. */
const char *runtime_reason(const struct runtime *rt, uint32_t reason);

/* All of them, runtime after runtime. */
struct goroutine_of {
	size_t number; /* of the runtime, for runtimes_get() */
	struct runtime *runtime;
	const struct goroutine *goroutine;
};
size_t runtimes_goroutine_count(const struct runtimes *all);
struct goroutine_of runtimes_goroutine(const struct runtimes *all, size_t i);
/* That of runtime i which is on this thread, running or in a call out of Go. False: none is. */
bool runtimes_goroutine_on(const struct runtimes *all, size_t i, size_t thread,
			   struct goroutine_of *ret);
/* What is looked into from now on is dropped at the next call, or by runtimes_read_ahead(). */
void runtimes_begin_pass(struct runtimes *all);

/* A string of the subject: any bytes, not NUL-terminated. */
struct go_text {
	const char *bytes; /* NULL: unreadable */
	size_t len;
	uint64_t elided;     /* bytes after these that were left out */
	uint32_t unreadable; /* for runtime_reason(); 0: it could be read */
};

struct label {
	struct go_text key, value;
};

struct label_set {
	const struct label *list; /* sorted by key */
	size_t count;
	uint64_t elided;     /* labels that were left out */
	uint32_t unreadable; /* for runtime_reason(); 0: they could be read */
};

/* Of pprof.Do and SetGoroutineLabels; NULL: it has none. Borrowed until the next call. */
const struct label_set *runtime_labels(struct runtime *rt, const struct goroutine *g);
/* What a parked goroutine waits for. */
enum wait_kind {
	WAIT_CHANNEL,
	WAIT_SELECT,
	WAIT_MUTEX,
	WAIT_RWMUTEX,
	WAIT_WAITGROUP,
	WAIT_COND,
	WAIT_SEMAPHORE, /* one that belongs to none of these */
	WAIT_TIMER,
	WAIT_NETWORK, /* a file descriptor that the runtime polls */
};

enum wait_operation { WAIT_ANY, WAIT_RECEIVE, WAIT_SEND, WAIT_READ, WAIT_WRITE };

struct wait_channel {
	uint64_t addr; /* 0: a nil channel */
	bool known;    /* what follows is */
	bool closed;
	bool has_len; /* the channel of a timer has none that its program could see */
	uint32_t len, cap;
	const char *element_type; /* Go spelling; NULL: not known */
	uint64_t when, period;	  /* of a timer's channel, as in struct wait */
};

/* What has_ does not vouch for is not known, or this lock has no such thing. */
struct wait_lock {
	bool has_state, locked, starving;
	bool has_waiters;
	uint32_t waiters;
	bool has_readers, writer;
	uint32_t readers, leaving; /* readers that hold it; those a writer waits for */
	bool has_counter;
	int32_t counter;
};

struct wait {
	enum wait_kind kind;
	enum wait_operation operation; /* WAIT_ANY: it has none, or we do not know */
	const char *unreadable;	       /* why the rest is not known; NULL: it is */
	uint64_t addr;		       /* of the channel or lock; 0: none */
	struct wait_channel channel;   /* WAIT_CHANNEL */
	size_t first_case, case_count; /* WAIT_SELECT: for runtime_wait_case() */
	struct wait_lock lock;
	bool bubble;   /* in one of testing/synctest: times of channels are made up */
	uint64_t when; /* WAIT_TIMER: CLOCK_MONOTONIC in ns; 0: not known */
	int64_t fd;    /* WAIT_NETWORK */
};

/* False: it is not parked, or waits for nothing that has a kind here. Borrowed. After
 * runtime_decode(). */
bool runtime_wait(struct runtime *rt, const struct goroutine *g, struct wait *ret);
/* A case of a select, in the order of the channels' addresses; nil channels are left out.
 * Their order in the source is not kept anywhere. */
enum wait_operation runtime_wait_case(const struct runtime *rt, size_t i,
				      struct wait_channel *ret);
/* Is any part of them in this image? */
bool runtimes_have_module_in(const struct runtimes *all, const struct image *img);
/* Does any goroutine wait for a file descriptor? */
bool runtimes_poll(const struct runtimes *all);

struct panic {
	struct go_text
		type; /* of its value; bytes NULL: the value is nil, or not known */
	struct go_text words; /* its value as the runtime would print it */
	uint32_t unreadable;  /* why these are missing */
	bool recovered, goexit, aborted, repanicked;
};

struct panic_list {
	const struct panic *list; /* innermost first */
	size_t count;
	uint32_t unreadable; /* why there are no more of them; 0: that is all */
};

/* NULL: it is in none. Borrowed until the next call. */
const struct panic_list *runtime_panics(struct runtime *rt, const struct goroutine *g);

struct deferred {
	uint64_t function; /* where it begins, for runtime_code_at(); 0: unreadable */
	uint64_t pc;   /* behind its defer statement, for runtime_call_before(); or 0 */
	uint64_t sp;   /* of the frame that it belongs to */
	int32_t frame; /* index of that in the goroutine's frames; -1: not known */
	uint32_t unreadable;
	bool open_coded; /* kept in the frame itself */
};

struct defer_list {
	const struct deferred *list; /* next first */
	size_t count;
	uint32_t unreadable; /* why some are missing; 0: none is */
};

/* Calls that wait for their functions to return; NULL: none. Borrowed until the next call. */
const struct defer_list *runtime_defers(struct runtime *rt, const struct goroutine *g);

/* The runtime keeps no more: _TracebackMaxFrames, from 1.21 on half of that. */
enum { ANCESTOR_PCS = 100 };

struct ancestor {
	uint64_t id, created_pc;
	uint64_t pcs[ANCESTOR_PCS]; /* for runtime_recorded_call(), innermost first */
	uint32_t pc_count;
	uint32_t unreadable; /* why there are none */
	bool truncated;	     /* it was in more calls than are kept */
};

struct ancestor_list {
	const struct ancestor *list; /* nearest first */
	size_t count;
	uint64_t elided;
	uint32_t unreadable; /* why there are no more */
};

/* With GODEBUG=tracebackancestors=N. NULL: none. Borrowed until the next call. */
const struct ancestor_list *runtime_ancestors(struct runtime *rt,
					      const struct goroutine *g);

struct bubble { /* of testing/synctest */
	uint64_t addr, id;
	uint64_t now_ns;	 /* since 1970, of its own clock */
	uint64_t total, running; /* goroutines */
	uint64_t root;		 /* id of the goroutine that made it; 0: not known */
	bool has_id, has_now, has_total, has_running;
	uint32_t unreadable;
};

/* False: it is in none. */
bool runtime_bubble(struct runtime *rt, const struct goroutine *g, struct bubble *ret);

enum thread_on { ON_UNKNOWN, ON_GOROUTINE, ON_G0, ON_SIGNAL, ON_C };

struct thread_state {
	struct runtime *runtime; /* what follows is of this one, the innermost that the
				  * thread is inside of; NULL: none knows the thread */
	bool has_machine, has_processor, has_goroutine;
	int64_t machine, processor;
	uint64_t goroutine; /* id */
	enum thread_on on;
	uint32_t stack, reason;
	uint8_t state;
};

/* Of target_threads(frozen)[i]. */
const struct thread_state *runtimes_thread(const struct runtimes *all, size_t i);
/* As runtime_reason(), of any of them or of a thread. */
const char *runtimes_reason(const struct runtimes *all, uint32_t reason);

/* Distinct stacks, each kept once: the same pcs, and frames of the same sizes. */
enum raw_frame_flags {
	FRAME_EXACT = 1,	/* pc is about to run, not a return address */
	FRAME_SYSTEM_STACK = 2, /* a goroutine's, on its thread's own stack: C calls */
	FRAME_SIGNAL = 4,	/* a signal trampoline: the next frame was interrupted */
	FRAME_BY_POINTER = 8, /* found by frame pointer: the one before it has no table */
	FRAME_SYSCALL = 16,   /* called since the runtime was told of a system call */
};

enum { NO_ARGP = UINT32_MAX };

struct raw_frame {
	uint64_t pc;
	uint32_t flags;
	/* Where its arguments are, in bytes from the goroutine's sp (on amd64 that is the
	 * CFA: its own words are below, what the caller pushed begins here). NO_ARGP: not on
	 * the goroutine's stack, or of no known size. */
	uint32_t argp;
};

struct stack {
	const struct raw_frame *frames; /* innermost first */
	uint32_t count;
};

size_t runtimes_stack_count(const struct runtimes *all);
struct stack runtimes_stack(const struct runtimes *all, uint32_t id);
/* The address of the arguments of one of g's frames; 0: not known. */
uint64_t goroutine_argp(const struct goroutine *g, const struct raw_frame *frame);

/* The words that a panic prints between the parentheses of a call: "0x1, {0x2, 0x3}, 0x4?",
 * "..." for an inlined one. */
struct words {
	const char *text; /* ASCII without quotes and backslashes; NULL: none */
	size_t len;
	const char *unreadable;		  /* why there is no text, when there should be */
	const struct frame_variables *of; /* for words_notes(); NULL: of no Go function */
};

/* Each goroutine's stack as it was unwound, by pclntab, against its frame pointers: does
 * the frame pointer of each frame lead to the same caller? Where it cannot, for a known
 * cause, it is excused. */
enum verify_excuse {
	EXCUSE_FRAMELESS, /* a function without a frame saves none: its caller is skipped */
	EXCUSE_ASSEMBLY, /* assembly with a frame, but without the frame pointer in it */
	EXCUSE_INTERRUPTED, /* in the middle of a prologue or epilogue */
	EXCUSE_CALLBACK,    /* it is that of the C code that called back */
	EXCUSE_COPYING,	    /* the stack is being moved, and they are not all adjusted */
	EXCUSE_NONE_KNOWN, /* syscalls before Go 1.23 keep none; and what else has none */
	VERIFY_EXCUSES
};

struct verification {
	uint64_t goroutines;
	uint64_t frames; /* looked at: agreed + excused + disagreements */
	uint64_t agreed, excused[VERIFY_EXCUSES];
	uint64_t disagreements; /* each is a warning, too */
};

/* After runtimes_decode(). */
void runtimes_verify(struct runtimes *all, struct verification *ret);

struct frame_variables;

/* A frame as people read it. Borrowed strings; NULL and 0 when not known. */
struct code_frame {
	const char *function, *file, *kind, *module;
	uint32_t line;
	uint64_t pc, entry;
	bool c, inlined, hidden;
	bool by_frame_pointer; /* else by the function table, or as C is unwound */
	uint32_t
		body_of; /* of a loop over a function: how many frames further out it is; 0: none */
	struct words words; /* runtimes_each_frame_of() only; valid during the call */
	struct frame_variables
		*variables; /* likewise, for frame_each_variable(); NULL: not
					    * wanted, or why_none says why there are none */
	const char *why_none;
};

/* Calls fn for each frame of a stack, inlined calls expanded, innermost first; fn may do so, too. */
typedef void code_frame_fn(void *arg, const struct code_frame *frame);
void runtimes_each_frame(struct runtimes *all, uint32_t stack, code_frame_fn *fn,
			 void *arg);
/* The same of a goroutine's own stack, with its words and, where asked for, variables. */
enum variables_of {
	VARIABLES_OF_NONE,
	VARIABLES_OF_SHOWN, /* of frames that are not hidden */
	VARIABLES_OF_ALL,
};
void runtimes_each_frame_of(struct runtimes *all, const struct goroutine *g,
			    enum variables_of variables, code_frame_fn *fn, void *arg);
/* The same of a thread's: variables of C functions, hidden or not, too, of what debugging
 * information the images of Go's own modules have. */
void runtimes_each_frame_of_thread(struct runtimes *all, size_t thread,
				   enum variables_of variables, code_frame_fn *fn,
				   void *arg);
/* Its words alone, one call for each of its frames. Borrowed for the call. */
typedef void words_fn(void *arg, const struct words *words);
void runtimes_each_words(struct runtimes *all, const struct goroutine *g, words_fn *fn,
			 void *arg);
/* The function at pc on its own, its innermost inlined call included; false: not Go. */
bool runtime_code_at(struct runtime *rt, uint64_t pc, struct code_frame *ret);
/* The call before the return address pc, as the go statement that created a goroutine. */
bool runtime_call_before(struct runtime *rt, uint64_t pc, struct code_frame *ret);
/* The innermost call at the return address pc, as runtime.Callers records it. */
bool runtime_recorded_call(struct runtime *rt, uint64_t pc, struct code_frame *ret);

/* Types: what the subject's debugging information, or else its type descriptors, say of them.
 * Made when they are asked for, kept as long as their runtime. */
enum type_kind { /* the numbers of internal/abi/type.go, and behind them what only C has */
		 KIND_UNKNOWN,
		 KIND_BOOL,
		 KIND_INT,
		 KIND_INT8,
		 KIND_INT16,
		 KIND_INT32,
		 KIND_INT64,
		 KIND_UINT,
		 KIND_UINT8,
		 KIND_UINT16,
		 KIND_UINT32,
		 KIND_UINT64,
		 KIND_UINTPTR,
		 KIND_FLOAT32,
		 KIND_FLOAT64,
		 KIND_COMPLEX64,
		 KIND_COMPLEX128,
		 KIND_ARRAY,
		 KIND_CHAN,
		 KIND_FUNC,
		 KIND_INTERFACE,
		 KIND_MAP,
		 KIND_POINTER,
		 KIND_SLICE,
		 KIND_STRING,
		 KIND_STRUCT,
		 KIND_UNSAFE_POINTER,
		 KIND_UNION,
		 KIND_ENUM,
		 KIND_VOID,
		 TYPE_KINDS
};

struct type;

struct type_field {
	const char *name; /* "_" for one without */
	const struct type *type;
	uint64_t off;
	bool embedded;
};

enum type_kind type_kind(const struct type *type);
/* Go spelling; never NULL. */
const char *type_name(const struct type *type);
uint64_t type_size(const struct type *type);
/* Of an array, slice, pointer, channel or map. NULL: not known. */
const struct type *type_elem(const struct type *type);
const struct type *type_key(const struct type *type);
uint64_t type_count(const struct type *type); /* of an array */
/* Of a struct or union; of a string, slice or interface none. */
size_t type_field_count(const struct type *type);
const struct type_field *type_field(const struct type *type, size_t i);
/* NULL: it has none of that name. */
const struct type_field *type_field_named(const struct type *type, const char *name);
/* Does it have methods besides, as error and not as any? Of an interface. */
bool type_has_methods(const struct type *type);

/* "*net/http.Request", "[]int". NULL, ERR_NOT_FOUND: nothing of that name is known. */
const struct type *runtime_type_named(struct runtime *rt, const char *name,
				      struct err *err);
/* By its descriptor, as an interface points to it. */
const struct type *runtime_type_at(struct runtime *rt, uint64_t descriptor,
				   struct err *err);

/* Memory of a type. */
struct value {
	const struct type *type;
	uint64_t addr;
};

/* Is it in the subject's memory? What a frame keeps in pieces is put together here. */
bool value_has_address(const struct value *v);

/* An argument, result or local variable of a frame. */
struct variable {
	const char *name;
	bool argument, result;
	bool escaped;  /* it lives on the heap */
	bool shadowed; /* an inner one of its name hides it */
	bool captured; /* it belongs to the function around this closure */
	bool compiler; /* only the compiler declares it */
	bool optimized_out;
	bool stale;	   /* the collector's map says that it is no longer needed here */
	bool may_be_unset; /* its declaration is being executed */
	uint32_t line;	   /* of its declaration; 0: not known */
	struct value value;	/* type NULL: not known */
	const char *unreadable; /* why it has no value; NULL: it has */
	/* In a generic function: why its type is only what all instances share, or NULL. */
	const char *shape;
	void **notes; /* of who prints, xfree()d with the code; NULL: it is met once */
};
/* Valid during the call. */
typedef void variable_fn(void *arg, struct runtime *rt, const struct variable *v);
/* Arguments and results, or locals. */
void frame_each_variable(struct frame_variables *frame, bool arguments, variable_fn *fn,
			 void *arg);

/* What the variables of these kinds lead to. False: err says why it cannot be had. */
struct text_value { /* a string */
	uint64_t addr, len;
};
MUST_CHECK bool runtime_string(struct runtime *rt, const struct value *v,
			       struct text_value *ret, struct err *err);

struct slice_value {
	uint64_t addr, len, cap;
	bool capless; /* the compiler kept no location for cap, which is len here */
};
MUST_CHECK bool runtime_slice(struct runtime *rt, const struct value *v,
			      struct slice_value *ret, struct err *err);

struct interface_value {
	uint64_t descriptor; /* of the type inside; 0: it is nil */
	char name[256];	     /* of that type, as far as it fits; "": not known */
	struct value inside; /* type NULL: only the name is known */
	const char *unknown; /* then why; borrowed */
};
MUST_CHECK bool runtime_interface(struct runtime *rt, const struct value *v,
				  struct interface_value *ret, struct err *err);

struct map_value {
	uint64_t addr; /* 0: it is nil */
	uint64_t len;
};
MUST_CHECK bool runtime_map(struct runtime *rt, const struct value *v,
			    struct map_value *ret, struct err *err);
/* Calls fn for each entry until it says false. False: err says why there are no more. */
typedef bool map_entry_fn(void *arg, const struct value *key, const struct value *elem);
MUST_CHECK bool runtime_map_each(struct runtime *rt, const struct value *v,
				 map_entry_fn *fn, void *arg, struct err *err);

struct channel_value {
	uint64_t addr; /* 0: it is nil */
	uint64_t len, cap, first, buffer, element_size;
	bool closed;
};
MUST_CHECK bool runtime_channel(struct runtime *rt, const struct value *v,
				struct channel_value *ret, struct err *err);
/* Where the i-th is, oldest first. */
uint64_t channel_element(const struct channel_value *c, uint64_t i);

/* A function value: where its code begins, and its closure. 0: it is nil. */
struct func_value {
	uint64_t entry, closure;
};
MUST_CHECK bool runtime_func(struct runtime *rt, const struct value *v,
			     struct func_value *ret, struct err *err);
/* The variables that it has captured, as far as the debugging information tells of them; of a
 * method value its receiver. */
void runtime_each_capture(struct runtime *rt, const struct func_value *f, variable_fn *fn,
			  void *arg);

/* A package's variable, "main.config". ERR_NOT_FOUND. */
MUST_CHECK bool runtime_global(struct runtime *rt, const char *name, struct value *ret,
			       struct err *err);
/* All of the packages whose paths match the pattern (fnmatch(3)), sorted by name; "": of main and of
 * its module. False: err says why none can be had. name: valid during the call. */
typedef void global_fn(void *arg, const char *name, const struct value *v);
MUST_CHECK bool runtime_each_global(struct runtime *rt, const char *packages,
				    global_fn *fn, void *arg, struct err *err);
MUST_CHECK bool runtime_bytes(struct runtime *rt, uint64_t addr, void *ret, size_t len,
			      struct err *err);
/* Is it in a program or library, as texts are that stand in its code? */
bool runtime_in_file(const struct runtime *rt, uint64_t addr);
/* Is it in any mapping, readable or not? */
bool runtime_is_mapped(const struct runtime *rt, uint64_t addr);

/* The parts of this header that need what is above. */
#include "layout_report.h"
#include "meanings.h"

#endif
