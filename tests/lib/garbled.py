# SPDX-License-Identifier: Apache-2.0
"""What garble does to a program, done to one that was built with FLAGS: names and files of its
functions are hashed, and the magic number of pclntab is another one, which its runtime knows of.
Go 1.20 and later, linked by Go, without C.

Not done: garble also disguises where functions begin in their records, of which gosnap makes no use.
"""
import hashlib
import re
import struct

FLAGS = ["-trimpath", "-ldflags=-s -w -buildid= -X runtime.buildVersion=unknown"]
MAGIC, OTHER = 0xfffffff1, 0xffffffc5
# Of the compiler's making, and the entry of the program.
KEPT_WORDS = re.compile(r"main|init|func\d+|gowrap\d+|deferwrap\d+|range\d+|fm|go|s|\d+")
RUNTIME = re.compile(r"(runtime|internal|sync/atomic|syscall)[./]|[^.]*$")


class Program:
    def __init__(self, path):
        with open(path, "rb") as f:
            self.bytes = bytearray(f.read())
        self.sections = {}
        table, = struct.unpack_from("<Q", self.bytes, 0x28)
        size, count, names = struct.unpack_from("<HHH", self.bytes, 0x3a)
        headers = [struct.unpack_from("<IIQQQQ", self.bytes, table + i * size)
                   for i in range(count)]
        for name, _, _, address, offset, length in headers:
            at = headers[names][4] + name
            self.sections[self.string(at)] = address, offset, length
        self.table = self.sections[".gopclntab"][1]
        magic, self.count = struct.unpack_from("<I4xQ", self.bytes, self.table)
        if magic != MAGIC:
            raise ValueError(f"magic number {magic:#x}")
        self.names, self.units, self.files, self.values, self.functions = (
            self.table + offset
            for offset in struct.unpack_from("<5Q", self.bytes, self.table + 32))

    def string(self, at):
        return self.bytes[at:self.bytes.index(b"\0", at)].decode("latin-1")

    def code_of(self, name):
        """Offsets in the file."""
        start = self.sections[".text"][1]
        for i in range(self.count):
            entry, record, end = struct.unpack_from("<III", self.bytes, self.functions + 8 * i)
            name_at, = struct.unpack_from("<i", self.bytes, self.functions + record + 4)
            if self.string(self.names + name_at) == name:
                return start + entry, start + end
        raise ValueError(f"no function {name}")

    def rewrite(self, start, end, rename):
        """Every string of a table, by one of the same length."""
        at = start
        while at < end:
            old = self.string(at)
            new = rename(old)
            self.bytes[at:at + len(old)] = new.encode("latin-1")
            at += len(old) + 1


def hashed_word(match):
    word = match.group()
    if KEPT_WORDS.fullmatch(word):
        return word
    digits = hashlib.sha256(word.encode()).hexdigest()
    return (digits * (len(word) // len(digits) + 1))[:len(word)].translate(
        str.maketrans("0123456789", "ghijklmnop"))


def hashed(name):
    return re.sub(r"[A-Za-z0-9_]+", hashed_word, name)


def garble(path, to, runtime):
    """runtime: its names, too, as garble does from its release for Go 1.26 on."""
    program = Program(path)
    start, end = program.code_of("runtime.moduledataverify1")
    # cmpl $-15 with a register or what one points to: as a signed number it fits a byte.
    checks = list(re.finditer(rb"\x83[\x38-\x3f\xf8-\xff](\xf1)",
                              bytes(program.bytes[start:end])))
    if len(checks) != 1:
        raise ValueError(f"the runtime checks the number {len(checks)} times")
    program.bytes[start + checks[0].start(1)] = OTHER & 0xff
    struct.pack_into("<I", program.bytes, program.table, OTHER)
    program.rewrite(program.names, program.units,
                    lambda name: name if not runtime and RUNTIME.match(name) else hashed(name))
    program.rewrite(program.files, program.values, hashed)
    with open(to, "wb") as f:
        f.write(program.bytes)
