/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/program/pool.h"

static const char driver_conn[] = "*database/sql.driverConn";

bool pool_word(struct runtime *rt, const char *type, const char *field, uint64_t addr,
	       uint64_t *ret)
{
	struct err ignored;
	const struct type *pointer = runtime_type_named(rt, type, &ignored);
	const struct type *to = pointer ? type_elem(pointer) : NULL;
	const struct type_field *f = to ? type_field_named(to, field) : NULL;
	const uint64_t size = f && f->type ? type_size(f->type) : 0;

	*ret = 0;
	return size > 0 && size <= sizeof(*ret) &&
	       runtime_bytes(rt, addr + f->off, ret, (size_t)size, &ignored);
}

/* sql.(*DB).conn waits if there are maxOpen. */
static bool is_sql_exhausted(struct runtime *rt, const struct value *pool, uint64_t *ret)
{
	uint64_t open;

	return runtime_number(rt, pool, "maxOpen", ret) &&
	       runtime_number(rt, pool, "numOpen", &open) && *ret > 0 && open >= *ret &&
	       open <= UINT32_MAX;
}

static bool is_in_use(struct runtime *rt, uint64_t pool, uint64_t conn)
{
	uint64_t db, in_use;

	return conn && pool_word(rt, driver_conn, "db", conn, &db) && db == pool &&
	       pool_word(rt, driver_conn, "inUse", conn, &in_use) && in_use == 1;
}

static bool has_sql_conn(struct runtime *rt, const struct value *pool, uint64_t word)
{
	static const char *const owners[] = { "*database/sql.Rows", "*database/sql.Tx",
					      "*database/sql.Conn" };
	uint64_t conn;

	if (is_in_use(rt, pool->addr, word))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(owners); i++)
		if (pool_word(rt, owners[i], "dc", word, &conn) &&
		    is_in_use(rt, pool->addr, conn))
			return true;
	return false;
}

const struct pool_kind sql_pool = {
	.function = "database/sql.(*DB).conn",
	.type = "*database/sql.DB",
	.name = "sql.DB",
	.is_exhausted = is_sql_exhausted,
	.has_one = has_sql_conn,
};

/* http.(*Transport).getConn waits for a new connection as well; only at the limit is there a queue. */
static bool is_http_exhausted(struct runtime *rt, const struct value *pool, uint64_t *ret)
{
	struct map_value map;
	struct value field;
	struct err ignored;

	return runtime_number(rt, pool, "MaxConnsPerHost", ret) && *ret > 0 &&
	       *ret <= UINT32_MAX &&
	       runtime_field(rt, pool, "connsPerHostWait", &field) &&
	       runtime_map(rt, &field, &map, &ignored) && map.len > 0;
}

enum { HOST_MAX = 128 };

/* The host that most wait for. */
struct host {
	struct runtime *rt;
	uint64_t waiters, others;
	char scheme[HOST_MAX], addr[HOST_MAX];
};

static bool read_text(struct runtime *rt, const struct value *of, const char *field,
		      char ret[static HOST_MAX])
{
	struct value v;
	struct text_value text;
	struct err ignored;

	if (!runtime_field(rt, of, field, &v) ||
	    !runtime_string(rt, &v, &text, &ignored) || text.len >= HOST_MAX ||
	    !runtime_bytes(rt, text.addr, ret, (size_t)text.len, &ignored))
		return false;
	ret[text.len] = 0;
	for (size_t i = 0; i < text.len; i++)
		if (ret[i] <= ' ' || ret[i] > '~')
			return false;
	return text.len != 0;
}

/* net/http.wantConnQueue. */
static uint64_t queued(struct runtime *rt, const struct value *queue)
{
	struct value head, tail;
	struct slice_value first, last;
	struct err ignored;
	uint64_t taken;

	if (!runtime_field(rt, queue, "head", &head) ||
	    !runtime_field(rt, queue, "tail", &tail) ||
	    !runtime_number(rt, queue, "headPos", &taken) ||
	    !runtime_slice(rt, &head, &first, &ignored) ||
	    !runtime_slice(rt, &tail, &last, &ignored) || taken > first.len)
		return 0;
	return first.len - taken + last.len;
}

static bool note_host(void *arg, const struct value *key, const struct value *elem)
{
	struct host *h = arg;
	const uint64_t n = queued(h->rt, elem);
	struct host it = { .rt = h->rt, .waiters = n, .others = h->others };

	if (!n)
		return true;
	it.others += h->waiters != 0;
	if (n > h->waiters && read_text(h->rt, key, "scheme", it.scheme) &&
	    read_text(h->rt, key, "addr", it.addr))
		*h = it;
	else
		h->others++;
	return true;
}

/* A limit is of each host. A proxy's name may have a password, and is left out. */
static void say_host(struct text *text, struct runtime *rt, const struct value *pool)
{
	struct host h = { .rt = rt };
	struct map_value map;
	struct value field;
	struct err ignored;

	if (!runtime_field(rt, pool, "connsPerHostWait", &field) ||
	    !runtime_map(rt, &field, &map, &ignored) ||
	    !runtime_map_each(rt, field.type, &map, note_host, &h, &ignored) || !*h.addr)
		return;
	text_add(text, " for %s://%s", h.scheme, h.addr);
	if (h.others) {
		text_add(text, ", and others wait for ");
		text_add_counted(text, h.others, "other host");
	}
}

const struct pool_kind http_pool = {
	.function = "net/http.(*Transport).getConn",
	.type = "*net/http.Transport",
	.name = "http.Transport",
	.is_exhausted = is_http_exhausted,
	.say_part = say_host,
};
