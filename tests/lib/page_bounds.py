# SPDX-License-Identifier: Apache-2.0
"""Documents that no page has room for, and what a page must have of them all the same."""
import json
import os
import random
import re
import resource
import subprocess

import snapshot
from page_blocks import blocks, numbered, read, start
from tap import PATIENCE, Mismatch

SIZE = 1 << 20
MANY = 1_000_000
FAULTY, HOLDER, EVIDENCE, OLDEST = 900, 901, 902, 903
CANNOT = 5
REST = {"format": "gosnap", "version": 1}
NAMING = {
    "fault": {"verdict": "it broke", "goroutine": FAULTY},
    "findings": [{"kind": "lock_held", "severity": "warning", "text": "it is held", "goroutines": [EVIDENCE]}],
    "waits": [{"address": "0xc000012000", "kind": "mutex", "waiters": 5, "goroutines": [3, 4],
               "partners": [{"goroutine": HOLDER, "operation": "unlock", "holds": "certain"}]}]}


def goroutine(number, group_id, more=""):
    """As it is written: there are many."""
    waited = 10 ** 15 if number == OLDEST else 10 ** 9 + number
    return (f'{{"id":{number},"status":"waiting","wait_reason":"chan receive","waiting_ns":{waited},'
            f'"group":{group_id}{more}}}')


def group(number, size, frames):
    return {"id": number, "count": size, "frames": [{"function": name, "file": f"{name[:40]}.go", "line": 1} for name in frames]}


def stacks():
    """20,000 goroutines, of which no two have a frame in common; the first one's stack is that of 5,000 more."""
    sizes = [5001] + [1] * 19_999
    yield from (group(i, size, [f"main.call{i}_{depth}" for depth in range(8)]) for i, size in enumerate(sizes))


def document(groups, goroutines, **more):
    """Its goroutines are as they are written."""
    return {**REST, **NAMING, **more, "groups": groups, "goroutines": goroutines}


def write(whole, path):
    with open(path, "w", encoding="ascii") as f:
        f.write(json.dumps({k: v for k, v in whole.items() if k != "goroutines"}, separators=(",", ":"))[:-1])
        f.write(f',"goroutines":[{",".join(whole["goroutines"])}],"end":{{}}}}')


def distinct_stacks():
    groups = list(stacks())
    return document(groups, [goroutine(n, 0 if n >= 20_000 else n) for n in range(25_000)])


def long_names():
    noise = random.Random(1)
    names = ["".join(noise.choices("abcdefghijklmnopqrstuvwxyz/.", k=40_000)) for _ in range(100)]
    return document([group(i, 100, [name]) for i, name in enumerate(names)], [goroutine(n, n % 100) for n in range(10_000)])


PRINTED = "".join(chr(c) for c in range(32, 127) if chr(c) not in '"\\\\')


def noisy(size, count):
    """Goroutines, each with a label and a value of so many characters that cannot be compressed."""
    noise = random.Random(2)
    text = lambda: "".join(noise.choices(PRINTED, k=size))
    return document([group(0, count, ["main.work"])], [
        goroutine(n, 0, f',"labels":[{{"key":"trace","value":"{text()}"}}],"frames":[{{"locals":['
                        f'{{"name":"s","kind":"string","value":"{text()}"}}]}}]')
        for n in range(count)])


def long_labels():
    return noisy(3000, 1_000)


def as_large_as_the_bound():
    """It fits before it is compressed, and no longer when it is written as text."""
    return noisy(280, 910)


def long_lists():
    found = {"kind": "slow", "severity": "info", "text": "x" * 200}
    return document([group(0, 2_000, ["main.work"])], [goroutine(n, 0) for n in range(2_000)],
                    findings=NAMING["findings"] + [found] * 5_000, warnings=[{"where": "stacks", "what": "y" * 100}] * 5_000,
                    threads=[{"id": n, "name": "z" * 100} for n in range(5_000)],
                    waits=NAMING["waits"] + [{"address": hex(n + 1), "kind": "channel", "waiters": 2, "goroutines": [1, 2]}
                                             for n in range(20_000)])


def million():
    groups = [group(0, MANY - 10_000, ["main.work"])] + [group(i, 10, [f"main.other{i}"]) for i in range(1, 1001)]
    return document(groups, [goroutine(n, 0 if n >= 10_000 else 1 + n // 10) for n in range(MANY)])


DOCUMENTS = {"stacks that no two have in common": distinct_stacks, "long names of functions": long_names,
             "labels and values that cannot be compressed": long_labels,
             "what grows when it is packed": as_large_as_the_bound, "long lists": long_lists,
             "a million goroutines": million}


def fits(folder, make):
    """Within the bound, packed and unpacked; it has who matters most, and says how many there are of everything."""
    whole = make()
    path = os.path.join(folder, "bounded.html")
    write(whole, path + ".json")
    done = snapshot.gosnap("html", "-o", path, f"--max-size={SIZE}", path + ".json")
    os.unlink(path + ".json")
    if done.returncode != 0:
        raise Mismatch(f"status {done.returncode}: {done.stderr.decode()}")
    found = blocks(read(path))
    size = sum(len(json.dumps(block, separators=(",", ":"))) for kind in found.values() for block in kind)
    if size > SIZE or os.path.getsize(path) > SIZE:
        raise Mismatch(f"{os.path.getsize(path)} bytes, unpacked {size}, more than {SIZE}")
    has_who_matters(start(found), whole)
    has_its_values(found)
    says_how_many(start(found)["head"], len(start(found)["columns"][0]), whole, done.stderr.decode())
    return f"{os.path.getsize(path)} bytes, unpacked {size}: {done.stderr.decode().strip()}"


def has_who_matters(page, whole):
    ids, groups = page["columns"][0], page["columns"][1]
    missing = {FAULTY, HOLDER, EVIDENCE, OLDEST} - set(ids)
    if missing:
        raise Mismatch(f"without goroutines {missing}")
    if ids != sorted(ids):
        raise Mismatch("goroutines are not in the order of the document")
    carried = {one["id"] for one in page["head"]["groups"]}
    lost = [number for number, of in zip(ids, groups) if number in (FAULTY, HOLDER, EVIDENCE, OLDEST) and of not in carried]
    if lost:
        raise Mismatch(f"without the stacks of goroutines {lost}")
    if carried - set(groups):
        raise Mismatch(f"of {len(carried - set(groups))} groups there is no goroutine")
    largest = max(whole["groups"], key=lambda one: one["count"])
    if largest["id"] not in carried:
        raise Mismatch("the largest group is not there")
    counts = {one["id"]: one["count"] for one in whole["groups"]}
    if any(counts[one["id"]] != one["count"] for one in page["head"]["groups"]):
        raise Mismatch("groups do not say how many goroutines they have")


def has_its_values(found):
    """What the rows say about the values is true, and goroutines are under the numbers of their rows."""
    columns = start(found)["columns"]
    carried = numbered(found, "goroutines")
    whole = {row for row, flags in enumerate(columns[-1]) if flags & 4}
    if whole != set(carried):
        raise Mismatch(f"{len(whole)} rows say that the page has their values, and it has {len(carried)}")
    if any(columns[0][row] != one["id"] for row, one in carried.items()):
        raise Mismatch("values of another goroutine than the row's")


def says_how_many(head, rows, whole, said):
    totals = head["page"]["totals"]
    here = {"goroutines": rows, **{kind: len(head[kind]) for kind in ("groups", "findings", "waits")},
            **{kind: len(head.get(kind, [])) for kind in ("threads", "warnings")}}
    for kind, count in here.items():
        there = len(whole.get(kind, []))
        if totals.get(kind, count) != there:
            raise Mismatch(f"{there} {kind}, {count} of them in the page, which says {totals}")
        if kind in totals and f"{count} of {there} {kind}" not in said:
            raise Mismatch(f"gosnap does not say that {count} of {there} {kind} are there: {said}")
    states = sum(count for _, count in head.get("states", []))
    if states != (len(whole["goroutines"]) if totals else 0):
        raise Mismatch(f"states of {states} goroutines")
    if not totals and head["page"]["whole"]:
        raise Mismatch("nothing is left out")


def least(folder):
    """What is too small says how large it must be, and that is enough."""
    path = os.path.join(folder, "least.html")
    write(distinct_stacks() | {"process": {"exe": "/x", "cmdline": ["y" * 100_000]}}, path + ".json")
    done = snapshot.gosnap("html", "-o", path, "--max-size=16K", path + ".json")
    needed = re.search(r"needs at least --max-size=(\d+K)", done.stderr.decode())
    if done.returncode != CANNOT or not needed or os.path.exists(path):
        raise Mismatch(f"status {done.returncode}: {done.stderr.decode()}")
    done = snapshot.gosnap("html", "-o", path, f"--max-size={needed[1]}", path + ".json")
    if done.returncode != 0 or os.path.getsize(path) > int(needed[1][:-1]) << 10:
        raise Mismatch(f"status {done.returncode} with what it asks for: {done.stderr.decode()}")
    return f"{needed[1]}"


def swollen():
    """Members of 15 MB that become a hundred times as large when they are parsed."""
    large = "[" + ",".join(["{}"] * 5_000_000) + "]"
    for name, members in (
            ("a member that is kept", f'"process":{{"x":{large}}},"goroutines":[]'),
            ("one that nobody knows", f'"other":{{"x":{large}}},"goroutines":[]'),
            ("a list that is none", f'"findings":{{"x":{large}}},"goroutines":[]'),
            ("a finding", f'"findings":[{{"text":"","goroutines":{large}}}],"goroutines":[]'),
            ("who has a lock", f'"waits":[{{"partners":{large}}}],"goroutines":[]'),
            ("labels", f'"goroutines":[{{"id":1,"labels":{large}}}]'),
            ("a goroutine", f'"goroutines":[{{"id":1,"frames":{large}}}]'),
            ("an object", f'"goroutines":[],"objects":[{large}]')):
        yield name, f'{{"format":"gosnap","version":1,{members},"end":{{}}}}'


MEMORY = 400 << 20


def memory(folder):
    """As a tree, each of these documents would take 1.2 GB."""
    path = os.path.join(folder, "swollen")
    for name, text in swollen():
        with open(path + ".json", "w", encoding="ascii") as f:
            f.write(text)
        done = subprocess.run(
            [os.environ["GOSNAP"], "html", "--no-sandbox", "-o", path + ".html", path + ".json"], check=False,
            stderr=subprocess.PIPE, timeout=PATIENCE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
        if done.returncode not in (0, CANNOT):
            raise Mismatch(f"{name}: status {done.returncode} within {MEMORY >> 20} MB: {done.stderr.decode()}")
