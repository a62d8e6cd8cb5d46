# SPDX-License-Identifier: Apache-2.0
"""Processes that cannot be examined, or only by some, and how gosnap says so."""
import contextlib
import ctypes
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import processes
import snapshot
from tap import Absent, Mismatch

NOBODY = 65534
USAGE, GONE, PERMISSION, CANNOT, IO = 2, 3, 4, 5, 6  # exit statuses


def refused(status, words, *arguments, **options):
    """gosnap must end with status, say one line to standard error in which the words are
    found, and nothing to standard output."""
    done = snapshot.gosnap(*arguments, **options)
    said = done.stderr.decode(errors="replace")
    if done.returncode != status:
        raise Mismatch(f"status {done.returncode}, not {status}: {said}")
    # After a mistake in usage there may be a second line that tells where help is.
    if not 1 <= said.count("\n") <= (2 if status == USAGE else 1) \
            or not said.startswith("gosnap: "):
        raise Mismatch(f"not one sentence: {said!r}")
    if not re.search(words, said, re.I):
        raise Mismatch(f"{words!r} is not in {said!r}")
    if done.stdout:
        raise Mismatch(f"standard output is not empty: {done.stdout[:100]!r}")
    return said.strip()


@contextlib.contextmanager
def everybodys():
    """gosnap where other users can run it."""
    if os.getuid() != 0:
        raise Absent("only root can become somebody else: run as root")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        copy = os.path.join(folder, "gosnap")
        shutil.copyfile(snapshot.program(), copy)
        os.chmod(copy, 0o755)
        before = os.environ.get("GOSNAP")
        os.environ["GOSNAP"] = copy
        try:
            yield
        finally:
            os.environ.pop("GOSNAP")
            if before:
                os.environ["GOSNAP"] = before


@contextlib.contextmanager
def process(argv, **options):
    """A child that says READY on its standard output, or is ready as soon as it runs."""
    wait = options.pop("wait", True)
    child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)
    try:
        if wait and not child.stdout.readline().startswith(b"READY"):
            raise Absent(f"{argv[0]} does not start here")
        yield child
    finally:
        child.kill()
        child.wait()
        child.stdin.close()
        child.stdout.close()


def python(text, **options):
    """A child that runs a few lines of Python, and then waits."""
    text += "\nprint('READY', flush=True)\nimport sys\nsys.stdin.read()\n"
    return process([sys.executable, "-c", text], **options)


@contextlib.contextmanager
def zombie():
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    try:
        processes.until(lambda: processes.state(pid) == "Z", "a zombie")
        yield pid
    finally:
        os.waitpid(pid, 0)


def kernel_thread():
    """The pid of one, by PF_KTHREAD: such have no executable."""
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError):
            with open(f"/proc/{entry}/stat") as f:
                flags = int(f.read().rpartition(")")[2].split()[6])
            if flags & 0x00200000:
                return int(entry)
    raise Absent("no kernel threads to be seen: run outside of a pid namespace")


def tracer(pid):
    """A child that traces pid."""
    return python(f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
if libc.ptrace(0x4206, {pid}, None, None) != 0: # PTRACE_SEIZE
    raise SystemExit(1)
""")


def elf32():
    """A 32-bit program that waits for ever: pause, again and again."""
    base = 0x08048000
    code = bytes.fromhex("b81d000000" "cd80" "ebf7")  # mov $29, %eax; int $0x80; jmp
    start = 52 + 32
    size = start + len(code)
    header = b"\x7fELF\1\1\1" + bytes(9) + struct.pack(
        "<HHIIIIIHHHHHH", 2, 3, 1, base + start, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    segment = struct.pack("<IIIIIIII", 1, 0, base, base, size, size, 5, 0x1000)
    return header + segment + code


@contextlib.contextmanager
def program32():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tiny32")
        with open(path, "wb") as f:
            f.write(elf32())
        os.chmod(path, 0o755)
        try:
            with process([path], wait=False) as child:
                if processes.state(child.pid) in (None, "Z"):
                    raise Absent("32-bit programs do not run here: a kernel with IA32_EMULATION does it")
                yield child.pid
        except OSError as e:
            raise Absent(f"32-bit programs do not run here: {e}") from e


@contextlib.contextmanager
def full_disk():
    """A folder on a file system with room for next to nothing."""
    libc = ctypes.CDLL(None, use_errno=True)
    with tempfile.TemporaryDirectory() as folder:
        if libc.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, b"size=4k,mode=777") != 0:
            raise Absent("a file system cannot be mounted: "
                         + os.strerror(ctypes.get_errno()))
        try:
            yield folder
        finally:
            if libc.umount2(folder.encode(), 2) != 0:
                raise OSError(ctypes.get_errno(), "umount " + folder)
