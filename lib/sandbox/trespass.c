/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/sandbox/sandbox_priv.h"

#ifdef GOSNAP_FAULTS
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static void tell(const char *what, bool could)
{
	fprintf(stderr, "trespass: %s: %s\n", what,
		could ? "succeeded" : strerror(errno));
}

static void crash(void)
{
	volatile int *volatile nowhere = NULL;

	*nowhere = 0;
}

static void loop(void)
{
	for (volatile unsigned i = 0;; i++)
		continue;
}

static void sleep_for_ever(void)
{
	fputs("trespass: asleep\n", stderr);
	for (;;)
		poll(NULL, 0, -1);
}

static void take_memory(void)
{
	enum { PIECE = 4 << 20 };
	size_t total = 0;

	for (;; total += PIECE) {
		char *piece = mmap(NULL, PIECE, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (piece == MAP_FAILED)
			break;
		memset(piece, 1, PIECE);
	}
	fprintf(stderr, "trespass: got %zu bytes of memory\n", total);
	free(xmalloc(PIECE));
}

static void read_secret(void)
{
	tell("/etc/shadow", open("/etc/shadow", O_RDONLY) >= 0);
	tell("/etc/passwd", open("/etc/passwd", O_RDONLY) >= 0);
	tell("/proc/self/mem", open("/proc/self/mem", O_RDONLY) >= 0);
	tell("/proc/1/environ", open("/proc/1/environ", O_RDONLY) >= 0);
}

static void write_outside(void)
{
	tell("/tmp", open("/tmp/gosnap-trespass", O_WRONLY | O_CREAT, 0600) >= 0);
	unlink("/tmp/gosnap-trespass");
}

static void use_network(void)
{
	tell("socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
}

/* Tries the network calls that Landlock refuses: connecting to a port without a listener, and binding one. */
static void use_connection(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons(1),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	tell("connect", connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	address.sin_port = 0;
	tell("bind", bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
}

/* Tries a call that needs a capability. It changes nothing. */
static void use_capability(void)
{
	tell("chroot", chroot("/") == 0);
}

/* Where there is a network: other programs of the machine are not on it. */
static void use_local_socket(void)
{
	tell("local socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
}

/* Which the kernel may have to load a module for. */
static void use_other_family(void)
{
	int pair[2];

	tell("socketpair",
	     socketpair(AF_TIPC, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
}

static void outlive_parent(void)
{
	tell("prctl", prctl(PR_SET_PDEATHSIG, 0) == 0);
}

static void take_huge_pages(void)
{
	tell("huge pages", mmap(NULL, 1 << 21, PROT_READ,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE,
				-1, 0) != MAP_FAILED);
}

/* Without memory of its own: tables of pages and buffers of sockets are the kernel's. */
static void use_kernel_memory(void)
{
	enum { PIECES = 100, MANY = 10000 };
	const size_t size = (size_t)1 << 30;
	static void *pieces[PIECES];
	static int fds[MANY];
	struct rlimit limit = { 0, 0 };
	unsigned n = 0, m = 0;

	while (n < PIECES &&
	       (pieces[n] = mmap(NULL, size, PROT_READ,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) !=
		       MAP_FAILED)
		n++;
	tell("address space", n == PIECES);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	while (m < MANY && (fds[m] = dup(STDERR_FILENO)) >= 0)
		m++;
	tell("descriptors", m == MANY);
	while (n > 0)
		munmap(pieces[--n], size);
	while (m > 0)
		close(fds[--m]);
}

/* It may be somebody else's. */
static void read_input(void)
{
	char buffer[4096];
	size_t total = 0;

	for (ssize_t n; (n = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0;)
		total += (size_t)n;
	fprintf(stderr, "trespass: got %zu bytes of input\n", total);
}

/* Landlock does not forbid it. */
static void change_mode(void)
{
	struct stat st;

	tell("chmod",
	     stat("/etc/shadow", &st) == 0 && chmod("/etc/shadow", st.st_mode) == 0);
}

static void run_program(void)
{
	execl("/bin/sh", "sh", "-c", "echo trespass: exec: succeeded", NULL);
	tell("exec", false);
}

static void trace_another(void)
{
	tell("ptrace", ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) == 0);
}

static void kill_another(void)
{
	tell("kill", kill(getppid(), SIGKILL) == 0);
}

/* One that nobody waits for. */
static void leave_behind(void)
{
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			if (fork() == 0)
				sleep_for_ever();
			_exit(0);
		}
	}
	exit(EXIT_SUCCESS);
}

void sandbox_trespass_confined(const char *place)
{
	static const struct {
		const char *name;
		void (*commit)(void);
	} all[] = {
		{ "segfault", crash },	       { "loop", loop },
		{ "sleep", sleep_for_ever },   { "memory", take_memory },
		{ "open", read_secret },       { "write", write_outside },
		{ "socket", use_network },     { "exec", run_program },
		{ "ptrace", trace_another },   { "kill", kill_another },
		{ "children", leave_behind },  { "local", use_local_socket },
		{ "chmod", change_mode },      { "family", use_other_family },
		{ "outlive", outlive_parent }, { "huge", take_huge_pages },
		{ "input", read_input },       { "kernel", use_kernel_memory },
		{ "connect", use_connection }, { "capability", use_capability },
	};
	const char *wanted = getenv("GOSNAP_TRESPASS"),
		   *at = wanted ? strchr(wanted, '@') : NULL;

	if (!at || strcmp(at + 1, place) != 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (strlen(all[i].name) == (size_t)(at - wanted) &&
		    strncmp(wanted, all[i].name, (size_t)(at - wanted)) == 0)
			all[i].commit();
}

void sandbox_trespass(const char *place)
{
	if (sandbox_is_closed())
		sandbox_trespass_confined(place);
}
#else
void sandbox_trespass_confined(const char *place)
{
	(void)place;
}

void sandbox_trespass(const char *place)
{
	(void)place;
}
#endif
