# SPDX-License-Identifier: Apache-2.0
"""What gosnap serve takes to load a document and to answer."""
import contextlib
import gzip
import http.client
import json
import random
import re
import statistics
import subprocess
import time

import measuring

ASKED = 300  # goroutines


class Server:
    """gosnap serve of a document."""
    def __init__(self, path):
        self.begun = time.monotonic()
        self.process = subprocess.Popen([measuring.GOSNAP, "serve", path], stdout=subprocess.PIPE,
                                        text=True)
        self.address = self.process.stdout.readline().strip()
        port, self.token = re.search(r":(\d+)/(\w+)/", self.address).groups()
        self.connection = http.client.HTTPConnection("127.0.0.1", int(port))

    def ask(self, path, method="GET"):
        """Seconds, and the bytes as they came."""
        begin = time.monotonic()
        self.connection.request(method, f"/{self.token}/{path}",
                                headers={"Accept-Encoding": "gzip"})
        body = self.connection.getresponse().read()
        return time.monotonic() - begin, body


@contextlib.contextmanager
def serving(path):
    server = Server(path)
    try:
        yield server
    finally:
        server.ask("quit", "POST")
        server.process.wait()


class Answers:
    def __init__(self, server):
        peak = measuring.Peak(server.process.pid)
        server.ask("globals")  # the document is read first
        self.loaded = time.monotonic() - server.begun
        self.start, packed = server.ask("start")
        self.memory, self.packed = peak.end(), len(packed)
        rows = len(json.loads(gzip.decompress(packed))["columns"][0])
        dice = random.Random(1)
        took = sorted(server.ask(f"goroutine/{dice.randrange(rows)}")[0] for _ in range(ASKED))
        self.goroutine, self.slowest = statistics.median(took), took[-1]
