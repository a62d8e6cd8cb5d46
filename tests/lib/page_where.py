# SPDX-License-Identifier: Apache-2.0
"""What the page of gosnap html selects, by its own modules in node: the same as gosnap show --where."""
import json
import os
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
VALUES = "does not look into values"
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
    "id == 1 || id >= 0x10 && id < 30", "id in (1, -3, 7-9)", "true", "reason == `chan send`",
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
    "((a{99}){99}){99}", "a\\"))


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


def selects(there, page, document):
    """page: what the page has, with its goroutines."""
    every = [*examples(), *EXPRESSIONS]
    selecting = values = 0
    for expression, answer in zip(every, asked(there, {**page, "expressions": every})):
        if "var." in expression:
            values += 1
            if VALUES not in answer.get("error", "") or answer["column"] != expression.index("var.") + 1:
                raise Mismatch(f"{expression}: {answer}")
            continue
        wanted = shown(expression, document)
        if answer != {"ids": wanted, "unasked": 0}:
            raise Mismatch(f"{expression}: {str(answer)[:300]}, not {str(wanted)[:300]}")
        selecting += 0 < len(wanted) < len(page["columns"][0])
    return f"{len(every)} expressions, {selecting} of them select some, {values} need values"


def mistakes(there, page):
    every = WRONG + WRONG_PATTERNS
    for expression, answer in zip(every, asked(there, {**page, "expressions": every})):
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


def unasked(there, page):
    """Goroutines of which the page has rows only: what these say is answered, the others are counted."""
    lean = {**page, "goroutines": {}}
    answer, plain = asked(there, {**lean, "expressions": ["parent == 1 || id == 1", "id == 1"]})
    count = len(page["columns"][0])
    if answer != {"ids": [1], "unasked": count - 1} or plain != {"ids": [1], "unasked": 0}:
        raise Mismatch(f"{str(answer)[:300]}, {str(plain)[:300]}")
