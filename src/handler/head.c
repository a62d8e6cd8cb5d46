/* SPDX-License-Identifier: Apache-2.0 */
/* tee(2) copies what is in a pipe and leaves it there. The pipe is enlarged until all of the head fits:
 * with 1,000 threads it has some 4 MB. */
#include "src/handler/head.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/bytes.h"
#include "lib/base/limit.h"
#include "lib/elf/notes.h"

enum {
	SEGMENTS_MAX = 1 << 16, /* PN_XNUM and more: the stream is read as a whole */
	PIPE_MIN = 1 << 16,
	PIPE_MAX = 1 << 28,
	WAIT_NS = 200 * 1000,
	STILL = 25, /* waits after which a pipe whose contents do not grow is full */
	STATUS_SIGNAL = 12, /* pr_cursig and pr_pid in NT_PRSTATUS */
	STATUS_PID = 32,
};

uint64_t head_length(const uint8_t *core, size_t len)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	uint64_t end;

	if (len < sizeof(header))
		return sizeof(header);
	memcpy(&header, core, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_phentsize != sizeof(segment) || header.e_phnum == PN_XNUM ||
	    header.e_phoff > PIPE_MAX)
		return 0;
	end = header.e_phoff + (uint64_t)header.e_phnum * sizeof(segment);
	if (len < end)
		return end;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		memcpy(&segment, core + header.e_phoff + i * sizeof(segment),
		       sizeof(segment));
		if (segment.p_type != PT_NOTE)
			continue;
		if (segment.p_offset > PIPE_MAX || segment.p_filesz > LIMIT_NOTE_BYTES)
			return 0;
		if (segment.p_offset + segment.p_filesz > end)
			end = segment.p_offset + segment.p_filesz;
	}
	return end;
}

void head_signal(const uint8_t *core, size_t len, uint16_t *ret_signal, uint32_t *ret_tid)
{
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	struct elf_note note;

	*ret_signal = 0;
	*ret_tid = 0;
	if (len < sizeof(header) + sizeof(segment))
		return;
	memcpy(&header, core, sizeof(header));
	if (header.e_phoff > len - sizeof(segment))
		return;
	memcpy(&segment, core + header.e_phoff, sizeof(segment));
	if (segment.p_type != PT_NOTE || segment.p_offset > len ||
	    segment.p_filesz > len - segment.p_offset)
		return;
	struct bytes notes = bytes_over(core + segment.p_offset, segment.p_filesz);
	while (elf_next_note(&notes, &note)) {
		if (note.type != NT_PRSTATUS)
			continue;
		struct bytes signal = bytes_at(note.content, STATUS_SIGNAL),
			     pid = bytes_at(note.content, STATUS_PID);
		*ret_signal = bytes_u16(&signal);
		*ret_tid = bytes_u32(&pid);
		return;
	}
}

static bool grow(int pipe, int *size, struct err *err)
{
	const int wanted = *size < PIPE_MAX / 2 ? *size * 2 : PIPE_MAX;
	const int got = fcntl(pipe, F_SETPIPE_SZ, wanted);

	if (got <= *size)
		return err_sys(err, "cannot enlarge the pipe of the core");
	*size = got;
	return true;
}

/* What is in the pipe now. -1: errno says why. */
static ssize_t look(int pipe, int size, uint8_t *ret)
{
	int ends[2];
	ssize_t n = -1, done = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	if (fcntl(ends[1], F_SETPIPE_SZ, size) >= size)
		n = tee(pipe, ends[1], (size_t)size, 0);
	close(ends[1]);
	for (ssize_t got; n > 0 && done < n; done += got)
		if ((got = read(ends[0], ret + done, (size_t)(n - done))) <= 0)
			break;
	close(ends[0]);
	return n < 0 ? -1 : done;
}

/* Nobody writes to it any more. */
static bool has_ended(int pipe)
{
	struct pollfd p = { .fd = pipe, .events = 0 };

	return poll(&p, 1, 0) > 0 && p.revents & POLLHUP;
}

static void wait_a_little(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = WAIT_NS }, NULL);
}

int head_keep(const uint8_t *bytes, size_t len, struct err *err)
{
	int fd = memfd_create("core", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && write_fully(fd, bytes, len)) {
		memory_file_seal(fd);
		return fd;
	}
	err_sys(err, "cannot copy the notes of the core");
	if (fd >= 0)
		close(fd);
	return -1;
}

static bool refuse(const uint8_t *bytes, ssize_t n, struct err *err)
{
	if (n >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0)
		return err_set(err, ERR_CANNOT,
			       "the head of the core is too large, or not of this form");
	return err_set(err, ERR_BAD_DATA, "the kernel sent no core");
}

int head_copy(int pipe, struct err *err)
{
	AUTO(xfree) uint8_t *bytes = NULL;
	int size = fcntl(pipe, F_GETPIPE_SZ);
	ssize_t before = -1;
	unsigned still = 0;

	if (size <= 0) {
		err_set(err, ERR_CANNOT, "the core does not come from a pipe");
		return -1;
	}
	for (;;) {
		bytes = xreallocarray(bytes, (size_t)size, 1);
		const bool ended = has_ended(pipe); /* before what is in it is read */
		const ssize_t n = look(pipe, size, bytes);
		const uint64_t wanted = n < 0 ? 0 : head_length(bytes, (size_t)n);
		if (n <= 0 || !wanted) {
			refuse(bytes, n, err);
			return -1;
		}
		if ((uint64_t)n >= wanted)
			return head_keep(bytes, wanted, err);
		if (ended)
			return head_keep(bytes, (size_t)n, err);
		/* Pieces need not fill their pages: a full pipe may have few bytes. */
		still = n == before ? still + 1 : 0;
		if ((wanted > (uint64_t)size || still > STILL) && size < PIPE_MAX) {
			if (!grow(pipe, &size, err))
				return -1;
			still = 0;
		}
		before = n;
		wait_a_little();
	}
}
