# SPDX-License-Identifier: Apache-2.0
"""The ways in which gosnap may read a process, and which of them it took."""
import functools

import snapshot
from tap import Mismatch


@functools.lru_cache(None)
def known():
    """Is there a choice?"""
    return b"--capture" in snapshot.gosnap("--help").stdout


def all_of_one_instant():
    """Those that give one instant of the process."""
    return ["copy", "stop"] if known() else ["stop"]


def options(way):
    return [f"--capture={way}"] if known() else []


def taken(document):
    return document.raw["snapshot"].get("capture", {}).get("way")


def must_be(document, way):
    """way: the one that must have been taken, or several of which one was."""
    wanted = [way] if isinstance(way, str) else list(way)
    if known() and taken(document) not in wanted:
        raise Mismatch(f"it was read by the way {document.raw['snapshot'].get('capture')}, "
                       f"not {' or '.join(wanted)}")
