# SPDX-License-Identifier: Apache-2.0
"""What gosnap why finds in a process."""
import json
import os
import re
import tempfile

import cores
import snapshot
from tap import Mismatch

SOMETHING, NOTHING, UNKNOWN = 1, 0, 5


# On a machine that is busy gosnap may not come to it in the time that it has.
LATE = re.compile(rb"resumed before|did not stop|reached the age allowed")
TRIES = 20


def in_time(*arguments):
    """What gosnap why does where it comes to it."""
    for _ in range(TRIES):
        done = snapshot.gosnap("why", *arguments)
        if not LATE.search(done.stderr):
            break
    return done


def why(*arguments, once=True):
    """The status, and the findings. once: without a second look."""
    done = in_time("--json", *["--once"] * once, *arguments)
    words = b"gosnap: cannot tell whether anything is wrong: " if done.returncode == UNKNOWN else b""
    if done.returncode not in (NOTHING, SOMETHING, UNKNOWN) or not done.stderr.startswith(words) or \
            bool(words) != bool(done.stderr):
        raise Mismatch(f"status {done.returncode}: {done.stderr.decode()}")
    found = json.loads(done.stdout)
    for finding in found:
        goroutines = finding.get("goroutines", [])
        if len(set(goroutines)) != len(goroutines):
            raise Mismatch(f"a goroutine twice: {finding}")
    return done.returncode, found


def as_if_well(status, way):
    """Nothing was found; without a copy or a core some may not be known."""
    return status in (NOTHING, *[UNKNOWN] * (way in ("--capture=stop", "--capture=gather")))


def looked_at(subject, way):
    """way: an option, "core", "gosnap's core", or nothing. A core of gdb's has a gigabyte, of which gosnap's own
    leaves out what is empty."""
    if way not in ("core", "gosnap's core"):
        return why(*[way] * bool(way), subject.pid)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "core")
        if way == "core":
            cores.by_gcore(subject.pid, path)
        elif snapshot.gosnap(f"--core={path}", subject.pid).returncode != 0:
            raise Mismatch("no core")
        return why(path)
