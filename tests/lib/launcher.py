# SPDX-License-Identifier: Apache-2.0
"""Runs a program under conditions that it does not set itself:

    launcher.py [seccomp=FILTER] [cgroup=FOLDER] PROGRAM ARGUMENTS...
"""
import ctypes
import os
import struct
import sys

ALLOW, KILL, EPERM = 0x7fff0000, 0x80000000, 0x00050001  # what a filter says
X86_64, CLONE_THREAD = 0xc000003e, 0x00010000
CLONE, FORK, VFORK, CLONE3 = 56, 57, 58, 435
PTRACE = 101
TIMER_CREATE = 222
OPENAT, LINKAT, RENAMEAT = 257, 265, 264
O_TMPFILE, EOPNOTSUPP = 0x00400000, 0x0005005f
# What gosnap would like and may have to do without: process_vm_readv, sched_setscheduler,
# prlimit64, a lock on a file.
COMFORTS = [310, 144, 302, 73]


def statement(code, k, jt=0, jf=0):
    return struct.pack("<HBBI", code, jt, jf, k)


def load(offset):
    return statement(0x20, offset)


def judged(*tests):
    """A filter of tests of a call's number; what passes is allowed."""
    return b"".join([load(4), statement(0x15, X86_64, 1, 0), statement(0x06, ALLOW), load(0),
                     *tests, statement(0x06, ALLOW)])


def if_number(number, verdict):
    return statement(0x15, number, 0, 1) + statement(0x06, verdict)


FILTERS = {
    "harmless": judged(if_number(1 << 20, EPERM)),
    # Death to whoever makes a process instead of a thread.
    "no-children": judged(
        if_number(FORK, KILL), if_number(VFORK, KILL), if_number(CLONE3, 0x00050026),
        statement(0x15, CLONE, 0, 3), load(16),
        statement(0x45, CLONE_THREAD, 1, 0), statement(0x06, KILL)),
    "no-ptrace": judged(if_number(PTRACE, EPERM)),
    "no-timers": judged(if_number(TIMER_CREATE, EPERM)),
    # File systems without O_TMPFILE (NFS, FAT), and those that have it and no links.
    "no-nameless-files": judged(statement(0x15, OPENAT, 0, 3), load(32),
                                statement(0x45, O_TMPFILE, 0, 1),
                                statement(0x06, EOPNOTSUPP)),
    "no-links": judged(if_number(LINKAT, EPERM)),
    # As kill -9 between linkat() and renameat().
    "no-renames": judged(if_number(RENAMEAT, KILL)),
    "no-comforts": judged(*(if_number(n, EPERM) for n in COMFORTS)),
}


def seccomp(name):
    class Program(ctypes.Structure):
        _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_char_p)]
    text = FILTERS[name]
    libc = ctypes.CDLL(None, use_errno=True)
    program = Program(len(text) // 8, text)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program)):
        sys.exit("no filter: " + os.strerror(ctypes.get_errno()))


def cgroup(folder):
    with open(os.path.join(folder, "cgroup.procs"), "w") as f:
        f.write("0")


def main():
    arguments = sys.argv[1:]
    while "=" in arguments[0] and "/" not in arguments[0].partition("=")[0]:
        what, _, value = arguments.pop(0).partition("=")
        {"seccomp": seccomp, "cgroup": cgroup}[what](value)
    os.execvp(arguments[0], arguments)


def command(*conditions):
    """The words before a program's own."""
    return [sys.executable, os.path.abspath(__file__), *conditions]


def under_yama(scope):
    """As if the kernel had Yama, with this kernel.yama.ptrace_scope, for programs that ask: it forbids nothing."""
    return ["unshare", "--mount", "sh", "-ec", "mount -t tmpfs none /proc/sys/kernel; mkdir /proc/sys/kernel/yama\n"
            f'echo {scope} >/proc/sys/kernel/yama/ptrace_scope; exec "$@"', "sh"]


if __name__ == "__main__":
    main()
