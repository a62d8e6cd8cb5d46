/* SPDX-License-Identifier: Apache-2.0 */
/* der.h - private keys, read element by element (ITU-T X.690), and as OpenSSH has them. Every length
 * is checked. Private to redaction. */
#ifndef GOSNAP_DER_H
#define GOSNAP_DER_H

#include "lib/base/util.h"

enum {
	DER_INTEGER = 0x02,
	DER_OCTET_STRING = 0x04,
	DER_OBJECT_IDENTIFIER = 0x06,
	DER_SEQUENCE = 0x30,
};
/* PROTOCOL.key of OpenSSH; with the NUL. */
#define OPENSSH_KEY "openssh-key-v1"

/* The content of the element entered last. */
struct der {
	const uint8_t *at, *end;
};
/* Enters the next element, whose content may be cut off. ret_len: its full length. */
bool der_enter(struct der *d, uint8_t tag, struct der *ret, size_t *ret_len);
/* Up to a character that is not of base64; line ends are skipped. ret: 3 bytes for 4 characters. Returns
 * how many bytes there are. */
size_t decode_base64(const char *text, size_t len, uint8_t *ret);

#endif
