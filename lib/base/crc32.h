/* SPDX-License-Identifier: Apache-2.0 */
/* crc32.h - the checksum of .gnu_debuglink, the same CRC-32 as in zlib and Ethernet. */
#ifndef GOSNAP_CRC32_H
#define GOSNAP_CRC32_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Checksum of a whole file. False: it cannot be read, or is longer than limit. */
bool crc32_of_file(int fd, uint64_t limit, uint32_t *ret);

#endif
