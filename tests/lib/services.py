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


def said(findings):
    """The sentences, but not all of very many."""
    return "; ".join(f"{f['severity']} {f['kind']}: {f['text'][:600]}" for f in findings[:SAID]) + \
        f"; in all {len(findings)}" * (len(findings) > SAID)


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
    right = [f for f in bad if any(fits(f, e, bare) for e in expected)]
    found = any(fits(f, e, bare) for f in bad for e in expected if not e.get("aside"))
    tally.count(service, looks=1, warnings=len(bad), right=len(right), cannot=status == CANNOT,
                sick=bool(expected) and status != CANNOT, found=found)
    wrong = [f for f in bad if f not in right]
    if wrong:
        yield f"wrong: {said(wrong)}"
    if expected and not found and status != CANNOT:
        yield f"status {status}, not found: {expected}; but {said(findings)}"


@contextlib.contextmanager
def copied(program):
    """The program in a folder where it can be removed."""
    with tempfile.TemporaryDirectory(dir=MEMORY if os.path.isdir(MEMORY) else None) as folder:
        copy = os.path.join(folder, os.path.basename(program))
        # By a process of its own: what another thread starts meanwhile would have this open to write to it.
        subprocess.run(["cp", program, copy], check=True)
        yield copy, folder


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
        raise Mismatch("\n".join(wrong))
