/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses with what belongs to them: net/ip.go, tcpsock.go, udpsock.go, unixsock.go, mac.go,
 * net/netip/netip.go. */
#include <inttypes.h>
#include <string.h>

#include "known.h"

static bool add_field(struct printing *p, const struct value *v, const char *path,
		      known_text *text, struct known_words *ret)
{
	struct value field;

	return known_field(p, v, path, &field) && text(p, &field, ret);
}

static void add_host(const struct known_words *host, const struct known_words *zone,
		     uint64_t port, struct known_words *ret)
{
	bool colons = memchr(host->bytes, ':', host->len) != NULL || zone->len;

	known_add(ret, colons ? "[" : "%s", "");
	known_add_bytes(ret, host->bytes, host->len);
	if (zone->len)
		known_add(ret, "%%");
	known_add_bytes(ret, zone->bytes, zone->len);
	known_add(ret, colons ? "]:%" PRIu64 : ":%" PRIu64, port);
}

/* TCPAddr and UDPAddr; one without an address is that of all of them. */
bool text_of_socket_address(struct printing *p, const struct value *v,
			    struct known_words *ret)
{
	struct known_words host = { .len = 0 }, zone = { .len = 0 };
	struct value ip;
	struct slice_value s;
	struct err ignored;
	uint64_t port;

	if (!known_number(p, v, "Port", &port) || !known_string(p, v, "Zone", &zone) ||
	    !known_field(p, v, "IP", &ip) || type_kind(ip.type) != KIND_SLICE ||
	    !runtime_slice(p->rt, &ip, &s, &ignored) ||
	    (s.len && !text_of_ip(p, &ip, &host)))
		return false;
	add_host(&host, &zone, port, ret);
	return true;
}

bool text_of_unix_address(struct printing *p, const struct value *v,
			  struct known_words *ret)
{
	return known_string(p, v, "Name", ret);
}

bool text_of_hardware_address(struct printing *p, const struct value *v,
			      struct known_words *ret)
{
	enum { MOST = 20 }; /* of InfiniBand */
	uint8_t bytes[MOST];
	struct slice_value s;
	struct err ignored;

	if (type_kind(v->type) != KIND_SLICE || !runtime_slice(p->rt, v, &s, &ignored) ||
	    !s.len || s.len > MOST ||
	    !runtime_bytes(p->rt, s.addr, bytes, (size_t)s.len, &ignored))
		return false;
	for (size_t i = 0; i < s.len; i++)
		known_add(ret, i ? ":%02x" : "%02x", bytes[i]);
	return true;
}

/* How many bits are set before the first that is not; false: others are set behind that. */
static bool mask_bits(const uint8_t *mask, size_t len, unsigned *ret)
{
	unsigned n = 0;

	while (n < 8 * len && mask[n / 8] & 0x80 >> n % 8)
		n++;
	for (unsigned i = n; i < 8 * len; i++)
		if (mask[i / 8] & 0x80 >> i % 8)
			return false;
	*ret = n;
	return true;
}

bool text_of_ip_net(struct printing *p, const struct value *v, struct known_words *ret)
{
	uint8_t mask[16];
	struct value field;
	struct slice_value s;
	struct err ignored;
	unsigned bits;

	if (!add_field(p, v, "IP", text_of_ip, ret) ||
	    !known_field(p, v, "Mask", &field) || type_kind(field.type) != KIND_SLICE ||
	    !runtime_slice(p->rt, &field, &s, &ignored) || s.len > sizeof(mask) ||
	    !runtime_bytes(p->rt, s.addr, mask, (size_t)s.len, &ignored) ||
	    !mask_bits(mask, (size_t)s.len, &bits))
		return false;
	known_add(ret, "/%u", bits);
	return true;
}

/* Of one that is not valid there are no bits. */
bool text_of_prefix(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_words ip = { .len = 0 };
	uint64_t bits, more;

	if (known_number(p, v, "bitsPlusOne", &more)) /* 1.21 */
		bits = more - 1;
	else if (!known_number(p, v, "bits", &bits))
		return false;
	if (bits > 128) {
		known_add(ret, "invalid Prefix");
		return true;
	}
	if (!add_field(p, v, "ip", text_of_address, &ip))
		return false;
	known_add_bytes(ret, ip.bytes, ip.len);
	known_add(ret, "/%" PRIu64, bits);
	return true;
}

bool text_of_address_port(struct printing *p, const struct value *v,
			  struct known_words *ret)
{
	struct known_words ip = { .len = 0 }, zone = { .len = 0 };
	uint64_t port, sort;

	if (!known_number(p, v, "ip.z|ip.z.value", &sort) ||
	    !known_number(p, v, "port", &port) ||
	    !add_field(p, v, "ip", text_of_address, &ip))
		return false;
	if (sort)
		add_host(&ip, &zone, port, ret);
	else
		known_add(ret, "invalid AddrPort");
	return true;
}

static void add_address(struct printing *p, const struct value *v, const char *path,
			const char *before, struct known_words *ret)
{
	struct known_words address = { .len = 0 };
	struct value field;

	if (!known_field(p, v, path, &field) || !known_text_of(p, &field, &address))
		return;
	known_add(ret, "%s", before);
	known_add_bytes(ret, address.bytes, address.len);
}

/* dial tcp 127.0.0.1:1: connect: connection refused */
bool text_of_net_error(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_words net = { .len = 0 };
	struct value error;

	if (!known_string(p, v, "Op", ret) || !known_string(p, v, "Net", &net) ||
	    !known_field(p, v, "Err", &error))
		return false;
	if (net.len)
		known_add(ret, " ");
	known_add_bytes(ret, net.bytes, net.len);
	size_t len = ret->len;
	add_address(p, v, "Source", " ", ret);
	add_address(p, v, "Addr", ret->len > len ? "->" : " ", ret);
	known_add(ret, ": ");
	return known_text_of(p, &error, ret);
}

/* lookup example.org on 127.0.0.53:53: no such host */
bool text_of_dns_error(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_words server = { .len = 0 };

	known_add(ret, "lookup ");
	if (!known_string(p, v, "Name", ret) || !known_string(p, v, "Server", &server))
		return false;
	if (server.len)
		known_add(ret, " on ");
	known_add_bytes(ret, server.bytes, server.len);
	known_add(ret, ": ");
	return known_string(p, v, "Err", ret);
}
