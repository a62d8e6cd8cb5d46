# SPDX-License-Identifier: Apache-2.0
"""The ways in which gosnap may read a process, and which of them it took."""
from tap import Mismatch

OF_ONE_INSTANT = ("copy", "stop", "gather")


def options(way):
    return [f"--capture={way}"]


def must_be(document, way):
    """way: the one that must have been taken, or several of which one was."""
    taken = document.raw["snapshot"]["capture"]
    if taken["method"] not in ([way] if isinstance(way, str) else way):
        raise Mismatch(f"it was read by the way {taken}, not {way}")


def must_be_gathered(document):
    """A plain document: --stacks leaves nothing to gather, so that values are the proof."""
    taken, variables = document["snapshot"]["capture"], document["end"].get("variables")
    if taken["method"] != "gather" or not variables:
        raise Mismatch(f"it was read by the way {taken}, with {variables} variables")
