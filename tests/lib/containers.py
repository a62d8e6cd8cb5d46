# SPDX-License-Identifier: Apache-2.0
"""Subjects in namespaces of their own, made by unshare: what containers are made of."""
import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile

import processes
import subjects
from tap import PATIENCE, Absent, Skip

ALL = ("--user", "--map-root-user", "--pid", "--mount", "--mount-proc", "--net", "--uts",
       "--ipc", "--cgroup")


def possible(*options, **popen):
    """Raises Absent where the kernel or another container does not let us."""
    if not shutil.which("unshare"):
        raise Skip("no unshare: install util-linux")
    done = subprocess.run(["unshare", *forking(options), "true"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **popen)
    if done.returncode != 0:
        raise Absent(done.stdout.strip())


def forking(options):
    """A pid namespace is its first child's."""
    return (*options, "--fork", "--kill-child") if "--pid" in options else options


def ids(pid):
    """{id in the innermost pid namespace: id here} of the threads of a process."""
    found = {}
    for tid in os.listdir(f"/proc/{pid}/task"):
        status = processes.fields(f"/proc/{pid}/task/{tid}/status")
        found[int(status["NSpid"].split()[-1])] = int(tid)
    return found


class Contained(subjects.Subject):
    """argv in new namespaces. pid and the ids of its statements are those of here, inside
    is what it takes for its pid. setup: commands of a shell that come before."""

    def __init__(self, options, argv, environment=None, setup=""):
        super().__init__(["unshare", *forking(options), "sh", "-ec", setup + '\nexec "$@"', "sh",
                          *argv], environment)
        for child, _, _ in processes.children(self.pid):
            self.pid = child
        here = ids(self.pid)
        self.inside = next(i for i, tid in here.items() if tid == self.pid)
        for record in self.records:
            if record.get("tid"):
                record["tid"] = here[record["tid"]]

    def quit(self):
        os.kill(self.pid, signal.SIGQUIT)
        self.process.wait(PATIENCE)
        return self.errors()


def needed(program):
    """Files without which a program does not start."""
    said = subprocess.run(["ldd", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True, check=False).stdout
    return re.findall(r"(/\S+) \(0x", said)


@contextlib.contextmanager
def root(*files):
    """A folder with copies of files at their own places, and all that they need."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        for file in files:
            for path in (file, *needed(file)):
                to = folder + path
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy(path, to)
        os.mkdir(folder + "/proc")
        yield folder
