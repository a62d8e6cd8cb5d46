# SPDX-License-Identifier: Apache-2.0
"""What the goroutines of the subject `extras` say that they carry, against the document."""

import re
import subprocess

from tap import PATIENCE

TEXT_BYTES = 4096  # LIMIT_TEXT_BYTES


def text(value):
    """The bytes of a text of the document."""
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value.encode()


def labels(goroutine, said):
    found = []
    for item in goroutine.get("labels", []):
        value = text(item["value"]).hex() if "value" in item else item
        found.append([text(item["key"]).hex() if "key" in item else item, value,
                      item.get("omitted", 0)])
    expected = []
    for key, value in sorted(said.items(), key=lambda pair: bytes.fromhex(pair[0])):
        expected.append([key, value[:2 * TEXT_BYTES], max(0, len(value) // 2 - TEXT_BYTES)])
    if found != expected:
        yield f"labels {found}, not {expected}"


def panics(goroutine, said):
    found = goroutine.get("panics", [])
    for panic in found:
        if "unreadable" in panic:
            yield f"panic {panic}"
    if "chain" in said:
        flags = [k for panic in found for k, v in panic.items() if v is True]
        if flags != said["chain"]:
            yield f"panics {found}, not {said['chain']}"
    if "type" in said:
        address = re.search(r"0x[0-9a-f]+$", found[0]["printed"]) if found else None
        if (len(found) != 1 or found[0]["type"] != said["type"]
                or (address and address[0] != said["data"])):
            yield f"panics {found}, not {said}"


def may_be(function, names):
    """Is it one of these? "name*" is any function that the compiler made inside name."""
    return any(function.startswith(n[:-1]) if n.endswith("*") else function == n
               for n in names)


def defers(goroutine, said):
    found = goroutine.get("defers", [])
    said = said or []
    for item in found:
        if "unreadable" in item:
            yield f"deferred call {item}"
        if "frame" not in item:
            yield f"deferred call without a frame: {item}"
    if len(found) != len(said) or not all(
            may_be(item.get("function", "?"), wanted["names"])
            for item, wanted in zip(found, said)):
        yield (f"deferred calls {[item.get('function') for item in found]}, "
               f"not {[wanted['names'] for wanted in said]}")
        return
    for item, wanted in zip(found, said):
        owner = goroutine["frames"][item["frame"]]["function"]
        if owner != wanted["by"] or item.get("deferred_by", {}).get("function", owner) != owner:
            yield f"{item} belongs to {owner}, not {wanted['by']}"


def bubble(goroutine, said):
    found = goroutine.get("bubble", {})
    id_ = re.search(r"synctest bubble (\d+)", said["header"])
    # Ours has all nine digits of a second's fraction.
    now = re.sub(r"\.?0*Z$", "Z", found.get("now", ""))
    if not id_ or found.get("id") != int(id_[1]) or now != said["now"]:
        yield f"bubble {found}, not {said}"


def bubbles(document):
    """The goroutines that are in a bubble are as many as it says, with the one that made it."""
    members = {}
    for id_, goroutine in document.goroutines.items():
        if "bubble" in goroutine:
            members.setdefault(goroutine["bubble"]["address"], {})[id_] = goroutine["bubble"]
    for address, group in members.items():
        for id_, found in group.items():
            if found.get("total") != len(group) or found.get("root") not in group:
                yield f"goroutine {id_}: bubble {found} of {len(group)} goroutines"


def ancestors(document, text):
    """The document's ancestors of each goroutine against those of a traceback."""
    stated, of = {}, None
    for line in text.splitlines():
        header = re.match(r"goroutine (\d+)\b.* \[.*\]", line)
        origin = re.match(r"\[originating from goroutine (\d+)\]:", line)
        if header:
            of = stated.setdefault(int(header[1]), [])
        elif origin:
            of.append((int(origin[1]), []))
        elif of and re.match(r"\S.*\(\.\.\.\)$|created by ", line):
            of[-1][1].append(line.removesuffix("(...)"))
    compared = 0
    for id_, expected in stated.items():
        found = []
        for ancestor in document.goroutines.get(id_, {}).get("ancestors", []):
            calls = [f.get("function", "?") for f in ancestor["frames"]]
            if "created_by" in ancestor:
                calls.append("created by " + ancestor["created_by"]["function"])
            found.append((ancestor["goroutine"], calls))
        compared += len(expected)
        expected = [(of, own(calls)) for of, calls in expected]
        found = [(of, own(calls)) for of, calls in found]
        if found != expected:
            yield f"goroutine {id_} has ancestors {found}, the traceback {expected}"
    if not compared:
        yield "the traceback has no ancestors"


def own(calls):
    """Of these, what a traceback shows whatever it leaves out of the runtime."""
    return [c for c in calls if c.removeprefix("created by ").startswith("main.")]


def as_printed(found, minor):
    """What printpanics (runtime/panic.go) makes of a list of panics, the outermost first."""
    text, outer = "", None
    for i in range(len(found) - 1, -1, -1):
        panic = found[i]
        # Found out by the runtime when it is about to print.
        again = minor >= 25 and i and found[i - 1].get("printed") == panic.get("printed")
        if outer and not outer.get("goexit"):
            text += "\t"
        outer = panic
        if not panic.get("goexit"):
            text += "panic: " + panic["printed"]
            text += (" [recovered, repanicked]" if again else
                     " [recovered]" if panic.get("recovered") else "") + "\n"
        if again:
            break
    return text


def crash(program, number, found, minor):
    """The document's panics against what the runtime prints when nobody holds them up."""
    done = subprocess.run([program, str(number)], env={"GOTRACEBACK": "none"}, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    printed = "".join(line for line in done.stderr.splitlines(True)
                      if not line.startswith("[signal "))
    expected = as_printed(found, minor)
    if "(*runtime.PanicNilError)" in expected:
        return
    if re.sub(r"0x[0-9a-f]+", "0x", printed) != re.sub(r"0x[0-9a-f]+", "0x", expected):
        yield f"panic {number}: the runtime prints {printed!r}, gosnap has {expected!r}"


def crashes(program, document, facts, minor):
    """Every panic of the subject that is held up in a deferred call, once more without."""
    for id_, said in facts["panics"].items():
        if "index" in said:
            found = document.goroutines[int(id_)].get("panics", [])
            yield from crash(program, said["index"], found, minor)


KINDS = {"labels": labels, "panics": panics, "defers": defers, "bubble": bubble}


def compare(document, facts, minor):
    """What was compared, and where they differ. Who says nothing at all has no more than
    calls that the standard library deferred."""
    differences = []
    counts = dict.fromkeys(KINDS, 0)
    stated = {id_ for said in facts.values() if isinstance(said, dict) for id_ in said}
    for kind, function in KINDS.items():
        said = facts.get(kind, {})
        counts[kind] = len(said)
        if not said and (kind != "bubble" or minor >= 25):
            differences.append(f"nobody says anything of {kind}")
        for id_, goroutine in document.goroutines.items():
            if str(id_) in said:
                differences += [f"goroutine {id_}: {d}"
                                for d in function(goroutine, said[str(id_)])]
            elif (kind in goroutine and kind not in ("defers", "bubble") and str(id_) not in stated
                  and not goroutine.get("system")):
                differences.append(f"goroutine {id_} has {kind} {goroutine[kind]}")
        for id_ in said:
            if int(id_) not in document.goroutines:
                differences.append(f"goroutine {id_} is missing")
    differences += bubbles(document)
    return ", ".join(f"{n} {kind}" for kind, n in counts.items()), differences
