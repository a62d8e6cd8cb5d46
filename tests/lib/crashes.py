# SPDX-License-Identifier: Apache-2.0
"""Programs that crash under a handler of cores (handlers.py); what becomes of that is compared."""
import contextlib
import filecmp
import json
import os
import resource
import shutil

import cores
import handlers
import matrix
import snapshot
import subjects
from tap import PATIENCE, Mismatch

LAST = matrix.versions()[-1]
# What only /proc knows, or what the last time that the runtime noted is a bound of.
MORE = {"cwd", "rss_bytes", "peak_rss_bytes", "cpu_ns", "cgroup", "container", "limits", "files", "started_at", "ns_pid",
        "waiting_ns", "runnable_ns", "unchanged_ns", "stopped_ns", "asleep_ns"}


def limit_cores(limit=None):
    """As far as this process may; None: no limit."""
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (most if limit is None else limit, most))


@contextlib.contextmanager
def crashing(handler, way, version=LAST, mode="default", crowd="5", busy="0", **options):
    """A program that dies once it is told. own: a copy of it, as other tests may crash the same file meanwhile."""
    program = subjects.build("crash", version, mode)
    if options.get("own"):
        shared, program = program, os.path.join(handler.place, "crash-" + mode)
        if not os.path.exists(program):
            shutil.copy(shared, program)
    before = os.getcwd()
    limit_cores(options.get("limit"))
    os.chdir(options.get("folder", handler.work))
    try:
        with subjects.Subject([*options.get("prefix", ()), program, way, crowd, busy],
                              {"GOTRACEBACK": "crash"}) as subject:
            yield subject
    finally:
        os.chdir(before)


def die(subject):
    subject.process.stdin.write(b"\n")
    subject.process.stdin.flush()
    subject.process.wait(PATIENCE)


def crash(handler, way="nil-map", **options):
    """Its pid."""
    with crashing(handler, way, **options) as subject:
        die(subject)
        handler.quiet(1 if options.get("listens") else 0)
        if subject.process.returncode >= 0:
            raise Mismatch(f"it ended with status {subject.process.returncode}")
        return subject.pid


def written(folder):
    names = os.listdir(folder)
    if len(names) != 1:
        raise Mismatch(f"cores: {names}")
    return os.path.join(folder, names[0])


def agree(handler, document, path):
    """A document, and that of the core."""
    done = snapshot.gosnap("core", path)
    if done.returncode != 0:
        raise Mismatch(f"gosnap core: {done.stderr.decode()}")
    other = json.loads(done.stdout)
    found = [sentence for part in ("go", "fault", "groups", "goroutines", "objects", "threads", "process")
             for sentence in cores.differences(other.get(part), document.get(part), MORE, part)]
    if found:
        raise Mismatch(f"{len(found)} differences:\n" + "\n".join(found[:20]))
    if document["warnings"] != other["warnings"]:
        raise Mismatch(f"warnings {document['warnings']}, of the core {other['warnings']}")


def whole(handler, pid, path):
    if not filecmp.cmp(os.path.join(handler.place, f"stream.{pid}"), path, shallow=False):
        sent = os.path.getsize(os.path.join(handler.place, f"stream.{pid}"))
        raise Mismatch(f"the core is not what the kernel sent: {os.path.getsize(path)} of {sent} bytes\n"
                       f"{handlers.log(pid)}")
