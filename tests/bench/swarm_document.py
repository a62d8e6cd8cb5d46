# SPDX-License-Identifier: Apache-2.0
"""The documents that benches read: of a swarm, which has ended when they do. And how Delve lists the
goroutines of a core of the same process."""
import contextlib
import os
import subprocess
import time

import measuring
import cores
import matrix
import subjects

DELVE_MAX = 100_000  # goroutines; its core is as large as the process
DELVE_SECONDS = 120


class Made:
    """In the current folder; core is None where it would be too large."""
    def __init__(self, count, values, exe, core):
        self.count, self.values, self.exe, self.core = count, values, exe, core
        self.path = os.path.abspath("snap")
        self.size = os.path.getsize("snap")

    def title(self):
        return (f"{self.count:,} goroutines{' with values' if self.values else ''}: "
                f"{self.size / 1e6:,.0f} MB")


@contextlib.contextmanager
def made(word, version):
    """word: how many goroutines, and "+" if with values."""
    count, values = int(word.rstrip("+")), word.endswith("+")
    with cores.folder():
        with subjects.Subject([subjects.build("swarm", version), str(count)],
                              {"GOTRACEBACK": "crash"}) as subject:
            subprocess.run([measuring.GOSNAP, "--values" if values else "--stacks", "-q", "-o",
                            "snap", str(subject.pid)], check=True)
            exe = os.readlink(f"/proc/{subject.pid}/exe")
            if count <= DELVE_MAX:
                subject.quit()
        yield Made(count, values, exe, cores.written() if count <= DELVE_MAX else None)


def timed(command):
    """Seconds, and the most memory of the process, in bytes. None: it is missing, or failed."""
    if not command[0]:
        return None
    begin = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as child:
        peak = measuring.Peak(child.pid)
        child.wait()
    seconds = time.monotonic() - begin
    memory = peak.end()
    return None if child.returncode else (seconds, memory)


def delve(made_):
    """None: there is no core, or no Delve."""
    program = matrix.program("dlv")
    if not made_.core or not program:
        return None
    with open("commands", "w", encoding="ascii") as f:
        f.write("goroutines\nexit\n")
    return timed(["timeout", str(DELVE_SECONDS), program, "core", made_.exe, made_.core,
                  "--check-go-version=false", "--init=commands",
                  "--allow-non-terminal-interactive=true"])
