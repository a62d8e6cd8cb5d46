# SPDX-License-Identifier: Apache-2.0
"""Reads the traceback that the Go runtime prints when a SIGQUIT ends a program.

With GOTRACEBACK=system nothing is hidden, runtime frames and wrappers neither
(showfuncinfo in runtime/traceback.go), and each physical frame says fp, sp and pc.
"""
import dataclasses
import re

HEADER = re.compile(r"^goroutine (?P<id>\d+)"
                    r"(?: gp=(?P<g>0x[0-9a-f]+) m=(?P<m>nil|-?\d+)(?: mp=(?P<mp>0x[0-9a-f]+))?)?"
                    r" \[(?P<state>[^\]]*)\](?P<rest>.*):$")
PLACE = re.compile(r"^\t(?P<file>.*):(?P<line>\d+)(?: \+(?P<offset>0x[0-9a-f]+))?"
                   r"(?: fp=(?P<fp>0x[0-9a-f]+) sp=(?P<sp>0x[0-9a-f]+) pc=(?P<pc>0x[0-9a-f]+))?$")
CREATED = re.compile(r"^created by (?P<function>.*?)(?: in goroutine (?P<parent>\d+))?$")
ELIDED = re.compile(r"^\.\.\.(?P<count>\d+|additional) frames elided\.\.\.$")


@dataclasses.dataclass
class Frame:
    function: str
    file: str
    line: int
    offset: int = 0
    inlined: bool = False
    words: str = ""               # between the parentheses of the call
    pc: int = None
    sp: int = None
    fp: int = None


@dataclasses.dataclass
class Goroutine:
    id: int
    status: str
    address: int = None
    machine: int = None
    scan: bool = False
    durable: bool = False
    leaked: bool = False
    minutes: int = 0
    locked: bool = False
    unavailable: bool = False     # running on another thread: no frames
    frames: list = dataclasses.field(default_factory=list)
    elided: object = None         # a number, or "additional": the older releases' word
    elided_after: int = None      # frames printed before those left out
    created_by: Frame = None
    parent: int = None


def _header(match):
    state, *more = match["state"].split(", ")
    g = Goroutine(int(match["id"]), state)
    if match["g"]:
        g.address = int(match["g"], 16)
        g.machine = None if match["m"] == "nil" else int(match["m"])
    for word in ("scan", "durable", "leaked"):
        suffix = f" ({word})"
        # "chan receive (durable)" is a wait reason of its own from 1.24 on: it is
        # taken off here and from gosnap's words alike.
        if suffix in g.status:
            g.status = g.status.replace(suffix, "")
            setattr(g, word, True)
    for word in more:
        if word == "locked to thread":
            g.locked = True
        elif word.endswith(" minutes"):
            g.minutes = int(word.split()[0])
        elif not word.startswith("synctest"):
            raise ValueError(f"unknown word in a goroutine's header: {word!r}")
    return g


def _frame(call, match):
    function, _, words = call.removesuffix(")").rpartition("(")
    frame = Frame(function, match["file"], int(match["line"]), int(match["offset"] or "0", 16))
    frame.words = words
    frame.inlined = words == "..." and match["pc"] is None
    if match["pc"]:
        frame.pc, frame.sp, frame.fp = (int(match[k], 16) for k in ("pc", "sp", "fp"))
    return frame


def parse(text):
    """The goroutines of a traceback, in its order. Goroutine 0 (a thread's own
    stack) comes along: who compares leaves it out."""
    found = []
    current = call = created = None
    for line in text.splitlines():
        header = HEADER.match(line)
        if header:
            current = _header(header)
            found.append(current)
            call = created = None
            continue
        if current is None:
            continue
        if line == "":
            current = call = created = None
            continue
        place = PLACE.match(line)
        if place and created:
            current.created_by = _frame(created["function"] + "()", place)
            current.parent = int(created["parent"]) if created["parent"] else None
            created = None
            continue
        if place and call:
            current.frames.append(_frame(call, place))
            call = None
            continue
        elided = ELIDED.match(line)
        created = CREATED.match(line)
        if "stack unavailable" in line:
            current.unavailable = True
        elif elided:
            current.elided = (int(elided["count"]) if elided["count"] != "additional"
                              else "additional")
            current.elided_after = len(current.frames)
        elif not created:
            call = line if line.endswith(")") else None
    return found


def short_name(function, minor):
    """A function's name as the traceback of go1.minor prints it (funcNamePiecesForPrint)."""
    if function == "runtime.gopanic":
        return "panic"
    opening, closing = function.find("["), function.rfind("]")
    if opening < 0 or closing <= opening:
        return function
    before, inside, after = function[:opening], function[opening + 1:closing], function[closing + 1:]
    if minor < 27 or "[" not in inside:
        return before + "[...]" + after
    # A generic method of a generic type has two pairs of brackets (1.27).
    depth, shut, opened = 1, -1, -1
    for k, c in enumerate(inside):
        if c == "[":
            depth += 1
            if depth == 1:
                opened = k
                break
        elif c == "]":
            depth -= 1
            if depth < 0:
                break
            if depth == 0:
                shut = k
    if depth == 1 and opened > shut >= 0:
        return f"{before}[...]{inside[shut + 1:opened]}[...]{after}"
    if depth == 1 and shut < 0 and opened < 0:
        return before + "[...]" + after
    return function
