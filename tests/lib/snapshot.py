# SPDX-License-Identifier: Apache-2.0
"""Runs gosnap and gives its document back as plain objects, checked for its own promises."""
import collections
import contextlib
import json
import os
import re
import resource
import subprocess
import tempfile

import choice
import matrix
import schema
from tap import PATIENCE, Mismatch, Skip


CHANGED = "it may have changed while it was read"


def program():
    for path in (os.environ.get("GOSNAP"), "gosnap", "build/gosnap",
                 os.path.join(matrix.TESTS, "../build/gosnap"),
                 os.path.join(matrix.TESTS, "../gosnap")):
        if path and os.access(path, os.X_OK) and os.path.isfile(path):
            return os.path.abspath(path)
    raise FileNotFoundError("no gosnap: build it, or name it in GOSNAP")


def sanitized():
    """Sanitizers want far more memory and address space, and no valgrind."""
    with open(program(), "rb") as f:
        return b"__asan_init" in f.read()


# Of a copy that was asked for: the process had no processor for longer than a thread may be held.
LATE = re.compile(rb"helper process did not (stop in time|reach its clone call)"
                  rb"|did not return from a system call|which was borrowed, did not stop in time")
# Of a process that was held: gosnap had none, and let it go.
STALLED = re.compile(rb"gosnap stalled or took too long|was stopped for longer than allowed")
CANNOT, PARTIAL, TRIES = 5, 3, 20
# On such a machine the zombies of its copy may stay as well. It says so, and what removes them.
STAYS = re.compile(rb"of its copy remains? \(harmless\): gosnap doctor --clear")


def clear(pid, document):
    """What its user would do who reads that warning."""
    if STAYS.search(document):
        clear_zombies(pid)


def clear_zombies(pid):
    for _ in range(TRIES):
        done = subprocess.run([program(), "doctor", "--clear", str(pid)], check=False,
                              timeout=PATIENCE, stdout=subprocess.DEVNULL)
        if done.returncode != CANNOT:
            break


def was_late(done, arguments=()):
    """On a busy machine it had no processor in time, and says so. Whoever sets a limit wants to see it kept."""
    if done.returncode == PARTIAL and not any(str(a).startswith("--max-pause") for a in arguments):
        return STALLED.search(done.stderr or b"")
    return done.returncode == CANNOT and LATE.search(done.stderr or b"")


def emptied(out):
    """What a try that was late wrote is not kept."""
    if hasattr(out, "seekable") and out.seekable():
        out.seek(0)
        out.truncate()


def gosnap(*arguments, **options):
    """Runs gosnap to its end, again if it was late. Returns subprocess.CompletedProcess with bytes.
    prefix: the command that runs it, as nsenter does; cpu_seconds: what its work may cost,
    however busy the machine is."""
    prefix = options.pop("prefix", ())
    cpu_seconds = options.pop("cpu_seconds", None)
    if cpu_seconds:
        options["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_CPU,
                                                           (cpu_seconds, cpu_seconds))
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("timeout", PATIENCE)
    for _ in range(TRIES):
        done = subprocess.run([*map(str, prefix), program(), *map(str, arguments)], **options)
        if not was_late(done, arguments):
            break
        emptied(options["stdout"])
    # A document says it, and where a core file is written, standard error.
    pid = arguments[1 if arguments[0] == "print" else -1] if arguments else None
    clear(pid, (done.stdout or b"") + (done.stderr or b""))
    return done


# Of a core file: the process was let go before all was read.
OUT_OF_TIME = re.compile(rb"core file are missing: they were not read in time|method of capture is live|"
                         rb"resumed before everything was read")


def until_whole(*arguments, status=0, **options):
    """As gosnap(), of what a core file is to have in it."""
    for _ in range(TRIES):
        done = gosnap(*arguments, **options)
        if done.returncode == status or not OUT_OF_TIME.search(done.stderr):
            break
    return done


def export_core(*arguments):
    return until_whole("core-export", *arguments)


@contextlib.contextmanager
def redact_key():
    """Yields options with which all documents replace the same secret by the same word."""
    with tempfile.NamedTemporaryFile() as key:
        key.write(choice.dice("redact key").randbytes(32))
        key.flush()
        yield "--redact-key", key.name


def need_switches():
    """For tests that have gosnap die or stop in the middle of its work."""
    if b"GOSNAP_DIE_AT" not in gosnap("--version").stdout:
        raise Skip("gosnap was built without --enable-dev: it cannot be told to die")


# Any of these says what is wanted of values.
OF_VALUES = {"--values", "--full", "--stacks", "--compiler", "--default"}


def without_values(arguments):
    """Most tests are about stacks, and sooner done without values. --default: whatever gosnap
    does unless told."""
    if OF_VALUES.isdisjoint(arguments):
        return ["--stacks", *arguments]
    return [a for a in arguments if a != "--default"]


def take(pid, *arguments, validate=True, statuses=(0,), **options):
    """A snapshot that must succeed, as a Document: of stacks, unless asked for values. options:
    as of gosnap()."""
    arguments = without_values(arguments)
    for _ in range(TRIES):
        with tempfile.TemporaryFile() as out:
            done = gosnap(*arguments, pid, stdout=out, **options)
            out.seek(0)
            text = out.read()
        if not STAYS.search(text):
            break
        clear_zombies(pid)
    if done.returncode not in statuses:
        raise Mismatch(f"gosnap ended with status {done.returncode}: "
                       f"{done.stderr.decode(errors='replace')}"
                       f"{text[-400:].decode(errors='replace')}")
    document = load(text, validate)
    must_say_why(document.raw, done.returncode, done.stderr.decode())
    return document


def must_say_why(document, status, said):
    """With status PARTIAL, standard error has the reason why the document is incomplete."""
    reason = document["end"].get("incomplete_reason")
    if status == PARTIAL and f"gosnap: the document is incomplete: {reason}\n" not in said:
        raise Mismatch(f"the document is incomplete, because {reason}, and standard error has {said!r}")


def load(text, validate=True):
    try:
        document = json.loads(text)
    except ValueError as e:
        raise Mismatch(f"not a JSON document: {e}: {text[:80]!r} ... {text[-80:]!r}") from e
    problems = list(check(document))
    if problems:
        raise Mismatch("the document breaks its own rules:\n" + "\n".join(problems[:20]))
    if validate:
        # Where no library is, a test of its own says so.
        with contextlib.suppress(schema.Missing):
            problems = schema.problems(document, len(text))
            if problems:
                raise Mismatch("the document does not follow its schema:\n"
                               + "\n".join(problems[:20])[:4000])
    return Document(document)


REFERENCES = 20  # deeper than any value of a test


def parsed(text):
    """A document with what values refer to where they refer to it."""
    return in_place(json.loads(text), text)


def in_place(document, text):
    if not document.get("objects"):
        return document
    done = subprocess.run([program(), "json", f"--inline={REFERENCES}", "-"], input=text,
                          stdout=subprocess.PIPE, timeout=PATIENCE, check=True)
    return json.loads(done.stdout)


def check(d):
    """What FORMAT.md promises and a schema cannot say: one sentence for each breach."""
    if d.get("format") != "gosnap" or d.get("version") != 1:
        yield f"format {d.get('format')!r}, version {d.get('version')!r}"
    end = d.get("end", {})
    groups = {g["id"]: g for g in d.get("groups", [])}
    goroutines = d.get("goroutines", [])
    # Where gosnap's reader died, nobody has counted.
    died = "incomplete_reason" in end and "goroutines" not in end
    if not died and end.get("goroutines") != len(goroutines):
        yield f"end says {end.get('goroutines')} goroutines, there are {len(goroutines)}"
    moving = d.get("snapshot", {}).get("consistency") in ("running", "copy")
    ids = collections.Counter((g.get("runtime"), g["id"]) for g in goroutines
                              if g["status"] != "dead")
    for g in goroutines:
        times = ids[g.get("runtime"), g["id"]]
        changed = moving and g.get("unreliable_reason") == CHANGED
        if g["status"] != "dead" and not changed and ("unreliable_reason" in g) != (times > 1):
            yield (f"goroutine {g['id']}: its id stands {times} times, "
                   f"unreliable: {g.get('unreliable_reason')}")
    members = {}
    for g in goroutines:
        who = f"goroutine {g['id']}"
        if g.get("group") not in groups:
            yield f"{who}: group {g.get('group')!r} does not exist"
        members.setdefault(g.get("group"), set()).add(g["id"])
        yield from check_proof(who, g.get("unwind"))
        frames = g.get("frames", groups.get(g.get("group"), {}).get("frames", []))
        if "argument_words" in g and len(g["argument_words"]) != len(frames):
            yield f"{who}: words for {len(g['argument_words'])} of {len(frames)} frames"
        if len(frames) != len(groups.get(g.get("group"), {"frames": frames})["frames"]):
            yield f"{who}: {len(frames)} frames, its group has others"
    for t in d.get("threads", []):
        # On a goroutine's stack: the goroutine has the frames and their proof.
        if "frames" in t or "goroutine" not in t:
            yield from check_proof(f"thread {t['id']}", t.get("unwind"))
    for id_, group in groups.items():
        if set(group["goroutines"]) != members.get(id_, set()):
            yield f"group {id_} lists other goroutines than those that name it"
        if group["count"] != len(group["goroutines"]):
            yield f"group {id_}: count {group['count']} of {len(group['goroutines'])}"
    counts = [g["count"] for g in d.get("groups", [])]
    if counts != sorted(counts, reverse=True):
        yield "groups are not ordered, biggest first"


def check_proof(who, unwind):
    """Every stack ends with its proof: complete, truncated or lost with a reason."""
    if unwind is None:
        yield f"{who}: says nothing of how its stack ended"
        return
    how, reason = proof(unwind)
    if how not in ("complete", "truncated", "lost"):
        yield f"{who}: unwind {unwind!r}"
    elif how != "complete" and not reason:
        yield f"{who}: {how} without a reason"


def proof(unwind):
    """(complete|truncated|lost, reason) of a stack's proof; complete for none: see check."""
    unwind = unwind or {"status": "complete"}
    return unwind.get("status"), unwind.get("reason")


class Document:
    """A document with its goroutines' frames expanded from their groups. runtime: of
    several Go runtimes the one whose goroutines count, None for the first."""

    def __init__(self, document, runtime=None):
        self.raw = document
        groups = {g["id"]: g.get("frames", []) for g in document.get("groups", [])}
        self.goroutines = {g["id"]: g for g in document.get("goroutines", [])
                           if g.get("runtime") == runtime}
        for g in self.goroutines.values():
            # A frame leaves out what its group's says.
            own = g.get("frames", [{}] * len(groups[g["group"]]))
            g["frames"] = [{**f, **o} for f, o in zip(groups[g["group"]], own)]
        self.threads = {t["id"]: t for t in document.get("threads", [])}
        self.warnings = document.get("warnings", [])

    def user(self):
        return [g for g in self.goroutines.values() if not g.get("system")]


def status(goroutine):
    """The status of a goroutine of a document in the words of a traceback's header."""
    words = goroutine["status"]
    if words in ("waiting", "leaked") and goroutine.get("wait_reason"):
        words = goroutine["wait_reason"]
    return words.replace(" (durable)", "")


def address(text):
    return int(text, 16)
