# SPDX-License-Identifier: Apache-2.0
"""Debian's etcd-server: a large program that works all the time, a little."""
import socket

import subjects


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


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
