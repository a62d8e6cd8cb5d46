/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses and URLs: net/ip.go, net/netip/netip.go, net/url/url.go. */
#include <arpa/inet.h>
#include <string.h>

#include "known.h"

enum { V4 = 4, V6 = 16, V4_IN_V6 = 12 };

static bool add_address(struct known_words *t, int family, const void *bytes)
{
	char words[INET6_ADDRSTRLEN];

	if (!inet_ntop(family, bytes, words, sizeof(words)))
		return false;
	known_add(t, "%s", words);
	return true;
}

bool text_of_ip(struct printing *p, const struct value *v, struct known_words *ret)
{
	static const uint8_t mapped[V4_IN_V6] = { [10] = 0xff, [11] = 0xff };
	struct slice_value s;
	struct err ignored;
	uint8_t bytes[V6];

	if (type_kind(v->type) != KIND_SLICE || !runtime_slice(p->rt, v, &s, &ignored) ||
	    (s.len != V4 && s.len != V6) ||
	    !runtime_bytes(p->rt, s.addr, bytes, (size_t)s.len, &ignored))
		return false;
	if (s.len == V4)
		return add_address(ret, AF_INET, bytes);
	if (memcmp(bytes, mapped, sizeof(mapped)) == 0)
		return add_address(ret, AF_INET, bytes + V4_IN_V6);
	return add_address(ret, AF_INET6, bytes);
}

/* z is nil, or says which sort it is: from Go 1.23 on by what it points to, before by itself. False:
 * that is not known, as in stripped programs. */
static bool sort_of(struct printing *p, const struct value *v, uint64_t z,
		    const struct known_words *zone, bool *ret_v6)
{
	struct value z4;
	struct err ignored;
	uint64_t is_v6, of_v4;

	*ret_v6 = zone->len;
	if (zone->len)
		return true;
	if (known_number(p, v, "z.value.isV6", &is_v6)) {
		*ret_v6 = is_v6;
		return true;
	}
	if (!runtime_global(p->rt, "net/netip.z4", &z4, &ignored) ||
	    !runtime_bytes(p->rt, z4.addr, &of_v4, sizeof(of_v4), &ignored))
		return false;
	*ret_v6 = of_v4 != z;
	return true;
}

/* addr is two words, the high one first. */
bool text_of_address(struct printing *p, const struct value *v, struct known_words *ret)
{
	static const uint8_t mapped[V4_IN_V6] = { [10] = 0xff, [11] = 0xff };
	struct known_words zone = { .len = 0 };
	uint64_t words[2], z;
	uint8_t bytes[V6];
	bool v6 = true;

	if (!known_number(p, v, "addr.hi", &words[0]) ||
	    !known_number(p, v, "addr.lo", &words[1]) ||
	    !known_number(p, v, "z|z.value", &z))
		return false;
	for (size_t i = 0; i < V6; i++)
		bytes[i] = (uint8_t)(words[i / 8] >> (56 - i % 8 * 8));
	if (!z) {
		known_add(ret, "invalid IP");
		return true;
	}
	known_string(p, v, "z.value.zoneV6|z.cmpVal", &zone);
	if (memcmp(bytes, mapped, sizeof(mapped)) == 0 && !sort_of(p, v, z, &zone, &v6))
		return false;
	if (!v6)
		return add_address(ret, AF_INET, bytes + V4_IN_V6);
	if (!add_address(ret, AF_INET6, bytes))
		return false;
	if (zone.len)
		known_add(ret, "%%");
	known_add_bytes(ret, zone.bytes, zone.len);
	return true;
}

/* Without the user: what stands there may be a password. */
bool text_of_url(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_words scheme = { .len = 0 }, host = { .len = 0 },
			   query = { .len = 0 }, opaque = { .len = 0 },
			   fragment = { .len = 0 };

	if (!known_string(p, v, "Scheme", &scheme) ||
	    !known_string(p, v, "Host", &host) ||
	    !known_string(p, v, "RawQuery", &query) ||
	    !known_string(p, v, "Opaque", &opaque) ||
	    !known_string(p, v, "Fragment", &fragment))
		return false;
	if (scheme.len)
		known_add(ret, "%.*s:", (int)scheme.len, scheme.bytes);
	if (opaque.len) {
		known_add_bytes(ret, opaque.bytes, opaque.len);
	} else {
		if (scheme.len || host.len)
			known_add(ret, "//");
		known_add_bytes(ret, host.bytes, host.len);
		if (!known_string(p, v, "Path", ret))
			return false;
	}
	if (query.len) {
		known_add(ret, "?");
		known_add_bytes(ret, query.bytes, query.len);
	}
	if (fragment.len) {
		known_add(ret, "#");
		known_add_bytes(ret, fragment.bytes, fragment.len);
	}
	return true;
}
