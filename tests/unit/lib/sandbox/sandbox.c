/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
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
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/sandbox/broker.h"
#include "lib/sandbox/sandbox_priv.h"

enum { FINE = 0, WRONG = 1, ECHO = ASK_SERVICE, GIVE, CHILDREN = 4, ASKS = 200 };

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
	__asm__ volatile("int $0x80" : "+a"(number) : : "memory");
	return FINE;
}

static void test_arguments(void **state)
{
	(void)state;
	assert_fails(clone_namespace, NULL, "56 (clone)");
	assert_fails(map_code, NULL, "9 (mmap)");
	assert_fails(own_a_descriptor, NULL, "72 (fcntl)");
	assert_fails(datagrams, NULL, "53 (socketpair)");
	assert_fails(limit_another, NULL, "302 (prlimit64)");
	assert_fails(old_convention, NULL, "signal 31");
	assert_fails(by_interrupt, NULL, "signal 31");
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

static int read_only_what_it_may(void *arg)
{
	static const char *const refused[] = {
		"/etc/shadow",
		"/etc/passwd",
		"/",
		"/proc/self/mem",
		"/proc/1/environ",
		"relative",
		"/proc/self/fd/0/../../../etc/passwd",
		"/sys/devices/system/cpu/online/",
		"/sys/devices/system/cpu/../cpu/online",
	};
	struct stat st;
	char text[10];

	(void)arg;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		if (open(refused[i], O_RDONLY) >= 0 || errno == EIO)
			return 10 + (int)i;
		if (stat(refused[i], &st) == 0 || readlink(refused[i], text, 10) >= 0)
			return 30 + (int)i;
	}
	if (open("/tmp/gosnap-sandbox", O_WRONLY | O_CREAT, 0600) >= 0)
		return 50;
	if (open("/sys/devices/system/cpu/online", O_RDWR) >= 0)
		return 51;
	int fd = open("/sys/devices/system/cpu/online", O_RDONLY | O_CLOEXEC);
	return fd >= 0 && read(fd, text, 1) == 1 ? FINE : 52;
}

static int make_a_file(void *arg)
{
	struct err err;
	int fd = spool_open(&err);
	char text[4];

	(void)arg;
	return fd >= 0 && write(fd, "text", 4) == 4 && pread(fd, text, 4, 0) == 4 ? FINE
										  : WRONG;
}

static void test_files(void **state)
{
	const struct sandbox how = { .keep_count = 0 };
	struct err err;

	(void)state;
	assert_int_equal(run(&how, read_only_what_it_may, NULL, &err), FINE);
	assert_int_equal(run(&how, make_a_file, NULL, &err), FINE);
}

/* Sends back what came, and a descriptor with a text. */
static void echo(void *arg, const struct question *q, int fd, struct answer *ret,
		 int *ret_fd)
{
	(void)arg, (void)fd, (void)ret_fd;
	ret->result = q->number + 1;
	ret->len = q->len;
	memcpy(ret->bytes, q->text, q->len);
}

static void give(void *arg, const struct question *q, int fd, struct answer *ret,
		 int *ret_fd)
{
	(void)q, (void)ret;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "from outside", 12), 12);
	*ret_fd = fcntl(*(int *)arg, F_DUPFD_CLOEXEC, 0);
}

static bool echoes(int number)
{
	struct question q = { .kind = ECHO,
			      .number = number,
			      .len = (uint32_t)number % 3000 };
	struct answer a;

	memset(q.text, number, q.len);
	return sandbox_ask(&q, -1, &a, NULL) && a.result == number + 1 &&
	       a.len == q.len && memcmp(a.bytes, q.text, q.len) == 0;
}

static void *ask_often(void *arg)
{
	for (int i = 0; i < ASKS; i++)
		if (!echoes(*(int *)arg * 1000 + i))
			return arg;
	return NULL;
}

static bool ask_in_threads(int first)
{
	pthread_t threads[2];
	int numbers[2] = { first, first + 1 };
	void *wrong = NULL, *other = NULL;

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, ask_often, &numbers[i]))
			return false;
	pthread_join(threads[0], &wrong);
	pthread_join(threads[1], &other);
	return !wrong && !other;
}

static int ask_in_children(void *arg)
{
	int status, wrong = 0;

	(void)arg;
	for (int i = 0; i < CHILDREN; i++)
		if (fork() == 0)
			_exit(ask_in_threads(2 * i) ? FINE : WRONG);
	if (!ask_in_threads(100))
		return WRONG;
	for (int i = 0; i < CHILDREN; i++)
		if (wait(&status) < 0 || status)
			wrong++;
	return wrong ? WRONG : FINE;
}

static int ask_for_descriptor(void *arg)
{
	struct question q = { .kind = GIVE };
	struct answer a;
	char text[20] = "";
	int pipe[2], fd;

	(void)arg;
	if (pipe2(pipe, O_CLOEXEC) || !sandbox_ask(&q, pipe[1], &a, &fd) || fd < 0)
		return WRONG;
	if (read(pipe[0], text, 12) != 12 || strcmp(text, "from outside"))
		return 2;
	if (pread(fd, text, 6, 0) != 6 || memcmp(text, "inside", 6))
		return 3;
	/* Nobody answers this. */
	q.kind = ASK_SERVICE + 20;
	return sandbox_ask(&q, -1, &a, NULL) && a.result == -ENOSYS ? FINE : 4;
}

static void test_services(void **state)
{
	int file = memfd_create("given", MFD_CLOEXEC);
	const struct sandbox_service services[] = { { ECHO, echo, NULL },
						    { GIVE, give, &file },
						    { .kind = 0 } };
	const struct sandbox how = { .services = services };
	struct err err;

	(void)state;
	assert_int_equal(write(file, "inside", 6), 6);
	assert_int_equal(run(&how, ask_in_children, NULL, &err), FINE);
	assert_int_equal(run(&how, ask_for_descriptor, NULL, &err), FINE);
	close(file);
}

/* The channel is the only socket. */
static int find_channel(void)
{
	struct stat st;

	for (int fd = 3; fd < 100; fd++)
		if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode))
			return fd;
	return -1;
}

/* Random bytes, and questions with a length that is not theirs. */
static int talk_nonsense(void *arg)
{
	const int kind = *(int *)arg, fd = find_channel();
	struct question q;
	uint8_t bytes[sizeof(q) + 100];

	for (int i = 0; i < 100; i++) {
		memset(bytes, i * 7, sizeof(bytes));
		memset(&q, 0xff, sizeof(q));
		q.kind = (uint32_t)kind;
		q.len = kind % 2 ? 10 : UINT32_MAX;
		if (send(fd, kind ? (void *)&q : (void *)bytes,
			 kind ? offsetof(struct question, text) + 5 : sizeof(bytes),
			 MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			break;
	}
	return FINE;
}

static int open_many_channels(void *arg)
{
	const struct question q = { .kind = ASK_CHANNEL };
	int pair[2];

	(void)arg;
	for (int i = 0; i < 400; i++) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
			return WRONG;
		char control[CMSG_SPACE(sizeof(int))];
		struct iovec bytes = { (void *)(uintptr_t)&q,
				       offsetof(struct question, text) };
		struct msghdr m = { .msg_iov = &bytes,
				    .msg_iovlen = 1,
				    .msg_control = control,
				    .msg_controllen = sizeof(control) };
		struct cmsghdr *c = CMSG_FIRSTHDR(&m);
		*c = (struct cmsghdr){ CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS };
		memcpy(CMSG_DATA(c), &pair[1], sizeof(int));
		if (sendmsg(find_channel(), &m, MSG_NOSIGNAL) < 0)
			return WRONG;
		close(pair[0]);
		close(pair[1]);
	}
	return echoes(5) ? FINE : WRONG;
}

static void test_nonsense(void **state)
{
	const struct sandbox_service services[] = { { ECHO, echo, NULL }, { .kind = 0 } };
	const struct sandbox how = { .services = services };
	struct err err;

	(void)state;
	for (int kind = 0; kind < ASK_SERVICE + 2; kind++)
		if (run(&how, talk_nonsense, &kind, &err) < 0)
			fail_msg("kind %d: %s", kind, err.text);
	assert_int_equal(run(&how, open_many_channels, NULL, &err), FINE);
}

static int sleep_on(void *arg)
{
	(void)arg;
	while (poll(NULL, 0, -1) <= 0)
		continue;
	return WRONG;
}

static int end_others(void *arg)
{
	int status;
	pid_t child = fork();

	(void)arg;
	if (child == 0)
		sleep_on(NULL);
	if (kill(getppid(), SIGKILL) == 0 || kill(1, SIGKILL) == 0 ||
	    kill(-1, SIGKILL) == 0 || kill(getpid(), SIGKILL) == 0 ||
	    kill(0, SIGKILL) == 0)
		return WRONG;
	if (kill(child, SIGKILL) < 0 || waitpid(child, &status, 0) != child)
		return 2;
	return WIFSIGNALED(status) ? FINE : 3;
}

static void test_kill(void **state)
{
	const struct sandbox how = { .keep_count = 0 };
	struct err err;

	(void)state;
	assert_int_equal(run(&how, end_others, NULL, &err), FINE);
}

static void test_time(void **state)
{
	const struct sandbox how = { .max_ns = 50 * 1000 * 1000 };
	struct err err;

	(void)state;
	assert_int_equal(run(&how, sleep_on, NULL, &err), -1);
	assert_non_null(strstr(err.text, " took too long"));
}

/* The pipe stays open as long as one of them lives. */
static int leave_orphans(void *arg)
{
	for (int i = 0; i < CHILDREN; i++) {
		if (fork() == 0) {
			if (fork() == 0 || fork() == 0)
				sleep_on(NULL);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		continue;
	return write(*(int *)arg, "d", 1) == 1 ? FINE : WRONG;
}

static void test_orphans(void **state)
{
	int pipe[2];
	char bytes[2];
	struct err err;

	(void)state;
	assert_int_equal(pipe2(pipe, O_CLOEXEC), 0);
	const struct sandbox how = { .keep = { pipe[1] }, .keep_count = 1 };
	assert_int_equal(run(&how, leave_orphans, &pipe[1], &err), FINE);
	close(pipe[1]);
	/* Its end comes when nobody has the other end. */
	assert_int_equal(read(pipe[0], bytes, 2), 1);
	assert_int_equal(read(pipe[0], bytes, 2), 0);
	close(pipe[0]);
}

static void test_table(void **state)
{
	unsigned short count;
	AUTO(xfree) struct sock_filter *code = syscall_filter_new(getpid(), &count);

	(void)state;
	assert_true(count < BPF_MAXINSNS);
	assert_string_equal(syscall_name(SYS_ptrace), "ptrace");
	assert_string_equal(syscall_name(-1), "?");
	assert_string_equal(syscall_name(1 << 20), "?");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result),	   cmocka_unit_test(test_forbidden),
		cmocka_unit_test(test_arguments),  cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_privileges), cmocka_unit_test(test_files),
		cmocka_unit_test(test_services),   cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_kill),	   cmocka_unit_test(test_time),
		cmocka_unit_test(test_orphans),	   cmocka_unit_test(test_table),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("sandbox", tests, NULL, NULL);
}
