# SPDX-License-Identifier: Apache-2.0
"""What the page of gosnap html selects, by its own modules in node: the same as gosnap show --where."""
import base64
import copy
import gzip
import json
import os
import random
import re
import shutil
import subprocess

import snapshot
from tap import PATIENCE, Mismatch

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TOP = os.path.join(TESTS, "..")
MANUAL = os.path.join(TOP, "man/gosnap-filter.7")
TABLE = os.path.join(TOP, "src/viewer/filter/fields.def")
NONE, USAGE = 1, 2
# Beside the examples of gosnap-filter(7), for what the documents have: each kind of field and of comparison.
EXPRESSIONS = (
    'status != "waiting"', 'state in ("running", "chan send", "select")', 'state ~ "^(chan|sync)"', "waiting < 1m30s",
    "!(waiting >= 1s)", "runnable >= 0s || panics", "incomplete", "group in (0-3)", "has(thread) && thread != 1",
    "parent == 1", "parent in (1-9, 0x10)", 'creator !~ "main"', 'contains(creator, "MAIN")',
    'creator.file ~ "[.]go$" && creator.line > 20', 'entry ~ "^main[.]"', "stack.size > 2K && stack.used < 1M",
    'has(finding) && finding != "lock_held"', 'finding ~ "lock"', 'has(label.tenant) || label["odd key"] == "x"',
    "has(waits)", 'contains(waits, "0xC0")', 'contains(waits, "mutex")', 'waits.kind in ("mutex", "channel")',
    "waits.address >= 0xc000000000", "waits.address in (0x1-0xffffffffffffffff) && !(waits.kind == \"select\")",
    'waits.operation == "send"', 'waits.type ~ "."', "waits.len >= 0 && waits.cap < 100", "waits.closed || waits.nil",
    "waits.closed == false", "waits.locked != false || waits.starving", "waits.waiters > 1", "waits.counter > 0",
    "waits.fd >= 0", 'waits.protocol == "tcp"', 'waits.socket == "listen" || has(waits.file)', "has(waits.peer)",
    "has(trace.id) || has(context.error) || context.overdue > 1s || has(bubble.id) || has(unreliable)",
    "runtime == null", 'context.overdue > 1s || bubble.id == 2', 'trace.id ~ "1$" && trace.span == "1f"',
    'label.tenant != "acme"', 'label.tenant == "ff00" || label["odd key"] ~ "^x$"',
    "runnable > 5ns && runnable < 1us", "count(frames) > 3", "count(frames, own) in (1-2)", "all(frames, !own)",
    'any(frames, package == "main" && line > 30)', 'any(frames, file ~ "/src/(sync|net)/")', "all(frames, hidden)",
    "any(frames, inlined)", 'any(frames, language == "c")', "any(frames, pc >= 0x400000)",
    'any(frames, function ~ "^main[.][(][*]?[[:alpha:]_]+[)]")', 'reason ~ "^.{4} (send|receive)$"',
    r'reason ~ "\<lock\>|Mutex\b|^$|(a|b)+c*{0,2}x"', 'reason ~ `[^]a-z ]`', 'reason ~ "(c|ch)+(an)? *s"',
    r'reason ~ "\<r" && reason ~ "[lne]\>" && !(reason ~ "\bece")', "(true && !false) && (system || !!locked)",
    'reason ~ "[[.c.]]han" || reason ~ "^[[=s=]x]e[[.k.]-[.m.]]"', 'reason ~ "[[...]]" || reason ~ "[[.].]]|[[.-.]]"',
    "id == 1 || id >= 0x10 && id < 30", "id in (1, -3, 7-9)", "true", "reason == `chan send`",
    "has(var.err) && var.err != nil", "any(frames, own && has(var.id))", "any(frames, var.n > 0 && line > 30)",
    "!any(frames, own && !has(var.j)) || var.id ~ \".\"", "count(frames, has(var.n)) in (1-9)",
    "len(var.p) > 0 || len(var.s) == 0", "all(frames, var.n == null)", "var.lifo || var.lifo == false",
    "status == \"waiting\" && (var.c == nil || has(var.req.URL))", "var.req.Header[\"Accept-Encoding\"][0] ~ \"gz\"",
    "var.resp == nil && !(var.r1 > 0)", "contains(var.req.URL.Host, \"127.0\")",
)
WRONG = (
    "wating > 5m", 'status == "waiting" && waiting > 5', "locked && (system", 'status = "waiting"', "locked)",
    "any(frames, status == 1)", "function == \"x\"", 'waiting > "5m"', "status < \"x\"", "id in (5-3)", "id in 5",
    "locked &", "locked & system", "status", "stack.size > 5x", 'reason == "open', "waits.address == 12",
    "waits.address > 0xg", 'system ~ "x"', "contains(id, \"x\")", "len(status) > 1", "any(frames, any(frames, own))",
    "label. == 1", "label.a-b == \"x\"", "count(frames, own)", "héé == \"é\" && x", 'label["é"] == 5', "id == 'x'",
    "any(frames, lin == 1)", 'label["\U0001f600"] == 5', "var[3] == 1", "var.a[ == 1", "!", "", "5 > 3",
    "id > 99999999999999999999999", "locked locked", "x" * 16385,
    "!" * 70 + "locked", 'waits.kid == "x"', "any(frames, fuction == \"x\")", "any(frame, own)", "has(status",
)
# Here the C library says why in its own words.
WRONG_PATTERNS = tuple(f'locked || reason ~ "{pattern}"' for pattern in (
    "(", "*a", "a|*b", "[a", "[z-a]", r"(a)\1", "a{2", "a{3,2}", "[[:nothing:]]", "^*", "{1}", "a{99999}",
    "((a{99}){99}){99}", "a\\", "[[.hyphen.]]", "[[=ab=]]", "[[.a", "[[=a=]-c]", "[a-[=c=]]"))


def examples():
    """The expressions of gosnap-filter(7)."""
    with open(MANUAL, encoding="utf-8") as f:
        page = f.read().replace("\\e\n", "").replace("\\e", "\\")
    return re.findall(r"^\$ gosnap show --where\s+'([^']*)'", page, re.M)


def modules(page, folder):
    """A copy of the page's modules that node takes as such."""
    there = shutil.copytree(page, os.path.join(folder, "page"))
    with open(os.path.join(there, "package.json"), "w", encoding="ascii") as f:
        f.write('{"type": "module"}')
    return there


def dressed(document):
    """With what the documents lack: labels, durations, traces and more, of some goroutines each."""
    for i, goroutine in enumerate(document["goroutines"]):
        tenant = ("acme", "globex", "initech", {"hex": "ff00"}, {"unreadable": "why"})[i % 5]
        more = {"waiting_ns": i * 10**9 // 2, "runnable_ns": i, "trace": {"trace_id": f"{i:032x}", "span_id": "1f"},
                "context_error": "context canceled", "context_done_for_ns": i * 10**8, "bubble": {"id": i % 3},
                "unreliable_reason": "it ran", "runtime": "/lib/p.so", "unwind": {"status": "stopped"},
                "labels": [{"key": "tenant", "value": tenant}, {"key": "odd key", "value": "x" * (i % 2)}]}
        goroutine.update({member: value for k, (member, value) in enumerate(more.items()) if (i + k) % 3 == 0})
    return document


def value(kind, of=None, **members):
    return {"type": kind, "kind": kind, **({} if of is None else {"value": of}), **members}


def struct(*fields, **members):
    return value("struct", fields=[{"name": name, **field} for name, field in fields], **members)


# What variables may be, and what is asked of them.
VARIABLES = {
    "whole": value("uint64", "18446744073709551615"), "near": value("uint64", "18446744073709551614"),
    "least": value("int64", "-9223372036854775808"), "nan": value("float64", "NaN"), "inf": value("float64", "-Inf"),
    "real": value("float64", 0.1), "mask": value("uintptr", "0xff"), "yes": value("bool", True),
    "text": value("string", "héllo\nworld"), "bytes": value("string", {"hex": "ff00"}),
    "redacted": value("string", redacted="password"), "lost": value("int", unreadable="why"),
    "gone": value("int", 1, optimized_out=True),
    "none": value("pointer", nil=True), "empty": value("slice", nil=True),
    "called": value("int", 7, renamed_from="old"),
    "func": value("func", function="main.work"), "shown": value("struct", text="3 of them", fields=[]),
    "pointer": value("pointer", to="0xc000012340", object=0), "twice": value("pointer", object=1),
    "round": value("pointer", object=2), "nowhere": value("pointer", to="0xc0000fffff", object=99),
    "any": value("interface", dynamic_type="int", dynamic_value=value("int", 12)),
    "list": value("slice", len=3, elements=[value("int", 1), value("int", 2), value("int", 3)]),
    "cut": value("slice", len=300, elements=[value("int", 1)], omitted=299),
    "odd": {"fields": {"a": 1}, "value": [1], "nil": 3},
    "map": value("map", len=4, entries=[{"key": value("string", "a"), "value": value("int", 1)},
                                         {"key": value("int", 5), "value": value("string", "five")},
                                         {"key": value("interface", dynamic_value=value("int", -6)),
    "value": value("int", 6)},
                                         {"key": value("struct", text="odd key"), "value": value("int", 8)}]),
    "outer": struct(("a", value("int", 1)), ("In", {**struct(("a", value("int", 2)), ("b", value("int", 3))),
    "embedded": True}),
                    ("Ptr", value("pointer", object=0, embedded=True)),
                    ("Same", {**struct(("b", value("int", 4)), ("c", value("int", 5))), "embedded": True})),
    "kept": value("pointer", to="0xc000077700", target=struct(("deep", value("int", 9)))) | {"type": "*main.T"},
    "again": {"type": "*main.T", "kind": "pointer", "seen": "0xc000077700"},
    "unseen": {"type": "*main.T", "kind": "pointer", "seen": "0xc000077701"},
    "sp+0x28": value("int", 40), "number": value("pointer", to="0xc000012348", object=4),
}
ASKED_OF_VARIABLES = (
    "var.whole == 18446744073709551615", "var.whole > 18446744073709551614", "var.near == 18446744073709551615",
    "var.near in (18446744073709551614-18446744073709551615)", "var.least < -9223372036854775807", "var.nan == 1",
    "var.nan != 1", "var.nan <= 1 || var.nan > 1", "var.inf < -1000", "var.real == 0.1",
    "var.real > 0.09 && var.real < 0.11", "var.mask == 255", "var.mask == 0xff", "var.yes", "!var.yes",
    "var.yes != true", "var.yes == \"true\"", "var.yes == 1", "var.text ~ \"w.rld$\"", "var.text ~ \"^h..?llo\"",
    "contains(var.text, \"WORLD\")", "var.text !~ \"x\"", "var.text != 5", "var.bytes == \"ff00\"",
    "has(var.redacted) || has(var.lost) || has(var.gone)", "var.redacted == null", "var.lost != 1", "var.none == nil",
    "var.none != nil", "var.list != nil", "len(var.empty) == 0", "len(var.none) < 1", "len(var.text) == 0",
    "var.called == 7 && var.old == 7", "var.func == \"main.work\"", "var.shown ~ \"of them\"",
    "var.pointer == 0xc000012340", "var.pointer > 0xc000000000 && !(var.pointer > 1)", "var.pointer.name == \"ann\"",
    "var.twice.name ~ \"a\"", "has(var.pointer.nobody)", "var.round.next.next.next.n == 2", "var.round.n",
    "var.round == 2", "has(var.nowhere)", "has(var.nowhere.a)", "var.nowhere == 0xc0000fffff", "var.any == 12",
    "var.any in (1-11)", "var.list[1] == 2", "var.list[1.9] == 2", "has(var.list[-1]) || has(var.list[3])",
    "has(var.list[4294967299])", "len(var.list) == 3", "len(var.cut) == 300 && has(var.cut[0])", "has(var.cut[7])",
    "has(var.odd)", "var.odd.a == 1", "var.odd == nil", "has(var.odd[0])", "var.map[\"a\"] == 1",
    "var.map[5] == \"five\"", "var.map[-6] == 6", "var.map[\"odd key\"] == 8", "var.map[\"5\"] == \"five\"",
    "has(var.map.a)", "len(var.map) > 3", "var.outer.a == 1", "has(var.outer.b)", "var.outer.c == 5",
    "var.outer.name == \"ann\"", "var.outer.In.b == 3", "var.outer.Same.b == 4", "var.kept.deep == 9",
    "var.again.deep == 9", "has(var.again)", "has(var.unseen.deep)", "var[\"sp+0x28\"] == 40",
    "has(var[\"sp+0x29\"])", "any(frames, var.whole > 1 && function == \"main.f1\")",
    "count(frames, has(var.whole)) == 1", "all(frames, has(var.n))", "var.n > 3 && var.n < 9", "var.n != 3",
    "id < 3 && var.n == 2", "id == 2 || var.n == 5", "!(var.n == 4)", "var.n in (1, 4-6) && any(frames, own)",
    "var.wide.x9.name == \"ann\"", "var.number == 5", "var.number != 5", "var.number != 6",
    "var.number == 0xc000012348", "var.number != 0xc000012348", "!(var.number == 5)", "var.number == nil",
)


def valued(document):
    """With a variable of each kind, each in one goroutine, and objects that refer to objects."""
    goroutines = document["goroutines"]
    for i, (name, variable) in enumerate(VARIABLES.items()):
        home = list(VARIABLES).index("kept") if name in ("again", "unseen") else i
        frames = goroutines[home % len(goroutines)].setdefault("frames", [])
        while len(frames) < 2:
            frames.append({"function": f"main.f{len(frames)}"})
        frames[i % 2].setdefault("locals", []).append({"name": name, **variable})
    for i, goroutine in enumerate(goroutines):
        first = goroutine.setdefault("frames", [{"function": "main.f0"}])[0]
        first.setdefault("arguments", []).append({"name": "n", **value("int", i)})
    goroutines[1]["frames"][0]["arguments"].append(
        {"name": "wide", **struct(*((f"x{i}", value("pointer", object=0)) for i in range(10)))})
    objects = [struct(("name", value("string", "ann"))), value("pointer", object=0),
               struct(("next", value("pointer", object=3)), ("n", value("int", 2))),
               struct(("next", value("pointer", object=2)), ("n", value("bool", True))), value("int", 5)]
    end = document.pop("end")
    document.pop("objects", None)
    return {**document, "objects": objects, "end": end}


# What a page that has not all can tell, or cannot.
ASKED_OF_PARTS = (
    'any(frames, function ~ "^main")', '!any(frames, function ~ "chan")', "count(frames) < 7", 'finding ~ "."', "!has(finding)",
    'finding != "lock_held"', "group in (0-9)", "group == null", "any(frames, own && var.n > 3)", "id < 30 && all(frames, !own)")


# What anybody may have written instead of what belongs there, and where.
INSTEAD = (None, 7, "x", "", [], {}, [None], ["x"], True, -1, 1.5, "0xc000077700", 0, 3, {"hex": "ff"},
           {"fields": [{"name": "a", "kind": "int", "value": 3, "embedded": True}]}, {"unreadable": None})
MEMBERS = ("seen", "to", "object", "target", "dynamic_value", "embedded", "nil", "len", "value", "kind", "type", "name",
           "fields", "elements", "entries", "text", "function", "unreadable", "renamed_from")


def garbled(document, seed):
    """With values that are not as they should be, in many places."""
    chosen, places = random.Random(seed), []

    def note(node):
        for key in node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ():
            places.append((node, key))
            note(node[key])

    note([goroutine.get("frames", []) for goroutine in document["goroutines"]] + document["objects"])
    for node, key in chosen.sample(places, len(places) // 10):
        inside = node[key] if isinstance(node[key], dict) and chosen.random() < 0.5 else node
        if inside is node and chosen.random() < 0.5:
            node[key] = copy.deepcopy(chosen.choice(INSTEAD))
        elif isinstance(inside, dict):
            inside[chosen.choice(MEMBERS)] = copy.deepcopy(chosen.choice(INSTEAD))
    return document


def paths_in(document, most):
    """Expressions for values that the document has, each on a path to one, of all kinds."""
    objects, found = document.get("objects", []), {}

    def literal(node):
        of = node.get("value")
        if isinstance(of, bool):
            return "true" if of else "false"
        if isinstance(of, str) and of.isascii() and of.isprintable() and not set('"\\') & set(of):
            return of if re.fullmatch(r"\d+", of) and "int" in node.get("kind", "") else f'"{of}"'
        return str(of) if isinstance(of, int) else None

    def walk(node, path, depth):
        wanted = literal(node)
        kind = (node.get("kind", node.get("type")), path.count("."), path.count("["))
        for how in ("== {}", "!= {}") if wanted else (("== nil",) if "nil" in node else ()):
            found.setdefault((*kind, how), []).append(f"{path} {how.format(wanted)}")
        if "len" in node:
            found.setdefault((*kind, "len"), []).append(f"len({path}) >= {node['len']}")
        if depth > 6:
            return
        number = node.get("object", -1)
        referred = objects[number] if 0 <= number < len(objects) else None
        inner = node.get("dynamic_value") or node.get("target") or referred
        if inner and not any(member in node for member in ("fields", "elements", "entries")):
            walk(inner, path, depth + 1)
        for field in node.get("fields", [])[:6]:
            if re.fullmatch(r"[A-Za-z_]\w*", str(field.get("name", ""))):
                walk(field, f"{path}.{field['name']}", depth + 1)
        for i, element in enumerate(node.get("elements", [])[:2]):
            walk(element, f"{path}[{i}]", depth + 1)
        for entry in node.get("entries", [])[:2]:
            key = literal(entry.get("key", {}))
            if key and key[0] in '"0123456789':
                walk(entry.get("value", {}), f"{path}[{key}]", depth + 1)

    for goroutine in document["goroutines"]:
        for frame in goroutine.get("frames", []):
            for variable in frame.get("arguments", []) + frame.get("locals", []):
                if re.fullmatch(r"[A-Za-z_]\w*", str(variable.get("name", ""))):
                    walk(variable, f"var.{variable['name']}", 0)
    every = [expression for all_of in found.values() for expression in (all_of[0], all_of[len(all_of) // 2])]
    return list(dict.fromkeys(every))[:most]


def asked(there, given):
    done = subprocess.run(["node", os.path.join(TESTS, "html/where.mjs"), there], input=json.dumps(given), text=True,
                          capture_output=True, timeout=PATIENCE, check=False)
    if done.returncode != 0:
        raise Mismatch(f"node ends with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def fields(there):
    """The page's table is that of the language."""
    with open(TABLE, encoding="utf-8") as f:
        rows = re.findall(r'^FIELD\("([\w.]+)", *(\w+), *(\w+),', f.read(), re.M)
    wanted = [[name, kind.lower(), source == "FRAME"] for name, kind, source in rows]
    found = asked(there, {})
    if found != wanted:
        raise Mismatch(f"{[f for f in found if f not in wanted]}, not {[w for w in wanted if w not in found]}")
    return f"{len(found)} fields"


def shown(expression, document):
    """The ids that gosnap show selects."""
    done = snapshot.gosnap("show", "--no-pager", "--json", "--where", expression, document)
    if done.returncode not in (0, NONE):
        raise Mismatch(f"{expression}: status {done.returncode}: {done.stderr.decode()}")
    return [g["id"] for g in json.loads(done.stdout)["goroutines"]] if done.returncode == 0 else []


def selects(there, page, document, every):
    """page: made of the document."""
    selecting = 0
    for expression, answer in zip(every, asked(there, {"page": page, "expressions": every})):
        wanted = shown(expression, document)
        if answer != {"ids": wanted, "undecided": 0}:
            raise Mismatch(f"{expression}: {str(answer)[:300]}, not {str(wanted)[:300]}")
        selecting += len(wanted) > 0
    return f"{len(every)} expressions, {selecting} of them select some"


def without_some(page):
    """As if it had no room for every second group and finding."""
    def cut(head):
        whole = json.loads(gzip.decompress(base64.b64decode(head[2])))
        whole[0]["page"]["totals"] = {kind: len(whole[0][kind]) for kind in ("groups", "findings")}
        whole[0].update({kind: whole[0][kind][::2] for kind in ("groups", "findings")})
        return head[1] + base64.b64encode(gzip.compress(json.dumps(whole).encode())).decode()
    return re.sub('(<script [^>]*data-kind="head"[^>]*>)([^<]*)', cut, page)


def in_part(there, page, document):
    """What a page selects that has not all, is right, and what it cannot decide is counted."""
    here = set(asked(there, {"page": page, "expressions": ["true"]})[0]["ids"])
    said, undecided = [], 0
    for expression, answer in zip(ASKED_OF_PARTS, asked(there, {"page": page, "expressions": ASKED_OF_PARTS})):
        found, wanted = set(answer["ids"]), set(shown(expression, document)) & here
        if found - wanted or len(wanted - found) > answer["undecided"] or answer["undecided"] + len(found) > len(here):
            raise Mismatch(f"{expression}: {len(found - wanted)} wrong, {len(wanted - found)} missing of {len(here)}, "
                           f"{answer['undecided']} not decided")
        said.append(f"{len(found)}+{answer['undecided']}")
        undecided += answer["undecided"]
    if undecided == 0:
        raise Mismatch("everything is decided")
    return ", ".join(said)


def mistakes(there, page):
    every = WRONG + WRONG_PATTERNS
    for expression, answer in zip(every, asked(there, {"page": page, "expressions": every})):
        done = snapshot.gosnap("show", "--where", expression, "/dev/null")
        said = done.stderr.decode().split("\n")
        column = answer.get("column") if said[1].startswith("  ...") else len(said[2]) - 2  # shown in part
        sentence = said[0].removeprefix("gosnap: --where: ")
        if done.returncode != USAGE or not said[2].endswith("^"):
            raise Mismatch(f"{expression[:80]}: gosnap show says {said[:3]}")
        own = expression in WRONG_PATTERNS and sentence.startswith(("invalid", "("))
        if answer.get("column") != column or answer["error"] != sentence and not own:
            raise Mismatch(f"{expression[:80]}: {answer}, not {sentence!r} at column {column}")
    return f"{len(every)} mistakes"


def undecided(there, page):
    """Goroutines of which the page has rows only: what these say is answered, the others are counted."""
    answers = asked(there, {"page": page, "expressions": ["parent == 1 || id == 1", "id == 1", "id == 1 && var.n == 0"]})
    count = answers[0].get("undecided", 0)
    wanted = [{"ids": [1], "undecided": count}, {"ids": [1], "undecided": 0}, {"ids": [], "undecided": 1}]
    if count == 0 or answers != wanted:
        raise Mismatch(f"{str(answers)[:600]}, not {wanted}")


def interrupted(there, page):
    """Says how far it is, block by block, and ends when nobody wants to know any more."""
    def seen(blocks):
        return asked(there, {"page": page, "expressions": ["var.nobody == 1"], "blocks": blocks})[0]
    whole, early, never = seen(10**6), seen(2), seen(0)
    if whole["unpacked"] < 3 or whole["told"] < 2:
        raise Mismatch(f"to the end: {whole}")
    if early != {"unpacked": 2, "told": early["told"], "late": 0} or never != {"unpacked": 0, "told": 0, "late": 0}:
        raise Mismatch(f"interrupted after two blocks: {early}; before the first: {never}")
    return f"{whole['unpacked']} blocks"
