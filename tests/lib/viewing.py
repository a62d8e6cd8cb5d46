# SPDX-License-Identifier: Apache-2.0
"""gosnap show over documents made here, and what its text has to say."""
import tempfile

import snapshot
from tap import Mismatch


def show(document, *options, **more):
    """Runs gosnap show over the text of a document."""
    if isinstance(document, str):
        document = document.encode()
    with tempfile.NamedTemporaryFile(suffix=".json") as f:
        f.write(document)
        f.flush()
        done = snapshot.gosnap("show", *options, f.name, **more)
        done.stderr = done.stderr.decode().replace(f.name, "FILE")
        done.stdout = done.stdout.decode().replace(f.name, "FILE")
        return done


def text_of(document, *options):
    done = show(document, *options)
    if done.returncode != 0 or done.stderr:
        raise Mismatch(f"status {done.returncode}: {done.stderr}")
    return done.stdout


def same(ours, expected):
    for number, (a, b) in enumerate(zip(ours.splitlines(), expected.splitlines()), 1):
        if a != b:
            raise Mismatch(f"line {number} is\n{a}\nand should be\n{b}")


def has(text, *lines):
    for line in lines:
        if line not in text.splitlines():
            raise Mismatch(f"no line {line!r} in\n{text}")


def lacks(text, *words):
    for word in words:
        if word in text:
            raise Mismatch(f"{word!r} is in\n{text}")
