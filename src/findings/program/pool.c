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

const struct pool_kind http_pool = {
	.function = "net/http.(*Transport).getConn",
	.type = "*net/http.Transport",
	.name = "http.Transport",
	.is_exhausted = is_http_exhausted,
};
