# SPDX-License-Identifier: Apache-2.0
"""gosnap watch, and programs for it to see."""
import contextlib
import glob
import json
import os
import re
import resource
import shutil
import subprocess
import tempfile

import matrix
import processes
import snapshot
import subjects
from tap import PATIENCE, Mismatch, Skip

MULTI, ONE_EACH = "uprobe_multi", "perf"  # as the kernel names them
SEEN_S = 120  # what was not seen until then is missed
# What bpf_judge() says of a machine that has not what probes need.
IMPOSSIBLE = re.compile("built without eBPF|outside of containers|does not permit gosnap to load|too old for the programs"
                        "|does not describe its types|locked down|that takes Linux")


def in_peace():
    """Neither cores nor a terminal."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ran(argv, words=b"\n"):
    """(pid, status, standard output, standard error)"""
    env = {k: v for k, v in os.environ.items() if k not in ("GODEBUG", "GOMAXPROCS", "GOGC")}
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**env, "GOTRACEBACK": "single"}, preexec_fn=in_peace,
                          start_new_session=True) as process:
        out, errors = process.communicate(words, timeout=PATIENCE)
    return process.pid, process.returncode, out, errors


def before_6_6(folder):
    """A command before gosnap: the kernel seems to be older."""
    path = os.path.join(folder, "older_kernel.so")
    subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-fPIC", "-O1", "-o", path,
                    os.path.join(matrix.TESTS, "older_kernel.c"), "-ldl"], check=True)
    sanitizer = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "verify_asan_link_order=0"]))
    return ["env", f"LD_PRELOAD={path}", f"ASAN_OPTIONS={sanitizer}"]


def links(pid):
    """The kinds of links by which a process has its programs in the kernel attached to probes."""
    found = set()
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        with contextlib.suppress(FileNotFoundError), open(path, encoding="ascii") as f:
            found.update(re.findall(r"^link_type:\s*(.*)", f.read(), re.M))
    return found & {MULTI, ONE_EACH}


def kernel():
    """Returns the release of the running kernel as (major, minor)."""
    return tuple(map(int, re.findall(r"\d+", os.uname().release)[:2]))


def kind_of_links(older):
    """Those that a gosnap uses that takes the kernel for an older one, or not."""
    return {ONE_EACH if older or kernel() < (6, 6) else MULTI}


def before_6_0(folder):
    """The same, older still."""
    return [*before_6_6(folder), "BEFORE_6_0=1"]


def not_begun(said):
    """The exception for a gosnap that ended before it began."""
    return Skip(said) if IMPOSSIBLE.search(said) else Mismatch(said)


def unit():
    """The service's file, as make made it."""
    for top in (os.environ.get("abs_top_builddir"), os.path.dirname(snapshot.program())):
        path = os.path.join(top or "", "systemd", "gosnap-watch.service")
        if os.path.exists(path):
            return path
    raise Mismatch("no systemd/gosnap-watch.service: make makes it")


def capabilities():
    with open(unit(), encoding="ascii") as f:
        found = re.search(r"^CapabilityBoundingSet=(.*)", f.read(), re.M)
    return [name.removeprefix("CAP_").lower() for name in found[1].split()]


class Missed(Mismatch):
    """A death without a snapshot."""


class Watcher:
    """gosnap watch, from when it watches on."""

    def __init__(self, *options, prefix=(), socket=""):
        self.spool = tempfile.TemporaryDirectory()
        self.log = tempfile.NamedTemporaryFile("w+")
        self.process = subprocess.Popen(
            [*prefix, snapshot.program(), "watch", "--spool", self.spool.name, f"--socket={socket}",
             "--hold=1s", *options],  # the machine may be busy
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True)

    def __enter__(self):
        processes.until(lambda: "watching " in self.said() or self.process.poll() is not None,
                        "gosnap watch")
        if self.process.poll() is not None:
            raise not_begun(self.said())
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.spool.cleanup()

    def said(self):
        with open(self.log.name, encoding="utf-8") as f:
            return f.read()

    def events(self, kind):
        """Of --log=json. The last line may be half written."""
        whole = self.said().rpartition("\n")[0]
        return [e for e in map(json.loads, whole.splitlines()) if e["event"] == kind]

    def line(self, pid):
        """What it says of this process, once it has."""
        found = re.compile(rf".*gosnap watch: .*\({pid}\): .*\n")
        try:
            processes.until(lambda: found.search(self.said()), f"a line about {pid}", SEEN_S)
        except Mismatch as e:
            raise Missed(f"no line about {pid} in {self.said()!r}") from e
        return found.search(self.said())[0].strip()

    def document(self, pid):
        line = self.line(pid)
        names = glob.glob(f"{self.spool.name}/*-{pid}.json.zst")
        if not names:
            raise Missed(line)
        if len(names) != 1:
            raise Mismatch(f"snapshots {names}: {line}")
        return parsed(names[0]), line

    def documents(self):
        """All that there are, the oldest first; what is not written to its end has another name."""
        return [parsed(name) for name in sorted(glob.glob(f"{self.spool.name}/*.json.zst"))]


def parsed(name):
    text = subprocess.run(["zstd", "-dqc", name], stdout=subprocess.PIPE, check=True).stdout
    snapshot.load(text)
    return snapshot.parsed(text)


class Told:
    """The program again, which does as it is told; each copy is a program of its own to a watcher."""

    def __init__(self, version, mode="default", prefix=()):
        self.folder = tempfile.TemporaryDirectory()
        self.prefix = prefix
        self.path = shutil.copy(subjects.build("again", version, mode), self.folder.name)
        self.process = None

    def __enter__(self):
        self.process = subprocess.Popen([*self.prefix, self.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, preexec_fn=in_peace, start_new_session=True)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()
        self.folder.cleanup()

    @property
    def pid(self):
        return self.process.pid

    def ask(self, words):
        self.process.stdin.write(words.encode() + b"\n")
        self.process.stdin.flush()

    def tell(self, words):
        """What it says of it, once it has done it."""
        self.ask(words)
        line = self.process.stdout.readline()
        if not line:
            raise Mismatch(f"{words}: it died: {self.process.stderr.read()}")
        return json.loads(line)
