# SPDX-License-Identifier: Apache-2.0
"""gosnap serve, and what it is asked."""
import contextlib
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import time

import processes
import snapshot
from tap import PATIENCE, Mismatch

DOCUMENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "documents")


def document_path(name):
    return os.path.join(DOCUMENTS, name + ".json.zst")


def unpacked(name):
    return json.loads(subprocess.run(["zstd", "-qdc", document_path(name)], check=True,
                                     stdout=subprocess.PIPE).stdout)


def same(found, wanted, what):
    if found != wanted:
        raise Mismatch(f"{what}: {str(found)[:500]}, not {str(wanted)[:500]}")


class Server:
    """One gosnap serve, from its address on."""
    def __init__(self, *arguments, **environment):
        self.process = subprocess.Popen([snapshot.program(), "serve", *arguments], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment})
        self.address = self.process.stdout.readline().decode().rstrip("\n")
        found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.address)
        if not found:
            raise Mismatch(f"its first line is {self.address!r}: {self.process.communicate()[1].decode()}")
        self.port, self.token = int(found[1]), found[2]
        self.host = f"127.0.0.1:{self.port}"
        self.kept = None  # a connection for those who only want answers

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, path, method="GET", token=None, headers=None, body=None, whole_path=None):
        """(status, headers, bytes)"""
        connection = self.connect()
        with contextlib.closing(connection):
            connection.putrequest(method, whole_path or f"/{token or self.token}/{path}",
                                  skip_host=True, skip_accept_encoding=True)
            for name, value in {"Host": self.host, **(headers or {})}.items():
                for one in value if isinstance(value, list) else [value]:
                    if one is not None:
                        connection.putheader(name, one)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            return response.status, response.headers, response.read()

    def json(self, path, packed=True):
        self.kept = self.kept or self.connect()
        self.kept.request("GET", f"/{self.token}/{path}", headers={"Accept-Encoding": "gzip" if packed else "identity"})
        response = self.kept.getresponse()
        data = response.read()
        if response.status != 200:
            raise Mismatch(f"{path}: {response.status} {data[:200]}")
        if response.headers.get("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        return json.loads(data)

    def readers(self):
        """Pids of the processes that read documents."""
        children = processes.child_pids(self.process.pid)
        if snapshot.sanitized():
            return set(children)
        return {reader for child in children for reader in processes.child_pids(child)}

    def end(self, how=signal.SIGTERM):
        """What it has printed since: (status, standard output, standard error)"""
        if how is not None:
            self.process.send_signal(how)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out.decode(), err.decode()


@contextlib.contextmanager
def serving(*arguments, **environment):
    server = Server(*arguments, **environment)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()


def listed(server):
    return {entry["name"]: entry for entry in server.json("start")["timeline"]["documents"]}


def copy_to(folder, name, to=None):
    """Appears as a whole, as snapshots do."""
    path = os.path.join(folder, to or name + ".json.zst")
    shutil.copy(document_path(name), path + ".new")
    os.rename(path + ".new", path)


def is_running(pid):
    """A zombie is not; who inherits it may take its time."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until_gone(pids):
    """The sandbox ends with its parent."""
    begun = time.monotonic()
    while any(map(is_running, pids)):
        if time.monotonic() - begun > PATIENCE:
            raise Mismatch(f"still there: {pids}")
        time.sleep(0.01)
