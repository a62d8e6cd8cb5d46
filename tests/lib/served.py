# SPDX-License-Identifier: Apache-2.0
"""The subject `served` under its load: was anything lost?"""
import contextlib
import time

import processes
import subjects
from tap import Mismatch

WARM = 200  # answers until every thread and descriptor is there


def build(version):
    return subjects.build("served", version)


class Served:
    """A server and the process that asks it. Use as a context."""

    def __init__(self, version, *arguments, argv=None, connections=8, start=subjects.Subject,
                 program=None):
        """argv: the command before the program's own words; start: what makes a subject of
        a command; program: a copy of it."""
        program = program or build(version)
        self.arguments = arguments
        with contextlib.ExitStack() as stack:
            self.server = stack.enter_context(start(
                [*(argv or ()), program, "serve", *map(str, arguments)],
                {"GODEBUG": "gcshrinkstackoff=1"}))
            self.pid = self.server.pid
            self.load = stack.enter_context(subjects.Subject(
                [program, "load", "-connections", str(connections),
                 self.server.facts["address"]])) if connections else None
            self.lives()
            if self.load:
                self.answers(WARM)
            self.first = self.server.ask("report")
            # A thread that the runtime just starts blocks all signals for a moment.
            self.traits = min((processes.traits(self.pid) for _ in range(20)),
                              key=lambda traits: len(traits["threads"]))
            self.threads = len(list(processes.threads(self.pid)))
            self.stack = stack.pop_all()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stack.close()

    def answers(self, n=20):
        """Returns when n more have come."""
        before = self.load.ask("report")["answered"]
        processes.until(lambda: self.load.ask("report")["answered"] >= before + n, "answers")

    def lives(self):
        """Everything that it does all the time goes on."""
        kinds = ("beats", "ticks", "piped", "blocked", "polls")
        before = self.server.ask("report")
        processes.until(lambda: all(self.server.ask("report")[k] > before[k] for k in kinds),
                        f"one more of each: {', '.join(kinds)}")
        if self.load:
            self.answers()

    def problems(self):
        """One sentence for each thing that is not as it should be, load or not."""
        said = self.server.ask("report")
        yield from said["broken"]
        if self.server.errors():
            yield "the server complains: " + self.server.errors()[:2000]
        yield from self.changes()
        if not self.load:
            return
        self.load.ask("pause")
        asked, said = self.load.ask("report"), self.server.ask("report")
        self.load.ask("resume")
        yield from asked["lost"]
        if asked["answered"] != said["answered"]:
            yield f"{asked['answered']} requests were asked, {said['answered']} answered"
        if not asked["dials"] == said["connections"] == self.first["connections"]:
            yield (f"{said['connections']} connections, {asked['dials']} dialled, "
                   f"{self.first['connections']} at first")

    def changes(self):
        """The runtime blocks signals for a moment now and then: a change is one that stays."""
        deadline = time.monotonic() + 30
        while True:
            now = processes.traits(self.pid)
            changed = [name for name in self.traits if now[name] != self.traits[name]]
            if not changed or time.monotonic() > deadline:
                break
            time.sleep(0.005)
        for name in changed:
            yield f"{name} changed: {difference(self.traits[name], now[name])}"

    def check(self):
        """Raises Mismatch with all that is wrong."""
        self.lives()
        found = list(self.problems())
        if found:
            raise Mismatch("\n".join(found[:20]))

    def summary(self):
        now = self.load.ask("report")
        return f"{now['answered']} answered, {len(now['lost'])} lost; {milliseconds(now)}"


def difference(before, now):
    if isinstance(before, tuple):
        return f"-{sorted(set(before) - set(now))} +{sorted(set(now) - set(before))}"
    return f"{before!r}, now {now!r}"


def milliseconds(report):
    """The latencies of a load's report."""
    return "p50 {:.2f}, p99 {:.2f}, p99.9 {:.2f}, max {:.1f} ms".format(
        *(report[k] / 1e6 for k in ("p50_ns", "p99_ns", "p999_ns", "max_ns")))
