# SPDX-License-Identifier: Apache-2.0
"""Programs in unusual surroundings, and a library of our own to be mistreated."""
import contextlib
import os
import shutil
import subprocess
import tempfile

import snapshot
import standing
import subjects
from tap import Mismatch


@contextlib.contextmanager
def copied(*paths):
    """A folder of everybody's, and where the copies are in it."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield [shutil.copy(p, folder) for p in paths]


def library(path, *flags):
    """Compiles the library of the subject of that name."""
    source = os.path.join(subjects.SOURCE, "library", "library.c")
    done = subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-Wl,--build-id", *flags,
                           "-o", path, source], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise Mismatch(done.stdout)
    return path


def nothing(_):
    return ()


def changed(change):
    """A change of the surroundings that stays, as at_rest wants it."""
    return lambda subject: contextlib.nullcontext(change(subject))


def at_rest(start, version, around=changed(nothing), check=nothing, **options):
    """start() gives a context with a subject, around(subject) one in which the snapshot is
    taken; check(document) yields sentences. Compares as tests/truth.test does.
    options: of the comparison (stripped) and of snapshot.take; threads(subject) are those
    that come to rest."""
    stripped = options.pop("stripped", False)
    threads = options.pop("threads", None)

    def attempt(counts):
        counts.stripped = stripped
        with start() as subject:
            subject.settle(threads(subject) if threads else None)
            with around(subject):
                document = snapshot.take(subject.pid, **options)
            yield from ((False, sentence) for sentence in check(document))
            text = subject.quit()
        yield from standing.differences(document, subject, text, version, counts)
    return standing.compared(attempt)
