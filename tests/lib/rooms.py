#!/usr/bin/python3 -B
# SPDX-License-Identifier: Apache-2.0
"""The rooms of the house, as doc/rooms lists them: what is included or called across them.

tests/lib/rooms.py draws the picture of doc/architecture.md anew.
"""
import collections
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.environ.get("abs_top_srcdir") or os.path.join(HERE, "../..")
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')
BEGIN, END = "<!-- rooms: written by tests/lib/rooms.py -->\n", "<!-- end of rooms -->\n"

Room = collections.namedtuple("Room", "name number knows header purpose")


def listed(top=TOP):
    """{name: Room}, from the bottom up."""
    rooms = {}
    with open(os.path.join(top, "doc/rooms"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, knows, header, purpose = re.match(
                    r"(\S+)\s+(?:\[([^\]]*)\]\s+)?(\S+\.h)\s+(.*)", line).groups()
                rooms[name] = Room(name, len(rooms), knows.split() if knows else None, header,
                                   purpose)
    return rooms


def folder(name):
    """The folder at the top: goruntime of goruntime/waits."""
    return name.split("/")[0]


def sources(top, rooms):
    """Paths from top on, of all that is in the folders of rooms but in pages."""
    for name in sorted({folder(room) for room in rooms}):
        for where, folders, files in os.walk(os.path.join(top, name)):
            # What runs in a browser: tests/html.test knows who may import what there.
            folders[:] = [inner for inner in folders if inner != "page"]
            for file in sorted(files):
                yield os.path.relpath(os.path.join(where, file), top)


def may_know(rooms, who, whom):
    """May a file of room who use what is in room whom?"""
    one, other = rooms[who], rooms[whom]
    if one.knows is not None and folder(whom) not in [folder(who), *one.knows]:
        return False
    return other.number <= one.number


def trespass(rooms, path, target):
    """Why path may not include target; None: it may."""
    who, whom = os.path.dirname(path), os.path.dirname(target)
    if whom not in rooms:
        return f"includes {target}, which is in no room"
    if not may_know(rooms, who, whom):
        return f"of {who} includes {target} of {whom}, which it may not know"
    # The rooms of goruntime share the state of a runtime.
    owner = whom if folder(whom) == "lib" else folder(whom)
    if target.endswith("_priv.h") and who != owner and folder(who) != owner:
        return f"includes {target}, which is private to {owner}"
    door = folder(whom) + "/" + folder(whom) + ".h"
    if folder(who) != folder(whom) and folder(whom) in rooms and target != door:
        return f"includes {target}: {door} is for those outside"
    return None


def wrong_includes(top=TOP):
    """Sentences."""
    rooms = listed(top)
    for path in sources(top, rooms):
        if os.path.dirname(path) not in rooms:
            yield f"{path} is in no room of doc/rooms"
            continue
        with open(os.path.join(top, path), encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                include = INCLUDE.match(line)
                if not include or include[1] == "config.h":
                    continue
                target = include[1]
                why = (trespass(rooms, path, target) if "/" in target
                       else f"includes {target} without its path")
                if why:
                    yield f"{path}:{number} {why}"


def symbols(build, rooms):
    """({function: path of its source}, {path: [function that it calls]}) of the objects."""
    defined, called = {}, collections.defaultdict(list)
    objects = [path for path in sources(build, rooms) if path.endswith(".o")]
    # -A writes the object before each symbol.
    text = subprocess.run(["nm", "-A", *objects], cwd=build, capture_output=True, text=True, check=True).stdout
    for line in text.splitlines():
        path, _, line = line.partition(":")
        # automake writes lib/base/libgosnap_a-err.o
        name = re.sub(r"^(lib\w+_a|gosnap)-", "", os.path.basename(path))[:-2] + ".c"
        source = os.path.join(os.path.dirname(path), name)
        *_, kind, symbol = line.split()
        if kind in "TDBRC":
            defined[symbol] = source
        elif kind == "U":
            called[source].append(symbol)
    return defined, called


def wrong_calls(build, top=TOP):
    """Sentences. What objects do not define is of other libraries."""
    rooms = listed(top)
    defined, called = symbols(build, rooms)
    for path, names in sorted(called.items()):
        for name in names:
            whose = defined.get(name)
            if whose and not may_know(rooms, os.path.dirname(path), os.path.dirname(whose)):
                yield f"{path} uses {name} of {whose}, which it may not know"


def picture(top=TOP):
    """Mermaid: a box for each folder, its rooms from the bottom up, and arrows to what it uses."""
    rooms, uses = listed(top), collections.Counter()
    for path in sources(top, rooms):
        with open(os.path.join(top, path), encoding="utf-8") as f:
            for line in f:
                include = INCLUDE.match(line)
                if include and "/" in include[1]:
                    uses[folder(path), folder(include[1])] += 1
    lines = ["flowchart BT"]
    for name in dict.fromkeys(folder(room) for room in rooms):
        lines.append(f"  subgraph {name}")
        inner = [room for room in rooms.values() if room.name.startswith(name + "/")]
        lines += [f'    {room.name.replace("/", "_")}["{room.name}<br/>{room.purpose}"]'
                  for room in inner] or [f'    {name}_["{name}<br/>{rooms[name].purpose}"]']
        lines.append("  end")
    for one, other in sorted(uses):
        if one != other:
            lines.append(f"  {one} --> {other}")
    return "```mermaid\n" + "\n".join(lines) + "\n```\n"


def drawn(text, top=TOP):
    """The page with the picture as it is to be."""
    before, _, rest = text.partition(BEGIN)
    return before + BEGIN + picture(top) + END + rest.partition(END)[2]


def main():
    path = os.path.join(TOP, "doc/architecture.md")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    with open(path, "w", encoding="utf-8") as f:
        f.write(drawn(text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
