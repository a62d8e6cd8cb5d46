# SPDX-License-Identifier: Apache-2.0
"""A program that stands still: its document against what it says of itself and what the
runtime prints on SIGQUIT."""
import compare
import matrix
from tap import Mismatch

TRIES = 3


def differences(document, subject, text, version, counts):
    """Yields (is it about a system goroutine, sentence). text: the traceback."""
    minor = matrix.minor(version)
    yield from compare.with_traceback(document, text, minor, counts)
    yield from compare.with_shown(document, subject.facts, minor, counts)
    for record in subject.records:
        for sentence in compare.with_record(document, record, minor, counts):
            yield False, sentence
    if not (counts.goroutines and counts.frames and counts.words and counts.records
            and counts.created):
        yield False, "nothing was compared: " + str(counts)
    said = document.raw.get("go", {}).get("version", "")
    if said.split(".")[:2] != f"go{version}".split("."):
        yield False, f"go.version is {said}"


def compared(attempt):
    """attempt(counts) returns differences. System goroutines may move between snapshot and
    signal: then all is done again."""
    for tries in range(1, TRIES + 1):
        counts = compare.Counts()
        found = list(attempt(counts))
        if not found:
            return f"{counts}, {tries} of {TRIES} tries"
        if not all(system for system, _ in found):
            break
    raise Mismatch(f"{counts}\n" + "\n".join(sentence for _, sentence in found))
