/* SPDX-License-Identifier: Apache-2.0 */
#include "src/watch/desk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	VISITORS_MAX = 8, /* whoever comes then waits in the kernel's queue */
	REQUEST_BYTES = 4096,
	ANSWER_BYTES = 1 << 16,
	PATIENCE_S = 2,
};

struct visitor {
	int fd; /* -1: nobody */
	size_t len;
	char request[REQUEST_BYTES];
};

struct desk {
	int epoll, socket;
	char *path;
	struct visitor visitors[VISITORS_MAX];
};

static bool fill_address(const char *path, struct sockaddr_un *ret, struct err *err)
{
	*ret = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (path[0] != '/' || strlen(path) >= sizeof(ret->sun_path))
		return err_set(err, ERR_USAGE,
			       "the path of a socket is absolute and short: %.100s",
			       path);
	strcpy(ret->sun_path, path);
	return true;
}

/* Returns -1; errno stays. */
static int give_up(int fd)
{
	int why = errno;

	if (fd >= 0)
		close(fd);
	errno = why;
	return -1;
}

static int connect_to(const struct sockaddr_un *at)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof(*at)) == 0)
		return fd;
	return give_up(fd);
}

/* A socket that nobody answers at is an earlier watcher's. */
static bool remove_stale(const struct sockaddr_un *at)
{
	int fd = connect_to(at);

	if (fd >= 0) {
		close(fd);
		errno = EADDRINUSE;
		return false;
	}
	return errno == ENOENT || (errno == ECONNREFUSED && unlink(at->sun_path) == 0);
}

static bool wait_for(const struct desk *desk, int fd, uint32_t number)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u32 = number };

	return epoll_ctl(desk->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static int listen_at(const struct sockaddr_un *at)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	const mode_t mask = umask(0177);
	const bool ok = fd >= 0 && remove_stale(at) &&
			bind(fd, (const struct sockaddr *)at, sizeof(*at)) == 0 &&
			listen(fd, VISITORS_MAX) == 0;

	umask(mask);
	return ok ? fd : give_up(fd);
}

struct desk *desk_open(const char *path, struct err *err)
{
	struct sockaddr_un at;

	if (!fill_address(path, &at, err))
		return NULL;
	int fd = listen_at(&at);
	if (fd < 0) {
		err_sys(err,
			errno == EADDRINUSE
				? "another gosnap watch answers at %.100s (--socket)"
				: "cannot answer at %.100s (--socket)",
			path);
		return NULL;
	}
	struct desk *desk = xcalloc(1, sizeof(*desk));
	desk->socket = fd;
	desk->path = xstrdup(path);
	desk->epoll = epoll_create1(EPOLL_CLOEXEC);
	for (size_t i = 0; i < VISITORS_MAX; i++)
		desk->visitors[i].fd = -1;
	if (desk->epoll >= 0 && wait_for(desk, fd, VISITORS_MAX))
		return desk;
	err_sys(err, "cannot answer at %.100s", path);
	desk_close(desk);
	return NULL;
}

void desk_close(struct desk *desk)
{
	if (!desk)
		return;
	for (size_t i = 0; i < VISITORS_MAX; i++)
		if (desk->visitors[i].fd >= 0)
			close(desk->visitors[i].fd);
	unlink(desk->path);
	close(desk->socket);
	if (desk->epoll >= 0)
		close(desk->epoll);
	xfree(desk->path);
	xfree(desk);
}

int desk_fd(const struct desk *desk)
{
	return desk->epoll;
}

static void leave(struct visitor *v)
{
	close(v->fd);
	*v = (struct visitor){ .fd = -1 };
}

static struct visitor *free_chair(struct desk *desk)
{
	for (size_t i = 0; i < VISITORS_MAX; i++)
		if (desk->visitors[i].fd < 0)
			return &desk->visitors[i];
	/* The first has had time to ask. */
	leave(&desk->visitors[0]);
	return &desk->visitors[0];
}

static void welcome(struct desk *desk)
{
	int fd = accept4(desk->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	struct visitor *v = free_chair(desk);
	v->fd = fd;
	if (!wait_for(desk, fd, (uint32_t)(v - desk->visitors)))
		leave(v);
}

static char *text_of(const struct watch_counts *counts,
		     void (*print)(const struct watch_counts *counts, FILE *out),
		     size_t *ret_len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_len);

	if (!out)
		out_of_memory();
	print(counts, out);
	if (fclose(out))
		out_of_memory();
	return text;
}

static void send_answer(int fd, const char *status, const char *type, const char *text,
			size_t len)
{
	AUTO(xfree)
	char *all =
		xasprintf("HTTP/1.0 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n"
			  "%s",
			  status, type, len, text);

	/* It fits in an empty socket's buffer. */
	(void)!send(fd, all, strlen(all), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void answer(const struct visitor *v, const struct watch_counts *counts)
{
	static const struct {
		const char *path, *type;
		void (*print)(const struct watch_counts *counts, FILE *out);
	} pages[] = {
		{ "/metrics", "text/plain; version=0.0.4", watch_counts_metrics },
		{ "/status", "text/plain; charset=utf-8", watch_counts_status },
	};

	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		const size_t n = strlen(pages[i].path);
		size_t len = 0;
		if (strncmp(v->request, "GET ", 4) != 0 ||
		    strncmp(v->request + 4, pages[i].path, n) != 0 ||
		    v->request[4 + n] != ' ')
			continue;
		char *text = text_of(counts, pages[i].print, &len);
		send_answer(v->fd, "200 OK", pages[i].type, text, len);
		free(text);
		return;
	}
	static const char missing[] = "there are /metrics and /status\n";
	send_answer(v->fd, "404 Not Found", "text/plain", missing, sizeof(missing) - 1);
}

static void listen_to(struct visitor *v, const struct watch_counts *counts)
{
	ssize_t n = recv(v->fd, v->request + v->len, sizeof(v->request) - 1 - v->len,
			 MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		v->len += (size_t)n;
		v->request[v->len] = 0;
		if (strstr(v->request, "\r\n\r\n"))
			answer(v, counts);
		else if (v->len < sizeof(v->request) - 1)
			return;
	}
	leave(v);
}

void desk_serve(struct desk *desk, const struct watch_counts *counts)
{
	struct epoll_event ready[VISITORS_MAX + 1];
	int n = epoll_wait(desk->epoll, ready, ARRAY_SIZE(ready), 0);

	for (int i = 0; i < n; i++)
		if (ready[i].data.u32 < VISITORS_MAX &&
		    desk->visitors[ready[i].data.u32].fd >= 0)
			listen_to(&desk->visitors[ready[i].data.u32], counts);
	for (int i = 0; i < n; i++)
		if (ready[i].data.u32 == VISITORS_MAX)
			welcome(desk);
}

bool desk_write_file(const char *path, const struct watch_counts *counts, struct err *err)
{
	AUTO(xfree) char *fresh = xasprintf("%s.%d", path, (int)getpid());
	int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	size_t len = 0;

	if (fd < 0)
		return err_sys(err, "cannot write %.200s", fresh);
	char *text = text_of(counts, watch_counts_metrics, &len);
	const bool ok = write_fully(fd, text, len) && rename(fresh, path) == 0;
	if (!ok) {
		err_sys(err, "cannot write %.200s", path);
		unlink(fresh);
	}
	close(fd);
	free(text);
	return ok;
}

char *desk_ask(const char *path, struct err *err)
{
	static const char request[] = "GET /status HTTP/1.0\r\n\r\n";
	const struct timeval patience = { .tv_sec = PATIENCE_S };
	struct sockaddr_un at;
	AUTO(xfree) char *all = xcalloc(1, ANSWER_BYTES);
	size_t len = 0;

	if (!fill_address(path, &at, err))
		return NULL;
	int fd = connect_to(&at);
	if (fd < 0) {
		if (errno == ENOENT || errno == ECONNREFUSED)
			err_set(err, ERR_NOT_FOUND,
				"no gosnap watch answers at %.100s (--socket)", path);
		else
			err_sys(err, "cannot ask at %.100s", path);
		return NULL;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	bool asked = write_fully(fd, request, sizeof(request) - 1);
	for (ssize_t n = asked; n > 0 && len < ANSWER_BYTES - 1;) {
		n = recv(fd, all + len, ANSWER_BYTES - 1 - len, 0);
		len += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	const char *body = strstr(all, "\r\n\r\n");
	if (body)
		return xstrdup(body + 4);
	err_set(err, ERR_SYS, "what answers at %.100s is no gosnap watch", path);
	return NULL;
}
