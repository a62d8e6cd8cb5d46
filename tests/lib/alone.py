# SPDX-License-Identifier: Apache-2.0
"""Runs cases of one test, in the environment of make check."""
import os
import shutil
import subprocess

import results
from choice import TOP

SUPERVISE = os.path.join(TOP, "tests", "supervise")


def program(build, test):
    """The path of a test by a name such as truth, tests/truth, truth.test, or tests/unit/lib/base/ere. Returns None
    if there is no such test."""
    name = test.removeprefix("tests/").removesuffix(".test")
    for path in (os.path.join(TOP, "tests", name + ".test"), os.path.join(build, "tests", name)):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.abspath(path)
    return None


def environment(build):
    """As AM_TESTS_ENVIRONMENT in Makefile.am, without the record of what a test cost."""
    build = os.path.abspath(build)
    found = {**os.environ, "GOSNAP": os.path.join(build, "gosnap"), "abs_top_srcdir": TOP, "abs_top_builddir": build}
    python = os.path.dirname(shutil.which("python3"))
    found["PATH"] = python + os.pathsep + found["PATH"]
    found.pop("GOSNAP_USAGE", None)
    return found


def run(build, test, case="", **more):
    """Runs the cases that --case would select, or all cases if case is empty. more adds environment variables. Returns
    {case: why} for the failed cases, the number of passed cases, and the test's output."""
    argv = [SUPERVISE, program(build, test), *(["--case", case] if case else [])]
    done = subprocess.run(argv, cwd=build, env={**environment(build), **more}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    lines = done.stdout.splitlines()
    failures, passed = results.cases(lines)
    why = f"ended with status {done.returncode}" if done.returncode else results.incomplete(lines)
    if why and not failures:
        failures[""] = "\n".join([why + ":", *lines[-20:]])
    if not failures and not passed and results.SKIP not in done.stdout:
        failures[""] = "no case was run"
    return failures, passed, done.stdout
