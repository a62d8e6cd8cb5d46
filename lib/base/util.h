/* SPDX-License-Identifier: Apache-2.0 */
/* util.h - scope-bound ownership, infallible allocation, growable arrays. The main
 * header of lib/base, which has what every room uses: errors, bytes, text, limits and
 * gosnap's own files. Nothing here reads a process. Whoever allocates frees, with
 * xfree() or AUTO(). Knows the C library only. */
#ifndef GOSNAP_UTIL_H
#define GOSNAP_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MUST_CHECK __attribute__((warn_unused_result))
/* The smallest page of the architectures that gosnap knows. */
enum { PAGE_BYTES = 4096 };

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* AUTO(target_close) struct target *t = ...; closes t at the end of the scope. The module
 * that defines target_close() has DEFINE_AUTO(struct target, target_close). */
#define AUTO(release) __attribute__((cleanup(release##_auto)))
#define DEFINE_AUTO(type, release)                                                       \
	static inline void release##_auto(type **p)                                      \
	{                                                                                \
		release(*p);                                                             \
	}

/* Passes ownership of an AUTO pointer on. */
#define TAKE(p)                                                                          \
	({                                                                               \
		__typeof__(p) take_ = (p);                                               \
		(p) = NULL;                                                              \
		take_;                                                                   \
	})

/* These do not return when memory is out: out_of_memory() ends the process, and the kernel then
 * resumes every thread that we stopped. Sizes that come from the subject have been checked
 * against limit.h before they get here. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
/* Zeros, shared with forks; munmap() frees it. */
void *xshared(size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
/* The absolute path without symbolic links; path itself if that is unknown, as for a
 * pipe. */
char *xrealpath(const char *path);
/* What a symbolic link contains; NULL: it cannot be read. */
char *xreadlink(const char *path);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* For code that allocates by other means. Calls what on_out_of_memory() was given, which ends the
 * process as the program wants it; without that, or when it returns, abort(). */
void out_of_memory(void) __attribute__((noreturn));
void on_out_of_memory(void (*end)(void));

/* For AUTO(xfree) char *s; NULL is allowed. */
void xfree(void *p);
static inline void xfree_auto(void *p)
{
	xfree(*(void **)p);
}

/* Makes room for one more element in an array with n of *cap elements in use. */
#define GROW(array, n, cap) ((array) = grow_((array), (n), &(cap), sizeof(*(array))))
void *grow_(void *array, size_t n, size_t *cap, size_t size);

/* Four consecutive bytes that occur in most numbers and addresses: one zero, or three
 * equal bytes. */
bool is_common_window(const uint8_t bytes[static 4]);
/* Every window of the word is common, so as text or part of a key it proves too
 * little. */
bool is_common_word(uint64_t word);

/* CLOCK_MONOTONIC and CLOCK_REALTIME in nanoseconds. */
/* The fewest digits that read back as the same number. single: it has 32 bits. */
enum { REAL_BYTES = 40 };
void shortest_real(char ret[static REAL_BYTES], double value, bool single);

#define SECOND_NS UINT64_C(1000000000)
uint64_t monotonic_ns(void);
uint64_t realtime_ns(void);
/* CPU time of this thread, in nanoseconds. */
uint64_t processor_ns(void);

/* Random, RFC 9562 version 4. False: the kernel has no random bytes. */
enum { UUID_TEXT = 37 };
bool new_uuid(char ret[static UUID_TEXT]);

struct err;

/* Transfer all bytes despite interruptions. False: errno says why, or (reading) end of
 * file. */
MUST_CHECK bool write_fully(int fd, const void *bytes, size_t len);
MUST_CHECK bool read_fully(int fd, void *bytes, size_t len);

/* An anonymous temporary file in TMPDIR or /tmp. -1: err says why. */
int spool_open(struct err *err);
/* How many bytes such a file may get: half of those that its file system has left now. Others need
 * the rest. */
uint64_t spool_quota(int fd);

/* Is that more than any snapshot or core of ours becomes when it is unpacked? See LIMIT_UNPACKED_TIMES.
 * packed: bytes that were read of it so far. */
bool unpacks_to_too_much(uint64_t packed, uint64_t unpacked);

/* Of memfd_create() with MFD_ALLOW_SEALING: nobody who gets it can write more. */
void memory_file_seal(int fd);

/* Without white space at its ends, of which that behind is cut off. */
char *trim_text(char *text);

/* Reads a whole (proc) file, limit bytes at most, and adds a NUL. NULL: errno says
 * why. */
char *slurp(const char *path, size_t limit, size_t *ret_len);

#endif
