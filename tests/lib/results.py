# SPDX-License-Identifier: Apache-2.0
"""What the last "make check" of a build left: automake's .trs files, which count, and the .log files beside
them, which say why."""
import glob
import json
import os
import re

POINT = re.compile(r"(not )?ok\b *\d* *-? *(.*)")
SKIP = " # SKIP "
UNSTABLE = os.path.join("tests", "unstable.json")


class Result:
    """What one test left. passed, skipped: numbers of cases. failures: {case: why}. errors: what went wrong beside
    the cases, as a test that ended in the middle. reasons: why cases were skipped."""

    def __init__(self, build, trs):
        self.name = os.path.relpath(trs, build).removesuffix(".trs")
        words = [line.split()[1] for line in _lines(trs) if line.startswith(":test-result: ")]
        self.passed = sum(word in ("PASS", "XFAIL") for word in words)
        self.skipped = words.count("SKIP")
        log = list(_lines(trs.removesuffix("trs") + "log"))
        self.errors = [line.partition(" - ")[2].strip() for line in log if line.startswith("ERROR: ")]
        self.failures, _ = cases(log)
        self.reasons = list(reasons(log))
        if len(self.failures) < words.count("FAIL"):
            self.errors.append("some cases failed that the log does not name")
        # Of a test whose cases failed, the exit status says the same once more.
        if self.failures:
            self.errors = [e for e in self.errors if not e.startswith("exited with status 1")]


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
            failures[at] += line.lstrip("#").strip() + "\n"
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
    """A Result for each test that ran, by name."""
    return [Result(build, trs) for trs in
            sorted(glob.glob(os.path.join(build, "tests", "**", "*.trs"), recursive=True))]


def read_unstable(build):
    """{(test, case): entry} of the cases that tests/retry found to be unstable; case is "" for a whole test."""
    path = os.path.join(build, UNSTABLE)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        return {(entry["test"], entry["case"]): entry for entry in json.load(f)}


def write_unstable(build, entries):
    path = os.path.join(build, UNSTABLE)
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(entries, f, indent=1)
        f.write("\n")
    os.rename(path + ".new", path)


def known(top):
    """{(test, case): line} of tests/unstable."""
    found = {}
    for line in _lines(os.path.join(top, "tests", "unstable")):
        if line.strip() and not line.startswith("#"):
            test, case, *_ = (word.strip() for word in line.split("|"))
            found[test, case] = line.strip()
    return found
