#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents for tests of the reader and the viewer, without a process.

sample_document.py           the whole small one
sample_document.py many N    one with N goroutines in few groups, streamed
"""
import json
import sys


def frame(function, file, line, pc, **more):
    return {"function": function, "file": file, "line": line, "pc": hex(pc), "language": "go",
            **more}


GO = "/usr/lib/go-1.24/src"
PARK = frame("runtime.gopark", f"{GO}/runtime/proc.go", 435, 0x43ac8e, hidden=True)
SEND = [PARK,
        frame("runtime.chansend", f"{GO}/runtime/chan.go", 285, 0x4087c5, hidden=True),
        frame("runtime.chansend1", f"{GO}/runtime/chan.go", 161, 0x4083a7, hidden=True),
        frame("main.(*pool).submit", "/src/checkout/pool.go", 41, 0x7a1c45),
        frame("main.(*server).order", "/src/checkout/server.go", 88, 0x7a2210, inlined=True),
        frame("net/http.(*conn).serve", f"{GO}/net/http/server.go", 2102, 0x6be1f2)]
LOCK = [PARK,
        frame("sync.runtime_SemacquireMutex", f"{GO}/runtime/sema.go", 95, 0x46e1a5),
        frame("sync.(*Mutex).Lock", f"{GO}/sync/mutex.go", 46, 0x47f2a1),
        frame("github.com/acme/ledger.(*Book).Post",
              "/home/build/go/pkg/mod/github.com/acme/ledger@v1.4.2/internal/book/post.go", 212,
              0x7c0011)]
RUN = [frame("main.busy", "/src/checkout/main.go", 70, 0x7a3000, kind="asyncpreempt")]
DEEP = [frame("main.descend", "/src/checkout/tree.go", 12, 0x7a4000)] * 9998 + \
       [frame(f"main.step{i}", "/src/checkout/tree.go", 20 + i, 0x7a5000 + i) for i in range(99)]
SCAVENGE = [PARK, frame("runtime.bgscavenge", f"{GO}/runtime/mgcscavenge.go", 658, 0x42a001)]


def created(function, line, goroutine):
    return {"function": function, "file": "/src/checkout/main.go", "line": line,
            "pc": "0x7a0100", "goroutine": goroutine}


def goroutine(number, group, status, reason=None, waited=None, system=False, by=None, **more):
    g = {"id": number, "address": hex(0xc000002000 + number * 0x200), "status": status,
         "system": system, "group": group,
         "stack": {"low": "0xc000100000", "high": "0xc000102000", "size_bytes": 8192,
                   "used_bytes": 1234},
         "unwind": {"status": "complete"}}
    if reason:
        g["wait_reason"] = reason
    if waited is not None:
        g["waiting_ns"] = waited
    if by:
        g["created_by"] = by
    return {**g, **more}


MINUTE = 60 * 10**9


def small():
    """Every kind of thing that the viewer has words for."""
    by = created("main.main", 30, 1)
    goroutines = [goroutine(1, 2, "running", thread=4711, locked=True)]
    goroutines += [goroutine(i, 0, "waiting", "chan send", (11 + i % 2) * MINUTE, by=by)
                   for i in range(18, 30)]
    goroutines += [goroutine(40, 1, "waiting", "semacquire", 12 * MINUTE, by=by),
                   goroutine(41, 1, "waiting", "semacquire", 3 * 3600 * 10**9,
                             by=created("main.other", 31, 1)),
                   goroutine(50, 3, "runnable",
                             unwind={"status": "lost", "reason": "no frame size for 0x7a5062"}),
                   goroutine(4, 4, "waiting", "GC scavenge wait", None, system=True)]
    stacks = [(0, SEND), (1, LOCK), (2, RUN), (3, DEEP), (4, SCAVENGE)]
    groups = [{"id": n, "count": len(ids), "goroutines": ids, "frames": frames}
              for n, frames in stacks
              for ids in [[g["id"] for g in goroutines if g["group"] == n]]]
    threads = [
        {"id": 4711, "name": "checkout", "state": "R", "m": 0, "p": 2,
         "goroutine": 1, "stack_kind": "goroutine", "cpu_ns": 81000000,
         "registers": {"rip": "0x7a3000", "rsp": "0xc000101e00", "rbp": "0xc000101e20"},
         "unwind": {"status": "complete"}},
        {"id": 4712, "name": "checkout", "state": "S", "m": 1, "stack_kind": "g0",
         "wchan": "futex_wait_queue",
         "frames": [frame("runtime.futex", f"{GO}/runtime/sys_linux_amd64.s", 558, 0x47a3c3)],
         "unwind": {"status": "complete"}},
        {"id": 4715, "name": "poller", "state": "S", "stack_kind": "c",
         "frames": [{"function": "epoll_wait", "object_file": "/lib/x86_64-linux-gnu/libc.so.6",
                     "pc": "0x7f12aa0fe2b0", "language": "c", "hidden": True},
                    {"pc": "0x7f12aa000010", "object_file": "/opt/lib/libpoll.so", "language": "c",
                     "hidden": True}],
         "unwind": {"status": "lost", "reason": "no unwind information at 0x7f12aa000010"}}]
    frames = sum(len(dict(stacks)[g["group"]]) for g in goroutines)
    return {
        "format": "gosnap", "version": 1,
        "snapshot": {"id": "6e0bd0ba-54a0-4d34-9f36-0d2bb75a4c6a",
                     "taken_at": "2026-11-21T03:12:05.123456789Z", "host": "shop-3",
                     "kernel": "6.1.0-28-amd64", "arch": "amd64",
                     "tool": {"name": "gosnap", "version": "0.1.0"}, "source": "live", "consistency": "stopped",
                     "pause_ns": 2134567, "layout": "table go1.24 amd64"},
        "trigger": {"kind": "manual"},
        "process": {"pid": 4711, "ppid": 1, "exe": "/usr/local/bin/checkout", "uid": 33,
                    "gid": 33, "started_at": "2026-11-20T22:00:00.000000000Z",
                    "rss_bytes": 104857600},
        "go": {"version": "go1.24.4", "module": "example.com/checkout"},
        "findings": [
            {"kind": "lock_cycle", "severity": "critical", "affected": 2, "goroutines": [40, 41],
             "text": "2 goroutines wait for each other: a deadlock; goroutine 40 waits for mutex "
                     "0xc00012a0c8, which goroutine 41 locked.",
             "advice": "Take these locks in the same order everywhere."},
            {"kind": "lock_held", "severity": "info", "text": "12 goroutines wait to send."}],
        "groups": groups, "threads": threads, "goroutines": goroutines,
        "warnings": [{"where": "thread 4715",
                      "what": "its C stack could not be followed to its end"}],
        "end": {"goroutines": len(goroutines), "frames": frames, "variables": 0,
                "document_bytes": 123456, "elapsed_ns": 31000000}}


def lines(document):
    """As gosnap writes: a line for each top-level member and each element."""
    def pack(value):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    members = []
    for key, value in document.items():
        if isinstance(value, list) and value:
            value = "[\n" + ",\n".join(pack(element) for element in value) + "\n]"
        else:
            value = pack(value)
        members.append(f"{pack(key)}:{value}")
    return "{\n" + ",\n".join(members) + "\n}\n"


def write_many(n, out, own=False):
    """n goroutines with the stacks of the small one, or each with one of its own, never held all at once."""
    document = small()
    document["groups"] = [{"id": i, "count": len(range(i, n, 3)),
                           "goroutines": list(range(1 + i, n + 1, 3)), "frames": frames}
                          for i, frames in enumerate((SEND, LOCK, RUN))]
    if own:
        document["groups"] = [{"id": i, "count": 1, "goroutines": [i + 1],
                               "frames": [{**f, "pc": hex(i)} for f in LOCK]} for i in range(n)]
    document["goroutines"] = ["HERE"]
    document["end"]["goroutines"] = n
    document["end"]["frames"] = sum(g["count"] * len(g["frames"]) for g in document["groups"])
    before, after = lines(document).split('"HERE"')
    out.write(before)
    for i in range(n):
        out.write(json.dumps(goroutine(i + 1, i if own else i % 3, "waiting", "chan send", i * MINUTE)))
        out.write(",\n" if i + 1 < n else "")
    out.write(after)


if __name__ == "__main__":
    if sys.argv[1:2] == ["many"]:
        write_many(int(sys.argv[2]), sys.stdout)
    else:
        sys.stdout.write(lines(small()))
