/* SPDX-License-Identifier: Apache-2.0 */
/* The coredump socket: where gosnap listens, and what it makes of what the kernel says there. A pair of sockets stands
 * in for the kernel's connection: its peer is this process. */
#include "src/handler/listen.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/handler/peer.h"
#include "tests/unit/folder.h"
#include "tests/unit/unit.h"

enum { NOTES_AT = 256, STATUS_SIGNAL = 12, STATUS_PID = 32, SIGNAL = 6, TID = 4713 };

/* The request of Linux 6.16: its size, that of an answer, and what it can do. */
struct request {
	uint32_t size, size_ack;
	uint64_t mask;
};
struct acknowledgement {
	uint32_t size, spare;
	uint64_t mask;
};

static char path[sizeof(folder) + 16];

/* Only listen_run() needs it. */
void handler_run(const struct handler *handler, struct crash *crash,
		 struct core_source *source)
{
	(void)handler;
	(void)crash;
	(void)source;
}

static void test_socket(void **state)
{
	char long_path[256];
	struct stat st;
	struct err err;
	(void)state;

	assert_false(listen_is_open(path));
	int fd = listen_open(path, &err);
	assert_true(fd >= 0);
	assert_true(listen_is_open(path));
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(listen_open(path, &err), -1);
	assert_int_equal(err.code, ERR_SYS);
	assert_non_null(strstr(err.text, strerror(EADDRINUSE)));
	close(fd);
	assert_false(listen_is_open(path));
	fd = listen_open(path, &err); /* in place of the one that nobody listens at */
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("/nonexistent", path), 0);
	assert_int_equal(listen_open(path, &err), -1);
	assert_non_null(strstr(err.text, strerror(EEXIST)));
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(listen_open("relative", &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
	memset(long_path, 'x', sizeof(long_path));
	long_path[0] = '/';
	long_path[108] = '\0'; /* one byte more than fits */
	assert_int_equal(listen_open(long_path, &err), -1);
	assert_int_equal(err.code, ERR_USAGE);
}

static void activate(pid_t pid, const char *n)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)pid);
	setenv("LISTEN_PID", text, 1);
	setenv("LISTEN_FDS", n, 1);
	setenv("LISTEN_FDNAMES", "gosnap", 1);
}

static void test_activation(void **state)
{
	const int kept = dup(3); /* if it is in use */
	struct err err;
	(void)state;

	assert_int_equal(dup2(STDIN_FILENO, 3), 3);
	activate(getpid(), "1");
	assert_int_equal(listen_open("", &err), 3);
	assert_int_equal(fcntl(3, F_GETFD), FD_CLOEXEC);
	assert_null(getenv("LISTEN_PID"));
	assert_null(getenv("LISTEN_FDS"));
	assert_null(getenv("LISTEN_FDNAMES"));
	activate(getppid(), "1"); /* meant for another process */
	assert_int_equal(listen_open("", &err), -1);
	assert_null(getenv("LISTEN_PID"));
	activate(getpid(), "0");
	assert_int_equal(listen_open("", &err), -1);
	close(3);
	if (kept >= 0)
		dup2(kept, 3);
}

/* A core with one note, of which a signal and a thread can be read. */
static size_t make_core(uint8_t ret[static 1024])
{
	uint8_t status[64] = { 0 };
	const Elf64_Ehdr header = { .e_ident = ELFMAG,
				    .e_phoff = sizeof(header),
				    .e_phentsize = sizeof(Elf64_Phdr),
				    .e_phnum = 1 };
	const Elf64_Nhdr note = { .n_namesz = 5,
				  .n_descsz = sizeof(status),
				  .n_type = NT_PRSTATUS };
	const Elf64_Phdr notes = { .p_type = PT_NOTE,
				   .p_offset = NOTES_AT,
				   .p_filesz = sizeof(note) + 8 + sizeof(status) };

	memset(ret, 0, 1024);
	status[STATUS_SIGNAL] = SIGNAL;
	memcpy(status + STATUS_PID, &(uint32_t){ TID }, sizeof(uint32_t));
	memcpy(ret, &header, sizeof(header));
	memcpy(ret + sizeof(header), &notes, sizeof(notes));
	memcpy(ret + NOTES_AT, &note, sizeof(note));
	memcpy(ret + NOTES_AT + sizeof(note), "CORE", 5);
	memcpy(ret + NOTES_AT + sizeof(note) + 8, status, sizeof(status));
	return NOTES_AT + notes.p_filesz;
}

/* What is made of these bytes. Its end stays open in *ret_end, unless NULL. */
static bool hears(const void *bytes, size_t len, struct crash *ret,
		  struct core_source *ret_source, int *ret_end, struct err *err)
{
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	if (len)
		assert_int_equal(write(ends[1], bytes, len), len);
	shutdown(ends[1], SHUT_WR);
	const bool ok = peer_read(ends[0], ret, ret_source, err);
	if (ret_end)
		*ret_end = ends[1];
	else
		close(ends[1]);
	close(ends[0]);
	return ok;
}

/* Frees what a handler keeps until it exits. */
static void forget(struct crash *crash, struct core_source *source)
{
	for (size_t i = 0; i < CRASH_LETTERS; i++)
		xfree((void *)(uintptr_t)crash->word[i]);
	xfree((void *)(uintptr_t)source->head);
}

static const char *word(const struct crash *crash, char letter)
{
	const char *text = crash->word[(unsigned char)letter];

	assert_non_null(text);
	return text;
}

static void test_peer(void **state)
{
	uint8_t core[1024];
	const size_t len = make_core(core);
	struct core_source source;
	struct crash crash;
	struct rlimit limit;
	char pid[16], host[65] = "";
	struct err err;
	(void)state;

	prctl(PR_SET_NAME, "a/b c");
	assert_true(hears(core, sizeof(core), &crash, &source, NULL, &err));
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	gethostname(host, sizeof(host) - 1);
	assert_int_equal(getrlimit(RLIMIT_CORE, &limit), 0);
	assert_int_equal(crash.pid, getpid());
	assert_int_equal(crash.tid, TID);
	assert_int_equal(crash.signal, SIGNAL);
	assert_true(crash.limit == limit.rlim_cur);
	assert_string_equal(word(&crash, 'P'), pid);
	assert_string_equal(word(&crash, 's'), "6");
	assert_string_equal(word(&crash, 'i'), "4713");
	assert_string_equal(word(&crash, 'I'), "4713");
	assert_string_equal(word(&crash, 'e'), "a!b c");
	assert_string_equal(word(&crash, 'h'), host);
	assert_int_equal(word(&crash, 'E')[0], '!');
	assert_null(strchr(word(&crash, 'f'), '!'));
	assert_int_equal(strtoul(word(&crash, 'u'), NULL, 10), getuid());
	assert_int_equal(strtoul(word(&crash, 'g'), NULL, 10), getgid());
	/* It runs, so that it is not what dumps: nothing of it is believed. */
	assert_int_equal(crash.folder, -1);
	assert_true(crash.guarded);
	assert_string_equal(word(&crash, 'd'), "2");
	assert_true(source.head_len >= len && source.head_len <= sizeof(core));
	assert_memory_equal(source.head, core, source.head_len);
	assert_int_equal(source.copy, -1);
	forget(&crash, &source);
	/* What ends within its head is handed on as it is. */
	assert_true(hears(core, 100, &crash, &source, NULL, &err));
	assert_int_equal(source.head_len, 100);
	assert_int_equal(crash.signal, 0);
	forget(&crash, &source);
	prctl(PR_SET_NAME, ".."); /* no name for a file */
	assert_true(hears(core, sizeof(core), &crash, &source, NULL, &err));
	assert_string_equal(word(&crash, 'e'), "!.");
	forget(&crash, &source);
	assert_false(hears(core, 0, &crash, &source, NULL, &err));
	assert_int_equal(err.code, ERR_BAD_DATA);
}

/* "@@": a request, of more bytes than are known, the answer to it, a mark, and the core. */
static void test_request(void **state)
{
	enum { MORE = 8 };
	struct request request = { sizeof(request) + MORE, 16, UINT64_MAX };
	struct acknowledgement answer;
	struct core_source source;
	struct crash crash;
	uint8_t bytes[2048] = { 0 }, *at = bytes + sizeof(request) + MORE;
	struct err err;
	int end;
	(void)state;

	memcpy(bytes, &request, sizeof(request));
	make_core(at + sizeof(uint32_t));
	const size_t len = (size_t)(at - bytes) + sizeof(uint32_t) + 1024;
	assert_true(hears(bytes, len, &crash, &source, &end, &err));
	assert_int_equal(crash.signal, SIGNAL);
	assert_true(read_fully(end, &answer, sizeof(answer)));
	close(end);
	assert_int_equal(answer.size, sizeof(answer));
	assert_int_equal(answer.mask, 1 | 8); /* the kernel writes the core, and waits */
	forget(&crash, &source);
	*at = 1; /* a mark that is not zero */
	assert_false(hears(bytes, len, &crash, &source, NULL, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	request.size_ack = 15;
	memcpy(bytes, &request, sizeof(request));
	assert_false(hears(bytes, len, &crash, &source, NULL, &err));
	assert_int_equal(err.code, ERR_BAD_DATA);
	request = (struct request){ 15, 16, 0 };
	memcpy(bytes, &request, sizeof(request));
	assert_false(hears(bytes, len, &crash, &source, NULL, &err));
	assert_int_equal(err.code, ERR_BAD_DATA);
}

static int make_place(void **state)
{
	if (make_folder(state))
		return -1;
	snprintf(path, sizeof(path), "%s/socket", folder);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_socket),
		cmocka_unit_test(test_activation),
		cmocka_unit_test(test_peer),
		cmocka_unit_test(test_request),
	};

	return unit_run(argc, argv, tests, make_place, remove_folder);
}
