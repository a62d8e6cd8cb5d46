# SPDX-License-Identifier: Apache-2.0
"""A core read without its executable, against the same core read with it."""
import collections
import itertools
import json
import tempfile

import snapshot
from tap import Mismatch

# Equal without names. waiting_for: but for NAMES.
FACTS = "address", "status", "wait_reason", "thread", "locked", "stack"
FAULT = "kind", "goroutine", "thread"
NAMES = {"element_type"}
CLOCK = {"when"}  # found by the code of the scheduler, and no core has another
LOCK_BYTES = 16
INJECTED = {"runtime.sigpanic", "runtime.sigpanic0", "runtime.asyncPreempt"}


def read(path, *options):
    with tempfile.TemporaryDirectory() as nothing:
        done = snapshot.gosnap("core", "--stacks", *options, "--root", nothing, path)
    if done.returncode != 0:
        raise Mismatch(f"without the executable: status {done.returncode}: {done.stderr.decode()}")
    snapshot.load(done.stdout)
    return json.loads(done.stdout)


def frames_of(document):
    """Those of each goroutine that are on its stack, by id."""
    frames = {g["id"]: [f for f in g["frames"] if not f.get("inlined")] for g in document["groups"]}
    return {g["id"]: frames[g["group"]] for g in document["goroutines"]}


def hidden(frames, waits):
    """Indexes of callers that a function without a frame hides: of the innermost, unless the goroutine
    waits, and of one that seems to call what a signal's handler injected."""
    return {i + 2 for i, f in enumerate(frames) if f.get("function") in INJECTED} | \
        (set() if waits else {1})


CALLBACK = {"runtime.cgocallback", "runtime.cgocallback_gofunc"}


def comparable(frames, unwind):
    """Those that frame pointers lead to: up to where C called, which uses them for something else, and
    not the last ones if there was a limit."""
    calls = [i for i, f in enumerate(frames) if f.get("function") in CALLBACK]
    end = calls[0] + 1 if calls else len(frames) - 2 * (unwind["status"] == "truncated")
    return frames[:end]


def subsets(numbers):
    return (set(s) for n in range(len(numbers) + 1) for s in itertools.combinations(numbers, n))


def stack_differs(whole, nameless, waits, part):
    """part: the other goes on."""
    if any("repeated" in f for f in whole):
        return {f["pc"] for f in whole} != {f["pc"] for f in nameless}
    if any("function" in f for f in nameless):
        return [f["pc"] for f in whole] != [f["pc"] for f in nameless]
    found = [f["pc"] for f in nameless]
    for lacking in subsets(hidden(whole, waits)):
        pcs = [f["pc"] for i, f in enumerate(whole) if i not in lacking]
        if pcs == (found[:len(pcs)] if part else found):
            return False
    return True


def wait_of(goroutine):
    """A type has a name."""
    return json.loads(json.dumps(goroutine.get("waiting_for")), object_hook=lambda found: {
        k: v for k, v in found.items() if k not in NAMES | CLOCK})


def wait_differs(whole, nameless):
    """Which lock a semaphore is part of, releases without a wait reason for it tell by its callers."""
    theirs, ours = wait_of(whole), wait_of(nameless)
    if whole.get("wait_reason") == "semacquire" and ours and ours["kind"] == "semaphore":
        return not 0 <= int(ours["address"], 16) - int(theirs["address"], 16) <= LOCK_BYTES
    return theirs != ours


def goroutine_differences(whole, nameless):
    for key in FACTS:
        if whole.get(key) != nameless.get(key):
            yield f"goroutine {whole['id']}: {key} is {nameless.get(key)}, not {whole.get(key)}"
    # Of the same clock.
    if nameless.get("waiting_ns", 0) > whole.get("waiting_ns", 0):
        yield f"goroutine {whole['id']}: {nameless['waiting_ns']}, not {whole.get('waiting_ns')} ns"
    if not whole["system"] and wait_differs(whole, nameless):
        yield f"goroutine {whole['id']}: waits for {wait_of(nameless)}, not {wait_of(whole)}"
    if nameless["system"] and not whole["system"]:
        yield f"goroutine {whole['id']} is the program's, not the runtime's"
    made, by = (g.get("created_by", {}) for g in (whole, nameless))
    if any(made.get(key) != by.get(key) for key in ("pc", "goroutine")):
        yield f"goroutine {whole['id']}: created by {by}, not {made}"


def partition(document, ids):
    groups = collections.defaultdict(set)
    for g in document["goroutines"]:
        if g["id"] in ids:
            groups[g["group"]].add(g["id"])
    return sorted(map(sorted, groups.values()))


def thread_differences(whole, nameless):
    for key in "m", "p", "goroutine", "stack_kind", "registers", "syscall":
        if whole.get(key) != nameless.get(key):
            yield f"thread {whole['id']}: {key} is {nameless.get(key)}, not {whole.get(key)}"


def warning_differences(document, build_id):
    said = [w["what"] for w in document["warnings"] if w["where"] in ("core", "executable", "layout", "memory")
            and "of its libraries" not in w["what"]]
    if len(said) != 1 or "Give it after the name of the core" not in said[0] or \
            build_id and f"build-id {build_id} " not in said[0]:
        yield f"warnings {document['warnings']}, build-id {build_id}"


def differences(whole, nameless, build_id=None, counts=None):
    """Sentences; build_id: that the core has. Adds to counts what was compared."""
    theirs, ours = ({g["id"]: g for g in d["goroutines"]} for d in (whole, nameless))
    if set(theirs) != set(ours):
        yield f"goroutines {sorted(ours)}, not {sorted(theirs)}"
        return
    frames, found = frames_of(whole), frames_of(nameless)
    equal = set()
    for number, goroutine in theirs.items():
        yield from goroutine_differences(goroutine, ours[number])
        stack = comparable(frames[number], goroutine["unwind"])
        whole_stack = len(stack) == len(frames[number])
        if stack_differs(stack, found[number], goroutine["status"] == "waiting", not whole_stack):
            yield f"goroutine {number}: stack {[f['pc'] for f in found[number]]}, not " \
                  f"{[(f['pc'], f.get('function')) for f in frames[number]]}"
        elif len(frames[number]) == len(found[number]):
            equal.add(number)
        # One that has just begun to run may have no frame yet.
        begins = goroutine["status"] != "waiting" and len(stack) == 2
        if whole_stack and not begins and ours[number]["unwind"] != goroutine["unwind"]:
            yield f"goroutine {number}: {ours[number]['unwind']}, not {goroutine['unwind']}"
    if partition(whole, equal) != partition(nameless, equal):
        yield f"groups {partition(nameless, equal)}, not {partition(whole, equal)}"
    threads = {t["id"]: t for t in nameless["threads"]}
    for thread in whole["threads"]:
        yield from thread_differences(thread, threads[thread["id"]])
    fault, told = (d.get("fault", {}) for d in (whole, nameless))
    for key in FAULT:
        if fault.get(key) != told.get(key):
            yield f"fault.{key} is {told.get(key)}, not {fault.get(key)}"
    if fault.get("signal") != told.get("signal"):
        yield f"fault.signal is {told.get('signal')}, not {fault.get('signal')}"
    if fault.get("kind") == "fatal error" and fault.get("message") != told.get("message"):
        yield f"fault.message is {told.get('message')!r}, not {fault.get('message')!r}"
    yield from warning_differences(nameless, build_id)
    if counts is not None:
        counts["goroutines"] += len(theirs)
        counts["stacks"] += len(equal)
