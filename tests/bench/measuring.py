# SPDX-License-Identifier: Apache-2.0
"""What the benches have in common: the swarm and what its heartbeat felt, the memory of a
tool, and the parts of doc/performance.md that they write."""
import datetime
import json
import os
import platform
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
import matrix
from snapshot import without_values

GOSNAP = os.environ.get("GOSNAP", os.path.join(TOP, "build", "gosnap"))
DOC = os.path.join(TOP, "doc")
PAGE = os.path.join(DOC, "performance.md")
DUMPERS = ["Delve dump", "gcore"]
DUMP_PATIENCE = 90  # seconds, with one of them


class Row:
    """What one tool took in one run: seconds, bytes, seconds felt by the heartbeat, and the
    longest gap that it saw while the process was not held."""
    def __init__(self, seconds, anonymous, pause, elsewhere=None):
        self.seconds, self.anonymous, self.pause = seconds, anonymous, pause
        self.elsewhere = elsewhere


def _anonymous(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as f:
            found = re.search(r"RssAnon:\s+(\d+)", f.read())
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def family(pid):
    """A process and what it started, which has higher numbers."""
    found = {pid}
    for other in sorted(int(e) for e in os.listdir("/proc") if e.isdigit() and int(e) > pid):
        try:
            with open(f"/proc/{other}/stat", encoding="ascii", errors="replace") as f:
                parent = int(f.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        if parent in found:
            found.add(other)
    return found


class Peak(threading.Thread):
    """The most anonymous memory, in bytes, that a process and its children had together."""
    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.peak, self.ending = pid, 0, False
        self.start()

    def run(self):
        while not self.ending:
            self.peak = max(self.peak, sum(_anonymous(p) for p in family(self.pid)))
            time.sleep(0.001)

    def end(self):
        self.ending = True
        self.join()
        return self.peak


class Swarm:
    """The running subject tests/subjects/swarm."""
    def __init__(self, subject, count):
        self.subject, self.count, self.pid = subject, count, subject.pid

    def ask(self, word):
        self.subject.process.stdin.write(word.encode() + b"\n")
        self.subject.process.stdin.flush()
        return self.subject.process.stdout.readline().decode().split()

    def gap(self):
        """The longest gap that the heartbeat felt since "beat", in seconds."""
        return int(self.ask("gap")[0]) / 1e9

    def felt(self, begin, seconds):
        """The longest gap that lies in part in a hold which began at a time (nanoseconds
        since 1970), and the longest other one, in seconds."""
        words = [int(w) for w in self.ask("gaps")]
        gaps = list(zip(words[::2], words[1::2]))
        held = [took for at, took in gaps if at < begin + seconds * 1e9 and at + took > begin]
        others = [took for at, took in gaps
                  if at >= begin + seconds * 1e9 or at + took <= begin]
        return max(held, default=0) / 1e9, max(others, default=0) / 1e9

    def run(self, command, memory=True, limit=None):
        """Runs a tool. Returns its row, its exit status and what it printed. memory: looking
        at it all the time takes a CPU, which the pause may feel. limit: seconds, then it is
        killed, with what it started."""
        self.ask("beat")
        with tempfile.TemporaryFile() as out:
            before = time.monotonic()
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                                     stderr=subprocess.STDOUT, start_new_session=True)
            peak = Peak(child.pid) if memory else None
            try:
                status = child.wait(limit)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                status = child.wait()
            seconds = time.monotonic() - before
            row = Row(seconds, peak and peak.end(), self.gap())
            out.seek(0)
            return row, status, out.read().decode(errors="replace")


def gosnap(swarm, name, *options, memory=False):
    """One more try, should it fail: what it says then is on standard error."""
    for _ in range(2):
        row, status, said = swarm.run([GOSNAP, *without_values(options), "-o", name, str(swarm.pid)], memory)
        if status == 0:
            of = snapshot_of(name)
            row.pause, row.elsewhere = swarm.felt(
                nanoseconds(of["taken_at"]) - of["pause"]["stopping_ns"], of["pause_ns"] / 1e9)
            return row
        print(f"gosnap failed: {status}: {said}", file=sys.stderr)
    sys.exit(1)


def field(path, name):
    """A number of a file of /proc that counts in kB, in bytes."""
    with open(path, encoding="ascii") as f:
        return int(re.search(rf"^{name}:\s+(\d+)", f.read(), re.M)[1]) * 1024


def dump(swarm, tool, folder):
    """How long the process was held for a core file, which is deleted at once."""
    name = os.path.join(folder, "core")
    dlv = matrix.program("dlv")
    size = field(f"/proc/{swarm.pid}/status", "VmSize")
    present = field(f"/proc/{swarm.pid}/status", "VmRSS")
    if shutil.disk_usage(folder).free < min(size, 4 * present) + (10 << 30):
        return None
    if tool == "gcore":
        if not shutil.which("gcore"):
            return None
        command = ["gcore", "-o", name, str(swarm.pid)]
    elif dlv:
        script = os.path.join(folder, "commands")
        with open(script, "w", encoding="ascii") as f:
            f.write(f"dump {name}\nexit\n")
        command = [dlv, "attach", str(swarm.pid), "--init", script,
                   "--allow-non-terminal-interactive=true"]
    else:
        return None
    row, status, said = swarm.run(command, memory=False, limit=DUMP_PATIENCE)
    made = [os.path.join(folder, f) for f in os.listdir(folder) if f.startswith("core")]
    whole = sum(os.path.getsize(f) for f in made)
    for file in made:
        os.unlink(file)
    if row.seconds > DUMP_PATIENCE:
        return None
    if whole < present // 2:
        sys.exit(f"{tool} wrote {whole} bytes of {present} ({status}): {said[-500:]}")
    return row.pause


def nanoseconds(time):
    """Since 1970; taken_at is when all threads had stopped."""
    whole, _, fraction = time.rstrip("Z").partition(".")
    date = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
    return int(date.timestamp()) * 10**9 + int(fraction.ljust(9, "0"))


def snapshot_of(name):
    """What a document says of its own taking."""
    with open(name, encoding="utf-8") as f:
        for line in f:
            if line.startswith('"snapshot":'):
                return json.loads(line[len('"snapshot":'):].rstrip(",\n"))
    sys.exit(f"{name} has no record of how it was taken")


def median(rows):
    known = [r for r in rows if r]
    if not known:
        return None
    return Row(*(statistics.median(v) if None not in v else None
                 for v in zip(*((r.seconds, r.anonymous, r.pause) for r in known))))


def compile_floor(name, folder):
    program = os.path.join(folder, name)
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", program,
                    os.path.join(HERE, name + ".c")], check=True)
    return program


def ratio(value):
    return "-" if value is None else f"{value:,.0f}x" if value >= 10 else f"{value:.2g}x"


def machine(version):
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        model = re.search(r"model name\s*:\s*(.*)", f.read())
    with open("/proc/meminfo", encoding="utf-8") as f:
        memory = int(re.search(r"MemTotal:\s+(\d+)", f.read())[1]) / 1024 / 1024
    return (f"{os.cpu_count()} cores of {model[1] if model else platform.machine()}, "
            f"{memory:.0f} GiB, Linux {platform.release()}, subjects of Go {version}, "
            f"{datetime.date.today()}, load average {os.getloadavg()[0]:.1f} at the start.")


def write_part(name, lines):
    """Replaces what stands between the two marks of a part; the rest is written by hand."""
    begin, end = f"<!-- measured: {name} -->\n", f"<!-- end of {name} -->\n"
    with open(PAGE, encoding="utf-8") as f:
        head, rest = f.read().split(begin)
    tail = rest.split(end)[1]
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(head + begin + "\n" + "\n".join(lines).rstrip() + "\n\n" + end + tail)
