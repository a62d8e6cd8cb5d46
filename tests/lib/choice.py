# SPDX-License-Identifier: Apache-2.0
"""Decides which cases a test runs: by the name that --case gives, and by the sample of this commit.

A case runs with the oldest Go release, the newest one, and one more, each linked in one way: the seed and the
name of the case decide which. The seed is the commit, so that successive commits cover all cells of the
matrix, and one commit always runs the same. GOSNAP_CELLS (make check-long), GOSNAP_LONG, --case and
arguments of a test turn the sample off: every cell runs then.

Go compiles its standard library anew for each release, for -buildmode=pie, and without optimization. Each compilation
takes half a minute, longer than most cases. So the commit draws two of the releases between the oldest and the newest,
and each case runs with one of them. For each release the commit draws pie or noopt, and the cases avoid the other.

  --case TEXT   (or GOSNAP_CASE=TEXT) runs the cases whose name contains TEXT; =TEXT runs the case that has
                this very name
  GOSNAP_DRAWN=5   draws one case in five of each test, as ./bootstrap check --quick does
  GOSNAP_SEED   replaces the commit, to repeat what another commit ran
  GOSNAP_DICE   changes the random numbers, but not the cells. tests/repeat sets it to the number of the run
  GOSNAP_SAMPLED=1   keeps the sample although --case is given. tests/retry sets it, as a case may be about its whole
                sample

Importing this module takes --case out of sys.argv.
"""
import functools
import hashlib
import os
import random
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def _take_case():
    """For the test itself and for a test that starts itself again, which inherits the environment."""
    if "--case" in sys.argv[1:]:
        at = sys.argv.index("--case")
        if at + 1 == len(sys.argv):
            sys.exit(f"usage: {sys.argv[0]} [--case [=]TEXT] [ARGUMENT...]")
        os.environ["GOSNAP_CASE"] = sys.argv[at + 1]
        del sys.argv[at:at + 2]
    return os.environ.get("GOSNAP_CASE", "")


CASE = _take_case()
DICE = os.environ.get("GOSNAP_DICE", "")
DRAWN = int(os.environ.get("GOSNAP_DRAWN") or 1)
EVERY_CELL = bool(CASE and not os.environ.get("GOSNAP_SAMPLED") or sys.argv[1:] or os.environ.get("GOSNAP_LONG")
                  or os.environ.get("GOSNAP_CELLS"))


def printed(name):
    """A case's name as TAP can have it: what follows a # is a directive."""
    return name.replace("#", "no. ")


def wanted(name):
    """Does this run have the case of this name?"""
    name = printed(name)
    return name == printed(CASE[1:]) if CASE.startswith("=") else printed(CASE) in name


def runs(name):
    """Does this run have the case, by its name and by the draw of GOSNAP_DRAWN? With --case, only the name counts."""
    return wanted(name) and (bool(CASE) or number("drawn", name) % DRAWN == 0)


@functools.lru_cache(None)
def seed():
    """Returns GOSNAP_SEED, else the commit that is checked out, else a constant, for example in a tarball."""
    if os.environ.get("GOSNAP_SEED"):
        return os.environ["GOSNAP_SEED"]
    done = subprocess.run(["git", "-c", "safe.directory=*", "-C", TOP, "rev-parse", "--short=12", "HEAD"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.strip() or "gosnap"


def number(*words):
    """A number that the seed and these words decide."""
    text = "\0".join(map(str, (seed(), *words)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def drawn(*words):
    """A random number that the seed, GOSNAP_DICE and these words decide."""
    return number(DICE, *words)


def dice(*words):
    """Returns a random generator that the seed, GOSNAP_DICE and these words decide."""
    return random.Random(drawn(*words))


def subject_seed():
    """Returns the 63-bit seed from which subjects make their random numbers."""
    return drawn("subject") >> 1


def pick(items, *words):
    """One of the items: the seed and the words decide which."""
    return items[number(*words) % len(items)]


def release(cell):
    return cell if isinstance(cell, str) else cell[0]


# Those ways to link, of matrix.MODES, that need a standard library of their own.
LIBRARIES = {"pie": ("pie", "cgo-pie", "cgo-objcopy-stripped"), "noopt": ("noopt",)}


def _in_sample(cell):
    """Has this commit the standard library that the cell needs?"""
    of = [library for library, modes in LIBRARIES.items() if isinstance(cell, tuple) and cell[1] in modes]
    return not of or of == [pick(list(LIBRARIES), "library", release(cell))]


def sampled(case, cells, always=()):
    """The cells of a case that this run tests, in their order. A cell is a release, or a tuple that begins with
    one. always lists cells, or releases, that every run tests; the caller gives the reason in a comment."""
    cells = list(cells)
    releases = list(dict.fromkeys(map(release, cells)))
    if EVERY_CELL or not cells:
        return cells
    chosen = {releases[0], releases[-1]}
    if releases[1:-1]:
        drawn = sorted(releases[1:-1], key=lambda one: number("release", one))[:2]
        chosen.add(pick(drawn, case))
    kept = []
    for one in chosen:
        of = [cell for cell in cells if release(cell) == one]
        kept.append(pick([cell for cell in of if _in_sample(cell)] or of, case, one))
    return [cell for cell in cells if cell in kept or cell in always or release(cell) in always]
