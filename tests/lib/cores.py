# SPDX-License-Identifier: Apache-2.0
"""Cores that the kernel leaves where a process was started, and that gcore and Delve make."""
import contextlib
import gzip
import json
import lzma
import os
import re
import resource
import shutil
import struct
import subprocess
import tempfile

import delve
import handlers
import subjects
from tap import PATIENCE, Mismatch, Skip

PT_LOAD = 1
HEADERS = 20_000  # bytes with the headers and the notes


folders = []  # what is to be undone at the end of each that is in use
needed = []


@contextlib.contextmanager
def folder():
    """What is started in it leaves its core there. If cores are needed, nobody changes meanwhile where they go."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as place, contextlib.ExitStack() as stack:
        folders.append(stack)
        if needed:
            stack.enter_context(handlers.unchanged())
        os.chdir(place)
        try:
            yield place
        finally:
            os.chdir(before)
            folders.pop()


def need():
    """Of the kernel: skips the case if it leaves none."""
    needed.append(True)
    for stack in folders[-1:]:
        stack.enter_context(handlers.unchanged())
    with handlers.unchanged():
        pattern = handlers.read("/proc/sys/kernel/core_pattern").strip()
    if re.search(r"[|/%@]", pattern):
        raise Skip(f"the kernel does not leave cores in the folder of the process: {pattern}")
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    if most != resource.RLIM_INFINITY:
        raise Skip("cores are limited: ulimit -Hc unlimited")
    resource.setrlimit(resource.RLIMIT_CORE, (most, most))


def written():
    """The core that the kernel left here."""
    names = [n for n in os.listdir() if n.startswith("core")]
    if len(names) != 1:
        raise Mismatch(f"the kernel left {names}")
    return names[0]


@contextlib.contextmanager
def one(name, version, mode="default", arguments=()):
    """The kernel's of such a subject, and the path of its executable."""
    need()
    with folder(), subjects.run(name, version, mode, arguments=arguments,
                                environment={"GOTRACEBACK": "crash"}) as subject:
        exe = os.readlink(f"/proc/{subject.pid}/exe")
        subject.settle()
        subject.quit()
        yield written(), exe


def compressed(path):
    """Writes it once for each compression, as old as it is, and returns the names: with the ends that tools use."""
    with open(path, "rb") as f:
        with lzma.open(f"{path}.xz", "wb", preset=0) as out:
            shutil.copyfileobj(f, out)
        # Of several members, as appending makes them.
        for begin, size in (0, os.path.getsize(path) // 2), (os.path.getsize(path) // 2, -1):
            f.seek(begin)
            with gzip.open(f"{path}.gz", "ab", compresslevel=1) as out:
                out.write(f.read(size))
    subprocess.run(["zstd", "-q", path, "-o", f"{path}.zst"], check=True)
    subprocess.run(["lz4", "-q", path, f"{path}.lz4"], check=True)
    names = [f"{path}.{end}" for end in ("xz", "gz", "zst", "lz4")]
    for name in names:
        os.utime(name, ns=(os.stat(path).st_atime_ns, os.stat(path).st_mtime_ns))
    return names


def by_delve(pid, path, release="dlv"):
    with delve.Delve(pid, release=release) as dlv:
        dlv.call("DumpStart", Destination=path)
        while dlv.call("DumpWait", Wait=1000)["State"]["Dumping"]:
            pass


def by_older_delve(pid, path):
    by_delve(pid, path, "dlv-1.20")


def by_gcore(pid, path):
    if not shutil.which("gcore"):
        raise Skip("no gcore: gdb has it")
    subprocess.run(["gcore", "-o", path, str(pid)], check=True, timeout=PATIENCE,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.rename(f"{path}.{pid}", path)


def in_gdb(program, *commands):
    """What gdb says to these commands."""
    if not shutil.which("gdb"):
        raise Skip("no gdb")
    done = subprocess.run(["gdb", "-nx", "-batch", *(w for c in commands for w in ("-ex", c)), program],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=PATIENCE, check=False)
    return done.stdout.decode(errors="replace")


def differences(alive, dead, without, path=""):
    """Of two documents, or parts of them; without: names of members."""
    if isinstance(alive, dict) and isinstance(dead, dict):
        for key in sorted((set(alive) | set(dead)) - without):
            if key not in alive or key not in dead:
                yield f"{path}.{key}: {json.dumps(alive.get(key))[:200]} alive, " \
                      f"{json.dumps(dead.get(key))[:200]} dead"
            else:
                yield from differences(alive[key], dead[key], without, f"{path}.{key}")
    elif isinstance(alive, list) and isinstance(dead, list):
        if len(alive) != len(dead):
            yield f"{path}: {len(alive)} alive, {len(dead)} dead"
        for i, (one, other) in enumerate(zip(alive, dead)):
            yield from differences(one, other, without, f"{path}[{i}]")
    elif alive != dead:
        yield f"{path}: {json.dumps(alive)[:200]} alive, {json.dumps(dead)[:200]} dead"


def segments(path):
    """(offset, address, bytes in the file, bytes) of each mapping."""
    with open(path, "rb") as f:
        head = f.read(64)
        offset, = struct.unpack_from("<Q", head, 32)
        count, = struct.unpack_from("<H", head, 56)
        f.seek(offset)
        for _ in range(count):
            kind, _, at, address, _, held, size, _ = struct.unpack("<IIQQQQQQ", f.read(56))
            if kind == PT_LOAD:
                yield at, address, held, size


def overwrite(path, stack, byte):
    """Each byte of a goroutine's stack, as the document has it."""
    low, high = int(stack["low"], 16), int(stack["high"], 16)
    at = next(offset + low - address for offset, address, held, _ in segments(path)
              if address <= low and high <= address + held)
    with open(path, "r+b") as f:
        f.seek(at)
        f.write(byte * (high - low))


def data_of(path):
    """(begin, end) of what is no hole."""
    with open(path, "rb") as f:
        end = 0
        while True:
            try:
                begin = os.lseek(f.fileno(), end, os.SEEK_DATA)
            except OSError:
                return
            end = os.lseek(f.fileno(), begin, os.SEEK_HOLE)
            yield begin, end


def damage(f, data, dice):
    """Some words, in the headers or anywhere. Returns what was there."""
    before = []
    for _ in range(dice.choice((1, 5, 50, 500))):
        begin, end = dice.choice(data)
        at = dice.randrange(HEADERS) if dice.random() < 0.3 else dice.randrange(begin, end)
        f.seek(at)
        old = f.read(8)
        before.append((at, old))
        f.seek(at)
        f.write(dice.choice((dice.randbytes(8), b"\xff" * 8, b"\0" * 8,
                             dice.randrange(1 << 48).to_bytes(8, "little")))[:len(old)])
    return before


def instruction(program, function, pattern):
    """The address that the pattern finds in what gdb prints of a function's instructions."""
    place = re.search(pattern, in_gdb(program, f"disassemble '{function}'"))
    if not place:
        raise Mismatch(f"{function} has no instruction like {pattern}")
    return place[1]


@contextlib.contextmanager
def at(program, place, arguments="", godebug="", steps=(0,), then=()):
    """Cores of a process where it is for the sixth time, after these commands of gdb, and so many instructions later."""
    with tempfile.TemporaryDirectory() as place_of_cores:
        paths = [os.path.join(place_of_cores, str(n)) for n in steps]
        looks = [word for n, path in zip(steps, paths) for word in ([f"stepi {n}"] * (n > 0) + [f"gcore {path}"])]
        said = in_gdb(program, "set language c", "handle all nostop noprint pass", f"break *{place}",
                      f"set environment GODEBUG {godebug}", f"run {arguments} </dev/zero >/dev/null",
                      "ignore 1 5", "continue", *then, *looks, "kill")
        if not all(map(os.path.exists, paths)):
            raise Mismatch(said)
        yield paths


# Which function of the runtime calls shrinkstack, and what makes that frequent. A goroutine that was preempted in the
# middle of a function shrinks its own stack at its next call.
SHRINKING = {"collector": ("runtime.scanstack", "asyncpreemptoff=1"), "goroutine": ("runtime.newstack", "")}


def while_a_stack_shrinks(program, who):
    """at() of the subject "running": copystack has moved the stack, and adjusted no pointer in it."""
    caller, godebug = SHRINKING[who]
    place = instruction(program, "runtime.shrinkstack", r"(0x\w+) <\+\d+>:\s+call\s.*copystack")
    called = instruction(program, caller, r"call\s.*shrinkstack>\n\s*(0x\w+)")
    return at(program, f"{place} if *(long *)($rbp + 8) == {called}", "shrinking", godebug,
              then=("set scheduler-locking on", "tbreak runtime.adjustframe", "continue"))
