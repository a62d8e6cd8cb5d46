/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/thread.h"
#include "lib/sandbox/broker.h"
#include "lib/sandbox/broker_priv.h"
#include "lib/sandbox/sandbox_priv.h"
#include "tests/unit/unit.h"

enum {
	FINE = 0,
	WRONG = 1,
	ECHO = ASK_SERVICE,
	GIVE,
	LATER,
	HOLD,
	CHILDREN = 4,
	ASKS = 200
};

static int run(const struct sandbox *how, int (*work)(void *), void *arg, struct err *err)
{
	int status = -1;

	err->text[0] = 0;
	return sandbox_run(how, work, arg, &status, err) ? status : -1;
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

static ssize_t bytes_in(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[64];

	return fd < 0 ? -errno : read(fd, text, sizeof(text));
}

/* In a folder with a program, a core, a text, a pipe and links to them. */
static int read_programs(void *arg)
{
	char link[10];
	struct stat st;
	int found = open("program", O_PATH | O_CLOEXEC);

	(void)arg;
	if (bytes_in("program") != 64 || bytes_in("link") != 64)
		return 10;
	if (found < 0 || fstat(found, &st) || !S_ISREG(st.st_mode))
		return 11;
	AUTO(xfree) char *again = xasprintf("/proc/self/fd/%d", found);
	if (bytes_in(again) != 64)
		return 12;
	if (bytes_in("core") != -ENOEXEC || bytes_in("text") != -ENOEXEC ||
	    bytes_in("/etc/passwd") != -ENOEXEC)
		return 13;
	if (bytes_in("pipe") != -EINVAL || bytes_in("/dev/zero") != -EINVAL ||
	    bytes_in("/proc/self/maps") != -EINVAL || bytes_in(".") != -EINVAL)
		return 14;
	if (open("program", O_RDWR) >= 0 || open(".", O_RDONLY | O_DIRECTORY) >= 0 ||
	    open("new", O_WRONLY | O_CREAT, 0600) >= 0)
		return 15;
	if (readlink("link", link, sizeof(link)) != 7 || memcmp(link, "program", 7) ||
	    readlink("/proc/self/exe", link, sizeof(link)) >= 0)
		return 16;
	return bytes_in("named") == 4 && bytes_in("../named") != 4 ? FINE : 17;
}

/* Below a root that the user named, nothing leads out of it. */
static int read_below(void *arg)
{
	int root = open(arg, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct {
		uint64_t flags, mode, resolve;
	} how = { O_PATH | O_CLOEXEC, 0, 0 };
	const char *const names[] = { "/program", "/out", "/../../etc/shadow" };
	const int sizes[] = { 64, -ENOENT, -ENOENT };
	char text[64];

	if (root < 0)
		return 10;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		int fd = (int)syscall(SYS_openat2, root, names[i], &how, sizeof(how));
		int got = fd < 0 ? -errno : (int)read(fd, text, sizeof(text));
		if (got != sizes[i])
			return 20 + (int)i;
	}
	if (openat(root, "program", O_RDONLY) >= 0)
		return 30;
	return syscall(SYS_openat2, AT_FDCWD, "program", &how, sizeof(how)) < 0 ? FINE
										: 31;
}

static void put(const char *path, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_int_equal(write(fd, bytes, len), (ssize_t)len);
	close(fd);
}

static void test_programs(void **state)
{
	char folder[] = "/tmp/gosnap-programs-XXXXXX", head[64] = "\177ELF\2\1\1";
	const char *const all[] = { "program", "core", "text", "named",
				    "link",    "out",  "pipe" };
	struct err err;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	head[16] = 2;
	put("program", head, sizeof(head));
	head[16] = 4;
	put("core", head, sizeof(head));
	put("text", "text", 4);
	put("named", "text", 4);
	assert_int_equal(symlink("program", "link") | symlink("/bin/true", "out") |
				 mkfifo("pipe", 0600),
			 0);
	const struct sandbox programs = { .named = { NULL, "named" }, .programs = true };
	const struct sandbox root = { .named = { folder }, .programs = true };
	assert_int_equal(run(&programs, read_programs, NULL, &err), FINE);
	assert_int_equal(run(&root, read_below, folder, &err), FINE);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		assert_int_equal(unlink(all[i]), 0);
	assert_int_equal(chdir("/") | rmdir(folder), 0);
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

struct asking {
	int first;
	bool answered;
};

static void ask_often(void *arg)
{
	struct asking *asking = arg;

	asking->answered = true;
	for (int i = 0; i < ASKS; i++)
		asking->answered &= echoes(asking->first * 1000 + i);
}

static bool ask_in_threads(void)
{
	struct asking asking[3] = { { 100, false }, { 101, false }, { 102, false } };
	struct thread *a = thread_start(ask_often, &asking[0]),
		      *b = thread_start(ask_often, &asking[1]);

	ask_often(&asking[2]);
	if (!a || !b)
		return false;
	thread_join(a);
	thread_join(b);
	return asking[0].answered && asking[1].answered && asking[2].answered;
}

static void ask_in_child(int first)
{
	struct asking asking = { first, false };

	ask_often(&asking);
	_exit(asking.answered ? FINE : WRONG);
}

static int ask_in_children(void *arg)
{
	int status, wrong = 0;

	(void)arg;
	for (int i = 0; i < CHILDREN; i++)
		if (fork() == 0)
			ask_in_child(i);
	if (!ask_in_threads())
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
	const struct sandbox_service services[] = { { ECHO, echo, NULL, NULL },
						    { GIVE, give, &file, NULL },
						    { .kind = 0 } };
	const struct sandbox how = { .services = { services },
				     .threads = 2,
				     .workers = CHILDREN };
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

/* Returns our end of another channel; -1: the first is closed. */
static int open_channel(void)
{
	const struct question q = { .kind = ASK_CHANNEL };
	const int channel = find_channel(); /* before there is another socket */
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -1;
	const bool sent = message_send(channel, &q, offsetof(struct question, text),
				       pair[1], 0) > 0;
	close(pair[1]);
	return sent ? pair[0] : -1;
}

static int open_many_channels(void *arg)
{
	(void)arg;
	for (int i = 0; i < 400; i++) {
		const int channel = open_channel();
		if (channel < 0)
			return WRONG;
		close(channel);
	}
	return echoes(5) ? FINE : WRONG;
}

static void test_nonsense(void **state)
{
	const struct sandbox_service services[] = { { ECHO, echo, NULL, NULL },
						    { .kind = 0 } };
	const struct sandbox how = { .services = { services } };
	struct err err;

	(void)state;
	for (int kind = 0; kind < ASK_SERVICE + 2; kind++)
		if (run(&how, talk_nonsense, &kind, &err) < 0)
			fail_msg("kind %d: %s", kind, err.text);
	assert_int_equal(run(&how, open_many_channels, NULL, &err), FINE);
}

/* What takes long: it answers when it has been looked at that often; 0: never. */
struct slow {
	int looks;
};

static void later(void *arg, const struct question *q, int fd, struct answer *ret,
		  int *ret_fd)
{
	(void)arg, (void)q, (void)fd, (void)ret_fd;
	ret->result = ANSWER_LATER;
}

static bool look(void *arg, struct answer *ret, int *ret_fd, struct answer_wait *ret_wait)
{
	struct slow *slow = arg;

	(void)ret_fd, (void)ret_wait;
	ret->result = 7;
	return slow->looks && --slow->looks == 0;
}

static bool send_question(int channel, uint32_t kind)
{
	struct question q = { .kind = kind };

	return send(channel, &q, offsetof(struct question, text), MSG_NOSIGNAL) > 0;
}

/* While one answer is late, another question is answered; the same service is
 * busy. */
static int ask_meanwhile(void *arg)
{
	const struct question again = { .kind = LATER };
	struct answer a;
	int channel = find_channel();

	(void)arg;
	if (!send_question(channel, LATER) || !send_question(channel, ECHO))
		return WRONG;
	if (recv(channel, &a, sizeof(a), 0) <= 0 || a.result != 1)
		return 2;
	if (!sandbox_ask(&again, -1, &a, NULL) || a.result != -EBUSY)
		return 3;
	return recv(channel, &a, sizeof(a), 0) > 0 && a.result == 7 ? FINE : 4;
}

static int ask_later(void *arg)
{
	const struct question q = { .kind = LATER };
	struct answer a;

	(void)arg;
	return sandbox_ask(&q, -1, &a, NULL) && a.result == 7 ? FINE : WRONG;
}

static void test_later(void **state)
{
	struct slow slow = { .looks = 5 };
	const struct sandbox_service services[] = { { ECHO, echo, NULL, NULL },
						    { LATER, later, &slow, look },
						    { .kind = 0 } };
	struct sandbox how = { .services = { services } };
	struct err err;

	(void)state;
	assert_int_equal(run(&how, ask_meanwhile, NULL, &err), FINE);
	slow.looks = 2;
	assert_int_equal(run(&how, ask_later, NULL, &err), FINE);
	slow.looks = 0;
	how.max_ns = 300 * 1000 * 1000;
	assert_int_equal(run(&how, ask_later, NULL, &err), -1);
	assert_non_null(strstr(err.text, "took too long"));
}

static int sleep_on(void *arg)
{
	(void)arg;
	while (poll(NULL, 0, -1) <= 0)
		continue;
	return WRONG;
}

struct holding {
	atomic_bool held, released;
};

/* Keeps the broker busy until more has come. */
static void hold(void *arg, const struct question *q, int fd, struct answer *ret,
		 int *ret_fd)
{
	struct holding *holding = arg;

	(void)q, (void)fd, (void)ret, (void)ret_fd;
	holding->held = true;
	while (!holding->released)
		sched_yield();
}

static void count(void *arg, const struct question *q, int fd, struct answer *ret,
		  int *ret_fd)
{
	int *asked = arg;

	(void)q, (void)fd, (void)ret, (void)ret_fd;
	++*asked;
}

/* As a child that is stopped, and its parent, which tells that it has ended. */
static int tell_both(void *arg)
{
	struct holding *holding = arg;
	const int channel = find_channel(), of_child = open_channel();

	if (of_child < 0 || !send_question(channel, HOLD))
		return WRONG;
	while (!holding->held)
		sched_yield();
	if (!send_question(of_child, TELL_FORBIDDEN) || !send_question(channel, ECHO))
		return WRONG;
	holding->released = true;
	return sleep_on(NULL);
}

static void test_forbidden_first(void **state)
{
	struct holding *holding = xshared(sizeof(*holding));
	int asked = 0;
	const struct sandbox_service services[] = { { ECHO, count, &asked, NULL },
						    { HOLD, hold, holding, NULL },
						    { .kind = 0 } };
	const struct sandbox how = { .services = { services } };
	struct err err;

	(void)state;
	assert_int_equal(run(&how, tell_both, holding, &err), -1);
	assert_non_null(strstr(err.text, "forbidden system call"));
	assert_int_equal(asked, 0);
	munmap(holding, sizeof(*holding));
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
	const struct sandbox how = { .workers = 1 };
	struct err err;

	(void)state;
	assert_int_equal(run(&how, end_others, NULL, &err), FINE);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_services),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_kill),
		cmocka_unit_test(test_later),
		cmocka_unit_test(test_forbidden_first),
	};

	if (sandbox_missing()) {
		printf("1..0 # SKIP %s; run the tests without them\n", sandbox_missing());
		return 0;
	}
	return unit_run(argc, argv, tests, NULL, NULL);
}
