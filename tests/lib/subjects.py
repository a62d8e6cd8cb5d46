# SPDX-License-Identifier: Apache-2.0
"""Builds the subjects, once for each cell of the matrix and state of their source, and runs them."""
import contextlib
import fcntl
import glob
import hashlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

import choice
import matrix
import processes
from tap import PATIENCE, Mismatch, Skip

SOURCE = os.path.join(matrix.TESTS, "subjects")
TOP = os.path.dirname(matrix.TESTS)
# Empty: the subject's module requires the Go package gosnap.
USES_GOSNAP = "uses-gosnap"
PACKAGE = "gosnap.invalid/gosnap"
CACHE = matrix.CACHE
KEPT = 3600  # seconds after its last use


def _sources(name):
    """(path, the name it gets beside the others): the subject's own, what all use, and the Go package
    gosnap if it uses that."""
    folders = [(SOURCE, "truth"), (SOURCE, name)]
    if os.path.exists(os.path.join(SOURCE, name, USES_GOSNAP)):
        folders.append((TOP, "go"))
    return sorted((p, os.path.relpath(p, top)) for top, folder in folders
                  for p in glob.glob(os.path.join(top, folder, "**"), recursive=True)
                  if os.path.isfile(p) and not p.endswith("_test.go"))


def _key(name, arguments):
    h = hashlib.sha256(repr(arguments).encode())
    for path, to in _sources(name):
        with open(path, "rb") as f:
            h.update(b"/" + to.encode() + b"\0" + f.read() + b"\0")
    return h.hexdigest()[:16]


@contextlib.contextmanager
def _locked(top):
    os.makedirs(top, exist_ok=True)
    with open(os.path.join(top, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _measured(what, argv, folder, environment):
    """Runs a compiler: its status, and what it printed. What it cost is noted for
    tests/totals --usage."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(argv, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if os.environ.get("GOSNAP_BUILT"):
            with open(os.environ["GOSNAP_BUILT"], "a", encoding="utf-8") as f:
                print(f"{usage.ru_utime + usage.ru_stime:.2f} {what}", file=f)
        out.seek(0)
        return process.returncode, out.read()


def build(name, version, mode="default", flags=()):
    """The path of the program. Raises Skip when the toolchain is missing."""
    go = matrix.go(version)
    if go is None:
        raise Skip(f"no go {version} toolchain: tests/toolchains fetch {version}")
    arguments, environment, _ = {**matrix.MODES, **matrix.MORE_MODES}[mode]
    arguments = list(arguments) + list(flags)
    afterwards = matrix.AFTERWARDS.get(mode, [])
    top = os.path.join(CACHE, "subjects", version, f"{name}-{mode}")
    place = os.path.join(top, _key(name, [arguments, environment, *afterwards]))
    program = os.path.join(place, name)
    sources = os.path.join(place, "src", "subjects")
    with _locked(top):
        if os.path.exists(program):
            os.utime(place)
            return program
        for old in glob.glob(os.path.join(top, "*", "")):
            # Other working trees have other states of the source, and use them now.
            if os.path.getmtime(old) < time.time() - KEPT:
                shutil.rmtree(old, ignore_errors=True)
        for path, to in _sources(name):
            to = os.path.join(sources, to)
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copyfile(path, to)
        # The release's own number: an older one would turn on old habits of the runtime.
        with open(os.path.join(sources, "go.mod"), "w") as f:
            f.write(f"module subjects\n\ngo {version}\n")
            if os.path.exists(os.path.join(SOURCE, name, USES_GOSNAP)):
                f.write(f"require {PACKAGE} v0.0.0\n\nreplace {PACKAGE} => ./go\n")
            more = os.path.join(SOURCE, name, "go.mod.more")
            if os.path.exists(more):
                with open(more) as lines:
                    f.write(lines.read())
        status, said = _measured(
            f"{name} {version} {mode}",
            [go, "build", "-o", program + ".new", *arguments, "./" + name], sources,
            dict(go_environment(version),
                 **{name: value.format(place) for name, value in environment.items()}))
        if status != 0:
            raise Mismatch(f"go {version} cannot build {name} ({mode}):\n{said}")
        for command in afterwards:
            subprocess.run([word.format(program + ".new") for word in command], check=True)
        os.rename(program + ".new", program)
    return program


def shared_standard_library(version):
    """The folder of a release's standard library as a shared one, libstd.so, and of what go
    build -linkshared -pkgdir=FOLDER reads. Raises Skip when the toolchain is missing."""
    go = matrix.go(version)
    if go is None:
        raise Skip(f"no go {version} toolchain: tests/toolchains fetch {version}")
    top = os.path.join(CACHE, "subjects", version, "std-shared")
    place = os.path.join(top, "packages")
    with _locked(top):
        if os.path.exists(place):
            return place
        # What it compiles is used once, and is not to fill the cache of all others.
        with tempfile.TemporaryDirectory(dir=top) as work:
            made = os.path.join(work, "packages")
            # Without -linkshared here the packages would be out of date for it there.
            done = subprocess.run(
                ["nice", "-n", "19", go, "install", "-buildmode=shared", "-linkshared",
                 "-pkgdir=" + made, "std"],
                env=dict(go_environment(version), GO111MODULE="off", GOFLAGS="",
                         GOCACHE=os.path.join(work, "cache"), CGO_ENABLED="1"),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True)
            if done.returncode != 0:
                raise Mismatch(f"go {version} cannot build a shared std:\n{done.stdout}")
            os.rename(made, place)
    return place


def go_environment(version):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GO", "CGO"))}
    env.update(GOTOOLCHAIN="local", GOFLAGS="-mod=mod", GOPROXY="off", GO111MODULE="on",
               GOPATH=os.path.join(CACHE, "gopath"),
               GOCACHE=os.path.join(CACHE, "go-build", version))
    return env


class Subject:
    """A running subject. Use as a context: it is gone afterwards."""

    def __init__(self, argv, environment=None, complains=None, stderr=None):
        """complains: what a program that does not know READY says on standard error
        when it is. stderr: where that goes, instead of errors()."""
        env = {k: v for k, v in os.environ.items()
               if k not in ("GOTRACEBACK", "GODEBUG", "GOMAXPROCS", "GOGC")}
        env.update({"GOTRACEBACK": "system", "GOSNAP_SUBJECT_SEED": str(choice.subject_seed())}, **(environment or {}))
        self.stderr = stderr or tempfile.TemporaryFile()
        self.process = subprocess.Popen(argv, env=env, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.stderr)
        self.pid = self.process.pid
        self.records = []  # statements of goroutines
        self.facts = {}    # whatever else it says
        self.lines = []
        try:
            if complains is None:
                self._wait_ready()
            else:
                self._wait_complaint(complains)
        except BaseException:
            self.close()
            raise

    def _wait_complaint(self, text):
        deadline = time.monotonic() + PATIENCE
        while text not in self.errors():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the program was not ready: " + self.errors()[-2000:])
            time.sleep(0.02)

    def _wait_ready(self):
        deadline = time.monotonic() + PATIENCE
        seen = b""
        fd = self.process.stdout.fileno()
        while True:
            left = deadline - time.monotonic()
            got = b""
            if left > 0 and select.select([fd], [], [], left)[0]:
                got = os.read(fd, 1 << 20)
            if not got:
                raise RuntimeError("the subject was not ready: "
                                   f"{seen[-300:]!r} {self.errors()[-2000:]}")
            seen += got
            if b"\n" not in got:
                continue
            lines = seen.split(b"\n")
            last = next((i for i, l in enumerate(lines[:-1]) if l == b"READY"), None)
            if last is not None:
                break
        self.lines = [l.decode() for l in lines[:last + 1]]
        self.after_ready = b"\n".join(lines[last + 1:])  # what came along with it
        said = [json.loads(l) for l in self.lines if l.startswith("{")]
        self.records = [s for s in said if "frames" in s]
        for s in said:
            if "frames" not in s:
                self.facts.update(s)

    def ask(self, words):
        """One line to a subject that answers, and its answer."""
        self.process.stdin.write(words.encode() + b"\n")
        self.process.stdin.flush()
        fd, seen = self.process.stdout.fileno(), b""
        while not seen.endswith(b"\n"):
            if not select.select([fd], [], [], PATIENCE)[0]:
                raise Mismatch(f"no answer to {words!r}, but {seen!r}")
            got = os.read(fd, 1 << 20)
            if not got:
                raise Mismatch(f"it ended at {words!r}: {self.errors()[-2000:]}")
            seen += got
        return json.loads(seen)

    def errors(self):
        # Not by seek: the file's position is the program's, too.
        fd = self.stderr.fileno()
        return os.pread(fd, os.fstat(fd).st_size, 0).decode(errors="replace")

    def settle(self, threads=None):
        """Returns when the process, or these threads of it, has stood still for a
        moment: what it does after READY is over."""
        for _ in range(2400):
            before = self._activity(threads)
            time.sleep(0.025)
            if before is not None and before == self._activity(threads):
                return
        raise RuntimeError("the subject does not come to rest")

    def undisturbed(self, look):
        """What look() returns, once the process has not run meanwhile. Of its own accord it runs
        now and then: the runtime's timers."""
        for _ in range(8):
            self.settle()
            before = self._activity(None)
            seen = look()
            if self._activity(None) == before:
                return seen
        raise RuntimeError("the subject runs each time: it is disturbed")

    def _activity(self, threads):
        seen = []
        for path in ([f"/proc/{self.pid}/task/{t}" for t in threads] if threads else
                     sorted(glob.glob(f"/proc/{self.pid}/task/*"))):
            try:
                with open(path + "/status") as f:
                    text = f.read()
            except OSError:
                return None
            if "State:\tS" not in text:
                return None
            seen.append((path, [l for l in text.splitlines() if "ctxt_switches" in l]))
        return seen

    def quit(self):
        """SIGQUIT: the runtime prints its traceback and the process ends. Returns the text. Of a thread
        that C has made, it would end without (runtime/signal_unix.go, badsignal); the kernel gives one
        for the process to such a thread, too."""
        if processes.state(self.pid) == "Z":
            self.process.send_signal(signal.SIGQUIT)
        else:
            processes.send(self.pid, self.pid, signal.SIGQUIT)
        self.process.wait(PATIENCE)
        return self.errors()

    def alive(self):
        return self.process.poll() is None

    def close(self):
        with contextlib.suppress(OSError):
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()
        for f in (self.process.stdin, self.process.stdout, self.stderr):
            with contextlib.suppress(OSError):
                f.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def run(name, version, mode="default", arguments=(), environment=None, flags=()):
    """Builds and starts a subject."""
    return Subject([build(name, version, mode, flags), *arguments], environment)
