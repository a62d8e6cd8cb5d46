# SPDX-License-Identifier: Apache-2.0
"""The ways in which gosnap may read a process, and which of them it took."""
from tap import Mismatch

OF_ONE_INSTANT = ("copy", "stop", "gather")


def options(way):
    """Of stacks alone there is nothing to gather."""
    return [f"--capture={way}", "--values" if way == "gather" else "--stacks"]


def must_have_been(document, way):
    """document: as gosnap wrote it. way: the one that must have been taken, or several of which one was."""
    taken = document["snapshot"]["capture"]
    if taken["method"] not in ([way] if isinstance(way, str) else way):
        raise Mismatch(f"it was read by the way {taken}, not {way}")
    if way == "gather" and not document["end"].get("variables"):
        raise Mismatch(f"nothing was gathered: {document['end']}")


def must_be(document, way):
    """document: a snapshot.Document."""
    must_have_been(document.raw, way)
