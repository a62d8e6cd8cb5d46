# SPDX-License-Identifier: Apache-2.0
"""What gosnap why says of the services of subjects/services, against what they say of themselves."""
import collections
import contextlib
import json
import os
import re
import subprocess
import tempfile
import threading

import cores
import subjects
import whys
from tap import Mismatch, table

CANNOT = 5
SAID = 3
# Where there is memory to write cores of a gigabyte to, most of it zeros, and one at a time.
MEMORY = "/dev/shm"
WRITING = threading.Lock()
SETTLING = 200  # operations at most between two moments
# How the sentences name who has what others wait for.
HOLDER = re.compile(r"which goroutine (\d+) (?:\S+ )?(?:locked|has|read-locked)|oroutine (\d+), which (?:\S+ )?has ")


def states(program):
    """The names of the sick states, by service. The program knows."""
    done = subprocess.run([program, "list"], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def fits(finding, expected, bare=False):
    """Does the finding say what is true? bare: without the executable, which has the names."""
    text, holders = finding["text"], expected["holders"] or []
    accused = {int(a or b) for a, b in HOLDER.findall(text)}
    return finding["kind"] in expected["kinds"] \
        and (bare or all(any(one in text for one in name.split("|")) for name in expected["names"] or [])) \
        and (not holders or any(re.search(rf"oroutine {one}\b", text) for one in holders)) \
        and (not holders or accused <= set(holders))


class Tally:
    """How often gosnap is right: warnings that are, of all; looks at what is sick that found it, of all; and those that
    cannot tell, and say so."""

    def __init__(self):
        self.lock = threading.Lock()
        self.of, self.by = (collections.defaultdict(collections.Counter) for _ in range(2))

    def count(self, service, way, collects, **what):
        with self.lock:
            self.of[service].update(what)
            self.by[way].update(what)
            self.by[f"{way}, collects {collects}"].update(what)

    def total(self):
        return sum(self.of.values(), collections.Counter())

    @staticmethod
    def _share(right, of):
        return f"{100 * right / of:.1f} %" if of else "-"

    def __str__(self):
        return table(
            ["", "looks", "warnings", "right", "precision", "sick", "found", "recall", "cannot tell"],
            [[name, n["looks"], n["warnings"], n["right"], self._share(n["right"], n["warnings"]), n["sick"],
              n["found"], self._share(n["found"], n["sick"]), n["cannot"]]
             for name, n in [*sorted(self.of.items()), *sorted(self.by.items()), ("all", self.total())]])


def said(findings):
    """The sentences, but not all of very many."""
    return "; ".join(f"{f['severity']} {f['kind']}: {f['text'][:600]}" for f in findings[:SAID]) + \
        f"; in all {len(findings)}" * (len(findings) > SAID)


def asked(target):
    """The status, the findings, and what gosnap cannot tell."""
    done = whys.in_time("--json", target)
    if done.returncode not in (whys.NOTHING, whys.SOMETHING, CANNOT):
        raise Mismatch(f"status {done.returncode}: {done.stderr.decode()}")
    return done.returncode, json.loads(done.stdout or "[]"), done.stderr.decode()


def judged(tally, service, collects, expected, way, target):
    """Yields what is wrong with what gosnap says of the target: its status, if the mistake is only not found, or None;
    and words. expected: nothing, if the service is healthy."""
    bare = way == "bare"
    status, findings, cannot = asked(target)
    # It is no share of what gosnap is able to find in a core. A process can be looked at again.
    counts = status != CANNOT or way == "live"
    bad = [f for f in findings if f["severity"] != "info"]
    right = [f for f in bad if any(fits(f, e, bare) for e in expected)]
    found = any(fits(f, e, bare) for f in bad for e in expected if not e.get("aside"))
    tally.count(service, way, collects, looks=1, warnings=len(bad), right=len(right), cannot=int(status == CANNOT),
                sick=int(bool(expected) and counts), found=int(found))
    wrong = [f for f in bad if f not in right]
    if wrong:
        yield None, f"wrong: {said(wrong)}"
    if expected and not found and counts:
        yield status, f"status {status}, not found: {expected}; but {said(findings)}{cannot}"


@contextlib.contextmanager
def copied(program):
    """The program in a folder where it can be removed."""
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as folder:
        copy = os.path.join(folder, os.path.basename(program))
        # By a process of its own: what another thread starts meanwhile would have this open to write to it.
        subprocess.run(["cp", program, copy], check=True)
        yield copy, folder


def looked_at(tally, program, service, state, collects, dice, ways, moments, unseen):
    """Raises Mismatch if gosnap is wrong about the service, and returns what it may miss and does. ways: of live,
    core and bare, which is a core without its executable. moments: how many of them are live. unseen: it is known not to
    be found."""
    wrong, missed = [], []
    with copied(program) as (path, folder), subjects.Subject([path, service, state, collects]) as subject:
        expected = subject.facts.get("findings", [])

        def judge(way, target):
            for status, text in judged(tally, service, collects, expected, way, target):
                # A core does not say what time it is, nor when its threads last ran: how long is not always known.
                may = status is not None and (way == "core" or way == "live" and (unseen or status == CANNOT))
                (missed if may else wrong).append(f"{way}: {text}")

        for n in range(moments if "live" in ways else 0):
            # A look wakes all threads, so that the next one does not find a call that has lasted long.
            subject.ask("ripe" if expected and n else f"after {dice.randint(1, SETTLING)}")
            judge("live", subject.pid)
        if "core" in ways or "bare" in ways:
            if expected:
                subject.ask("ripe")
            with WRITING:
                core = os.path.join(folder, "core")
                cores.by_gcore(subject.pid, core)
                if "core" in ways:
                    judge("core", core)
                if "bare" in ways:
                    os.unlink(path)
                    judge("bare", core)
                os.unlink(core)
    if wrong:
        raise Mismatch("\n".join(wrong + missed))
    return "\n".join(missed)
