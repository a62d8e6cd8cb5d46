# SPDX-License-Identifier: Apache-2.0
"""Control groups of our own, where this machine lets us have them."""
import contextlib
import os

import processes
from tap import Absent, Mismatch


def mounted(controller):
    """The folder of a controller of version 1, or of "unified", version 2."""
    with open("/proc/mounts") as f:
        for line in f:
            _, place, kind, options, *_ = line.split()
            if kind == "cgroup2" if controller == "unified" else \
                    kind == "cgroup" and controller in options.split(","):
                return place
    raise Absent(f"no cgroup {controller} here: run as root where it is mounted")


@contextlib.contextmanager
def group(controller, name=None):
    """An empty group. Who is in it at the end is gone soon: a subject of the caller."""
    folder = os.path.join(mounted(controller), name or f"gosnap-test-{os.getpid()}")
    try:
        os.mkdir(folder)
    except OSError as e:
        raise Absent(f"cgroup {controller}: {e.strerror}") from e
    try:
        yield folder
    finally:
        processes.until(lambda: removed(folder), "a control group is empty")


def removed(folder):
    try:
        os.rmdir(folder)
        return True
    except OSError:
        return False


def write(folder, name, value):
    with open(os.path.join(folder, name), "w") as f:
        f.write(str(value))


def read(folder, name):
    with open(os.path.join(folder, name)) as f:
        return f.read().strip()


def used(folder):
    """Bytes of memory, without files' inactive pages: the kernel drops these before it fails."""
    stat = dict(line.split() for line in read(folder, "memory.stat").splitlines())
    return int(read(folder, "memory.usage_in_bytes")) - int(stat["total_inactive_file"])


def enter(folder, pid):
    """Moves a process with all its threads."""
    write(folder, "cgroup.procs", pid)
    if str(pid) not in read(folder, "cgroup.procs").split():
        raise Mismatch(f"{pid} does not go to {folder}")


@contextlib.contextmanager
def frozen(controller, folder):
    """Nobody in the group runs."""
    if controller == "unified":
        name, still, runs, told = "cgroup.freeze", 1, 0, ("cgroup.events", "frozen 1")
    else:
        name, still, runs, told = "freezer.state", "FROZEN", "THAWED", ("freezer.state", "FROZEN")
    write(folder, name, still)
    try:
        processes.until(lambda: told[1] in read(folder, told[0]), "a frozen group")
        yield
    finally:
        write(folder, name, runs)
