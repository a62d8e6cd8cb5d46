/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses: net/ip.go, net/netip/netip.go. */
#include <string.h>

#include "printers/known/known.h"

enum { V4 = 4, V6 = 16, V4_IN_V6 = 12, V6_GROUPS = 8 };

static void add_v4(struct known_words *t, const uint8_t *bytes)
{
	known_add(t, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
}

static unsigned group(const uint8_t *bytes, unsigned i)
{
	return (unsigned)bytes[2 * i] << 8 | bytes[2 * i + 1];
}

/* RFC 5952, but never with dots: where inet_ntop() writes ::1.2.3.4, Go writes
 * ::102:304. */
static void add_v6(struct known_words *t, const uint8_t *bytes)
{
	unsigned first = V6_GROUPS, len = 1;

	for (unsigned i = 0, n; i < V6_GROUPS; i += n ? n : 1) {
		for (n = 0; i + n < V6_GROUPS && group(bytes, i + n) == 0; n++)
			;
		if (n > len) {
			first = i;
			len = n;
		}
	}
	for (unsigned i = 0; i < V6_GROUPS; i++) {
		if (i == first) {
			known_add(t, "::");
			i += len;
		}
		if (i < V6_GROUPS)
			known_add(t, i && i != first + len ? ":%x" : "%x",
				  group(bytes, i));
	}
}

static bool is_mapped(const uint8_t *bytes)
{
	static const uint8_t mapped[V4_IN_V6] = { [10] = 0xff, [11] = 0xff };

	return memcmp(bytes, mapped, sizeof(mapped)) == 0;
}

void known_add_ip(struct known_words *ret, const uint8_t *bytes, size_t len)
{
	if (len == 0)
		known_add(ret, "<nil>");
	else if (len == V4)
		add_v4(ret, bytes);
	else if (len == V6 && is_mapped(bytes))
		add_v4(ret, bytes + V4_IN_V6);
	else if (len == V6)
		add_v6(ret, bytes);
	else
		known_add(ret, "?");
	for (size_t i = 0; len != V4 && len != V6 && i < len; i++)
		known_add(ret, "%02x", bytes[i]);
}

/* At most as many bytes as a text has room for. */
bool known_bytes(struct printing *p, const struct value *v, struct known_address *ret)
{
	struct slice_value s;
	struct err ignored;

	if (type_kind(v->type) != KIND_SLICE || !runtime_slice(p->rt, v, &s, &ignored) ||
	    s.len > sizeof(ret->bytes))
		return false;
	ret->len = (size_t)s.len;
	return !s.len || known_read(p, s.addr, ret->bytes, ret->len);
}

bool text_of_ip(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_address ip;

	if (!known_bytes(p, v, &ip))
		return false;
	known_add_ip(ret, ip.bytes, ip.len);
	return true;
}

/* z is nil or says which kind it is: from Go 1.23 on by what it points to, before by its
 * value. False: not known, as in stripped programs. */
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
	    !known_read(p, z4.addr, &of_v4, sizeof(of_v4)))
		return false;
	*ret_v6 = of_v4 != z;
	return true;
}

/* addr is two words, high one first. */
bool text_of_address(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_words zone = { .len = 0 };
	uint64_t words[2], z;
	uint8_t bytes[V6];
	bool v6 = true;

	if (!known_shown_number(p, v, "addr.hi", &words[0]) ||
	    !known_shown_number(p, v, "addr.lo", &words[1]) ||
	    !known_number(p, v, "z|z.value", &z))
		return false;
	for (size_t i = 0; i < V6; i++)
		bytes[i] = (uint8_t)(words[i / 8] >> (56 - i % 8 * 8));
	if (!z) {
		known_add(ret, "invalid IP");
		return true;
	}
	known_string(p, v, "z.value.zoneV6|z.cmpVal", &zone);
	if (is_mapped(bytes) && !sort_of(p, v, z, &zone, &v6))
		return false;
	if (is_mapped(bytes)) {
		known_add(ret, v6 ? "::ffff:" : "%s", "");
		add_v4(ret, bytes + V4_IN_V6);
	} else {
		add_v6(ret, bytes);
	}
	if (zone.len)
		known_add(ret, "%%");
	known_add_bytes(ret, zone.bytes, zone.len);
	return true;
}
