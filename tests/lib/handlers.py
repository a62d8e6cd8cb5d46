# SPDX-License-Identifier: Apache-2.0
"""core_pattern of this machine, lent to one test at a time and always put back; and a handler of ours with
a spool and a place for cores of its own."""
import contextlib
import fcntl
import glob
import json
import os
import re
import shutil
import subprocess
import tempfile
import time

import matrix
import snapshot
from tap import PATIENCE, Absent, Mismatch, Skip

KERNEL = "/proc/sys/kernel/"
LOCK = os.path.join(matrix.CACHE, "core-pattern.lock")
WORDS = "%P %I %s %c %d %t %p %i %u %g %C %h %e %f %E %F"
FIRST_PIDS = 0xEFFFFFFC  # the kernel's first pid namespace: PROC_PID_INIT_INO of include/linux/proc_ns.h
KTHREADD = 2  # its pid there
marks = []  # lines of ours in the kernel's log


def read(name):
    with open(name, encoding="utf-8") as f:
        return f.read().rstrip("\n")


def write(name, text):
    with open(name, "w", encoding="utf-8") as f:
        f.write(text + "\n")


def put_back():
    """A handler of ours whose program is gone was left by a check that was killed with its pid namespace, and so with
    what puts back. The kernel's own setting replaces it."""
    found = re.match(r"\|(/tmp/gc\w+/\w+)\b", read(KERNEL + "core_pattern"))
    if found and not os.path.exists(found[1]) and os.geteuid() == 0:
        write(KERNEL + "core_pattern", "core")


@contextlib.contextmanager
def unchanged():
    """Meanwhile nobody changes where cores go."""
    os.makedirs(matrix.CACHE, exist_ok=True)
    with open(LOCK, "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        put_back()
        yield


# Puts back what it was told when this process ends, however that may be.
GUARD = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
sys.stdin.buffer.read()
for path, text in zip(sys.argv[1::2], sys.argv[2::2]):
    with open(path, "w") as f:
        f.write(text + "\\n")
"""


def has_kernels_files():
    """The kernel starts what core_pattern names, and connects to it, in the mount namespace of its own threads."""
    with contextlib.suppress(OSError):
        if os.readlink("/proc/self/ns/pid") == f"pid:[{FIRST_PIDS}]":
            return os.readlink("/proc/self/ns/mnt") == os.readlink(f"/proc/{KTHREADD}/ns/mnt")
    return False


@contextlib.contextmanager
def sysctls(**values):
    """core_pattern=..., suid_dumpable=...: of kernel or fs."""
    if os.geteuid() != 0:
        raise Skip("only root can set core_pattern")
    if values.get("core_pattern", "").startswith(("|", "@")) and not has_kernels_files():
        raise Absent("the kernel starts handlers of cores in another mount namespace")
    paths = {name: next(p for p in (KERNEL + name, "/proc/sys/fs/" + name) if os.path.exists(p))
             for name in values}
    with open(LOCK, "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        put_back()
        before = {name: read(path) for name, path in paths.items()}
        words = [word for name, path in paths.items() for word in (path, before[name])]
        guard = subprocess.Popen(["/usr/bin/python3", "-c", GUARD, *words], stdin=subprocess.PIPE,
                                 start_new_session=True)
        try:
            try:
                for name, value in values.items():
                    write(paths[name], str(value))
            except OSError as e:
                raise Skip(f"core_pattern cannot be set here: {e}") from e
            yield
        finally:
            guard.stdin.close()
            guard.wait()
        for name, path in paths.items():
            if read(path) != before[name]:
                raise Mismatch(f"{path} is not what it was")


class Handler:
    """Of cores. Use as a context. previous: what core_pattern was before."""

    def __init__(self, previous, watched=False, **settings):
        """watched: what the kernel sends is kept, too, as stream.PID."""
        self.place = tempfile.mkdtemp(prefix="gc", dir="/tmp")
        mark_log(self.place)
        self.etc, self.spool, self.work = (os.path.join(self.place, n) for n in ("e", "s", "w"))
        os.chmod(self.place, 0o755)
        os.mkdir(self.etc)
        os.mkdir(self.work)
        os.chmod(self.work, 0o777)
        program = os.path.join(self.place, "h")
        if watched:
            self.script("h", f'tee {self.place}/stream.$4 | {snapshot.program()} "$@"')
        else:
            os.symlink(snapshot.program(), program)
        self.set(previous, **settings)
        self.pattern = f"|{program} core-pipe --config={self.etc} -- {WORDS}"
        self.kept = {}

    def script(self, name, text):
        path = os.path.join(self.place, name)
        with open(path, "w") as f:
            f.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
        return path

    def set(self, previous, **settings):
        settings = {"spool": self.spool, "interval_seconds": 0, **settings}
        with open(os.path.join(self.etc, "handler.conf"), "w") as f:
            f.write("".join(f"{k} = {v}\n" for k, v in settings.items()))
        with open(os.path.join(self.etc, "previous"), "w") as f:
            f.write(f"core_pattern = {previous}\n")

    def quiet(self, most=0):
        """Returns when nothing of it runs any more, but so many processes."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            if len(list(running(self.place))) <= most:
                return
            time.sleep(0.01)
        raise Mismatch(f"still there: {list(running(self.place))}")

    def paths(self, pid="*"):
        """Of the spool's documents, or those of one process, the oldest first."""
        return sorted(glob.glob(os.path.join(self.spool, f"*-{pid}.json.zst")))

    def documents(self, pid="*"):
        """{path: document}"""
        found = {}
        for path in self.paths(pid):
            text = subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
            snapshot.load(text)
            found[path] = json.loads(text)
        return found

    def document(self, pid):
        found = list(self.documents(pid).values())
        if len(found) != 1:
            raise Mismatch(f"{len(found)} documents of {pid}: {os.listdir(self.spool)}\n{log(pid)}")
        return found[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Mismatch):
            self.quiet()
        shutil.rmtree(self.place, ignore_errors=True)


def running(word):
    """(pid, parent, words) of processes with the word in their command line, but this one."""
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            with open(path, "rb") as f:
                words = f.read().split(b"\0")
            with open(os.path.dirname(path) + "/stat") as f:
                rest = f.read().rpartition(")")[2].split()
            pid = int(path.split("/")[2])
            if pid != os.getpid() and rest[0] != "Z" and any(word.encode() in w for w in words):
                yield pid, int(rest[1]), words


def mark_log(place):
    """Pids are used again: what the kernel's log has of earlier crashes is not looked at."""
    with contextlib.suppress(OSError), open("/dev/kmsg", "w") as f:
        marks.append(f"tests of gosnap: {place}\n")
        f.write(marks[-1])


def log(pid):
    """What was said of a crash in the kernel's log."""
    done = subprocess.run(["dmesg"], stdout=subprocess.PIPE, text=True, check=False)
    _, _, since = done.stdout.rpartition(marks[-1]) if marks else ("", "", done.stdout)
    return "\n".join(l for l in since.splitlines() if f"gosnap: crash of {pid}: " in l)
