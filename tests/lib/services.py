# SPDX-License-Identifier: Apache-2.0
"""What gosnap why says of the services of subjects/services, against what they say of themselves."""
import collections
import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading

import snapshot
import subjects
import whys
from tap import Mismatch, table

CANNOT = 5
SETTLING = 200  # operations at most between two moments
# How the sentences name who has what others wait for.
HOLDER = re.compile(r"which goroutine (\d+) (?:\S+ )?(?:locked|has|read-locked)|oroutine (\d+), which (?:\S+ )?has ")


def states(program):
    """The names of the sick states, by service. The program knows."""
    done = subprocess.run([program, "list"], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def fits(finding, expected):
    """Does the finding say what is true?"""
    text, holders = finding["text"], expected["holders"] or []
    accused = {int(a or b) for a, b in HOLDER.findall(text)}
    return finding["kind"] in expected["kinds"] \
        and all(any(one in text for one in name.split("|")) for name in expected["names"] or []) \
        and (not holders or any(re.search(rf"oroutine {one}\b", text) for one in holders)) \
        and (not holders or accused <= set(holders))


class Tally:
    """How often gosnap is right: warnings that are, of all; looks at what is sick that found it, of all; and those that
    cannot tell, and say so."""

    def __init__(self):
        self.lock = threading.Lock()
        self.of = collections.defaultdict(collections.Counter)

    def count(self, service, **what):
        with self.lock:
            self.of[service].update(what)

    @staticmethod
    def _share(right, of):
        return f"{100 * right / of:.1f} %" if of else "-"

    def __str__(self):
        total = sum(self.of.values(), collections.Counter())
        return table(
            ["service", "looks", "warnings", "right", "precision", "sick", "found", "recall", "cannot tell"],
            [[service, n["looks"], n["warnings"], n["right"], self._share(n["right"], n["warnings"]), n["sick"],
              n["found"], self._share(n["found"], n["sick"]), n["cannot"]]
             for service, n in [*sorted(self.of.items()), ("all", total)]])


def asked(target, bare):
    """The status and the findings. bare: gosnap may be unable to tell."""
    done = whys.in_time("--json", target)
    if done.returncode == CANNOT and bare:
        return CANNOT, []
    if done.returncode not in (whys.NOTHING, whys.SOMETHING):
        raise Mismatch(f"status {done.returncode}: {done.stderr.decode()}")
    return done.returncode, json.loads(done.stdout)


def judged(tally, service, expected, target, bare=False):
    """Yields what is wrong with what gosnap says of the target. expected: nothing, if the service is healthy."""
    status, findings = asked(target, bare)
    bad = [f for f in findings if f["severity"] != "info"]
    right = [f for f in bad if any(fits(f, e) for e in expected)]
    found = any(fits(f, e) for f in bad for e in expected if not e.get("aside"))
    tally.count(service, looks=1, warnings=len(bad), right=len(right), cannot=status == CANNOT,
                sick=bool(expected) and status != CANNOT, found=found)
    for finding in bad:
        if finding not in right:
            yield f"wrong: {finding}"
    if expected and not found and status != CANNOT:
        yield f"status {status}, not found: {expected}; but {[(f['severity'], f['kind'], f['text']) for f in findings]}"


@contextlib.contextmanager
def copied(program):
    """The program in a folder where it can be removed."""
    with tempfile.TemporaryDirectory() as folder:
        yield shutil.copy(program, folder), folder


def core_of(pid, folder):
    path = os.path.join(folder, "core")
    if (done := snapshot.gosnap(f"--core={path}", pid)).returncode != 0:
        raise Mismatch(f"no core: {done.stderr.decode()}")
    return path


def looked_at(tally, program, service, state, collects, dice, ways, moments):
    """What is wrong with what gosnap says of the service. ways: of live, core and bare, which is a core without its
    executable. moments: how many of them are live."""
    wrong = []
    with copied(program) as (path, folder), subjects.Subject([path, service, state, collects]) as subject:
        expected = subject.facts.get("findings", [])

        def judge(way, target):
            wrong.extend(f"{way}: {text}" for text in judged(tally, service, expected, target, way == "bare"))

        for _ in range(moments if "live" in ways else 0):
            judge("live", subject.pid)
            subject.ask(f"after {dice.randint(1, SETTLING)}")
        if "core" in ways or "bare" in ways:
            if expected:
                subject.ask("ripe")
            core = core_of(subject.pid, folder)
            if "core" in ways:
                judge("core", core)
            if "bare" in ways:
                os.unlink(path)
                judge("bare", core)
    if wrong:
        raise Mismatch("\n".join(wrong))
