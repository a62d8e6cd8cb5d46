# SPDX-License-Identifier: Apache-2.0
"""Delve as a server of one stopped process: its JSON-RPC, as in Documentation/api/json-rpc."""
import json
import os
import socket
import subprocess
import tempfile

import matrix
from tap import PATIENCE, Skip

FRAMES = 1000
# As deep as gosnap goes by default, at least: a value that one of the two leaves out is not
# compared.
BOUNDS = {"FollowPointers": True, "MaxVariableRecurse": 1, "MaxStringLen": 512,
          "MaxArrayValues": 64, "MaxStructFields": -1}
ESCAPED, SHADOWED = 1, 2  # of a variable's flags


class Failure(Exception):
    """Delve says that it cannot."""


class Delve:
    """Attached to a process that stands still, or reading the core of one: its executable and
    the core. Use as a context: it has let go afterwards. release: its name in tests/toolchains."""

    def __init__(self, pid=None, core=(), release="dlv"):
        program = matrix.program(release)
        if program is None:
            raise Skip(f"no Delve: tests/toolchains fetch {release}")
        self.folder = tempfile.TemporaryDirectory()
        self.calls = 0
        # Older releases than it supports are to be tried, too.
        self.process = subprocess.Popen(
            ["nice", "-n", "5", program, *(["core", *core] if core else ["attach", str(pid)]),
             "--headless", "--api-version=2", "--listen=127.0.0.1:0", "--check-go-version=false"],
            env=dict(os.environ, XDG_CONFIG_HOME=self.folder.name),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            said = self.process.stdout.readline()
            if b"listening" not in said:
                raise Failure((said + self.process.stdout.read()).decode(errors="replace"))
            port = int(said.decode().rpartition(":")[2])
            self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
            self.file = self.socket.makefile("rwb")
        except BaseException:
            self._end()
            raise
        self.version = self.call("GetVersion")["DelveVersion"].split("\n")[0].split()[-1]

    def call(self, method, **arguments):
        self.calls += 1
        line = {"method": "RPCServer." + method, "params": [arguments], "id": self.calls}
        self.file.write(json.dumps(line).encode() + b"\n")
        self.file.flush()
        answer = self.file.readline()
        if not answer:
            raise Failure("it has ended")
        answer = json.loads(answer)
        if answer["error"]:
            raise Failure(str(answer["error"]))
        return answer["result"]

    def goroutines(self):
        return [g["id"] for g in self.call("ListGoroutines", Start=0, Count=0)["Goroutines"]]

    def frames(self, goroutine):
        """Of its stack, innermost first, with the variables of each."""
        return self.call("Stacktrace", Id=goroutine, Depth=FRAMES, Full=True,
                         Cfg=BOUNDS)["Locations"]

    def package_variables(self, package, depth):
        """With what they refer to, so many levels deep."""
        return self.call("ListPackageVars", Filter=f"^{package}\\.",
                         Cfg={**BOUNDS, "MaxVariableRecurse": depth})["Variables"]

    def _end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Detach", Kill=False)
        except (Failure, OSError, ValueError):
            pass
        self.file.close()
        self.socket.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            pass
        self._end()
