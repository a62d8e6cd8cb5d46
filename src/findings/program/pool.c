/* SPDX-License-Identifier: Apache-2.0 */
#include "src/findings/program/pool.h"

#include <string.h>

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

/* sql.(*DB).conn waits if maxOpen connections are open. */
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

/* May a context end a transaction? WithCancel() makes the transaction's context from its
 * caller's. context.Background() never ends, and nothing else has the function that
 * cancels the transaction's own. Unknown: it is no transaction. */
static enum pool_end end_of_transaction(struct runtime *rt, uint64_t tx)
{
	static const char *const backgrounds[] = { "context.backgroundCtx",
						   "context.todoCtx",
						   "*context.emptyCtx" };
	struct err ignored;
	const struct type *pointer = runtime_type_named(rt, "*database/sql.Tx", &ignored);
	const struct value of = { pointer ? type_elem(pointer) : NULL, tx };
	struct value ctx, parent;
	struct interface_value in;

	if (!of.type || !runtime_field(rt, &of, "ctx", &ctx) ||
	    !runtime_behind(rt, &ctx, &parent) ||
	    strcmp(type_name(parent.type), "context.cancelCtx") != 0 ||
	    !runtime_field(rt, &parent, "Context", &ctx) ||
	    !runtime_interface(rt, &ctx, &in, &ignored))
		return POOL_END_UNKNOWN;
	for (size_t i = 0; i < ARRAY_SIZE(backgrounds); i++)
		if (strcmp(in.name, backgrounds[i]) == 0)
			return POOL_END_NEVER;
	return POOL_END_MAY;
}

static uint64_t conn_of_any(struct runtime *rt, const struct value *pool,
			    const char *owner, uint64_t word)
{
	uint64_t conn;

	return pool_word(rt, owner, "dc", word, &conn) && is_in_use(rt, pool->addr, conn)
		       ? conn
		       : 0;
}

/* A word may point to any object, and an object behind that may have a connection. A true
 * owner also points to its pool. */
static uint64_t conn_of_owner(struct runtime *rt, const struct value *pool,
			      const char *owner, uint64_t word)
{
	uint64_t db;

	return pool_word(rt, owner, "db", word, &db) && db == pool->addr
		       ? conn_of_any(rt, pool, owner, word)
		       : 0;
}

/* Rows keep their connection when they are closed. They do not point to the pool, but
 * have a function that gives the connection back; in the pool's own list of connections,
 * another connection is in the place of that function. Rows have a function cancel if a
 * context may close them: (*Rows).initContextClose in database/sql/sql.go. */
static uint64_t conn_of_rows(struct runtime *rt, const struct value *pool, uint64_t word,
			     enum pool_end *ret)
{
	static const char rows[] = "*database/sql.Rows";
	uint64_t closed, release, db, cancel;

	if (!pool_word(rt, rows, "closed", word, &closed) || closed ||
	    !pool_word(rt, rows, "releaseConn", word, &release) || !release ||
	    (pool_word(rt, driver_conn, "db", release, &db) && db == pool->addr))
		return 0;
	if (pool_word(rt, rows, "cancel", word, &cancel))
		*ret = cancel ? POOL_END_MAY : POOL_END_NEVER;
	return conn_of_any(rt, pool, rows, word);
}

/* A frame may have the connection itself besides its owner. The connection does not show
 * what ends its use. */
static uint64_t sql_conn_of(struct runtime *rt, const struct value *pool, uint64_t word,
			    enum pool_end *ret)
{
	uint64_t conn;

	*ret = POOL_END_UNKNOWN;
	if (is_in_use(rt, pool->addr, word))
		return word;
	/* Memory does not show which of these types it is, but only a transaction has
	 * such a context. */
	conn = conn_of_owner(rt, pool, "*database/sql.Tx", word);
	if (conn)
		*ret = end_of_transaction(rt, word);
	else
		conn = conn_of_owner(rt, pool, "*database/sql.Conn", word);
	return conn ? conn : conn_of_rows(rt, pool, word, ret);
}

const struct pool_kind sql_pool = {
	.function = "database/sql.(*DB).conn",
	.type = "*database/sql.DB",
	.name = "sql.DB",
	.is_exhausted = is_sql_exhausted,
	.one_of = sql_conn_of,
};

enum {
	HOST_MAX = 128,
	QUEUED_MAX = 10000, /* that are looked at, for each key */
};

/* The host that most goroutines wait for. */
struct host {
	struct runtime *rt;
	uint64_t waiters;
	bool any, others;
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

static bool is_nil_error(struct runtime *rt, const struct value *v)
{
	struct interface_value in;
	struct err ignored;

	return runtime_interface(rt, v, &in, &ignored) && in.descriptor == 0;
}

/* Does net/http.(*wantConn) still wait? A goroutine that has given up leaves it in the
 * queue until there is a connection. Since Go 1.23 it is marked as done; before, it has
 * an error or a connection. */
static bool still_waits(struct runtime *rt, const struct value *want)
{
	uint64_t done, connection;
	struct value err;

	if (runtime_number(rt, want, "done", &done))
		return done == 0;
	return runtime_number(rt, want, "pc", &connection) && connection == 0 &&
	       runtime_field(rt, want, "err", &err) && is_nil_error(rt, &err);
}

static uint64_t count_waiting(struct runtime *rt, const struct value *list, uint64_t from)
{
	struct slice_value slice;
	struct err ignored;
	uint64_t ret = 0;

	if (!runtime_slice(rt, list, &slice, &ignored) || from > slice.len ||
	    !type_elem(list->type))
		return 0;
	for (uint64_t i = from; i < slice.len && i - from < QUEUED_MAX; i++) {
		const struct type *type = type_elem(list->type);
		const struct value want = { type, slice.addr + i * type_size(type) };
		ret += still_waits(rt, &want);
	}
	return ret;
}

/* Counts the goroutines that wait in a net/http.wantConnQueue. */
static uint64_t queued(struct runtime *rt, const struct value *queue)
{
	struct value head, tail;
	uint64_t taken;

	return runtime_field(rt, queue, "head", &head) &&
			       runtime_field(rt, queue, "tail", &tail) &&
			       runtime_number(rt, queue, "headPos", &taken)
		       ? count_waiting(rt, &head, taken) + count_waiting(rt, &tail, 0)
		       : 0;
}

/* Adds the goroutines that wait for a key to *h. A host may have several keys: with
 * another proxy, or without HTTP/2. */
static bool note_host(void *arg, const struct value *key, const struct value *elem)
{
	struct host *h = arg;
	struct host it = { .rt = h->rt, .waiters = queued(h->rt, elem) };

	h->any |= it.waiters != 0;
	if (!it.waiters || !read_text(h->rt, key, "scheme", it.scheme) ||
	    !read_text(h->rt, key, "addr", it.addr))
		return true;
	it.any = true;
	const bool same =
		strcmp(it.scheme, h->scheme) == 0 && strcmp(it.addr, h->addr) == 0;
	it.others = h->others || (*h->addr && !same);
	if (same)
		h->waiters += it.waiters;
	else if (it.waiters > h->waiters)
		*h = it;
	else
		h->others = true;
	return true;
}

/* Finds the host that most goroutines wait for in a queue. http.(*Transport).getConn also
 * waits for a new connection; it queues only at the limit. False: no goroutine waits in a
 * queue. */
static bool find_host(struct runtime *rt, const struct value *pool, struct host *ret)
{
	struct map_value map;
	struct value field;
	struct err ignored;

	*ret = (struct host){ .rt = rt };
	return runtime_field(rt, pool, "connsPerHostWait", &field) &&
	       runtime_map(rt, &field, &map, &ignored) &&
	       runtime_map_each(rt, field.type, &map, note_host, ret, &ignored) &&
	       ret->any;
}

static bool is_http_exhausted(struct runtime *rt, const struct value *pool, uint64_t *ret)
{
	struct host ignored;

	return runtime_number(rt, pool, "MaxConnsPerHost", ret) && *ret > 0 &&
	       *ret <= UINT32_MAX && find_host(rt, pool, &ignored);
}

/* Adds the host, as each host has its own limit. A proxy's name may have a password, and
 * is left out. */
static void say_host(struct text *text, struct runtime *rt, const struct value *pool)
{
	struct host h;

	if (!find_host(rt, pool, &h) || !*h.addr)
		return;
	text_add(text, " for %s://%s", h.scheme, h.addr);
	if (h.others)
		text_add(text, ", and others wait for other hosts");
}

const struct pool_kind http_pool = {
	.function = "net/http.(*Transport).getConn",
	.type = "*net/http.Transport",
	.name = "http.Transport",
	.is_exhausted = is_http_exhausted,
	.say_part = say_host,
};
