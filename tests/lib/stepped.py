# SPDX-License-Identifier: Apache-2.0
"""tests/subjects/stepped, moved through its functions instruction by instruction: what is shown of
their variables at each, and whether they ever have that value."""
import re
import subprocess

import snapshot
import stepping
import subjects
from tap import Mismatch, must_succeed

MOST = 200  # instructions of one call
MARKS = ("dead", "may_be_unset")


def run(version, mode="default"):
    """On a busy machine a call of a few instructions may take longer than a goroutine may run before
    the scheduler has another thread go on with it."""
    return subjects.run("stepped", version, mode, environment={"GODEBUG": "asyncpreemptoff=1"})


def functions(program):
    """{name: (address, bytes)} of main's functions; of instances with their brackets."""
    done = subprocess.run(["nm", "-S", program], check=True, stdout=subprocess.PIPE, text=True)
    words = [line.split(None, 3) for line in done.stdout.splitlines()]
    return {w[3].removeprefix("main."): (int(w[0], 16), int(w[1], 16)) for w in words
            if len(w) == 4 and w[2] in "Tt" and w[3].startswith("main.")}


class Walk:
    """Through functions of a running subject, in the order that it calls them."""

    def __init__(self, subject):
        self.subject, self.waits = subject, True
        self.functions = functions(subject.process.args[0])
        self.stepper = stepping.Stepper(subject.pid)

    def _begin(self):
        if self.waits:
            self.subject.process.stdin.write(b"\n")
            self.subject.process.stdin.flush()
        self.waits = False

    def _frame(self, function):
        self.stepper.rest()
        # It stands still anyway: a busy machine is given the time that it takes.
        done = snapshot.gosnap("--values", "--full-frames", "--no-redact", "--max-pause=60s",
                               self.subject.pid)
        must_succeed(done)
        goroutine = next(g for g in snapshot.parsed(done.stdout)["goroutines"]
                         if g.get("thread") == self.subject.pid)
        # Before Go 1.21 stacks have "[...]" in the place of type arguments.
        names = {"main." + function, "main." + re.sub(r"\[.*\]", "[...]", function)}
        for frame in goroutine["frames"]:
            if frame.get("function") in names:
                return frame
        raise Mismatch(f"main.{function} is not on the stack of goroutine {goroutine['id']}: "
                       f"{[f.get('function') for f in goroutine['frames']]}")

    def past(self, function):
        """To the end of its next call."""
        self.stepper.run_to(self.functions[function][0], self._begin)
        self.stepper.out()

    def through(self, function, most=MOST, by=1, calls=False):
        """Its frame at each instruction of its next call, or at some; what it calls is passed. Or its
        frame in each of its calls."""
        begin, size = self.functions[function]
        step = self.stepper
        step.run_to(begin, self._begin)
        outside = step.sp
        for i in range(most):
            if i % by == 0 and not calls:
                yield self._frame(function)
            step.step()
            while not begin <= step.pc < begin + size:
                if step.sp > outside:
                    return
                if calls:
                    yield self._frame(function)
                step.out()


def texts(value):
    """A variable as the subject states it, a struct by its fields that are shown; None: nothing is."""
    if "unreadable" in value or value.get("optimized_out"):
        return None
    if value.get("kind") == "struct":
        shown = {i: texts(f) for i, f in enumerate(value["fields"])}
        return {i: text for i, text in shown.items() if text is not None} or None
    if value.get("kind") == "interface":
        inside = texts(value.get("dynamic_value", {"unreadable": True}))
        return f"{value.get('dynamic_type')} {inside}"
    return str(value.get("value"))


def is_one_of(shown, stated):
    """Of an integer in an interface the type alone is stated."""
    if isinstance(shown, dict):
        return any(all(s.strip("{}").split()[i] == text for i, text in shown.items())
                   for s in stated)
    return shown in stated or shown.partition(" ")[0] in stated


class Count:
    def __init__(self):
        self.instructions = self.shown = self.marked = 0
        self.false = []  # and not marked

    def add(self, frame, stated):
        self.instructions += 1
        for value in frame.get("arguments", []) + frame.get("locals", []):
            shown = texts(value) if value["name"] in stated else None
            if shown is None:
                continue
            self.shown += 1
            if any(value.get(mark) for mark in MARKS):
                self.marked += 1
            elif not is_one_of(shown, stated[value["name"]]):
                self.false.append(f"{value['name']} at +{frame['offset']}, "
                                  f"line {frame['line']}: {shown}")


def count(subject, names, calls=False):
    """{function: Count} of those that the subject has statements of, in the order of its calls."""
    walk, found = Walk(subject), {}
    for name in names:
        found[name] = Count()
        for frame in walk.through(name, calls=calls):
            found[name].add(frame, subject.facts[name])
    return found
