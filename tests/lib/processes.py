# SPDX-License-Identifier: Apache-2.0
"""What /proc says of a process: is it unharmed? And a client that notices if it is not."""
import contextlib
import ctypes
import glob
import hashlib
import http.client
import os
import signal
import threading
import time

import snapshot
from tap import PATIENCE, Mismatch, Skip

CHILDREN_LOOKS = 10
URGENT = -15  # nice value
libc = ctypes.CDLL(None, use_errno=True)


def linux():
    """The kernel's release, as (6, 18)."""
    return tuple(int(word) for word in os.uname().release.split("-")[0].split(".")[:2])


def fields(path):
    with open(path) as f:
        return dict(l.rstrip("\n").split(":\t", 1) for l in f if ":\t" in l)


def threads(pid):
    """(tid, state letter, tracer's pid) of each thread."""
    for path in glob.glob(f"/proc/{pid}/task/*/status"):
        try:
            status = fields(path)
        except (FileNotFoundError, ProcessLookupError):
            continue  # threads come and go
        yield int(status["Pid"]), status["State"][0], int(status["TracerPid"])


def state(pid):
    try:
        return fields(f"/proc/{pid}/status")["State"][0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def child_pids(pid):
    """Of the children, zombies too. The kernel may leave out one while others end, so the answer must come twice."""
    if not os.path.exists("/proc/thread-self/children"):
        raise Skip("the kernel does not list the children of a process: it needs CONFIG_PROC_CHILDREN")
    before = None
    for _ in range(CHILDREN_LOOKS):
        found = set()
        for path in glob.glob(f"/proc/{pid}/task/*/children"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(path) as f:
                found.update(map(int, f.read().split()))
        if found == before:
            break
        before = found
    return sorted(found)


def children(pid):
    """(pid, name, state) of each child, zombies too."""
    for child in child_pids(pid):
        try:
            status = fields(f"/proc/{child}/status")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if status.get("PPid") == str(pid):
            yield child, status["Name"], status["State"][0]


def descendants(pid):
    """Its children and theirs: gosnap's are the sandbox, the tracer, and the sandbox's workers."""
    for child in children(pid):
        yield child
        yield from descendants(child[0])


def stat(path):
    """The fields of a stat file from the third on, the state, as proc(5) numbers them."""
    with open(path) as f:
        return dict(enumerate(f.read().rpartition(") ")[2].split(), 3))


EXIT_SIGNAL, NICE, RT_PRIORITY, POLICY = 38, 19, 40, 41  # fields of stat


def has_its_share(pid):
    """Its threads have run for longer than they waited for a processor."""
    ran = waited = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError), open(path) as f:
            on, off = map(int, f.read().split()[:2])
            ran, waited = ran + on, waited + off
    return ran >= waited


@contextlib.contextmanager
def in_a_hurry():
    """Raises the priority of this thread, and of what it starts, if the user may. A subject that is always busy uses
    a processor until a test has looked at it. A look in a hurry does not wait for such subjects."""
    thread = threading.get_native_id()
    before = os.getpriority(os.PRIO_PROCESS, thread)
    try:
        with contextlib.suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, thread, URGENT)
        yield
    finally:
        os.setpriority(os.PRIO_PROCESS, thread, before)


def remains(pid):
    """The zombies that a killed gosnap leaves: children of the process that end silently."""
    for child, _, state in children(pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if state == "Z" and stat(f"/proc/{child}/stat")[EXIT_SIGNAL] == "0":
                yield child


def files(pid):
    """What each descriptor is, numbers of sockets and pipes left out."""
    for entry in os.scandir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            yield f"{entry.name} {os.readlink(entry.path).partition(':[')[0]}"


def traits(pid):
    """What of a process is to be as it was: a dictionary by names."""
    found = {"files": tuple(sorted(files(pid)))}
    for name in ("limits", "oom_score_adj", "coredump_filter", "cgroup"):
        with open(f"/proc/{pid}/{name}") as f:
            found[name] = f.read()
    kinds = set()
    for path in glob.glob(f"/proc/{pid}/task/*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            status, numbers = fields(path + "/status"), stat(path + "/stat")
            kinds.add(tuple(sorted([
                *((name, numbers[at]) for name, at in (
                    ("nice", NICE), ("rt_priority", RT_PRIORITY), ("policy", POLICY))),
                *((name, status[name]) for name in (
                    "SigBlk", "SigIgn", "SigCgt", "CapEff", "Seccomp", "NoNewPrivs",
                    "Cpus_allowed"))])))
    found["threads"] = tuple(sorted(kinds))
    return found


def until(condition, what, seconds=PATIENCE):
    """Polls until condition() is true."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise Mismatch("waited in vain: " + what)
        time.sleep(0.005)


def is_locked(path):
    """By flock(), of any process. Asking with a lock would take it from who wants it."""
    with contextlib.suppress(FileNotFoundError):
        inode = os.stat(path).st_ino
        with open("/proc/locks") as f:
            return any(line.split()[1] == "FLOCK" and int(line.split()[5].split(":")[2]) == inode
                       for line in f if "->" not in line)
    return False


GONE = "the process is gone"


def harm(pid, stopped="Tt", zombies=False):
    """A sentence if the process bears a trace of having been examined, else None.
    zombies: it may have what a killed gosnap leaves."""
    if state(pid) in (None, "Z", "X"):
        return GONE
    for tid, letter, tracer in threads(pid):
        if letter in stopped:
            return f"thread {tid} is stopped ({letter})"
        if tracer:
            return f"thread {tid} is traced by {tracer}"
    silent = set(remains(pid)) if zombies else ()
    left = [c for c in children(pid) if c[0] not in silent]
    if left:
        return f"it has children: {left}"
    return None


def send(pid, tid, number):
    """To one thread."""
    if libc.tgkill(pid, tid, int(number)) != 0:
        raise OSError(ctypes.get_errno(), f"tgkill {number} of {tid}")


def stop(pid):
    """By job control; returns when every thread stands."""
    os.kill(pid, signal.SIGSTOP)
    until(lambda: all(s == "T" for _, s, _ in threads(pid)), "the process stops")


SOON, SELDOM = 10, 2  # seconds; processes in a test
cleared = []  # pids


def clear_what_stayed(pid, since):
    """Where a process has no processor for long, zombies of its copy may stay. A document says so, which not
    every test has at hand. A gosnap that leaves them each time is found out."""
    if time.monotonic() - since > SOON and pid not in cleared and len(cleared) < SELDOM and any(remains(pid)):
        cleared.append(pid)
        print(f"# zombies of a copy of {pid} stayed, and are cleared")
        snapshot.clear_zombies(pid)


def unharmed(pid, seconds=PATIENCE, stopped="Tt", zombies=False):
    """The kernel takes a moment to release the threads of a tracer that died."""
    begun = time.monotonic()
    while True:
        sentence = harm(pid, stopped, zombies)
        if sentence is None:
            return
        if time.monotonic() - begun > seconds or sentence == GONE:
            raise Mismatch(sentence)
        clear_what_stayed(pid, begun)
        time.sleep(0.005)


def answer(n):
    """What the subject `busy` must answer to a number."""
    value = str(n).encode()
    for _ in range(50):
        value = hashlib.sha256(value).digest()
    return value.hex()


class Client:
    """Asks the subject `busy` all the time, from several connections, and checks each answer."""

    def __init__(self, address, connections=3):
        self.address = address
        self.answered = 0
        self.lost = []
        self.slowest = 0.0
        self.ending = False
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self._ask, args=(i,), daemon=True)
                        for i in range(connections)]
        for t in self.threads:
            t.start()

    def _ask(self, first):
        host, port = self.address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=PATIENCE)
        n = first
        while not self.ending:
            n += 10
            begin = time.monotonic()
            problem = None
            try:
                connection.request("GET", f"/?n={n}")
                got = connection.getresponse().read().decode()
                if got != answer(n):
                    problem = f"{n}: {got[:200]!r}"
            except Exception as e:  # anything that is not the right answer is a loss
                problem = f"{n}: {e!r}"
                connection.close()
            with self.lock:
                self.answered += 1
                self.slowest = max(self.slowest, time.monotonic() - begin)
                if problem:
                    self.lost.append(problem)
            if len(self.lost) > 20:
                return

    def close(self):
        self.ending = True
        for t in self.threads:
            t.join(PATIENCE)
        if self.lost:
            raise Mismatch(f"{len(self.lost)} of {self.answered} answers were lost:\n"
                           + "\n".join(self.lost))
        if not self.answered:
            raise Mismatch("nothing was answered")
        return f"{self.answered} answers, 0 lost, the slowest took {self.slowest * 1000:.0f} ms"


def run_as(uid):
    """For subprocess's preexec_fn: another user, without groups or capabilities."""
    def become():
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    return become
