# SPDX-License-Identifier: Apache-2.0
"""Deaths that gosnap watch catches: each is as it would be without us, and what is told of it is true. And what a
signal for one of us, at any moment of a death, changes of that: nothing."""
import contextlib
import glob
import os
import re
import signal
import threading
import time

import choice
import last_words
import matrix
from tap import Mismatch, Skip
from watching import Missed, Watcher, ran

# Any thread may take a signal that is sent to the process, and any of several goroutines may be first.
ANYBODY = re.compile("kill-|foreign|deadlock|goexit|c-|map-writes")
MAP_WRITES = "concurrent map writes"  # several may say it, each in its words
RANDOM = choice.dice("moments of a death")
KILLS = 100 if matrix.LONG else 6


def message(errors):
    """What the runtime printed up to the stacks."""
    return re.split(r"\n(?:\n|goroutine \d)", errors.decode(errors="replace"))[0].rstrip("\n")


def same(alone, watched, way):
    for what, one, other in zip(("status", "output", "errors"), alone[1:], watched[1:]):
        if isinstance(one, bytes):
            one, other = last_words.shape(one, way), last_words.shape(other, way)
        if one != other:
            yield f"{what} {other!r:.700}, without us {one!r:.700}"


def differences(way, watched, document, line):
    _, status, out, errors = watched
    fault, trigger = document.get("fault"), document["trigger"]
    if not fault:
        yield f"no fault: {line}"
        return
    wanted = message(errors)
    # A thread that Go does not know has a signal of its own, and says nothing.
    if fault.get("message", "") != wanted and not way.startswith("foreign") and \
            not (way == "map-writes" and MAP_WRITES in fault["message"] and MAP_WRITES in wanted):
        yield f"message {fault.get('message')!r}, the runtime printed {wanted!r}"
    said = re.search(rb'"goroutine":(\d+)', out)
    if not ANYBODY.match(way) and fault.get("goroutine") != int(said[1]):
        yield f"goroutine {fault.get('goroutine')}, not {said[1]}"
    if "goroutine" in fault and document["goroutines"][0]["id"] != fault["goroutine"]:
        yield f"the first goroutine is {document['goroutines'][0]['id']}"
    if trigger.get("thread") != fault.get("thread") or trigger["kind"] not in ("panic", "signal"):
        yield f"trigger {trigger}, thread {fault.get('thread')}"
    if way.startswith("foreign") and fault["signal"]["name"] != signal.Signals(-status).name:
        yield f"signal {fault['signal']}, not {-status}"
    if fault["verdict"] not in line:
        yield f"said {line!r}, the verdict is {fault['verdict']!r}"


def one_death(watcher, program, way, missed=None):
    """missed: what was, which is no difference if it comes only once."""
    alone, watched = ran([program, way]), ran([program, way])
    yield from same(alone, watched, way)
    try:
        document, line = watcher.document(watched[0])
    except Missed as e:
        if missed is None:
            raise
        missed.append(str(e))
        watched = ran([program, way])
        document, line = watcher.document(watched[0])
    yield from differences(way, watched, document, line)


def children(pid):
    """Of the watcher: who has caught a process, and who reads it."""
    parents = {}
    for folder in glob.glob("/proc/[0-9]*"):
        with contextlib.suppress(OSError), open(folder + "/stat", encoding="utf-8", errors="replace") as f:
            parents.setdefault(int(f.read().rpartition(")")[2].split()[1]), []).append(
                int(os.path.basename(folder)))
    found = parents.get(pid, [])
    return found + [c for child in found for c in parents.get(child, [])]


def hit(watcher, victims, what, over, hits):
    """A signal at any moment of a death, or as soon as there is somebody to get it."""
    time.sleep(RANDOM.uniform(0, 0.05))
    while not over.is_set():
        with contextlib.suppress(ProcessLookupError, IndexError):
            victim = RANDOM.choice(victims(watcher.process.pid))
            os.kill(victim, what)
            hits.append(victim)
            return


def interfered(program, victims, what, *options, times=KILLS):
    """It ends as it would, whatever becomes of us. victims: which of us, by the watcher's pid."""
    alone, hits = ran([program, "nil-map"]), []
    for _ in range(times):
        over = threading.Event()
        with Watcher("--max-pause=1s", *options, f"--exe={program}") as watcher:
            late = threading.Thread(target=hit, args=(watcher, victims, what, over, hits))
            late.start()
            found = list(same(alone, ran([program, "nil-map"]), "nil-map"))
            over.set()
            late.join()
            watcher.process.send_signal(signal.SIGCONT)
        if found:
            raise Mismatch("\n".join(found))
    if not hits:
        raise Skip(f"in {times} deaths nobody was there to be hit")
    return f"{len(hits)} of {times} times"
