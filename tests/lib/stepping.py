# SPDX-License-Identifier: Apache-2.0
"""A thread that is moved instruction by instruction, and stands still in between, for gosnap to look
at. All others stand still from the first rest on: the scheduler asks for nothing, and what the thread
does is to need nobody else, as the garbage collector would. On amd64."""
import ctypes
import os
import re
import signal
import struct
import subprocess

import processes
from tap import Mismatch

CONT, SINGLESTEP, GETREGS, SETREGS, DETACH, SEIZE, INTERRUPT = 7, 9, 12, 13, 17, 0x4206, 0x4207
WALL = 0x40000000
WORDS, RIP, RSP = 27, 16, 19  # of struct user_regs_struct
BREAKPOINT = b"\xcc"

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, tid, data=0):
    if libc.ptrace(request, tid, None, data) == -1:
        raise OSError(ctypes.get_errno(), f"ptrace {request} of {tid}")


def vdso(pid):
    with open(f"/proc/{pid}/maps", encoding="ascii") as f:
        for line in f:
            if line.rstrip().endswith("[vdso]"):
                begin, end = line.split()[0].split("-")
                return range(int(begin, 16), int(end, 16))
    return range(0)


class Stepper:
    """Of one thread. It is ours from the beginning on, and again after rest() at the next step."""

    def __init__(self, pid, tid=None):
        self.pid, self.tid, self.ours = pid, tid or pid, False
        self.vdso = vdso(pid)
        self._seize()

    def _wait(self):
        """The signal that it stopped by; 0: by something else."""
        _, status = os.waitpid(self.tid, WALL)
        if not os.WIFSTOPPED(status):
            raise Mismatch(f"thread {self.tid} ended: {status}")
        return 0 if status >> 16 else os.WSTOPSIG(status)

    def _seize(self):
        if not self.ours:
            ptrace(SEIZE, self.tid)
            ptrace(INTERRUPT, self.tid)
            self._wait()
            self.ours = True

    def _registers(self):
        words = (ctypes.c_uint64 * WORDS)()
        ptrace(GETREGS, self.tid, ctypes.addressof(words))
        return words

    @property
    def pc(self):
        self._seize()
        return self._registers()[RIP]

    @property
    def sp(self):
        self._seize()
        return self._registers()[RSP]

    def _resume(self, how):
        """To the next stop that is none of the process's own signals."""
        passed = 0
        while True:
            ptrace(how, self.tid, passed)
            passed = self._wait()
            if passed == signal.SIGTRAP:
                return
            if passed == signal.SIGURG:
                passed = 0  # the scheduler asks again

    def run_to(self, address, before=lambda: None):
        """before: done when it is being waited for."""
        self._seize()
        with open(f"/proc/{self.pid}/mem", "r+b", buffering=0) as memory:
            old = os.pread(memory.fileno(), 1, address)
            os.pwrite(memory.fileno(), BREAKPOINT, address)
            before()
            words = None
            while words is None or words[RIP] != address + 1:
                self._resume(CONT)
                words = self._registers()
            os.pwrite(memory.fileno(), old, address)
        words[RIP] = address
        ptrace(SETREGS, self.tid, ctypes.addressof(words))

    def step(self, n=1):
        """A call of the vDSO is one step: it reads the clock again when a tick came in between, for
        ever if each of its instructions takes that long. It is for when all others stand still."""
        self._seize()
        for _ in range(n):
            self._resume(SINGLESTEP)
            if self.pc in self.vdso:
                self.out()

    def rest(self):
        """The process stands still and nobody traces it."""
        if self.ours:
            ptrace(DETACH, self.tid, signal.SIGSTOP)
            self.ours = False

    def word(self, address):
        with open(f"/proc/{self.pid}/mem", "rb", buffering=0) as memory:
            return struct.unpack("<Q", os.pread(memory.fileno(), 8, address))[0]

    def out(self):
        """Until the function that it is at the entry of has returned."""
        self._seize()
        self.run_to(self.word(self.sp))


def reads(pid):
    with open(f"/proc/{pid}/syscall", encoding="ascii") as f:
        return f.read().startswith("0 0x0 ")


def as_it_parks(subject):
    """Of the subject "parks": a Stepper of its first thread, at the first instruction of park_m, where
    its goroutine is about to wait."""
    names = subprocess.run(["nm", subject.process.args[0]], check=True, capture_output=True, text=True)
    begin = int(re.search(r"^(\w+) T runtime\.park_m$", names.stdout, re.M)[1], 16)
    # So that nobody else comes to the breakpoint.
    processes.until(lambda: reads(subject.pid), "its first thread reads")
    stepper = Stepper(subject.pid)

    def go_on():
        subject.process.stdin.write(b"\n")
        subject.process.stdin.flush()

    stepper.run_to(begin, go_on)
    return stepper
