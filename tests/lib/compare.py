# SPDX-License-Identifier: Apache-2.0
"""Compares a document with the runtime's own traceback and with what subjects said.

Each function yields a sentence for every difference: no sentence, no difference.
"""
import dataclasses
import re

import gotrace
import snapshot


@dataclasses.dataclass
class Counts:
    goroutines: int = 0
    frames: int = 0
    inlined: int = 0
    words: int = 0
    created: int = 0
    records: int = 0
    recorded: int = 0
    unavailable: int = 0
    shown: int = 0
    stripped: bool = False  # not counted: C has lost names
    works: bool = False     # not counted: what no longer counts in a frame may change

    def __str__(self):
        words = {"goroutines": "goroutines", "frames": "frames", "inlined": "of them inlined",
                 "words": "of them with words", "created": "creators", "unavailable": "running elsewhere",
                 "records": "statements", "recorded": "frames stated",
                 "shown": "frames as people see them"}
        return "compared " + (", ".join(f"{getattr(self, k)} {w}" for k, w in words.items()
                                        if getattr(self, k)) or "nothing")


def go_frames(goroutine):
    """The frames that the runtime knows of: C functions are not among them, nor Go's own
    that lie between them on the thread's stack, nor what was called since it was told of a
    system call."""
    frames = goroutine["frames"]
    if "argument_words" in goroutine:
        frames = [dict(f, argument_words=w) for f, w in zip(frames, goroutine["argument_words"])]
    return [f for f in frames if f.get("language", "go") != "c"
            and f.get("kind") not in ("cgo", "syscall")]


def describe(f):
    if isinstance(f, gotrace.Frame):
        pc = f" pc={f.pc:#x}" if f.pc is not None else ""
        return (f"{f.function}({f.words}) {f.file}:{f.line}"
                f"{' (inlined)' if f.inlined else f' +{f.offset:#x}'}{pc}")
    return (f"{f.get('function')}({f.get('argument_words') or ''}) {f.get('file')}:{f.get('line')}"
            + (" (inlined)" if f.get("inlined") else f" +{f.get('offset')} pc={f.get('pc')}")
            + (" hidden" if f.get("hidden") else ""))


def number(value):
    """An offset may be a number or, like an address, a string."""
    return int(value, 16) if isinstance(value, str) else value


def preempted_line(callee, minor):
    """Up to 1.20 the runtime takes the pc where it preempted a goroutine for a return
    address, and looks its line up one byte before. gosnap gives the line of the pc."""
    return minor <= 20 and callee is not None and callee.function == "runtime.asyncPreempt"


def words_that_count(words):
    """Without the values that the traceback marks as no longer live."""
    return re.sub(r"0x[0-9a-f]+\?", "?", words)


WORD = re.compile(r"0x[0-9a-f]+|redacted")


def is_redacted(word):
    """Eight letters, which gosnap-redact(5) takes for a part of a text, or the number of a
    payment card."""
    if not word.startswith("0x"):
        return False
    if len(word) == 18 and all(32 <= byte < 127 for byte in bytes.fromhex(word[2:])):
        return True
    digits = [int(digit) for digit in reversed(str(int(word, 16)))]
    return 13 <= len(digits) <= 19 and digits[-1] in range(2, 7) and sum(
        digit if i % 2 == 0 else 2 * digit - 9 * (digit > 4) for i, digit in enumerate(digits)
    ) % 10 == 0


def with_redacted(ours, theirs):
    """Ours, with the words that are redacted for what they are alone: dead words may be a piece
    of anything."""
    found, wanted = WORD.findall(ours), WORD.findall(theirs)
    if len(found) != len(wanted):
        return ours
    words = [other if word == "redacted" and is_redacted(other) else word
             for word, other in zip(found, wanted)]
    between = WORD.split(ours)
    return "".join(a + b for a, b in zip(between, [*words, ""]))


def same_words(ours, theirs, works, preempted, earlier):
    ours = with_redacted(ours, theirs)
    if earlier:  # the collector may have moved the stack since, and what points into it
        ours, theirs = (re.sub(r"0x[0-9a-f]+", "0x", w) for w in (ours, theirs))
    if preempted:  # which values are live is looked up there, too
        ours, theirs = ours.replace("?", ""), theirs.replace("?", "")
    return ours == theirs or (works and words_that_count(ours) == words_that_count(theirs))


def same_frame(ours, theirs, minor, callee=None, works=False, earlier=False):
    if gotrace.short_name(ours.get("function", "?"), minor) != theirs.function:
        return False
    if ours.get("file") != theirs.file:
        return False
    if ours.get("line") != theirs.line and not preempted_line(callee, minor):
        return False
    if bool(ours.get("inlined")) != theirs.inlined:
        return False
    if not same_words(ours.get("argument_words") or "", theirs.words, works,
                      preempted_line(callee, minor), earlier):
        return False
    if theirs.inlined:
        return True
    if number(ours.get("offset", 0)) != theirs.offset:
        return False
    if theirs.pc is not None:
        if snapshot.address(ours.get("pc", "0")) != theirs.pc:
            return False
        if "entry" in ours and snapshot.address(ours["entry"]) != theirs.pc - theirs.offset:
            return False
    return True


def same_call(ours, theirs, minor):
    """A call that told the runtime of a system call: where it was then, the runtime says, and
    where it is now, gosnap."""
    return gotrace.short_name(ours.get("function", "?"), minor) == theirs.function \
        and ours.get("file") == theirs.file and not ours.get("inlined") and not theirs.inlined \
        and same_words((ours.get("argument_words") or "").replace("?", ""),
                       theirs.words.replace("?", ""), False, False, True)


def cut(ours, theirs, minor, shown):
    """The part of a document's frames that the traceback prints, by the release's
    rule, or a sentence that says why the lengths cannot agree. shown: the traceback
    is one that leaves out what a document calls hidden."""
    if shown and minor < 19:
        # An inlined call is shown when the function that it is in is (seen in 1.15).
        ours = by_physical(ours)

    def visible(frames):
        return [f for f in frames if not (shown and f.get("hidden"))] or frames

    if minor < 21:
        # 100 physical frames, and a word about more of them when that made 100 lines.
        seen = end = 0
        while end < len(ours) and seen < 100:
            seen += not ours[end].get("inlined")
            end += 1
        part = visible(ours[:end])
        if (len(part) == 100) != (theirs.elided == "additional"):
            return part, f"{len(part)} frames, the traceback says {theirs.elided} elided"
        return part, None
    part = visible(ours)
    if theirs.elided is None:
        return part, None
    # The 50 innermost, a count, the 50 outermost.
    inner = theirs.elided_after
    outer = len(theirs.frames) - inner
    if (inner, outer) != (50, 50) or len(part) != inner + theirs.elided + outer:
        return part, (f"{len(part)} frames, the traceback has {inner} + "
                      f"{theirs.elided} elided + {outer}")
    return part[:inner] + part[len(part) - outer:], None


def by_physical(frames):
    outer, result = None, []
    for f in reversed(frames):
        if not f.get("inlined"):
            outer = f
        result.insert(0, dict(f, hidden=outer.get("hidden")) if f is not outer else f)
    return result


def frames(ours, theirs, minor, counts, shown=False):
    """ours: frames of a document; theirs: a goroutine of the traceback."""
    in_call = theirs.status == "syscall"
    part, problem = cut(ours, theirs, minor, shown)
    if problem:
        yield problem
        return
    for i, (a, b) in enumerate(zip(part, theirs.frames)):
        callee = theirs.frames[i - 1] if i > 0 else None
        if not same_frame(a, b, minor, callee, counts.works, shown) and not (
                i == 0 and in_call and same_call(a, b, minor)):
            yield f"frame {i}: gosnap {describe(a)}; the runtime {describe(b)}"
            return
        counts.frames += 1
        counts.inlined += b.inlined
        counts.words += b.words not in ("", "...")
    if len(part) != len(theirs.frames):
        longer = part if len(part) > len(theirs.frames) else theirs.frames
        more = longer[min(len(part), len(theirs.frames))]
        yield (f"{len(part)} frames, the traceback has {len(theirs.frames)}; "
               f"the first too many: {describe(more)}")


def creators(document, theirs, minor, entries, counts, shown):
    """created by, of one goroutine."""
    ours = document.get("created_by")
    if theirs.created_by is None:
        # The main goroutine's creator is the start-up code, which the runtime does not
        # print, and people do not see the runtime's own functions.
        if ours and document["id"] != 1 and not (
                shown and re.match(r"runtime\.[^A-Z]", ours.get("function", "?"))):
            yield f"created by {ours.get('function')}, the traceback names nobody"
        return
    if not ours:
        yield f"created by nobody, the traceback says {theirs.created_by.function}"
        return
    b = theirs.created_by
    name = gotrace.short_name(ours.get("function", "?"), minor if minor >= 21 else 0)
    if (name, ours.get("file"), ours.get("line")) != (b.function, b.file, b.line):
        yield (f"created by {ours.get('function')} {ours.get('file')}:{ours.get('line')}, "
               f"the traceback says {describe(b)}")
    pc = snapshot.address(ours["pc"]) if "pc" in ours else None
    offset = number(ours["offset"]) if "offset" in ours else None
    if offset is None and pc is not None and ours.get("function") in entries:
        offset = pc - entries[ours["function"]]
    if offset is not None and offset != b.offset:
        yield f"created by {ours.get('function')} +{offset:#x}, the traceback says {b.offset:#x}"
    if pc is None:
        yield "created by has no pc"
    elif entries.setdefault(ours.get("function"), pc - b.offset) != pc - b.offset:
        yield f"created by {ours.get('function')} pc {pc:#x} does not fit its offset {b.offset:#x}"
    if minor >= 21 and ours.get("goroutine") != theirs.parent:
        yield f"created by goroutine {ours.get('goroutine')}, the traceback says {theirs.parent}"
    counts.created += 1


def goroutine(document, ours, theirs, minor, entries, counts, shown):
    if snapshot.status(ours) != theirs.status:
        yield f"is in {snapshot.status(ours)!r}, the traceback says {theirs.status!r}"
    if bool(ours.get("locked")) != theirs.locked:
        yield f"locked: {bool(ours.get('locked'))}, the traceback says {theirs.locked}"
    minutes = ours.get("waiting_ns", 0) // 60_000_000_000
    if theirs.minutes and not theirs.minutes - 1 <= minutes <= theirs.minutes:
        yield f"waits {minutes} minutes, the traceback says {theirs.minutes}"
    if not theirs.minutes and minutes:
        yield f"waits {minutes} minutes, the traceback says none"
    if theirs.address is not None and snapshot.address(ours["address"]) != theirs.address:
        yield f"is at {ours['address']}, the traceback says {theirs.address:#x}"
    if theirs.machine is not None:
        thread = document.threads.get(ours.get("thread"))
        if thread is None or thread.get("m") != theirs.machine:
            yield f"is on thread {ours.get('thread')}, the traceback says m={theirs.machine}"
    if theirs.unavailable:
        counts.unavailable += 1
    else:
        yield from frames(go_frames(ours), theirs, minor, counts, shown)
        if snapshot.proof(ours["unwind"])[0] != "complete":
            yield f"is {ours['unwind']}, the traceback is whole"
        used = ours.get("stack", {}).get("used_bytes")
        physical = [f for f in theirs.frames if f.sp is not None]
        if used is not None and physical and ours["status"] not in ("running", "syscall"):
            if snapshot.address(ours["stack"]["high"]) - used != physical[0].sp:
                yield f"uses {used} bytes of {ours['stack']}, the traceback has sp={physical[0].sp:#x}"
    yield from creators(ours, theirs, minor, entries, counts, shown)


def with_shown(document, facts, minor, counts):
    """What runtime.Stack said before the snapshot leaves frames and goroutines out: what the
    document calls hidden and system must be these. Yields as with_traceback does."""
    if "shown" not in facts:
        return
    seen = Counts()
    for system, sentence in with_traceback(document, facts["shown"], minor, seen, True,
                                           facts["shown_by"]):
        yield system, "as people see it, " + sentence
    counts.shown += seen.frames
    if not seen.frames:
        yield False, "nothing was compared with what people see"


def with_traceback(document, text, minor, counts, shown=False, moved=None):
    """Yields (is it a system goroutine, sentence) for all that differs. shown: the
    traceback leaves out system goroutines and hidden frames. moved: the id of a goroutine
    that went on after the traceback."""
    entries = {f["function"]: snapshot.address(f["entry"])
               for g in document.goroutines.values() for f in go_frames(g)
               if "entry" in f and not f.get("inlined")}
    theirs = {g.id: g for g in gotrace.parse(text) if g.id != 0}
    theirs.pop(moved, None)
    for id_, ours in document.goroutines.items():
        if id_ not in theirs and id_ != moved and ours["status"] != "dead" and not (shown and ours.get("system")):
            yield bool(ours.get("system")), f"goroutine {id_} is not in the traceback"
    for id_, g in theirs.items():
        ours = document.goroutines.get(id_)
        if ours is None:
            system = not g.frames or g.frames[-2 if len(g.frames) > 1 else -1] \
                .function.startswith("runtime.")
            yield system, f"goroutine {id_} [{g.status}] is missing"
            continue
        counts.goroutines += 1
        if shown and ours.get("system"):
            yield False, f"goroutine {id_} is called a system one, the traceback shows it"
        for sentence in goroutine(document, ours, g, minor, entries, counts, shown):
            yield bool(ours.get("system")), f"goroutine {id_} [{g.status}]: {sentence}"


def standard(function):
    """A function of the runtime or the standard library, in whose code goroutines park."""
    return "._Cfunc_" in function or not function.startswith(("main.", "subjects/", "_cgoexp"))


def missing_in_order(names, frames, stripped=False):
    """The first of names that is not among frames, behind those before it. Stripped: where
    C has kept no name, any of its names may stand."""
    # gcc gives a part or a special form of a function a suffix.
    found = iter([re.sub(r"\.(constprop|isra|part|cold)\b.*", "", f.get("function", "?"))
                  for f in frames])
    return next((n for n in names
                 if not any(f == n or (stripped and f == "?" and "." not in n)
                            for f in found)), None)


def with_thread(document, record, counts):
    """What C said of a thread: its functions are on the thread's stack, or on the
    stack of its goroutine, in this order."""
    who = f"thread {record['tid']} ({record['name']})"
    thread = document.threads.get(record["tid"])
    if thread is None:
        yield f"{who} is missing"
        return
    stack = thread.get("frames", [])
    if record["goid"]:
        stack = stack + document.goroutines.get(record["goid"], {}).get("frames", [])
    missing = missing_in_order(record["c"], stack, counts.stripped)
    if missing:
        yield (f"{who} says {record['c']}: {missing} is missing or out of order in "
               f"{[f.get('function') for f in stack]}")
    if snapshot.proof(thread.get("unwind"))[0] != "complete":
        yield f"{who} is {thread.get('unwind')}"
    counts.recorded += len(record["c"])
    counts.records += 1


def with_record(document, record, minor, counts):
    """One goroutine's own statement against the document."""
    if record.get("c"):
        yield from with_thread(document, record, counts)
    if not record["goid"]:
        return
    who = f"goroutine {record['goid']} ({record['name']})"
    ours = document.goroutines.get(record["goid"])
    if ours is None:
        yield f"{who} is missing"
        return
    if record.get("wait") and snapshot.status(ours) not in record["wait"]:
        yield f"{who} is in {snapshot.status(ours)!r}, it said {record['wait']}"
    # A goroutine that is parked is on no thread, even if wired to one.
    if record.get("tid") and ours.get("thread", record["tid"]) != record["tid"]:
        yield f"{who} is on thread {ours.get('thread')}, it said {record['tid']}"
    if snapshot.proof(ours["unwind"])[0] != "complete":
        yield f"{who} is {ours['unwind']}"
    # runtime.Callers leaves wrappers out, and the statement was made before the
    # goroutine went into the runtime. Everything else must be there, outermost first.
    rest = go_frames(ours)
    for said in reversed(record["frames"]):
        while rest and not stated(rest[-1], said, minor) and rest[-1].get("hidden"):
            rest.pop()
        if not rest or not stated(rest[-1], said, minor):
            found = describe(rest[-1]) if rest else "nothing"
            yield f"{who}: it said {said}, gosnap has {found}"
            return
        rest.pop()
        counts.recorded += 1
    inner = next((f for f in rest if not standard(f.get("function", "?"))), None)
    if inner is not None and not record.get("deeper"):
        yield f"{who}: {describe(inner)} is deeper than it said"
        return
    counts.records += 1


def stated(frame, said, minor):
    # CallersFrames shortens names of generic functions (from 1.21 on), but not gopanic's.
    name = frame.get("function", "?")
    if name != said["function"] and (
            gotrace.short_name(name, minor) != gotrace.short_name(said["function"], minor)):
        return False
    # A function that the goroutine was yet to call: its lines are unknown.
    if not said.get("file"):
        return True
    return (frame.get("file") == said["file"] and frame.get("line") == said["line"]
            and bool(frame.get("inlined")) == bool(said.get("inlined")))


def running(document, callers, tally):
    """The invariants of a program that runs while one looks. tally counts what was met.
    callers: function of the subject -> the one that calls it, "" for one that nobody calls."""
    for g in document.goroutines.values():
        who = f"goroutine {g['id']} [{snapshot.status(g)}]"
        how, reason = snapshot.proof(g["unwind"])
        tally[how] += 1
        if how != "complete":
            tally[f"{how}: {reason}"] += 1
            continue
        stack = go_frames(g)
        if not stack or stack[-1].get("function") != "runtime.goexit":
            yield f"{who} is complete, but does not end in runtime.goexit: {names(stack)}"
            continue
        path = [base(f["function"], callers) for f in stack
                if f.get("function", "").startswith("main.") and not f.get("hidden")]
        path = [f for i, f in enumerate(path) if i == 0 or path[i - 1] != f]
        for inner, outer in zip(path, path[1:] + [""]):
            if callers.get(inner) != outer:
                yield f"{who}: {inner} was not called by {outer or 'nobody'}: {names(stack)}"
                break
        else:
            tally["path"] += bool(path)
        if path == ["main.spinOuter"] and stack[0].get("offset"):
            yield f"{who}: main.spinInner is missing: {names(stack)}"
        thread = document.threads.get(g.get("thread"))
        if g["status"] == "running":
            if thread is None:
                yield f"{who} is on no thread"
            else:
                tally["running, thread on " + thread.get("stack_kind", "?")] += 1
    for t in document.threads.values():
        how, reason = snapshot.proof(t.get("unwind"))
        tally["thread " + how] += 1
        if how != "complete":
            tally[f"thread {how}: {reason}"] += 1
        tally["on " + t.get("stack_kind", "?")] += 1


def names(stack):
    return [f.get("function") for f in stack]


def base(function, callers):
    """The function that a closure stands in."""
    while function not in callers and "." in function[5:]:
        function = function.rpartition(".")[0]
    return function
