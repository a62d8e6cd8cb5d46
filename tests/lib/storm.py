# SPDX-License-Identifier: Apache-2.0
"""The subject `storm`: real-time signals, each with a number. Was one lost?"""
import processes
import subjects
from tap import Mismatch

ENOUGH = 1000


class Storm:
    """Use as a context."""

    arguments = ()

    def __init__(self, version):
        self.subject = subjects.run("storm", version, "cgo")
        self.pid = self.subject.pid
        self.threads = len(list(processes.threads(self.pid)))
        self.sent = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.subject.close()

    def check(self):
        """Ends the storm, once it was one. Raises Mismatch when something else was received than sent."""
        processes.until(lambda: self.subject.ask("report")["sent"] >= ENOUGH, f"{ENOUGH} signals")
        self.sent = self.subject.ask("end")["sent"]

        def settled():
            said = self.subject.ask("report")
            return said["received"] >= said["sent"] and said
        said = processes.until(settled, f"{self.sent} signals: {self.subject.ask('report')}")
        if said["received"] != said["sent"] or said["received_sum"] != said["sent_sum"]:
            raise Mismatch(f"other signals than were sent: {said}")

    def summary(self):
        return f"{self.sent} signals, none lost"
