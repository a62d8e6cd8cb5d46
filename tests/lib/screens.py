# SPDX-License-Identifier: Apache-2.0
"""A real terminal, by tmux: what is on the screen, and keys for what runs in it."""
import os
import shlex
import shutil
import subprocess
import tempfile
import time

from tap import PATIENCE, Mismatch, Skip


class Server:
    """One tmux of our own, which nobody's configuration changes."""

    def __init__(self):
        if not shutil.which("tmux"):
            raise Skip("no tmux: install tmux")
        self.folder = tempfile.mkdtemp(prefix="gosnap-screens-")
        self.count = 0
        self.run("new-session", "-d", "-s", "idle", "cat")
        for option in (("-s", "escape-time", "0"), ("-s", "set-clipboard", "on"),
                       ("-g", "remain-on-exit", "on"), ("-g", "status", "off"),
                       ("-g", "allow-rename", "on")):
            self.run("set-option", *option)

    def run(self, *words):
        return subprocess.run(["tmux", "-f", "/dev/null", "-S", f"{self.folder}/socket", *words],
                              check=True, capture_output=True, timeout=PATIENCE,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "TMUX": ""}).stdout.decode()

    def close(self):
        subprocess.run(["tmux", "-S", f"{self.folder}/socket", "kill-server"], check=False,
                       capture_output=True)
        shutil.rmtree(self.folder)


class Screen:
    """A program in a terminal of some size."""

    def __init__(self, server, *arguments, columns=80, rows=24, **environment):
        self.server = server
        server.count += 1
        self.name = f"s{server.count}"
        variables = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "NO_COLOR": "", **environment}
        words = ["env", *(f"{name}={value}" for name, value in variables.items()), *arguments]
        server.run("new-session", "-d", "-s", self.name, "-x", str(columns), "-y", str(rows),
                   # What is in the terminal's state afterwards can be seen.
                   f"stty -a >{server.folder}/{self.name}.before; {shlex.join(words)}; echo ended: $?; "
                   f"stty -a >{server.folder}/{self.name}.after; echo over; exec cat")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.run("kill-session", "-t", self.name)

    def seen(self, escapes=False):
        return self.server.run("capture-pane", "-p", *(["-e"] if escapes else []), "-t", self.name)

    def keys(self, *keys):
        """By their names in tmux, or as they are."""
        self.server.run("send-keys", "-t", self.name, *keys)

    def type(self, text):
        self.server.run("send-keys", "-l", "-t", self.name, text)

    def wait(self, *words, without=()):
        """Until all are there, and none of the others."""
        deadline = time.monotonic() + PATIENCE
        while True:
            text = self.seen()
            if all(w in text for w in words) and not any(w in text for w in without):
                return text
            if time.monotonic() > deadline:
                raise Mismatch(f"no {[w for w in words if w not in text]}, or "
                               f"{[w for w in without if w in text]}, on the screen:\n{text}")
            time.sleep(0.02)

    def press(self, *keys, wait=(), without=()):
        self.keys(*keys)
        return self.wait(*([wait] if isinstance(wait, str) else wait), without=without)

    def resize(self, columns, rows):
        self.server.run("resize-window", "-t", self.name, "-x", str(columns), "-y", str(rows))

    def title(self):
        return self.server.run("display-message", "-p", "-t", self.name, "#{pane_title}").strip()

    def alternate(self):
        return self.server.run("display-message", "-p", "-t", self.name, "#{alternate_on}").strip() == "1"

    def pid(self):
        """Of the shell that started it."""
        return int(self.server.run("display-message", "-p", "-t", self.name, "#{pane_pid}"))

    def ended(self, status):
        """It has, and the terminal is as it was."""
        text = self.wait(f"ended: {status}", "over")
        states = [open(f"{self.server.folder}/{self.name}.{when}", encoding="ascii").read()
                  for when in ("before", "after")]
        if states[0] != states[1] or self.alternate():
            raise Mismatch(f"the terminal is not as it was:\n{states[0]}\n{states[1]}\n{text}")
        return text
