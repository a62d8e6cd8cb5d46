/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/procfs/sockets.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/limit.h"
#include "lib/base/search.h"

enum { TABLE_READS = 2, LINK_BYTES = 4096 };

struct entry {
	int fd;
	uint64_t inode; /* of a socket; 0: not a socket */
	char *link;
	struct descriptor descriptor;
};

struct sockets {
	struct entry *entries; /* sorted by fd */
	size_t count, cap;
	struct entry **by_inode; /* only sockets */
	size_t socket_count, unknown;
};

static int by_fd(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->fd > y->fd) - (x->fd < y->fd);
}

static int by_inode(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

	return (x->inode > y->inode) - (x->inode < y->inode);
}

static void add(struct sockets *s, int fd, const char *link)
{
	uint64_t inode = 0;

	GROW(s->entries, s->count, s->cap);
	if (sscanf(link, "socket:[%" SCNu64 "]", &inode) != 1)
		inode = 0;
	s->entries[s->count++] =
		(struct entry){ .fd = fd, .inode = inode, .link = xstrdup(link) };
}

/* Number and link, each with its NUL. */
static bool write_link(int to, const char *number, const char *link, size_t len)
{
	const size_t head = strlen(number) + 1;
	char both[LINK_BYTES + 32];

	if (head + len + 1 > sizeof(both))
		return true;
	memcpy(both, number, head);
	memcpy(both + head, link, len);
	both[head + len] = 0;
	return write_fully(to, both, head + len + 1);
}

int sockets_list(pid_t tid)
{
	char path[64], link[LINK_BYTES];
	size_t count = 0;
	int to = memfd_create("gosnap-descriptors", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)tid);
	DIR *dir = to < 0 ? NULL : opendir(path);
	for (struct dirent *e; dir && count < LIMIT_DESCRIPTORS && (e = readdir(dir));) {
		if (!isdigit((unsigned char)*e->d_name))
			continue;
		ssize_t n = readlinkat(dirfd(dir), e->d_name, link, sizeof(link));
		if (n < 0)
			continue; /* closed since */
		count++;
		if (!write_link(to, e->d_name, link, (size_t)n))
			break;
	}
	if (dir)
		closedir(dir);
	if (to >= 0)
		memory_file_seal(to);
	return to;
}

static int (*list_descriptors)(pid_t tid) = sockets_list;

void sockets_use_list(int (*list)(pid_t tid))
{
	list_descriptors = list;
}

static char *read_list(pid_t tid, size_t *ret_size)
{
	int fd = list_descriptors(tid);
	struct stat st = { .st_size = 0 };
	AUTO(xfree) char *text = NULL;
	bool whole = false;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_size > 0) {
		*ret_size = (size_t)st.st_size;
		text = xmalloc(*ret_size + 1);
		text[*ret_size] = 0;
		whole = lseek(fd, 0, SEEK_SET) == 0 && read_fully(fd, text, *ret_size);
	}
	close(fd);
	return whole ? TAKE(text) : NULL;
}

static void read_descriptors(struct sockets *s, pid_t tid)
{
	size_t size = 0;
	AUTO(xfree) char *text = read_list(tid, &size);

	for (char *at = text, *link; text && at < text + size;
	     at = link + strlen(link) + 1) {
		link = at + strlen(at) + 1;
		if (link < text + size)
			add(s, (int)strtol(at, NULL, 10), link);
		else
			break;
	}
}

static void index_sockets(struct sockets *s)
{
	if (s->count)
		qsort(s->entries, s->count, sizeof(*s->entries), by_fd);
	s->by_inode = xcalloc(s->count + 1, sizeof(*s->by_inode));
	for (size_t i = 0; i < s->count; i++) {
		s->entries[i].descriptor.link = s->entries[i].link;
		if (s->entries[i].inode)
			s->by_inode[s->socket_count++] = &s->entries[i];
	}
	if (s->socket_count)
		qsort(s->by_inode, s->socket_count, sizeof(*s->by_inode), by_inode);
	s->unknown = s->socket_count;
}

/* The first descriptor of the socket; duplicates (dup) follow it. */
static size_t first_of(const struct sockets *s, uint64_t inode)
{
	return LOWER_BOUND(i, s->socket_count, s->by_inode[i]->inode < inode);
}

static void fill(struct sockets *s, uint64_t inode, const struct descriptor *found)
{
	for (size_t i = first_of(s, inode);
	     inode && i < s->socket_count && s->by_inode[i]->inode == inode; i++) {
		struct entry *e = s->by_inode[i];
		if (e->descriptor.protocol)
			continue;
		e->descriptor = *found;
		e->descriptor.link = e->link;
		s->unknown--;
	}
}

/* "0100007F:1F90", or 32 digits for IPv6: words in host byte order. IPv4-mapped addresses
 * are written as in Go. */
static void write_address(const char *text, char *ret, size_t size)
{
	uint32_t words[4] = { 0 };
	char address[INET6_ADDRSTRLEN];
	const char *colon = strchr(text, ':');
	size_t digits = colon ? (size_t)(colon - text) : 0;
	unsigned port = colon ? (unsigned)strtoul(colon + 1, NULL, 16) : 0;

	*ret = 0;
	if (digits != 8 && digits != 32)
		return;
	for (size_t i = 0; i < digits / 8; i++) {
		char word[9];
		snprintf(word, sizeof(word), "%.8s", text + 8 * i);
		words[i] = (uint32_t)strtoul(word, NULL, 16);
	}
	bool mapped = digits == 32 && !words[0] && !words[1] && words[2] == htonl(0xffff);
	bool six = digits == 32 && !mapped;
	if (!inet_ntop(six ? AF_INET6 : AF_INET, mapped ? &words[3] : words, address,
		       sizeof(address)))
		return;
	snprintf(ret, size, six ? "[%s]:%u" : "%s:%u", address, port);
}

/* include/net/tcp_states.h; a UDP socket is "established" if connected, else 7. */
static const char *state_name(unsigned state)
{
	static const char *const names[] = {
		[1] = "established", [2] = "syn-sent",	 [3] = "syn-recv",
		[4] = "fin-wait-1",  [5] = "fin-wait-2", [6] = "time-wait",
		[7] = "close",	     [8] = "close-wait", [9] = "last-ack",
		[10] = "listen",     [11] = "closing",
	};
	return state < ARRAY_SIZE(names) ? names[state] : NULL;
}

static bool is_unconnected(const char *address)
{
	const char *port = strchr(address, ':');

	return port && strtoul(port + 1, NULL, 16) == 0;
}

/* net/ipv4/tcp_ipv4.c get_tcp4_sock, udp.c udp4_format_sock: "sl: local remote st
 * tx:rx tr:when retransmits uid timeout inode ..." */
static void take_internet(struct sockets *s, const char *line, const char *protocol)
{
	char local[40], remote[40];
	unsigned state;
	uint64_t inode;
	struct descriptor d = { .protocol = protocol };

	if (sscanf(line, " %*u: %39s %39s %x %*x:%*x %*x:%*x %*x %*u %*u %" SCNu64, local,
		   remote, &state, &inode) != 4)
		return;
	write_address(local, d.local, sizeof(d.local));
	if (!is_unconnected(remote))
		write_address(remote, d.remote, sizeof(d.remote));
	d.state = strcmp(protocol, "tcp") == 0 ? state_name(state) : NULL;
	fill(s, inode, &d);
}

/* net/unix/af_unix.c unix_seq_show: "Num: RefCount Protocol Flags Type St Inode Path". */
static void take_unix(struct sockets *s, const char *line, const char *protocol)
{
	enum { ACCEPTS = 1 << 16 }; /* __SO_ACCEPTCON in Flags */
	unsigned flags;
	uint64_t inode;
	int end = 0;
	struct descriptor d = { .protocol = protocol };

	if (sscanf(line, "%*x: %*x %*x %x %*x %*x %" SCNu64 "%n", &flags, &inode, &end) !=
	    2)
		return;
	const char *path = line + end;
	path += *path == ' ';
	snprintf(d.local, sizeof(d.local), "%.*s", (int)strcspn(path, "\n"), path);
	d.state = flags & ACCEPTS ? "listen" : NULL;
	fill(s, inode, &d);
}

static void
read_table(struct sockets *s, pid_t tid, const char *name, const char *protocol,
	   void (*take)(struct sockets *s, const char *line, const char *protocol))
{
	char path[64], line[512];

	if (s->unknown == 0)
		return;
	snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)tid, name);
	FILE *f = fopen(path, "re");
	while (f && s->unknown && fgets(line, sizeof(line), f))
		take(s, line, protocol);
	if (f)
		fclose(f);
}

static void read_tables(struct sockets *s, pid_t tid)
{
	read_table(s, tid, "tcp", "tcp", take_internet);
	read_table(s, tid, "tcp6", "tcp", take_internet);
	read_table(s, tid, "unix", "unix", take_unix);
	read_table(s, tid, "udp", "udp", take_internet);
	read_table(s, tid, "udp6", "udp", take_internet);
}

struct sockets *sockets_read(pid_t tid)
{
	struct sockets *s = xcalloc(1, sizeof(*s));

	read_descriptors(s, tid);
	index_sockets(s);
	/* The kernel hands out a table in pieces: while sockets come and go, it skips
	 * some. */
	for (int i = 0; i < TABLE_READS; i++)
		read_tables(s, tid);
	return s;
}

void sockets_free(struct sockets *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->count; i++)
		xfree(s->entries[i].link);
	xfree(s->entries);
	xfree(s->by_inode);
	xfree(s);
}

const struct descriptor *sockets_look(const struct sockets *s, int64_t fd)
{
	struct entry key = { .fd = (int)fd };
	const struct entry *e =
		fd >= 0 && fd <= INT32_MAX && s->count
			? bsearch(&key, s->entries, s->count, sizeof(key), by_fd)
			: NULL;

	return e ? &e->descriptor : NULL;
}
