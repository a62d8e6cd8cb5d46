/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/base/thread.h"
#include "lib/sandbox/broker.h"
#include "lib/sandbox/sandbox_priv.h"
#include "tests/unit/unit.h"

enum { FINE = 0, WRONG = 1 };

static int run(const struct sandbox *how, int (*work)(void *), void *arg, struct err *err)
{
	int status = -1;

	err->text[0] = 0;
	return sandbox_run(how, work, arg, &status, err) ? status : -1;
}

static void assert_fails(int (*work)(void *), void *arg, const char *why)
{
	const struct sandbox how = { .keep_count = 0 };
	struct err err;
	int status = run(&how, work, arg, &err);

	if (status != -1 || !strstr(err.text, why))
		fail_msg("not \"%s\", but status %d, \"%s\"", why, status, err.text);
}

static int return_number(void *arg)
{
	return *(int *)arg;
}

static void test_result(void **state)
{
	const struct sandbox how = { .keep_count = 0 };
	struct err err;

	(void)state;
	for (int i = 0; i < 7; i++)
		assert_int_equal(run(&how, return_number, &i, &err), i);
	assert_false(sandbox_is_closed());
	assert_fails(return_number, &(int){ 99 }, " ended with status 99");
}

/* Another than errno 0 is as good as a signal: the call was not made. */
static int call(void *arg)
{
	const long number = *(long *)arg;

	syscall(number, 0, 0, 0, 0, 0, 0);
	return FINE;
}

static void test_forbidden(void **state)
{
	static const struct {
		long number;
		const char *why;
	} all[] = {
		{ SYS_ptrace, "101 (ptrace)" },
		{ SYS_execve, "59 (execve)" },
		{ SYS_socket, "41 (socket)" },
		{ SYS_connect, "42 (connect)" },
		{ SYS_mount, "165 (mount)" },
		{ SYS_unlink, "87 (unlink)" },
		{ SYS_rename, "82 (rename)" },
		{ SYS_mkdir, "83 (mkdir)" },
		{ SYS_setuid, "105 (setuid)" },
		{ SYS_process_vm_writev, "311 (process_vm_writev)" },
		{ SYS_bpf, "321 (bpf)" },
		{ SYS_userfaultfd, "323 (userfaultfd)" },
		{ SYS_io_uring_setup, "425 (io_uring_setup)" },
		{ SYS_pidfd_getfd, "438 (pidfd_getfd)" },
		{ SYS_unshare, "272 (unshare)" },
		{ SYS_keyctl, "250 (keyctl)" },
		{ 9999, "9999 (?)" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		assert_fails(call, (void *)(uintptr_t)&all[i].number, all[i].why);
}

static int clone_namespace(void *arg)
{
	(void)arg;
	syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	return FINE;
}

static int map_code(void *arg)
{
	(void)arg;
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return FINE;
}

static int start_process(void *arg)
{
	(void)arg;
	return fork() < 0 ? WRONG : FINE;
}

static void *do_nothing(void *arg)
{
	return arg;
}

static int start_thread(void *arg)
{
	pthread_t thread;

	(void)arg;
	return pthread_create(&thread, NULL, do_nothing, NULL) ? WRONG : FINE;
}

static int map_shared(void *arg)
{
	(void)arg;
	mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return FINE;
}

static int map_stack(void *arg)
{
	(void)arg;
	mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0);
	return FINE;
}

static int own_a_descriptor(void *arg)
{
	(void)arg;
	fcntl(0, F_SETOWN, getppid());
	return FINE;
}

static int datagrams(void *arg)
{
	int pair[2];

	(void)arg;
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	return FINE;
}

static int limit_another(void *arg)
{
	struct rlimit limit;

	(void)arg;
	prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit);
	return FINE;
}

static int old_convention(void *arg)
{
	(void)arg;
	syscall(0x40000000 + SYS_getpid);
	return FINE;
}

static int by_interrupt(void *arg)
{
	long number = 20; /* getpid of 32-bit programs */

	(void)arg;
	signal(SIGSEGV, SIG_DFL); /* not cmocka's */
	__asm__ volatile("int $0x80" : "+a"(number) : : "memory");
	return FINE;
}

static void test_arguments(void **state)
{
	(void)state;
	assert_fails(clone_namespace, NULL, "56 (clone)");
	assert_fails(map_code, NULL, "9 (mmap)");
	assert_fails(start_process, NULL, "56 (clone)");
	/* The C library blocks all signals there, so nobody can say which call it was. */
	assert_fails(start_thread, NULL, "signal 31");
	assert_fails(map_shared, NULL, "9 (mmap)");
	assert_fails(map_stack, NULL, "9 (mmap)");
	assert_fails(own_a_descriptor, NULL, "72 (fcntl)");
	assert_fails(datagrams, NULL, "53 (socketpair)");
	assert_fails(limit_another, NULL, "302 (prlimit64)");
	assert_fails(old_convention, NULL, "signal 31");
	/* A kernel that has none of those has a fault for it. */
	assert_fails(by_interrupt, NULL, "was killed by signal ");
}

/* What it must not have, whatever the filter. */
static int look_at_itself(void *arg)
{
	struct rlimit core;
	int fd;

	(void)arg;
	if (!sandbox_is_closed() || getrlimit(RLIMIT_CORE, &core) || core.rlim_max)
		return 10;
	for (fd = 3; fd < 200; fd++)
		if (fcntl(fd, F_GETFD) >= 0 && fd != 50 && fd != 60)
			break;
	/* Its own channel is the only one besides those that it was to keep. */
	for (int more = fd + 1; more < 200; more++)
		if (fcntl(more, F_GETFD) >= 0 && more != 50 && more != 60)
			return 11;
	if (fcntl(50, F_GETFD) < 0 || fcntl(60, F_GETFD) < 0)
		return 12;
	return write(50, "kept", 4) == 4 ? FINE : 13;
}

static void test_descriptors(void **state)
{
	const struct sandbox how = { .keep = { 60, 50 }, .keep_count = 2 };
	int file = memfd_create("kept", MFD_CLOEXEC),
	    other = open("/", O_PATH | O_CLOEXEC);
	char text[5] = "";
	struct err err;

	(void)state;
	assert_int_equal(dup3(file, 50, O_CLOEXEC), 50);
	assert_int_equal(dup3(file, 60, O_CLOEXEC), 60);
	assert_int_equal(dup3(other, 55, O_CLOEXEC), 55);
	assert_int_equal(run(&how, look_at_itself, NULL, &err), FINE);
	assert_int_equal(pread(file, text, 4, 0), 4);
	assert_string_equal(text, "kept");
	close(file);
	close(other);
	close(50);
	close(55);
	close(60);
}

static int count_privileges(void *arg)
{
	int file = *(int *)arg;
	char text[200];

	/* The parent reads our status while we wait. */
	return write(file, "r", 1) == 1 && read(file, text, 1) == 1 ? FINE : WRONG;
}

/* Looks at the child from outside: inside it cannot even open its own status. */
static void *look_from_outside(void *arg)
{
	int file = *(int *)arg;
	char path[64], byte;

	if (read(file, &byte, 1) != 1)
		return "it did not come";
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	AUTO(xfree) char *children = slurp(path, 4096, NULL);
	snprintf(path, sizeof(path), "/proc/%d/status", children ? atoi(children) : 0);
	AUTO(xfree) char *status = slurp(path, 1 << 16, NULL);
	if (write(file, "w", 1) != 1 || !status)
		return "it has no status";
	return !strstr(status, "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\n")
		       ? "it has capabilities"
	       : !strstr(status, "NoNewPrivs:\t1") ? "it can get privileges"
	       : !strstr(status, "Seccomp:\t2")	   ? "it has no filter"
						   : NULL;
}

static void test_privileges(void **state)
{
	int pair[2];
	struct err err;
	pthread_t thread;
	void *why = NULL;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	const struct sandbox how = { .keep = { pair[1] }, .keep_count = 1 };
	assert_int_equal(pthread_create(&thread, NULL, look_from_outside, &pair[0]), 0);
	assert_int_equal(run(&how, count_privileges, &pair[1], &err), FINE);
	pthread_join(thread, &why);
	if (why)
		fail_msg("%s", (const char *)why);
	close(pair[0]);
	close(pair[1]);
}

static int sleep_on(void *arg)
{
	(void)arg;
	while (poll(NULL, 0, -1) <= 0)
		continue;
	return WRONG;
}

static void test_time(void **state)
{
	const struct sandbox how = { .max_ns = 50 * 1000 * 1000 };
	struct err err;

	(void)state;
	assert_int_equal(run(&how, sleep_on, NULL, &err), -1);
	assert_non_null(strstr(err.text, " took too long"));
}

static void write_byte(void *arg)
{
	if (write(*(int *)arg, "t", 1) != 1)
		_exit(WRONG);
}

/* Those that were made for it, several times; another is refused, and so it is in a fork. */
static int use_threads(void *arg)
{
	int status = 0;

	for (int i = 0; i < 10; i++) {
		struct thread *a = thread_start(write_byte, arg),
			      *b = thread_start(write_byte, arg);
		if (!a || !b)
			return 10;
		thread_join(a);
		thread_join(b);
	}
	if (fork() == 0)
		_exit(thread_start(write_byte, arg) ? 11 : FINE);
	return wait(&status) > 0 ? WEXITSTATUS(status) : 12;
}

static void test_threads(void **state)
{
	int pipe[2];
	char bytes[64];
	struct err err;

	(void)state;
	assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
	const struct sandbox how = {
		.keep = { pipe[1] }, .keep_count = 1, .threads = 2, .workers = 1
	};
	assert_int_equal(run(&how, use_threads, &pipe[1], &err), FINE);
	assert_int_equal(read(pipe[0], bytes, sizeof(bytes)), 20);
	close(pipe[0]);
	close(pipe[1]);
}

enum { FILE_MAX = 10000 };

static int fill_file(void *arg)
{
	char bytes[1000] = "";
	const int fd = *(int *)arg;
	int n = 0;

	while (n < 100 && write(fd, bytes, sizeof(bytes)) == sizeof(bytes))
		n++;
	return n == FILE_MAX / (int)sizeof(bytes) && errno == EFBIG ? FINE : WRONG;
}

/* It is told, and no byte more is written. */
static void test_file_size(void **state)
{
	int file = memfd_create("output", MFD_CLOEXEC);
	const struct sandbox how = { .keep = { file },
				     .keep_count = 1,
				     .max_file_bytes = FILE_MAX };
	struct err err;

	(void)state;
	assert_int_equal(run(&how, fill_file, &file, &err), FINE);
	assert_int_equal(lseek(file, 0, SEEK_END), FILE_MAX);
	close(file);
}

enum { FILES = 3 };

/* Closed ones count, and so do those of a fork. */
static int open_files(void *arg)
{
	int n = 0, fd, status = 0;

	(void)arg;
	while (n < FILES - 1 && (fd = open("/", O_TMPFILE | O_RDWR | O_CLOEXEC)) >= 0) {
		close(fd);
		n++;
	}
	if (fork() == 0)
		_exit(open("/", O_TMPFILE | O_RDWR | O_CLOEXEC) < 0 ? WRONG : FINE);
	if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != FINE)
		return WRONG;
	return n == FILES - 1 && open("/", O_TMPFILE | O_RDWR | O_CLOEXEC) < 0 &&
			       errno == ENFILE
		       ? FINE
		       : WRONG;
}

static void test_files(void **state)
{
	const struct sandbox how = { .workers = 1, .max_files = FILES };
	struct err err;

	(void)state;
	assert_int_equal(run(&how, open_files, NULL, &err), FINE);
}

static void test_table(void **state)
{
	const struct sandbox how = { .server = true };
	unsigned short count;
	AUTO(xfree)
	struct sock_filter *code = syscall_filter_new(&how, SECCOMP_RET_ALLOW, &count);

	(void)state;
	assert_non_null(code);
	assert_true(count < BPF_MAXINSNS);
	assert_string_equal(syscall_name(SYS_ptrace), "ptrace");
	assert_string_equal(syscall_name(-1), "?");
	assert_string_equal(syscall_name(1 << 20), "?");
}

static int write_first(void *arg)
{
	signal(SIGSEGV, SIG_DFL);
	*(volatile char *)arg = 'y';
	return FINE;
}

/* What others share with us is not there; the same of ours is. */
static void test_withheld(void **state)
{
	const struct sandbox how = { .keep_count = 0 };
	const int file = memfd_create("withheld", MFD_CLOEXEC);
	char *ours = xshared(1), *others = xshared(1),
	     *named = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	struct err err;

	(void)state;
	assert_int_equal(ftruncate(file, 1), 0);
	*others = *named = 'x';
	sandbox_withhold(others, 1);
	sandbox_withhold_mapped("memfd:withheld");
	assert_int_equal(run(&how, write_first, ours, &err), FINE);
	assert_fails(write_first, others, "signal 11");
	assert_fails(write_first, named, "signal 11");
	assert_true(*ours == 'y' && *others == 'x' && *named == 'x');
	close(file);
}

static int accept_one(void *arg)
{
	return accept4(*(int *)arg, NULL, NULL, SOCK_CLOEXEC) < 0 && errno == EAGAIN
		       ? FINE
		       : WRONG;
}

/* To the discard service, whether or not there is one. */
static int connect_fast(void *arg)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons(9),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	shutdown(*(int *)arg, SHUT_RDWR);
	sendto(*(int *)arg, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL,
	       (const struct sockaddr *)&to, sizeof(to));
	return FINE;
}

/* It accepts connections where that is wanted, and makes none. */
static void test_server(void **state)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	const struct sandbox server = { .keep = { fd }, .keep_count = 1, .server = true },
			     other = { .keep = { fd }, .keep_count = 1 };
	struct err err;

	(void)state;
	assert_int_equal(listen(fd, 1), 0); /* at any port */
	assert_int_equal(run(&server, accept_one, &fd, &err), FINE);
	assert_int_equal(run(&other, accept_one, &fd, &err), -1);
	assert_non_null(strstr(err.text, "(accept4)"));
	assert_int_equal(run(&server, connect_fast, &fd, &err), -1);
	assert_non_null(strstr(err.text, "(sendto)"));
	close(fd);
}

/* Half of what the machine has, as /proc/meminfo tells, but never too little. */
static void test_memory(void **state)
{
	FILE *f = fopen("/proc/meminfo", "re");
	uint64_t kib = 0;

	(void)state;
	assert_non_null(f);
	assert_int_equal(fscanf(f, "MemTotal: %" SCNu64, &kib), 1);
	fclose(f);
	if (kib * 1024 / 2 > LIMIT_SANDBOX_BYTES)
		assert_int_equal(sandbox_memory(), kib * 1024 / 2);
	else
		assert_int_equal(sandbox_memory(), LIMIT_SANDBOX_BYTES);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result),	   cmocka_unit_test(test_forbidden),
		cmocka_unit_test(test_arguments),  cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_privileges), cmocka_unit_test(test_time),
		cmocka_unit_test(test_table),	   cmocka_unit_test(test_file_size),
		cmocka_unit_test(test_threads),	   cmocka_unit_test(test_files),
		cmocka_unit_test(test_withheld),   cmocka_unit_test(test_server),
		cmocka_unit_test(test_memory),
	};

	if (sandbox_missing()) {
		printf("1..0 # SKIP %s; run the tests without them\n", sandbox_missing());
		return 0;
	}
	return unit_run(argc, argv, tests, NULL, NULL);
}
