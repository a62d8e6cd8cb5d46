# SPDX-License-Identifier: Apache-2.0
"""The table of what the truth is tested on: Go releases x ways to link.

The releases are those of the table in tests/toolchains: a new Go release is one row there.
"""
import functools
import os
import subprocess

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What is made once and used by later runs.
CACHE = (os.environ.get("GOSNAP_CACHE")
         or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
                         "gosnap"))

# name: arguments of go build, environment, is it cgo.
MODES = {
    "default":  ([], {"CGO_ENABLED": "0"}, False),
    "stripped": (["-ldflags=-s -w"], {"CGO_ENABLED": "0"}, False),
    "pie":      (["-buildmode=pie"], {"CGO_ENABLED": "0"}, False),
    "cgo":      ([], {"CGO_ENABLED": "1"}, True),
    "cgo-stripped": (["-ldflags=-s -w"], {"CGO_ENABLED": "1"}, True),
    "cgo-pie":  (["-buildmode=pie"], {"CGO_ENABLED": "1"}, True),
    "cgo-static": (["-ldflags=-linkmode external -extldflags -static"], {"CGO_ENABLED": "1"}, True),
    "noopt":    (["-gcflags=all=-N -l"], {"CGO_ENABLED": "0"}, False),
    "trimpath": (["-trimpath"], {"CGO_ENABLED": "0"}, False),
    "objcopy-stripped": ([], {"CGO_ENABLED": "0"}, False),
    "cgo-objcopy-stripped": (["-buildmode=pie"], {"CGO_ENABLED": "1"}, True),
    "race":     (["-race"], {"CGO_ENABLED": "1"}, True),
}
# What is done with the program then; {} is its path.
AFTERWARDS = {
    "objcopy-stripped": [["objcopy", "--strip-all", "{}"]],
    "cgo-objcopy-stripped": [
        ["objcopy", "--only-keep-debug", "{}", "{}.debug"],
        ["objcopy", "--strip-all", "--add-gnu-debuglink={}.debug", "{}"],
    ],
}
# For these the oldest release, the one in the middle and the newest speak for all.
SAMPLED = {"trimpath", "objcopy-stripped", "cgo-objcopy-stripped", "race"}

# Where Debian's Go packages are, and how they are used: there are no modules.
PACKAGES = "/usr/share/gocode"
DEBIAN = {"CGO_ENABLED": "0", "GO111MODULE": "off", "GOFLAGS": "", "GOPATH": "{}:" + PACKAGES}

# Not tested with everything.
MORE_MODES = {
    "cgo-musl": (["-ldflags=-linkmode external"],
                 {"CGO_ENABLED": "1", "CC": "musl-gcc"}, True),
    "cgo-musl-static": (["-ldflags=-linkmode external -extldflags -static"],
                        {"CGO_ENABLED": "1", "CC": "musl-gcc"}, True),
    # With a profile of goroutines that are leaked, an experiment of 1.26.
    "leakprofile": ([], {"CGO_ENABLED": "0", "GOEXPERIMENT": "goroutineleakprofile"}, False),
    "386":       ([], {"CGO_ENABLED": "0", "GOARCH": "386"}, False),
    "c-shared":  (["-buildmode=c-shared"], {"CGO_ENABLED": "1"}, True),
    "c-archive": (["-buildmode=c-archive"], {"CGO_ENABLED": "1"}, True),
    # A program and its plugins have the same packages only without the paths of this place.
    "plugs":     (["-trimpath"], {"CGO_ENABLED": "1"}, True),
    "plugin":    (["-trimpath", "-buildmode=plugin"], {"CGO_ENABLED": "1"}, True),
    "linkshared": (["-linkshared"], {"CGO_ENABLED": "1"}, True),
    # With the Go packages that Debian has installed; {} is the folder of the subject.
    "packaged": ([], DEBIAN, False),
    "packaged-noopt": (["-gcflags=all=-N -l"], DEBIAN, False),
    "packaged-stripped": (["-ldflags=-s -w"], DEBIAN, False),
}

# tests/toolchains then knows Debian 12's own Go only.
QUICK = bool(os.environ.get("GOSNAP_QUICK"))
# make check-long: the numbers that doc/performance.md states.
LONG = bool(os.environ.get("GOSNAP_LONG"))
CI = os.environ.get("CI", "") == "true"


@functools.lru_cache(None)
def _versions():
    out = subprocess.run([os.path.join(TESTS, "toolchains"), "versions"], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return out.split()


def versions():
    """The releases to test, oldest first."""
    return list(_versions())


def modes(version):
    """The modes to test a release in."""
    known = versions()
    sample = known[0], known[len(known) // 2], known[-1]
    return {name: mode for name, mode in MODES.items()
            if name not in SAMPLED or version in sample}


@functools.lru_cache(None)
def program(*verb):
    """The path of something that tests/toolchains has, None when it is not here."""
    found = subprocess.run([os.path.join(TESTS, "toolchains"), *verb],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return found.stdout.strip() if found.returncode == 0 else None


def go(version):
    """The path of a release's go command, None when it is not here."""
    return program("go", version)


def minor(version):
    """1.24 as 24, from a release's name or from what a document says (go1.24.4)."""
    return int(version.removeprefix("go").split(".")[1].split("-")[0].split("rc")[0])
