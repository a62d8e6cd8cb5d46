# SPDX-License-Identifier: Apache-2.0
"""Compares the variables of one stopped process as Delve and as gosnap have them."""
import collections
import difflib
import re
import struct

import delve

# What a variable of Delve's turns out to be. Those of READ have a value there; of the rest one
# of the two has none.
AGREES, DIFFERS, ONLY_DELVE = "agrees", "differs", "only Delve"
ONLY_US, NEITHER, COMPILERS = "only gosnap", "neither", "the compiler's"
LEFT_OUT = "left out"  # gosnap's budget for a goroutine was spent
READ = AGREES, DIFFERS, ONLY_DELVE

KINDS = ("invalid bool int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 "
         "float64 complex64 complex128 array chan func interface map pointer slice string struct "
         "unsafe.Pointer").split()

# A value that stands elsewhere, or has no room any more.
SHORT = {"name", "type", "kind", "address", "seen", "omitted", "limited_by", "embedded",
         "dead"}

Difference = collections.namedtuple("Difference", "path what theirs ours")


def short(value):
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."


def real(text, single):
    if text in ("NaN", "+Inf", "-Inf"):
        return text
    value = float(text)
    return struct.pack(">f" if single else ">d", value).hex()


def whole(text):
    """Delve names constants: "Second (1000000000)"."""
    return re.sub(r"^.* \((-?\d+)\)$", r"\1", text)


def text_of(ours):
    if ours.get("encoding") == "hex":
        return bytes.fromhex(ours["value"])
    return ours["value"].encode()


def is_read(ours):
    return "unreadable" not in ours and "optimized_out" not in ours


class Shown:
    """What a goroutine of gosnap's document has shown, for what it refers to later."""

    def __init__(self, frames):
        self.values = {}
        self.maps = {}
        for frame in frames:
            for variable in frame.get("arguments", []) + frame.get("locals", []):
                self._take(variable)

    def _take(self, value):
        if isinstance(value, list):
            for inside in value:
                self._take(inside)
        elif isinstance(value, dict):
            if "target" in value:
                self.values[value["to"], value["target"].get("type")] = value["target"]
            for inside in value.values():
                if isinstance(inside, (dict, list)):
                    self._take(inside)

    def target(self, pointer):
        """None: it was left out."""
        if "target" in pointer:
            return pointer["target"]
        return self.values.get((pointer["to"], pointer["type"].removeprefix("*")))

    def map(self, ours, address):
        if "seen" not in ours:
            self.maps[address, ours["type"]] = ours
            return ours
        return self.maps.get((address, ours["type"]))


class Pair:
    """One variable as both have it: how many values in it are equal, were left out by one of
    the two, or could not be read by Delve; and where they differ."""

    def __init__(self, shown):
        self.shown = shown
        self.equal = self.left_out = self.more = 0
        self.differences = []

    def differ(self, path, what, theirs, ours):
        self.differences.append(Difference(path, what, short(theirs), short(ours)))

    def same(self, path, what, theirs, ours):
        if theirs == ours:
            self.equal += 1
        else:
            self.differ(path, what, theirs, ours)

    def walk(self, path, theirs, ours):
        try:
            self._walk(path, theirs, ours)
        except KeyError as missing:
            self.differ(path, "shape", theirs["kind"], f"{missing}: {ours}")

    def _walk(self, path, theirs, ours):
        if theirs["unreadable"]:
            self.more += is_read(ours)
            return
        if not is_read(ours):
            self.differ(path, "unread", theirs["value"],
                        ours.get("unreadable", "optimized out"))
            return
        kind = KINDS[theirs["kind"]]
        if theirs["type"] != ours["type"]:
            self.differ(path, "type", theirs["type"], ours["type"])
        if theirs["onlyAddr"] or set(ours) <= SHORT:
            self.left_out += 1
        elif kind.startswith(("int", "uint")) and kind != "interface":
            self.same(path, "value", whole(theirs["value"]), str(ours["value"]))
        elif kind.startswith("float"):
            single = kind == "float32"
            self.same(path, "value", real(theirs["value"], single),
                      real(ours["value"], single))
        elif kind.startswith("complex"):
            single = kind == "complex64"
            self.same(path, "value", [real(c["value"], single) for c in theirs["children"]],
                      [real(ours[part], single) for part in ("real", "imag")])
        else:
            by_kind = {"bool": self.bool, "array": self.array, "slice": self.slice,
                       "string": self.string, "struct": self.struct, "pointer": self.pointer,
                       "unsafe.Pointer": self.address, "interface": self.interface,
                       "map": self.map, "chan": self.channel, "func": self.function}
            by_kind[kind](path, theirs, ours)

    def bool(self, path, theirs, ours):
        self.same(path, "value", theirs["value"], str(ours["value"]).lower())

    def string(self, path, theirs, ours):
        self.same(path, "length", theirs["len"], ours["len"])
        if theirs["StringValueBytes"]:
            self.left_out += 1  # it cuts strings in the middle of a character
            return
        text = theirs["value"].encode()
        if "\ufffd" in theirs["value"] and ours.get("encoding") == "hex":
            self.left_out += 1  # its JSON does not have all bytes
            return
        mine = text_of(ours)
        least = min(len(text), len(mine)) if "omitted" in ours else None
        self.same(path, "value", text[:least], mine[:least])

    def array(self, path, theirs, ours):
        self.same(path, "length", theirs["len"], ours["len"])
        mine = ours.get("elements", [])
        if "bytes" in ours:
            mine = [{"type": "uint8", "kind": "uint8", "value": b, "name": None}
                    for b in bytes.fromhex(ours["bytes"]) + bytes(ours.get("zeros", 0))]
        theirs = theirs["children"] or []
        self.left_out += len(theirs) != len(mine)
        for i, (one, other) in enumerate(zip(theirs, mine)):
            if "name" in other and one["type"] != "uint8":
                other["type"] = one["type"]  # of a byte's own type nothing is said
            self.walk(f"{path}[{i}]", one, other)

    def slice(self, path, theirs, ours):
        if ours.get("nil"):
            self.same(path, "nil", theirs["base"], 0)
            return
        if "cap" in ours:
            self.same(path, "capacity", theirs["cap"], ours["cap"])
        else:
            self.left_out += 1
        self.array(path, theirs, ours)

    def struct(self, path, theirs, ours):
        children = theirs["children"] or []
        fields = ours.get("fields", [])
        if len(children) != len(fields):
            self.left_out += 1
            if theirs["len"] != len(fields) and "omitted" not in ours:
                self.differ(path, "fields", theirs["len"], len(fields))
        for one, other in zip(children, fields):
            self.same(path, "field", one["name"].rpartition(".")[2], other["name"])
            self.walk(f"{path}.{one['name']}", one, other)

    def address(self, path, theirs, ours):
        to = theirs["children"][0]["addr"]
        self.same(path, "to", to, 0 if ours.get("nil") else int(ours["to"], 16))

    def pointer(self, path, theirs, ours):
        self.address(path, theirs, ours)
        inside = theirs["children"][0]
        if ours.get("nil") or int(ours["to"], 16) != inside["addr"]:
            return
        target = self.shown.target(ours)
        if inside["onlyAddr"] or target is None:
            self.left_out += 1
        else:
            self.walk("*" + path, inside, target)

    def interface(self, path, theirs, ours):
        inside = theirs["children"][0]
        empty = inside["kind"] == 0  # what it points to may be left from earlier
        if inside["unreadable"] and not ours.get("nil"):
            self.more += 1
            return
        self.same(path, "nil", empty, bool(ours.get("nil")))
        if empty or ours.get("nil"):
            return
        self.same(path, "dynamic type", inside["type"], ours["dynamic_type"])
        if inside["onlyAddr"] or "dynamic_value" not in ours:
            self.left_out += 1
        else:
            self.walk(f"{path}.(data)", inside, ours["dynamic_value"])

    def map(self, path, theirs, ours):
        if ours.get("nil"):
            self.same(path, "nil", theirs["base"], 0)
            return
        if "len" in ours:
            self.same(path, "length", theirs["len"], ours["len"])
        ours = self.shown.map(ours, theirs["base"])
        children = theirs["children"] or []
        if ours is None or (theirs["len"] and (not children or "entries" not in ours)):
            self.left_out += 1
            return
        entries = {e["key"].get("address"): e for e in ours.get("entries", [])}
        cut = "omitted" in ours or len(children) != 2 * theirs["len"]
        found = 0
        for key, value in zip(children[::2], children[1::2]):
            entry = entries.get(hex(key["addr"]))
            if entry:
                found += 1
                self.walk(f"{path}, key", key, entry["key"])
                self.walk(f"{path}[{short(key['value'])}]", value, entry["value"])
        if cut:
            self.left_out += 1
        else:
            self.same(path, "entries", len(children) // 2, found)
            self.same(path, "entries of gosnap", len(entries), found)

    def channel(self, path, theirs, ours):
        if ours.get("nil"):
            self.same(path, "nil", theirs["base"], 0)
            return
        if "len" not in ours:
            self.left_out += 1
            return
        fields = {c["name"]: c for c in theirs["children"] or []}
        self.same(path, "length", fields["qcount"]["value"], str(ours["len"]))
        self.same(path, "capacity", fields["dataqsiz"]["value"], str(ours["cap"]))
        self.same(path, "closed", fields["closed"]["value"] != "0", ours["closed"])
        buffer = fields["buf"]["children"][0]
        there = {c["addr"]: c for c in buffer["children"] or []}
        for i, element in enumerate(ours.get("elements", [])):
            at = there.get(int(element.get("address", "0x0"), 16))
            if at is None:
                self.left_out += 1
            else:
                self.walk(f"{path}, element {i}", at, element)

    def function(self, path, theirs, ours):
        mine = "" if ours.get("nil") else ours["function"]
        # The function table of Go 1.18 to 1.20 has no more of a generic function's name.
        said = shapeless(theirs["value"]) if "[...]" in mine else theirs["value"]
        self.same(path, "function", said, mine)


def shapeless(name):
    """main.f[go.shape.int_0] as main.f[...]."""
    depth, kept = 0, ""
    for c in name:
        depth += c == "["
        if depth == 0:
            kept += c
        elif depth == 1 and c == "[":
            kept += "[...]"
        depth -= c == "]"
    return kept


def told(theirs):
    """What Delve has, in the form of a statement, where that is simple; else None."""
    kind = KINDS[theirs["kind"]]
    if theirs["unreadable"]:
        return None
    if kind.startswith(("int", "uint")) and kind != "interface":
        return whole(theirs["value"])
    if kind == "bool":
        return theirs["value"]
    if kind == "string":
        return theirs["value"].encode().hex()
    if kind == "interface" and theirs["children"][0]["kind"] == 0:
        return "nil"
    if kind in ("slice", "map", "chan") and theirs["base"] == 0:
        return "nil"
    return None


def function_of(frame):
    return (frame.get("function") or {}).get("name", "?")


def matching(one, other):
    """Pairs of indexes of equal elements, in order."""
    matcher = difflib.SequenceMatcher(None, one, other, autojunk=False)
    return [(block.a + i, block.b + i) for block in matcher.get_matching_blocks()
            for i in range(block.size)]


def frames_of_both(theirs, ours):
    """Pairs of the same call: Delve's frame and gosnap's, None where it has none. The pc of one
    in a system call differs: gosnap has where the runtime was told of it."""
    one = [(shapeless(function_of(f)), f["pc"]) for f in theirs]
    other = [(shapeless(f.get("function", "?")), int(f["pc"], 16)) for f in ours]
    paired = dict(matching(one, other))
    a = b = 0
    for end_a, end_b in [*paired.items(), (len(one), len(other))]:
        names = [[f[0] for f in part] for part in (one[a:end_a], other[b:end_b])]
        paired.update({a + i: b + k for i, k in matching(*names)})
        a, b = end_a + 1, end_b + 1
    return [(frame, ours[paired[i]] if i in paired else None) for i, frame in enumerate(theirs)]


def is_compilers(name):
    """.dict, &.autotmp, x.len: what no source declares."""
    return "." in name or name in ("", "_") or name.startswith("~")


def one_variable(theirs, ours, shown):
    """(what it is, Pair)"""
    pair = Pair(shown)
    unread = bool(theirs["unreadable"])
    if ours is None:
        if is_compilers(theirs["name"]):
            return COMPILERS, pair
        return NEITHER if unread else ONLY_DELVE, pair
    if not is_read(ours):
        if not unread:
            pair.differ(theirs["name"], "unread", theirs["value"],
                        ours.get("unreadable", "optimized out"))
        return NEITHER if unread else ONLY_DELVE, pair
    if unread:
        return ONLY_US, pair
    pair.walk(theirs["name"], theirs, ours)
    return DIFFERS if pair.differences else AGREES, pair


class Result:
    """One variable of one frame, in both. frame: None when gosnap has no such call."""

    def __init__(self, goroutine, frame, theirs, ours, what, pair):
        self.goroutine, self.frame = goroutine, frame
        self.stated = False  # what gosnap has is what the subject says
        self.calls = False   # gosnap has no such call
        self.moved = False   # a parameter as it was before it went to the heap
        self.below = False   # its frame is not there yet, or no more
        self.theirs, self.ours, self.what, self.pair = theirs, ours, what, pair
        self.kind = KINDS[theirs["kind"]] if theirs else ours.get("kind", ours.get("type"))
        self.name = theirs["name"] if theirs else ours["name"]


def place(variable):
    return variable["name"], variable.get("DeclLine") or variable.get("declared_line", 0)


def variables_of(frame):
    """{(name, line): [variable]} of a frame of either."""
    found = collections.defaultdict(list)
    for member in ("Arguments", "Locals", "arguments", "locals"):
        for variable in frame.get(member) or []:
            found[place(variable)].append(variable)
    return found


def used_of(goroutine, thread):
    """Bytes of its stack that are in use now, if the thread that runs it stands on that stack."""
    stack = goroutine.get("stack", {})
    sp = int(thread.get("registers", {}).get("rsp", "0"), 16)
    if stack and int(stack["low"], 16) <= sp < int(stack["high"], 16):
        return int(stack["high"], 16) - sp
    return stack.get("used_bytes")


def is_below(location, frame, used):
    """Does each place of it lie below the stack pointer?"""
    places = [int(n, 16) for n in re.findall(r"DW_OP_fbreg (-?0x[0-9a-f]+)", location)]
    return bool(places) and used is not None and "DW_OP_reg" not in location and all(
        frame["FrameOffset"] + n < -used for n in places)


def compare_frame(goroutine, theirs, ours, shown):
    """A Result for each variable of either."""
    mine = variables_of(ours) if ours else {}
    for where, variables in variables_of(theirs).items():
        # Of a parameter that escaped Delve has what it was, too.
        variables.sort(key=lambda v: (bool(v["unreadable"]), not v["flags"] & delve.ESCAPED))
        others = sorted(mine.pop(where, []), key=lambda v: not is_read(v))
        moved = bool(variables[0]["flags"] & delve.ESCAPED)
        for i, variable in enumerate(variables):
            other = others[i] if i < len(others) else None
            what, pair = one_variable(variable, other, shown)
            if other is None and ours and "values_omitted_by" in ours:
                what = LEFT_OUT
            result = Result(goroutine, theirs, variable, other, what, pair)
            result.calls, result.moved = ours is None, moved and other is None
            yield result
        for other in others[len(variables):]:
            yield Result(goroutine, theirs, None, other, ONLY_US, None)
    for others in mine.values():
        for other in others:
            if is_read(other):
                yield Result(goroutine, theirs, None, other, ONLY_US, None)


def compare(pid, document):
    """Of a process that stands still, and a document of it with values and full frames.
    Returns (Delve's version, [Result], [sentence about a goroutine that one of them lacks])."""
    ours = {g["id"]: g for g in document["goroutines"]}
    # Its thread stands on a stack of its own, in front of the goroutine's.
    threads = {t["goroutine"]: t for t in document["threads"] if "goroutine" in t}
    results, lacking = [], []
    with delve.Delve(pid) as server:
        for goroutine in server.goroutines():
            if goroutine not in ours:
                lacking.append(f"goroutine {goroutine}: only Delve has it")
                continue
            try:
                frames = server.frames(goroutine)
            except delve.Failure as problem:
                lacking.append(f"goroutine {goroutine}: {problem}")
                continue
            thread = threads.get(goroutine, {})
            mine = thread.get("frames", []) + ours[goroutine].get("frames", [])
            used = used_of(ours[goroutine], thread)
            shown = Shown(mine)
            for frame, other in frames_of_both(frames, mine):
                for result in compare_frame(goroutine, frame, other, shown):
                    result.below = result.theirs is not None and is_below(
                        result.theirs["LocationExpr"], frame, used)
                    results.append(result)
        return server.version, results, lacking


# Why they differ, and who is right: the place in the test that shows it.
Verdict = collections.namedtuple("Verdict", "name right why test")

VALUES = "tests/values.test, "
STATED = Verdict("stated", "gosnap", "the test program states what gosnap has, or that it is not "
                 "what Delve has", VALUES + "variables of frames")
HOLE = Verdict(
    "hole", "gosnap", "the location list has no location for a word of the value: gosnap says so, "
    "Delve takes 0 for the word", VALUES + "variables of frames: any of main.closing is not nil")
TWICE = Verdict(
    "twice", "gosnap", "location lists of Go 1.16 to 1.21 have a word twice: Delve takes the second "
    "one for the next word", VALUES + "variables of frames: list of main.closing has two "
    "elements, at of main.renews is the third")
CONTRADICTS = Verdict(
    "contradicts", "nobody", "the location list has two different locations for a word, or "
    "describes a location in a way that gosnap does not support: gosnap says so, Delve takes the "
    "first ones", "")
SPENT = Verdict(
    "spent", "gosnap", "the pointer is no longer needed, and the memory that it points to was reused: "
    "gosnap says what is wrong with it, Delve shows it", VALUES + "variables that are not needed")
CALL = Verdict("call", "Delve", "the call is missing in gosnap", "")
SHAPE = Verdict(
    "shape", "gosnap", "the type in a generic function is the one in the caller's dictionary; Delve "
    "shows the shape that types share", VALUES + "generics")
MOVED = Verdict(
    "moved", "gosnap", "the parameter was moved to the heap; Delve also shows what was passed, as "
    "another variable of that name", VALUES + "variables of frames: main.moves")
PADDED = Verdict(
    "padded", "gosnap", "the struct is kept in pieces, and the location list has none for the "
    "padding: Delve takes the next piece for it", VALUES + "variables of frames: g of main.gaps")
REGISTER = Verdict(
    "register", "gosnap", "the value was in a register, and its function has called another one or "
    "is parked: Delve shows what the register has now, or 0", VALUES + "variables of frames: "
    "main.passed")
PREEMPTED = Verdict("preempted", "gosnap", "the value was in a register when its function was "
                    "preempted: Delve shows 0", VALUES + "registers of what was preempted")
BELOW = Verdict("below", "gosnap", "the function is at its first or last instruction and has no "
                "frame: Delve shows what is below the stack pointer",
                VALUES + "instruction by instruction")
PART = Verdict("part", "gosnap", "the compiler keeps only the part that is used, but the location "
               "list describes it as the whole variable: Delve shows unrelated memory behind it",
               VALUES + "variables in parts")
ZERO = Verdict("zero", "gosnap", "the number is negative zero, which no constant in Delve can be",
               VALUES + "variables of every kind: negativeZero")
UNKNOWN = Verdict("unknown", "nobody", "not explained", "")
VERDICTS = STATED, HOLE, TWICE, SPENT, SHAPE, MOVED, PADDED, REGISTER, \
    CONTRADICTS, CALL, PREEMPTED, BELOW, PART, ZERO, UNKNOWN
EXPLAINED = {v.name for v in VERDICTS if v.test}  # by a subject that states the truth

NONSENSE = re.compile(
    "no readable memory|reaches beyond|invalid (string|slice|map|channel)|not match its count|has no type|"
    "made by reflection|is damaged|not in a Go function|outside its module|"
    "no debug information for the type")


WORDS = {"string": 2, "interface": 2, "slice": 3}


def pieces_of(result):
    """(words that have no place, whether more places are said than it has words)"""
    places = re.findall(r"((?:DW_OP_(?!piece)\S+ (?:-?0x[0-9a-f]+ )?)*)DW_OP_piece",
                        result.theirs["LocationExpr"])
    places = [p.strip() for p in places]
    return places.count(""), len(places) > WORDS.get(result.kind, len(places))


def is_part(result):
    """In memory, of a list whose places are fewer than its words."""
    location = result.theirs["LocationExpr"]
    words = WORDS.get(result.kind, len(result.theirs.get("children") or []))
    return "DW_OP_fbreg" in location and location.count("DW_OP_piece") < words


def verdict(result):
    """On a variable that differs, or that Delve alone has."""
    reason = (result.ours or {}).get("unreadable", "")
    holes, again = pieces_of(result)
    if result.stated:
        return STATED
    if result.ours is None and result.calls:
        return CALL
    if result.moved:
        return MOVED
    if "two places" in reason or "unsupported DWARF location" in reason:
        return CONTRADICTS
    location = result.theirs["LocationExpr"].split("] ")[-1]
    if (result.ours or {}).get("optimized_out") and re.match(r"DW_OP_reg\d+", location):
        return REGISTER
    if (result.ours or {}).get("optimized_out") and result.below:
        return BELOW
    if "in a register" in reason or (
            "DW_OP_reg" in location and result.theirs["value"] in ("0", "false", "")
            and result.ours and is_read(result.ours)):
        return PREEMPTED
    differences = result.pair.differences if result.pair else []
    if is_part(result) and ((result.ours or {}).get("optimized_out") or
                            any("partly optimized out" in d.ours for d in differences)):
        return PART
    if differences and all("partly optimized out" in d.ours for d in differences):
        return HOLE
    # As bytes, in hexadecimal.
    if differences and all("'80000000" in d.ours and d.theirs == d.ours.replace("'8", "'0")
                           for d in differences):
        return ZERO
    sizes = {int(n, 16) for n in re.findall(r"DW_OP_piece (0x[0-9a-f]+)", location)}
    if len(sizes) > 1:
        return PADDED
    if "partly optimized out" in reason or (holes and not again):
        return HOLE
    if again:
        return TWICE
    if NONSENSE.search(reason):
        return SPENT
    if differences and any(d.what == "type" and "go.shape." in d.theirs and
                           "go.shape." not in d.ours for d in differences):
        return SHAPE
    if differences and all(d.what == "unread" and NONSENSE.search(d.ours) for d in differences):
        return SPENT
    return UNKNOWN
