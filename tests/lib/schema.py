# SPDX-License-Identifier: Apache-2.0
"""What in a snapshot document breaks the format.

The schema is open, for readers of later documents; here it is closed: a key that it does
not know is a mistake. What a schema cannot say is checked, too: the order of the members, the
counts at the end, that goroutines and groups agree.
"""
import collections
import hashlib
import importlib.util
import json
import os
import random
import tempfile

import matrix

SCHEMA = os.path.join(matrix.TESTS, "../doc/snapshot.schema.json")
WHOLE_BYTES = 5 << 20
SAMPLE = 200  # elements of each array of a larger document: the first, and others here and there
# Members that gosnap always writes, of whatever process.
ALWAYS = {"format", "version", "snapshot", "trigger", "process", "groups", "threads",
          "goroutines", "warnings", "end"}


class Missing(Exception):
    """A library that checks schemas is not installed."""


def closed(schema):
    """The schema with every object closed. An object that adds to another one (a Variable
    to a value) gets the other's properties: cheaper than unevaluatedProperties."""
    definitions = schema["$defs"]

    def close(node):
        if isinstance(node, list):
            return [close(item) for item in node]
        if not isinstance(node, dict):
            return node
        node = dict(node)
        if "properties" in node and "$ref" in node:
            base = definitions[node.pop("$ref").rsplit("/", 1)[1]]
            node["properties"] = {**base["properties"], **node["properties"]}
        if "properties" in node:
            node.setdefault("additionalProperties", False)
        return {key: {name: close(sub) for name, sub in value.items()}
                if key in ("properties", "$defs") else close(value)
                for key, value in node.items()}
    return close(schema)


def _only_refers(node):
    """Draft 7 ignores what stands beside a reference: the schema has no such thing."""
    if isinstance(node, dict):
        beside = node.keys() - {"$ref", "description"}
        return ("$ref" not in node or not beside or isinstance(node["$ref"], dict)) \
            and all(map(_only_refers, node.values()))
    return not isinstance(node, list) or all(map(_only_refers, node))


def _compiled(schema):
    """The schema as a function that raises, kept as bytecode from one test to the next: seven
    times quicker than jsonschema, which is only asked for the words."""
    try:
        import fastjsonschema
    except ImportError as e:
        raise Missing("no fastjsonschema: python3-fastjsonschema has it") from e
    # It knows drafts up to 7, and of the later ones' words only those that 7 has, too.
    assert _only_refers(schema)
    schema = dict(schema, **{"$schema": "http://json-schema.org/draft-07/schema#"})
    version = f"{fastjsonschema.VERSION} {importlib.util.MAGIC_NUMBER} {json.dumps(schema)}"
    key = hashlib.sha256(version.encode()).hexdigest()[:16]
    place = os.path.join(matrix.CACHE, "schema", key + ".pyc")
    if not os.path.exists(place):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with tempfile.TemporaryDirectory(dir=os.path.dirname(place)) as work:
            source = os.path.join(work, "schema.py")
            with open(source, "w", encoding="utf-8") as f:
                f.write(fastjsonschema.compile_to_code(schema))
            import py_compile
            made = os.path.join(work, "schema.pyc")  # others may make it at the same time
            py_compile.compile(source, made, doraise=True,
                               invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
            os.rename(made, place)
    spec = importlib.util.spec_from_file_location("compiled_schema", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.validate, fastjsonschema.JsonSchemaException


class Validator:
    """Of documents and of parts of them: what is missing at the top is not its business."""

    def __init__(self):
        with open(SCHEMA, encoding="utf-8") as f:
            self.schema = closed(json.load(f))
        del self.schema["required"]
        self.order = list(self.schema["properties"])
        self.validate, self.Refused = _compiled(self.schema)

    def problems(self, part):
        try:
            self.validate(part)
        except self.Refused as refused:
            try:
                import jsonschema
            except ImportError:
                return [str(refused)]
            errors = jsonschema.Draft202012Validator(self.schema).iter_errors(part)
            return [f"{_path(e.absolute_path)}: {e.message[:300]}" for e in errors] \
                or [f"only one of two libraries refuses: {refused}"]
        return []


def _path(steps):
    return "document" + "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps)


_validators = []


def _validator():
    if not _validators:
        _validators.append(Validator())
    return _validators[0]


class Checker:
    """Takes a document member by member, element by element."""

    def __init__(self):
        self.validator = _validator()
        self.problems = []
        self.head = {}
        self.groups = {}
        self.members = collections.Counter()
        self.frames = self.goroutines = 0
        self.seen = set()

    def problem(self, text):
        self.problems.append(text)

    def member(self, key, value):
        """One that is no array."""
        if key in self.head:
            self.problem(f"two members {key}")
        self.head[key] = value

    def element(self, key, value):
        """One of an array."""
        if not isinstance(value, dict):
            return
        if key == "groups":
            self.group(value)
        elif key == "goroutines":
            self.goroutine(value)

    def sampled(self, key, index, value):
        """... of a large document, of which the schema is asked for some only."""
        self.element(key, value)
        if index < SAMPLE // 2 or random.random() < SAMPLE / 2 / (index + 1):
            self.problems += [f"element {index}: {p}"
                              for p in self.validator.problems({key: [value]})]

    def group(self, group):
        ids = group.get("goroutines", [])
        if group.get("id") in self.groups:
            self.problem(f"two groups {group.get('id')}")
        if group.get("count") != len(ids):
            self.problem(f"group {group.get('id')}: count {group.get('count')} of {len(ids)}")
        self.groups[group.get("id")] = (group.get("runtime"), set(ids),
                                        len(group.get("frames", [])))

    def goroutine(self, goroutine):
        number, group = goroutine.get("id"), goroutine.get("group")
        runtime = goroutine.get("runtime")
        self.goroutines += 1
        if (runtime, number) in self.seen and "unreliable_reason" not in goroutine:
            self.problem(f"two goroutines {number}")
        self.seen.add((runtime, number))
        if group not in self.groups:
            self.problem(f"goroutine {number}: group {group} does not exist")
            return
        whose, ids, frames = self.groups[group]
        if whose != runtime or number not in ids:
            self.problem(f"goroutine {number}: group {group} does not list it")
        self.members[group] += 1
        self.frames += len(goroutine["frames"]) if "frames" in goroutine else frames

    def finish(self):
        order = self.validator.order
        known = [key for key in self.head if key in order]
        if known != sorted(known, key=order.index):
            self.problem(f"top-level members out of order: {', '.join(known)}")
        end = self.head.get("end", {})
        if "incomplete_reason" in end and "goroutines" not in end:
            return self.problems  # gosnap's reader died: the rest is missing
        for key in sorted(ALWAYS - self.head.keys()):
            self.problem(f"no {key}")
        for id_, (_, ids, _) in self.groups.items():
            if self.members[id_] != len(ids):
                self.problem(f"group {id_} lists {len(ids)} goroutines, "
                             f"{self.members[id_]} name it")
        for name in ("goroutines", "frames"):
            if end.get(name) != getattr(self, name):
                self.problem(f"end says {end.get(name)} {name}, there are "
                             f"{getattr(self, name)}")
        return self.problems


def problems(document, size):
    """Of a document in memory that has so many bytes: one sentence each. Raises Missing."""
    random.seed(1)
    checker = Checker()
    large = size > WHOLE_BYTES
    heads = {k: [] if large and isinstance(v, list) else v for k, v in document.items()}
    checker.problems += checker.validator.problems(heads)
    if checker.problems:
        return checker.problems
    for key, value in document.items():
        checker.member(key, value)
        for index, element in enumerate(value if isinstance(value, list) else []):
            if large:
                checker.sampled(key, index, element)
            else:
                checker.element(key, element)
    return checker.finish()


def problems_of_lines(lines):
    """The same of the lines that gosnap writes: one for a member, one for an element."""
    random.seed(1)
    checker = Checker()
    if next(lines) != "{\n":
        return ["the document does not begin with a line of its own"]
    key, index = None, 0
    for line in lines:
        line = line.rstrip("\n").rstrip(",")
        if key is not None:
            if line == "]":
                key = None
            else:
                checker.sampled(key, index, json.loads(line))
                index += 1
        elif line == "}":
            checker.problems += checker.validator.problems(checker.head)
            return checker.finish()
        elif line.endswith(":["):
            key, index = json.loads(line[:-2]), 0
            checker.member(key, [])
        else:
            (name, value), = json.loads("{" + line + "}").items()
            checker.member(name, value)
            for element in value if isinstance(value, list) else []:
                checker.element(name, element)
    return ["the document is cut off"]
