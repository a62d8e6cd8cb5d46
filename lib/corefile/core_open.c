/* SPDX-License-Identifier: Apache-2.0 */
/* core_open.c - files that hold a core, as it is or compressed. A temporary copy gets holes where
 * the core is zero, as most of it is. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/corefile/core_packing.h"
#include "lib/corefile/target_core.h"

enum {
	BUFFER = 1 << 17,
	BLOCK = 4096, /* of a file system: the smallest hole */
	PACKED_BEGIN =
		8
		<< 20, /* has the first bytes, whatever the size of a block: lz4's are up to 4 MB */
};

/* The copy. */
struct copy {
	const char *name; /* of what is copied */
	int fd;
	uint64_t len;
	bool is_core; /* what does not begin as one is refused */
	bool is_packed;
	uint64_t packed;	 /* bytes that were read for it, if it is packed */
	uint64_t written, quota; /* bytes; holes are none */
};

static bool is_zero(const uint8_t *bytes, size_t len)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, len - 1) == 0;
}

static bool write_piece(struct copy *copy, const uint8_t *bytes, size_t len,
			struct err *err)
{
	copy->written += len;
	if (copy->is_packed && unpacks_to_too_much(copy->packed, copy->written))
		return err_set(err, ERR_BAD_DATA,
			       "cannot unpack %.200s: %" PRIu64
			       " bytes become more than %" PRIu64
			       " MB, so this is no core",
			       copy->name, copy->packed, copy->written >> 20);
	errno = ENOSPC;
	return (copy->written <= copy->quota &&
		pwrite(copy->fd, bytes, len, (off_t)copy->len) == (ssize_t)len) ||
	       err_sys(err, "cannot write a temporary copy of the core");
}

static bool put(struct copy *copy, const uint8_t *bytes, size_t len, struct err *err)
{
	/* A small file can be packed gigabytes. */
	if (copy->is_core && !copy->len && len >= SELFMAG &&
	    memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return err_set(err, ERR_CANNOT, "%.200s is not a core file%s", copy->name,
			       copy->is_packed ? ", but something else, compressed" : "");
	while (len > 0) {
		size_t n = BLOCK - copy->len % BLOCK;
		if (n > len)
			n = len;
		if (!is_zero(bytes, n) && !write_piece(copy, bytes, n, err))
			return false;
		copy->len += n;
		bytes += n;
		len -= n;
	}
	return true;
}

struct input {
	int fd;
	const char *name;
	uint8_t bytes[BUFFER];
	size_t len;
	uint64_t read; /* bytes so far */
	bool ended;
};

/* Fills the buffer as far as there is something. */
static bool fill(struct input *in, struct err *err)
{
	while (!in->ended && in->len < sizeof(in->bytes)) {
		ssize_t n =
			read(in->fd, in->bytes + in->len, sizeof(in->bytes) - in->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, "cannot read %.200s", in->name);
		in->ended = n == 0;
		in->len += (size_t)n;
		in->read += (uint64_t)n;
	}
	return true;
}

static bool copy_plain(struct input *in, struct copy *copy, struct err *err)
{
	do {
		if (!put(copy, in->bytes, in->len, err))
			return false;
		in->len = 0;
	} while (fill(in, err) && in->len);
	return in->ended;
}

/* Why there is no more than that; of nothing, no core can be made. */
static bool note_damage(const struct core_packing *packing, const struct copy *copy,
			const char *how, char **ret_damage, struct err *err)
{
	if (!copy->len)
		return err_set(err, ERR_BAD_DATA, "cannot unpack %.200s: its %s data %s",
			       copy->name, packing->name, how);
	*ret_damage = xasprintf("its %s data %s, after %" PRIu64 " bytes of the core",
				packing->name, how, copy->len);
	return true;
}

/* What is damaged, or cut, ends there: what comes before is a core that was cut. */
static bool unpack(const struct core_packing *packing, struct input *in,
		   struct copy *copy, char **ret_damage, struct err *err)
{
	AUTO(xfree) uint8_t *out = xmalloc(BUFFER);
	void *state = packing->begin();
	bool ok = state || err_set(err, ERR_LIMIT, "cannot unpack %.200s (%s)", in->name,
				   packing->name);
	bool ended = false, damaged = false, more = true;

	while (ok && more) {
		struct core_piece p = {
			in->bytes, in->len, out, BUFFER, in->ended, ended
		};
		damaged = !packing->unpack(state, &p);
		if (damaged)
			break;
		in->len -= p.in_len;
		memmove(in->bytes, in->bytes + p.in_len, in->len);
		copy->packed = in->read - in->len;
		ok = put(copy, out, p.out_len, err) && fill(in, err);
		ended = p.ended;
		more = p.in_len || p.out_len;
	}
	if (state)
		packing->end(state);
	if (!ok || (ended && !damaged))
		return ok;
	return note_damage(packing, copy, damaged ? "are damaged" : "end too early",
			   ret_damage, err);
}

static int spool(struct input *in, char **ret_damage, struct err *err)
{
	struct copy copy = { .name = in->name, .fd = -1, .is_core = true };
	bool ok = fill(in, err);
	const struct core_packing *packing =
		ok ? core_packing_of(in->bytes, in->len) : NULL;

	if (!ok || (copy.fd = spool_open(err)) < 0)
		return -1;
	copy.is_packed = packing;
	copy.quota = spool_quota(copy.fd);
	ok = packing ? unpack(packing, in, &copy, ret_damage, err)
		     : copy_plain(in, &copy, err);
	if (ok && ftruncate(copy.fd, (off_t)copy.len) < 0)
		ok = err_sys(err, "cannot write a temporary copy of the core");
	if (ok)
		return copy.fd;
	close(copy.fd);
	return -1;
}

static uint64_t written_ns(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * SECOND_NS + (uint64_t)st->st_mtim.tv_nsec;
}

int core_open(const char *path, struct core_origin *ret, struct err *err)
{
	const bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
			  : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	uint8_t magic[CORE_PACKING_MAGIC];
	struct stat st;

	*ret = (struct core_origin){ .damage = NULL };
	if (fd < 0 || fstat(fd, &st) < 0) {
		err_sys(err, "cannot open %.200s", is_stdin ? "standard input" : path);
		return -1;
	}
	ret->written_ns = S_ISREG(st.st_mode) ? written_ns(&st) : realtime_ns();
	ssize_t n = S_ISREG(st.st_mode) ? pread(fd, magic, sizeof(magic), 0) : -1;
	if (n >= 0 && !core_packing_of(magic, (size_t)n))
		return fd;
	AUTO(xfree) struct input *in = xcalloc(1, sizeof(*in));
	in->fd = fd;
	in->name = is_stdin ? "standard input" : path;
	int copy = spool(in, &ret->damage, err);
	close(fd);
	return copy;
}

bool core_copy(int from, int to, const char *name, struct err *err)
{
	AUTO(xfree) struct input *in = xcalloc(1, sizeof(*in));
	struct copy copy = { .name = name, .fd = to, .quota = spool_quota(to) };

	in->fd = from;
	in->name = name;
	return fill(in, err) && copy_plain(in, &copy, err) &&
	       (ftruncate(to, (off_t)copy.len) == 0 ||
		err_sys(err, "cannot write a temporary copy of %.200s", name));
}

/* As far as there is something, from where it is read next. */
static size_t peek(int fd, void *buf, size_t size)
{
	const off_t at = lseek(fd, 0, SEEK_CUR);
	const ssize_t n = at < 0 ? -1 : pread(fd, buf, size, at);

	return n < 0 ? 0 : (size_t)n;
}

static bool is_core(const void *bytes, size_t len)
{
	const Elf64_Ehdr *header = bytes;

	return len >= sizeof(*header) && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_type == ET_CORE;
}

enum core_beginning core_begins(int fd)
{
	_Alignas(Elf64_Ehdr) uint8_t begin[sizeof(Elf64_Ehdr)];
	const size_t len = peek(fd, begin, sizeof(begin));

	if (is_core(begin, len))
		return CORE_BEGINS;
	if (len >= SELFMAG && memcmp(begin, ELFMAG, SELFMAG) == 0)
		return CORE_BEGINS_PROGRAM;
	const struct core_packing *packing = core_packing_of(begin, len);
	if (!packing)
		return CORE_BEGINS_NOT;
	return strcmp(packing->name, "zstd") == 0 ? CORE_BEGINS_ZSTD : CORE_BEGINS_PACKED;
}

/* Unpacks until there is as much of it. */
static size_t unpack_begin(const struct core_packing *packing, const uint8_t *in,
			   size_t len, void *out, size_t size)
{
	void *state = packing->begin();
	bool ended = false, more = state;
	size_t have = 0;

	while (more && have < size) {
		struct core_piece p = { in,	     len,  (uint8_t *)out + have,
					size - have, true, ended };
		if (!packing->unpack(state, &p))
			break;
		in += p.in_len;
		len -= p.in_len;
		have += p.out_len;
		ended = p.ended;
		more = p.in_len || p.out_len;
	}
	if (state)
		packing->end(state);
	return have;
}

bool core_begins_packed(int fd)
{
	AUTO(xfree) uint8_t *in = xmalloc(PACKED_BEGIN);
	_Alignas(Elf64_Ehdr) uint8_t out[sizeof(Elf64_Ehdr)];
	const size_t len = peek(fd, in, PACKED_BEGIN);
	const struct core_packing *packing = core_packing_of(in, len);

	return packing && is_core(out, unpack_begin(packing, in, len, out, sizeof(out)));
}

bool core_is_one(const char *path)
{
	struct stat st;
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	const bool ret = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
			 core_begins(fd) == CORE_BEGINS;

	if (fd >= 0)
		close(fd);
	return ret;
}
