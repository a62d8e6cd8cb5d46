# SPDX-License-Identifier: Apache-2.0
"""TAP for automake. Every .test prints through one Tap; points may come from several threads. Only the cases
that --case chooses are run and printed: see choice.py."""
import gc
import os
import resource
import signal
import sys
import threading
import time
import traceback

import choice
from matrix import CI

# Seconds that any wait in a test lasts at most: what has not happened by then never will, on a
# machine ten times slower than any that is meant for tests.
PATIENCE = 900
WHY_LINES = 400  # of a failure, at most
LAST_WORDS = 400  # bytes of what a process that failed wrote: a document's end says why
# By default, Python looks for cycles after 700 new objects: a third of the time that it takes to parse a document.
gc.set_threshold(100000, 20, 100)


class Skip(Exception):
    """The machine lacks something that can be installed: the text says what. In CI this is a failure."""


class Absent(Exception):
    """The machine cannot provide what the case needs, whatever is installed. In CI this is no failure."""


class Mismatch(AssertionError):
    """gosnap and the truth disagree. The text has one line for each difference."""


def must_succeed(done, written=None):
    """Raises Mismatch unless the process of a CompletedProcess ended with status 0: with the status, as a process that
    fails may say nothing, and with what it said. written: its standard output, if it is not in done."""
    if done.returncode != 0:
        texts = done.stderr or "", (written or done.stdout or "")[-LAST_WORDS:]
        said = "".join(text if isinstance(text, str) else text.decode(errors="replace") for text in texts)
        raise Mismatch(f"{os.path.basename(done.args[0])} ended with status {done.returncode}: {said}")


def table(heads, rows):
    """As doc/performance.md has them: the first column is words."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def cpu_seconds():
    """Returns those of this test and of its children that have ended. Cases that run in parallel count each other's,
    too."""
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, (
        resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0
        self.lock = threading.RLock()  # the handler of signals prints, too
        self.names = set()
        self.running = {}  # thread: the case it is at, since when, and cpu_seconds() then
        signal.signal(signal.SIGTERM, self._late)
        self.comment(f"GOSNAP_SEED={choice.seed()}")

    def _late(self, *_):
        """tests/supervise ends a test that hangs: says where that was."""
        frames = sys._current_frames()
        for thread, (name, since, _) in list(self.running.items()):
            self._point(False, name, f"ended after {time.monotonic() - since:.0f} s\n"
                        + "".join(traceback.format_stack(frames[thread])[-8:]))
        os._exit(1)

    def comment(self, text):
        with self.lock:
            for line in str(text).splitlines():
                print("# " + line, flush=True)

    def _point(self, ok, name, why=None, directive=""):
        with self.lock:
            if name in self.names:
                ok, why = False, "another case has this name"
            self.names.add(name)
            self.count += 1
            self.failed += not ok
            print(f"{'ok' if ok else 'not ok'} {self.count} - {choice.printed(name)}{directive}", flush=True)
            if threading.get_ident() in self.running:
                _, since, used = self.running[threading.get_ident()]
                print(f"# took {time.monotonic() - since:.1f} s, {cpu_seconds() - used:.1f} s of processor time",
                      flush=True)
            for line in str(why or "").splitlines()[:WHY_LINES]:
                print("#   " + line, flush=True)

    def ok(self, name, why=None):
        if choice.wanted(name):
            self._point(True, name, why)

    def fail(self, name, why=None):
        if choice.wanted(name):
            self._point(False, name, why)

    def skip(self, name, why):
        """The machine lacks something that a person can install: a failure in CI."""
        if CI:
            self.fail(name, why)
        else:
            self.absent(name, why)

    def absent(self, name, why):
        """The machine cannot have what the case needs."""
        if choice.wanted(name):
            self._point(True, name, None, f" # SKIP {why}")

    def case(self, name, function, *args):
        """Runs function and prints its return value as the comment of the case. The first case of a test runs even
        if it is not drawn, so that each test runs one."""
        if not choice.runs(name) and (self.count or self.running or not choice.wanted(name)):
            return
        self.running[threading.get_ident()] = name, time.monotonic(), cpu_seconds()
        try:
            self.ok(name, function(*args))
        except Skip as e:
            self.skip(name, e)
        except Absent as e:
            self.absent(name, e)
        except Mismatch as e:
            self.fail(name, str(e) or traceback.format_exc())
        except Exception:  # a fault of the test itself is a failure, with its place
            self.fail(name, traceback.format_exc())
        finally:
            del self.running[threading.get_ident()]

    def done(self):
        if self.count == 0:
            self._point(False, f"no case has this name: {choice.CASE}" if choice.CASE else "nothing was tested")
        print(f"1..{self.count}", flush=True)
        sys.exit(0 if self.failed == 0 else 1)
