# SPDX-License-Identifier: Apache-2.0
"""Go programs, damaged where gosnap looks: headers, tables, debugging information, code."""
import random
import struct

HOT = ["", ".gopclntab", ".data.rel.ro.gopclntab", ".go.buildinfo", ".go.module", ".noptrdata", ".data", ".symtab",
       ".debug_info", ".debug_abbrev", ".debug_line", ".debug_frame", ".rela", ".rela.dyn", ".text"]
HEADERS = 1024
BEGINNING = 256  # of a section: its head, which says what follows
WORDS = [0, 1, 7, 255, 2 ** 32 - 1, 2 ** 60, 2 ** 63 - 1, 2 ** 64 - 1]


def sections(program):
    """(offset, size) by name; "" are the headers."""
    table, = struct.unpack_from("<Q", program, 0x28)
    size, count, names = struct.unpack_from("<HHH", program, 0x3a)
    headers = [struct.unpack_from("<IIQQQQ", program, table + i * size) for i in range(count)]
    found = {"": (0, HEADERS)}
    for name, _, _, _, offset, length in headers:
        at = headers[names][4] + name
        found[program[at:program.index(b"\0", at)].decode()] = offset, length
    return {name: (at, n) for name, (at, n) in found.items() if n > 8 and at + n <= len(program)}


def damaged(program, seed):
    """Some words of it are others; now and then its end is missing."""
    r, ret = random.Random(seed), bytearray(program)
    all_ = sections(program)
    hot = [name for name in HOT if name in all_]
    for _ in range(r.choice((1, 1, 2, 4, 16, 200))):
        at, size = all_[r.choice(hot if r.random() < 0.8 else sorted(all_))]
        at += r.randrange(min(size, BEGINNING) if r.random() < 0.4 else size)
        at -= at % 8 if r.random() < 0.7 else 0
        word = r.choice(WORDS) if r.random() < 0.7 else r.getrandbits(64)
        length = r.choice((1, 4, 8))
        ret[at:at + length] = (word & (2 ** (8 * length) - 1)).to_bytes(length, "little")
    return ret[:r.randrange(len(ret))] if r.random() < 0.05 else ret[:len(program)]
