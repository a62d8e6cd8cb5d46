/* SPDX-License-Identifier: Apache-2.0 */
/* Network addresses: net/ip.go, tcpsock.go, udpsock.go, unixsock.go, mac.go,
 * net/netip/netip.go. */
#include <inttypes.h>
#include <string.h>

#include "printers/known/known.h"

static bool add_field(struct printing *p, const struct value *v, const char *path,
		      known_text *text, struct known_words *ret)
{
	struct value field;

	return known_field(p, v, path, &field) && text(p, &field, ret);
}

/* net.JoinHostPort() */
static void add_host(const struct known_words *host, int64_t port,
		     struct known_words *ret)
{
	bool colons = memchr(host->bytes, ':', host->len) != NULL;

	known_add(ret, colons ? "[" : "%s", "");
	known_add_bytes(ret, host->bytes, host->len);
	known_add(ret, colons ? "]:%" PRId64 : ":%" PRId64, port);
}

/* TCPAddr and UDPAddr; without an address, any address is meant. */
bool text_of_socket_address(struct printing *p, const struct value *v,
			    struct known_words *ret)
{
	struct known_words host = { .len = 0 }, zone = { .len = 0 };
	struct known_address bytes;
	struct value ip;
	uint64_t port;

	if (!known_number(p, v, "Port", &port) || !known_string(p, v, "Zone", &zone) ||
	    !known_field(p, v, "IP", &ip) || !known_bytes(p, &ip, &bytes))
		return false;
	if (bytes.len)
		known_add_ip(&host, bytes.bytes, bytes.len);
	if (zone.len)
		known_add(&host, "%%");
	known_add_bytes(&host, zone.bytes, zone.len);
	add_host(&host, (int64_t)port, ret);
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
	struct known_address a;

	if (!known_bytes(p, v, &a))
		return false;
	for (size_t i = 0; i < a.len; i++)
		known_add(ret, i ? ":%02x" : "%02x", a.bytes[i]);
	return true;
}

/* Counts the leading one bits; false: there are more after the first zero. */
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

static void add_network(const struct known_address *ip, const struct known_address *mask,
			struct known_words *ret)
{
	enum { V4 = 4, V6 = 16 };
	struct known_words words = { .len = 0 };
	unsigned bits;

	known_add_ip(&words, ip->bytes, ip->len);
	bool dotted =
		(ip->len == V4 || ip->len == V6) && !memchr(words.bytes, ':', words.len);
	if ((ip->len != V4 && ip->len != V6) ||
	    (mask->len != V6 && (mask->len != V4 || !dotted))) {
		known_add(ret, "<nil>");
		return;
	}
	/* For a 4-byte address the end of a long mask counts. */
	const uint8_t *from = mask->bytes + (dotted && mask->len == V6 ? V6 - V4 : 0);
	size_t len = dotted ? V4 : V6;
	known_add_bytes(ret, words.bytes, words.len);
	known_add(ret, "/");
	if (mask_bits(from, len, &bits)) {
		known_add(ret, "%u", bits);
		return;
	}
	for (size_t i = 0; i < len; i++)
		known_add(ret, "%02x", from[i]);
}

bool text_of_ip_net(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_address ip, mask;
	struct value field;

	if (!known_field(p, v, "IP", &field) || !known_bytes(p, &field, &ip) ||
	    !known_field(p, v, "Mask", &field) || !known_bytes(p, &field, &mask))
		return false;
	add_network(&ip, &mask, ret);
	return true;
}

/* An invalid prefix has no bits. */
bool text_of_prefix(struct printing *p, const struct value *v, struct known_words *ret)
{
	struct known_words ip = { .len = 0 };
	uint64_t bits, more, sort;

	if (!known_number(p, v, "ip.z|ip.z.value", &sort))
		return false;
	if (known_number(p, v, "bitsPlusOne", &more)) /* 1.21 on */
		bits = more - 1;
	else if (!known_number(p, v, "bits", &bits))
		return false;
	if (!sort || bits > 128) {
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
	struct known_words ip = { .len = 0 };
	uint64_t port, sort;

	if (!known_number(p, v, "ip.z|ip.z.value", &sort) ||
	    !known_number(p, v, "port", &port) ||
	    !add_field(p, v, "ip", text_of_address, &ip))
		return false;
	if (sort)
		add_host(&ip, (int64_t)port, ret);
	else
		known_add(ret, "invalid AddrPort");
	return true;
}

/* False: there is an address, but not known how it prints itself. */
static bool add_address(struct printing *p, const struct value *v, const char *path,
			const char *before, struct known_words *ret)
{
	struct known_words address = { .len = 0 };
	struct interface_value in;
	struct value field;
	struct err ignored;
	uint64_t to;

	if (!known_field(p, v, path, &field) ||
	    !runtime_interface(p->rt, &field, &in, &ignored))
		return false;
	if (!in.descriptor)
		return true;
	if (!known_text_of(p, &field, &address)) {
		/* All addresses of package net are pointers, and print this for nil. */
		if (!in.inside.type || type_kind(in.inside.type) != KIND_POINTER ||
		    !known_read(p, in.inside.addr, &to, sizeof(to)) || to)
			return false;
		known_add(&address, "<nil>");
	}
	known_add(ret, "%s", before);
	known_add_bytes(ret, address.bytes, address.len);
	return true;
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
	if (!add_address(p, v, "Source", " ", ret) ||
	    !add_address(p, v, "Addr", ret->len > len ? "->" : " ", ret))
		return false;
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
