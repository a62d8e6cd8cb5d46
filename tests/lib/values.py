# SPDX-License-Identifier: Apache-2.0
"""Values of a document in the simple form that tests/subjects/values states them in."""
import json
import re
import struct

import snapshot
from tap import Mismatch


def printed(pid, *arguments, status=0):
    done = snapshot.gosnap("print", pid, *arguments)
    if done.returncode != status:
        raise Mismatch(f"gosnap print {' '.join(arguments)}: status {done.returncode}: "
                       f"{done.stderr.decode()}")
    return json.loads(done.stdout) if status == 0 else done.stderr.decode()


def equal(what, found, wanted):
    if found != wanted:
        raise Mismatch(f"{what}:\n{json.dumps(found)[:600]}\nnot\n{json.dumps(wanted)[:600]}")


def bare(type_name):
    """Reflection names packages by their last word, and fields without theirs."""
    name = re.sub(r"[\w.-]+/", "", type_name)
    return re.sub(r"([{;] )\w+\.(\w+ )", r"\1\2", name)


def real(value, kind):
    if value == "NaN":
        return value
    single = kind in ("float32", "complex64")
    bits = int.from_bytes(struct.pack(">f" if single else ">d", float(value)), "big")
    return f"0x{bits:08x}" if single else f"0x{bits:016x}"


def text(value):
    if value.get("encoding") == "hex":
        return value["value"]
    return value["value"].encode().hex()


class Simple:
    """Of one variable: what it shows once and refers to later is known here; what the rest of its
    goroutine shows, if that is given; or the objects of the document, if those are not in place."""

    def __init__(self, around=None, objects=()):
        self.shown, self.around, self.objects = {}, {}, objects
        if around is not None:
            self._look_around(around)

    def _look_around(self, value):
        if isinstance(value, dict):
            if "target" in value:
                self.around[value["to"], value["type"]] = value["target"]
            value = list(value.values())
        if isinstance(value, list):
            for inner in value:
                self._look_around(inner)

    def _with_object(self, value):
        if not self.objects or "object" not in value:
            return value
        referred_to = self.objects[value["object"]]
        if value.get("kind") == "pointer":
            return {**value, "target": referred_to}
        return {**referred_to, **value}

    def of(self, value):
        value = self._with_object(value)
        for member in ("unreadable", "omitted"):
            if member in value:
                raise Mismatch(f"{member}: {value[member]} ({value.get('type')} at "
                               f"{value.get('address')})")
        kind = value.get("kind", value["type"])
        if value.get("nil"):
            return "nil"
        if kind.startswith("float"):
            return real(value["value"], kind)
        if kind.startswith("complex"):
            return [real(value[part], kind) for part in ("real", "imag")]
        if kind == "bool":
            return str(value["value"]).lower()
        by_kind = {"string": text, "array": self.sequence, "slice": self.sequence,
                   "map": self.entries, "struct": self.fields, "pointer": self.target,
                   "interface": self.inside, "func": lambda v: v["function"],
                   "chan": lambda v: [v["len"], v["cap"]],
                   "unsafe.Pointer": lambda v: v["to"]}
        return by_kind.get(kind, lambda v: str(v["value"]))(value)

    def sequence(self, value):
        if "bytes" in value:
            return value["bytes"] + "00" * value.get("zeros", 0)
        return [self.of(e) for e in value["elements"]] if value.get("len") else []

    def entries(self, value):
        found = [[self.of(e["key"]), self.of(e["value"])] for e in value.get("entries", [])]
        return sorted(found, key=lambda e: json.dumps(e, separators=(",", ":")))

    def fields(self, value):
        return [[f["name"], self.of(f)] for f in value.get("fields", [])]

    def target(self, value):
        if "seen" in value:
            known = value["seen"], value["type"]
            if known not in self.shown:
                self.shown[known] = self.of(self.around[known])
            return ["to", self.shown[known]]
        if "target" not in value:
            raise Mismatch(f"{value['type']} was not followed to {value['to']}")
        found = ["to", self.of(value["target"])]
        self.shown[value["to"], value["type"]] = found[1]
        return found

    def inside(self, value):
        return [bare(value["dynamic_type"]), self.of(value["dynamic_value"])]
