/* SPDX-License-Identifier: Apache-2.0 */
/* Open files and connections: os/file_unix.go, net/net.go, net/fd_posix.go,
 * internal/poll/fd_unix.go, crypto/tls/conn.go. /proc says what a descriptor leads to,
 * soon after the snapshot. */
#include <inttypes.h>
#include <string.h>

#include "lib/procfs/sockets.h"
#include "printers/known/known.h"

static const struct descriptor *look(struct printing *p, int64_t fd)
{
	return p->moment && p->moment->sockets && fd >= 0
		       ? sockets_look(p->moment->sockets, fd)
		       : NULL;
}

static bool read_fd(struct printing *p, const struct value *v, const char *path,
		    int64_t *ret)
{
	uint64_t fd;

	if (!known_number(p, v, path, &fd))
		return false;
	*ret = (int64_t)fd;
	return true;
}

/* Adds the name it was opened by, if /proc has a different one. */
bool text_of_file(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_words name = { .len = 0 };
	int64_t fd;

	if (!read_fd(p, v, "file.pfd.Sysfd", &fd) ||
	    !known_string(p, v, "file.name", &name))
		return false;
	known_add_bytes(ret, name.bytes, name.len);
	if (fd < 0) {
		known_add(ret, ", closed");
		return true;
	}
	known_add(ret, ", fd %" PRId64, fd);
	const struct descriptor *d = look(p, fd);
	if (!d)
		return true;
	if (d->protocol)
		known_add(ret, ", %s %s%s%s", d->protocol, d->local,
			  *d->remote ? " to " : "", d->remote);
	else if (strlen(d->link) != name.len ||
		 memcmp(d->link, name.bytes, name.len) != 0)
		known_add(ret, ", %s", d->link);
	return true;
}

static void add_end(struct printing *p, const struct value *v, const char *path,
		    const char *before, struct known_words *ret)
{
	struct known_words address = { .len = 0 };
	struct value end;

	if (!known_field(p, v, path, &end) || !known_text_of(p, &end, &address) ||
	    !address.len)
		return;
	known_add(ret, "%s", before);
	known_add_bytes(ret, address.bytes, address.len);
}

/* "tcp 127.0.0.1:80 to 10.0.0.1:5000, fd 7, established" */
static bool add_socket(struct printing *p, const struct value *v, struct known_words *ret)
{
	int64_t fd;

	if (!known_string(p, v, "net", ret) || !read_fd(p, v, "pfd.Sysfd", &fd))
		return false;
	add_end(p, v, "laddr", " ", ret);
	add_end(p, v, "raddr", " to ", ret);
	if (fd < 0) {
		known_add(ret, ", closed");
		return true;
	}
	known_add(ret, ", fd %" PRId64, fd);
	const struct descriptor *d = look(p, fd);
	if (d && d->state)
		known_add(ret, ", %s", d->state);
	return true;
}

bool text_of_connection(struct printing *p, const struct value *v,
			struct known_words *ret)
{
	struct value to, socket;

	return known_field(p, v, "conn.fd|fd", &to) &&
	       runtime_behind(p->rt, &to, &socket) && add_socket(p, &socket, ret);
}

bool text_of_tls(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct value inside;

	known_add(ret, "tls over ");
	return known_field(p, v, "conn", &inside) && known_text_of(p, &inside, ret);
}
