# SPDX-License-Identifier: Apache-2.0
"""Keys of gosnap view: from when one is sent into a terminal until the last byte that it makes the
program write has come out."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

import measuring

COLUMNS, ROWS = 200, 60
STILL_S = 0.02  # as long it neither writes nor runs: then it waits for a key
PAGE_DOWN, DOWN, TAB, ENTER = "\x1b[6~", "j", "\t", "\r"
PATIENCE_S = 60  # a key that changes nothing is a mistake of ours
EVERYBODY = "&" + ENTER  # in the list


def _states(pid):
    """Of all threads of a process and its children: [whether it sleeps, for how long it has run]"""
    found = []
    for one in sorted(measuring.family(pid)):
        for thread in sorted(os.listdir(f"/proc/{one}/task")):
            with open(f"/proc/{one}/task/{thread}/stat", encoding="ascii", errors="replace") as f:
                sleeps = f.read().rpartition(")")[2].split()[0] == "S"
            with open(f"/proc/{one}/task/{thread}/schedstat", encoding="ascii") as f:
                found.append((sleeps, f.read().split()[0]))
    return found


def _resize(fd, rows):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, COLUMNS, 0, 0))


class Terminal:
    """A program in a terminal, to be left by q."""
    def __init__(self, *command):
        self.begun = time.monotonic()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            _resize(0, ROWS)  # before it begins
            os.execvpe(command[0], command,
                       {**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
        os.close(self.fd)

    def settled(self):
        """What it writes until it waits for a key, and when the last of that came."""
        came, last, before = b"", None, None
        while True:
            if select.select([self.fd], [], [], STILL_S)[0]:
                came += os.read(self.fd, 1 << 20)
                last, before = time.monotonic(), None
                continue
            now = _states(self.pid)
            if now == before and all(sleeps for sleeps, _ in now):
                return came, last
            before = now

    def since(self, begin):
        """Seconds until what it draws is complete. A key may take a while to reach it."""
        while time.monotonic() < begin + PATIENCE_S:
            _, last = self.settled()
            if last:
                return last - begin
        return None

    def opened(self):
        return self.since(self.begun)

    def press(self, keys):
        """None: nothing has changed."""
        begin = time.monotonic()
        os.write(self.fd, keys.encode())
        return self.since(begin)

    def words(self):
        """What is on the screen, without blanks: of another size, it is drawn anew."""
        for rows in (ROWS - 1, ROWS):
            _resize(self.fd, rows)
            text = self.settled()[0].decode(errors="replace")
        return re.sub(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|[()].|[=>78])|\s", "", text)


class Series:
    """What a key is called in the table, what leads to it each time, the keys themselves, and what
    is to be on the screen after the last of them."""
    def __init__(self, name, keys, before="", shows=""):
        self.name, self.keys, self.before, self.shows = name, keys, before, shows

    def measure(self, terminal):
        took = []
        for keys in self.keys:
            if self.before:
                terminal.press(self.before)
            seconds = terminal.press(keys)
            if seconds is None:
                sys.exit(f"gosnap view: {self.name}: {keys!r} changes nothing")
            took.append(seconds)
        words = terminal.words()
        if self.shows.replace(" ", "") not in words:
            sys.exit(f"gosnap view: {self.name}: there is no {self.shows!r} in {words}")
        return took


def series_of(document):
    yield Series("j, a row down", [DOWN] * 20, shows="21 of ")
    yield Series("page down", [PAGE_DOWN] * 20)
    yield Series("G and g, the last row and the first", ["G", "g"] * 5, shows="1 of ")
    yield Series("Enter, the stack of a goroutine", [ENTER] * 10, before="oj", shows="Stack of goroutine")
    yield Series("Tab, the next pane", [TAB] * 9)
    yield Series("a pane by its letter", list("ftlrasvco"), shows=" of ")
    yield Series("/, Enter: a function of every third", [ENTER] * 5, before="o/fifth2")
    yield Series("n, the next one", ["n"] * 10)
    yield Series("/, Enter: what nobody has", [ENTER] * 3, before="/nobody has this", shows="not found")
    yield Series("z, sorted in another way", ["z"] * 8)
    yield Series("., with what is the runtime's", ["."] * 6)
    yield Series("&, Enter: words", [ENTER] * 3, before=EVERYBODY + "o&fifth2")
    yield Series(":, Enter: `waiting > 1ms`", [ENTER] * 3, before=EVERYBODY + "o:waiting > 1ms")
    yield Series(":, Enter: `any(frames, function ~ \"fifth2\")`", [ENTER] * 3,
                 before=EVERYBODY + "o:any(frames, function ~ \"fifth2\")")
    if document.values:
        yield Series(":, Enter: `var.m.state > 0`", [ENTER] * 3, before=EVERYBODY + "o:var.m.state > 0",
                     shows=", var.m.state > 0")
    yield Series("&, Enter: all again", [ENTER], before="o&")


def measure(document):
    """Seconds until the first screen, and {key: [seconds]}"""
    with Terminal(measuring.GOSNAP, "view", document.path) as terminal:
        opened = terminal.opened()
        terminal.press("o")
        terminal.press("g")
        return opened, {s.name: s.measure(terminal) for s in series_of(document)}

