# SPDX-License-Identifier: Apache-2.0
"""What the last "make check" of a build left: automake's .trs files, which count, and the .log files beside
them, which say why."""
import glob
import json
import os
import re

from matrix import CI

POINT = re.compile(r"(not )?ok\b *\d* *-? *(.*)")
PLAN = re.compile(r"1\.\.(\d+)\b")
SKIP = " # SKIP "
UNSTABLE = os.path.join("tests", "unstable.json")
WANTED = os.path.join("tests", "wanted")
LISTED = re.compile(r"(\S+) \| (.+) \| \d{4}-\d\d-\d\d \| \d+ \| ")


class Result:
    """What one test left. passed, skipped: numbers of cases. failures: {case: why}. errors: what went wrong beside
    the cases, as a test that ended in the middle. reasons: why cases were skipped. log: its lines. seed: that of its
    sample, None if the log does not tell."""

    def __init__(self, build, trs):
        self.name = os.path.relpath(trs, build).removesuffix(".trs")
        words = [line.split()[1] for line in _lines(trs) if line.startswith(":test-result: ")]
        self.passed = sum(word in ("PASS", "XFAIL") for word in words)
        self.skipped = words.count("SKIP")
        self.log = list(_lines(trs.removesuffix("trs") + "log"))
        self.errors = [line.partition(" - ")[2].strip() for line in self.log if line.startswith("ERROR: ")]
        self.failures, _ = cases(self.log)
        self.reasons = list(reasons(self.log))
        seeds = [line.partition("=")[2].strip() for line in self.log if line.startswith("# GOSNAP_SEED=")]
        self.seed = seeds[0] if seeds else None
        if len(self.failures) < words.count("FAIL"):
            self.errors.append("some cases failed that the log does not name")
        if len(self.errors) < words.count("ERROR"):
            self.errors.append("it went wrong in a way that the log does not name")
        if "XPASS" in words:
            self.errors.append("a case passed that is expected to fail")
        if not words:
            self.errors.append("it did not run to its end")
        whole = words == ["SKIP"] and not any(POINT.match(line) for line in self.log)
        if whole and CI and not os.environ.get("GOSNAP_QUICK"):
            self.errors.append("it was skipped as a whole, which is a failure in CI")
        # Of a test whose cases failed, the exit status says the same once more: that of cmocka is their number.
        if self.failures:
            again = {f"exited with status {n}" for n in (1, len(self.failures))}
            self.errors = [e for e in self.errors if e not in again]


def incomplete(lines):
    """Says why what a test printed is not whole, as the driver of make check would. None: it is."""
    plans = [(at, int(plan[1])) for at, plan in enumerate(map(PLAN.match, lines)) if plan]
    points = [at for at, line in enumerate(lines) if POINT.match(line)]
    if any(line.startswith("Bail out!") for line in lines):
        return "it bailed out"
    if [n for _, n in plans] != [len(points)]:
        return f"{len(points)} points, planned are {[n for _, n in plans]}"
    if points and points[0] < plans[0][0] < points[-1]:
        return "a point stands behind the plan"
    return None


def cases(lines):
    """{case: why} of the cases that failed in what a test printed, and how many passed. One that was skipped is
    neither."""
    failures, passed, at = {}, 0, None
    for line in lines:
        point = POINT.match(line)
        if point:
            at = point[2].strip() if point[1] else None
            passed += at is None and SKIP not in line
            if at is not None:
                failures[at] = ""
        elif at is not None and line.startswith("#"):
            text = line[1:].rstrip()
            failures[at] += (text[3:] if text.startswith("   ") else text.lstrip()) + "\n"
    return failures, passed


def reasons(lines):
    """Why cases were skipped. Of a test that was skipped as a whole, the reason stands behind its name."""
    for line in lines:
        if line.startswith("SKIP: "):
            yield line.partition("# SKIP" if "# SKIP" in line else " - ")[2].strip() or "no reason given"


def _lines(path):
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as f:
            yield from f


def read(build):
    """Returns a Result for each test that ran or that tests/check wanted to run, by name."""
    there = glob.glob(os.path.join(build, "tests", "**", "*.trs"), recursive=True)
    tests = [line.strip().removesuffix(".test") for line in _lines(os.path.join(build, WANTED))]
    wanted = {os.path.join(build, test + ".trs") for test in tests}
    return [Result(build, trs) for trs in sorted(wanted | set(there))]


def read_unstable(build):
    """Returns {(test, case): entry} of the cases that tests/retry found to be unstable; case is "" for a whole test.
    What a test did before it ran last does not count."""
    path = os.path.join(build, UNSTABLE)
    if not os.path.exists(path):
        return {}

    def is_of_last(entry):
        trs = os.path.join(build, entry["test"] + ".trs")
        return not os.path.exists(trs) or os.path.getmtime(trs) <= os.path.getmtime(path)

    with open(path, encoding="utf-8") as f:
        return {(entry["test"], entry["case"]): entry for entry in json.load(f) if is_of_last(entry)}


def write_unstable(build, entries):
    _write(build, UNSTABLE, json.dumps(entries, indent=1) + "\n")


def write_wanted(build, tests):
    """What is to run, as Makefile.am names it."""
    _write(build, WANTED, "".join(test + "\n" for test in tests))


def forget(build):
    """Removes what the last check left."""
    for path in (*glob.glob(os.path.join(build, "tests", "**", "*.trs"), recursive=True),
                 os.path.join(build, UNSTABLE), os.path.join(build, WANTED)):
        if os.path.exists(path):
            os.unlink(path)


def _write(build, name, text):
    path = os.path.join(build, name)
    with open(path + ".new", "w", encoding="utf-8") as f:
        f.write(text)
    os.rename(path + ".new", path)


def known(top):
    """Returns {(test, case): line} of tests/unstable."""
    listed = [(line.strip(), LISTED.match(line)) for line in _lines(os.path.join(top, "tests", "unstable"))]
    return {(found[1].removesuffix(".test"), found[2]): line for line, found in listed if found}
