# SPDX-License-Identifier: Apache-2.0
"""Clients that keep a server busy, and what their requests took.

A client is a function without arguments that makes one request and returns when it is answered. A Load calls each in a
thread of its own, one call after the other, with a pause between them so that the machine is not busy with it.
"""
import contextlib
import http.client
import itertools
import json
import queue
import socket
import threading
import time

from tap import Mismatch

LIMIT = 60  # seconds for an answer; a busy machine may miss it
CONNECTIONS = 4  # of a client of HTTP: each waits for the client most of the time


class Load:
    """Use as a context. calls has (begin, seconds) of each request that was answered, without those of clients that
    wait for the server to have something to say; answered() counts these, too."""

    def __init__(self, clients, pause):
        self.clients, self.pause = clients, pause
        self.calls = []
        self.waited = []  # seconds
        self.failures = []
        self.ending = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(client,), daemon=True) for client in clients]

    def _run(self, client):
        while not self.ending.wait(self.pause):
            begin = time.monotonic()
            try:
                client()
                seconds = time.monotonic() - begin
                if getattr(client, "waits", False):
                    self.waited.append(seconds)
                else:
                    self.calls.append((begin, seconds))
            except (OSError, http.client.HTTPException, ValueError) as e:
                if not self.ending.is_set():
                    self.failures.append(f"{getattr(client, 'name', client)}: {e!r}")

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        for client in self.clients:
            if isinstance(client, Stream):
                client.end()
        for thread in self.threads:
            thread.join(2 * LIMIT)

    def answered(self):
        return len(self.calls) + len(self.waited)

    def judge(self):
        """Raises Mismatch if this was no load. That a request fails now and then on a busy machine is no failure."""
        if self.answered() <= 10 * len(self.failures):
            raise Mismatch(f"{self.answered()} requests were answered, {len(self.failures)} failed: "
                           + "\n".join(self.failures[:5]))


class Web:
    """A client of HTTP: it makes these requests in turn, on connections that it keeps. A request is (method, path,
    body). A body that is a function is called each time, and one that is not bytes is sent as JSON.
    waits: the answers take as long as the server likes."""

    def __init__(self, port, *requests, headers=(), waits=False):
        self.waits = waits
        self.name = f"port {port}"
        self.connections = itertools.cycle(
            [http.client.HTTPConnection("127.0.0.1", port, timeout=LIMIT) for _ in range(CONNECTIONS)])
        self.requests = itertools.cycle(requests)
        self.headers = dict(headers)

    def __call__(self):
        method, path, body = next(self.requests)
        self.name = f"{method} {path}"
        return self.ask(method, path, body() if callable(body) else body)

    def ask(self, method, path, body=None):
        connection = next(self.connections)
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        try:
            try:
                connection.request(method, path, body, self.headers)
                answer = connection.getresponse()
            except ConnectionError:  # a server may close a connection that nobody uses
                connection.close()
                connection.request(method, path, body, self.headers)
                answer = connection.getresponse()
            text = answer.read()
        except BaseException:
            connection.close()
            raise
        if answer.status >= 400:
            raise ValueError(f"{method} {path}: {answer.status} {text[:200]!r}")
        return text


class Stream:
    """A client that reads an answer that is long, or has no end: a piece in each call."""
    waits = True

    def __init__(self, port, method, path, body=None, piece=1 << 14):
        self.name = f"stream {path}"
        self.port, self.request, self.piece = port, (method, path, body), piece
        self.connection = self.answer = None

    def __call__(self):
        if self.answer is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LIMIT)
            self.connection.request(*self.request)
            self.answer = self.connection.getresponse()
        try:
            if not self.answer.read1(self.piece):
                self.connection.close()
                self.answer = None
        except BaseException:
            self.connection.close()
            self.answer = None
            raise

    def end(self):
        """A call that waits for the server ends with an OSError, or an empty answer."""
        with contextlib.suppress(OSError, AttributeError):
            self.connection.sock.shutdown(socket.SHUT_RDWR)


class Nats:
    """A connection to nats-server, by its text protocol. A thread reads, and calls the function of the subscription
    with each message: the subject to answer at, and the text."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), LIMIT)
        self.file = self.socket.makefile("rb")
        self.lock = threading.Lock()
        self.functions = {}
        self.pongs = threading.Semaphore(0)
        self.numbers = itertools.count(1)
        self.file.readline()  # INFO
        self.send(b'CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\n')
        self.inbox = f"_INBOX.{self.socket.getsockname()[1]}"
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, *words):
        with self.lock:
            self.socket.sendall(b"".join(words))

    def subscribe(self, subject, function, group=""):
        number = next(self.numbers)
        self.functions[number] = function
        self.send(f"SUB {subject} {group} {number}\r\n".encode())
        return number

    def publish(self, subject, body, reply=""):
        self.send(f"PUB {subject} {reply} {len(body)}\r\n".encode(), body, b"\r\n")

    def flush(self):
        """Returns when the server has seen all that was sent."""
        self.send(b"PING\r\n")
        if not self.pongs.acquire(timeout=LIMIT):
            raise OSError("no PONG")

    def ask(self, subject, body):
        """The answer to a message: the subject that it asks to be answered at, and its text."""
        answers = queue.SimpleQueue()
        inbox = f"{self.inbox}.{next(self.numbers)}"
        # JetStream sends a message to the inbox, but with the subject that it was stored under.
        number = self.subscribe(inbox, lambda *answer: answers.put(answer))
        self.publish(subject, body, inbox)
        try:
            return answers.get(timeout=LIMIT)
        except queue.Empty as e:
            raise OSError(f"no answer from {subject}") from e
        finally:
            self.send(f"UNSUB {number}\r\n".encode())

    def end(self):
        """Ends the connection. The thread that reads notices, and closes it."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def _read(self):
        # A test that is over closes the server.
        try:
            for line in self.file:
                words = line.decode().split()
                if words[0] == "PING":
                    self.send(b"PONG\r\n")
                elif words[0] == "PONG":
                    self.pongs.release()
                elif words[0] in ("MSG", "HMSG"):
                    sizes = 1 if words[0] == "MSG" else 2
                    body = self.file.read(int(words[-1]) + 2)[:-2]
                    self.functions[int(words[2])](words[3] if len(words) == 4 + sizes else "", body)
        except (OSError, ValueError):
            pass
        finally:
            self.file.close()
            self.socket.close()
