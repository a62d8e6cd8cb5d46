/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/base/utf8.h"

#include <string.h>

enum { UTF8_MAX = 4 }; /* bytes per character */

/* Length of the UTF-8 sequence at p; 0: invalid: overlong, a surrogate, above U+10FFFF,
 * or truncated. Ranges as in Unicode's table 3-7. */
static size_t utf8_sequence(const uint8_t *p, size_t len)
{
	uint8_t low = 0x80, high = 0xbf;
	size_t n;
	if (p[0] < 0x80)
		return 1;
	if (p[0] >= 0xc2 && p[0] <= 0xdf) {
		n = 2;
	} else if (p[0] >= 0xe0 && p[0] <= 0xef) {
		n = 3;
		low = p[0] == 0xe0 ? 0xa0 : 0x80;
		high = p[0] == 0xed ? 0x9f : 0xbf;
	} else if (p[0] >= 0xf0 && p[0] <= 0xf4) {
		n = 4;
		low = p[0] == 0xf0 ? 0x90 : 0x80;
		high = p[0] == 0xf4 ? 0x8f : 0xbf;
	} else {
		return 0;
	}
	if (n > len || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

size_t utf8_next(const char *bytes, size_t len, uint32_t *ret)
{
	static const uint8_t first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const uint8_t *p = (const uint8_t *)bytes;
	size_t n = utf8_sequence(p, len);

	*ret = p[0] & first_bits[n];
	for (size_t i = 1; i < n; i++)
		*ret = *ret << 6 | (p[i] & 0x3f);
	return n;
}

bool utf8_valid(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len > 0) {
		uint64_t eight;
		size_t n;
		if (len >= sizeof(eight)) {
			memcpy(&eight, p, sizeof(eight));
			if (!(eight & 0x8080808080808080)) {
				p += sizeof(eight);
				len -= sizeof(eight);
				continue;
			}
		}
		n = utf8_sequence(p, len);
		if (n == 0)
			return false;
		p += n;
		len -= n;
	}
	return true;
}

size_t utf8_cut(const char *bytes, size_t len)
{
	size_t tail = 1;

	while (tail < len && tail < UTF8_MAX &&
	       ((uint8_t)bytes[len - tail] & 0xc0) == 0x80)
		tail++;
	uint8_t first = len ? (uint8_t)bytes[len - tail] : 0;
	size_t whole = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
	return whole > tail ? len - tail : len;
}

static bool is_harmful(uint32_t c)
{
	return c < ' ' || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

void utf8_print_harmless(FILE *out, const char *bytes, size_t len)
{
	uint32_t c;

	for (size_t at = 0, n; at < len; at += n ? n : 1) {
		n = utf8_next(bytes + at, len - at, &c);
		if (n == 0 || is_harmful(c))
			putc('?', out);
		else
			fwrite(bytes + at, 1, n, out);
	}
}
