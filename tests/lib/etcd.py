# SPDX-License-Identifier: Apache-2.0
"""Debian's etcd-server: a large program that works all the time, a little."""
import socket

import subjects


held = []  # sockets


def free_ports(n):
    """Ports that no other process gets meanwhile: a socket is bound to each, and does not listen. A listener of Go's
    can have such a port nevertheless, as both sockets have SO_REUSEADDR."""
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.bind(("127.0.0.1", 0))
    held.extend(sockets)
    return [s.getsockname()[1] for s in sockets]


class Etcd(subjects.Subject):
    """etcd says on standard error when it serves."""

    def __init__(self, program, folder):
        ports = free_ports(2)
        self.client_port = ports[0]
        client, peer = (f"http://127.0.0.1:{p}" for p in ports)
        super().__init__(
            [program, "--data-dir", folder, "--listen-client-urls", client,
             "--advertise-client-urls", client, "--listen-peer-urls", peer,
             "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}"],
            complains="serving insecure client requests")
