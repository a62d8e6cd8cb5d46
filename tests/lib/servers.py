# SPDX-License-Identifier: Apache-2.0
"""Servers of Debian 12 as people run them, and the load that each is meant for. tests/toolchains fetches them.

Each function starts one in a folder, on free ports of 127.0.0.1, and yields it with the clients of its load.
"""
import contextlib
import itertools
import json
import os
import subprocess
import time
import xml.etree.ElementTree

import etcd as etcd_server
import loads
import processes
import subjects

free_ports = etcd_server.free_ports
# A program that logs to standard output would wait until that is read.
TO_STDERR = ["sh", "-c", 'exec "$@" >&2', "sh"]
KEY = "kq3Vw8ZsNf2LrXt7Hd5BmYc9"  # which is nowhere else


def _write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def _run(folder, says, *argv, **environment):
    """A server whose home is the folder. says: what it logs when it serves."""
    home = {"HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
    return subjects.Subject([*TO_STDERR, *argv], {**home, **environment}, complains=says)


@contextlib.contextmanager
def caddy(program, folder):
    """Serves files, proxies to itself with checks of health, and is configured again while it works."""
    files, proxy, admin = free_ports(3)
    config = f"""{{
	admin 127.0.0.1:{admin}
	auto_https off
}}
http://127.0.0.1:{files} {{
	root * {folder}/www
	encode gzip
	file_server browse
	log {{
		output file {folder}/access.log
	}}
}}
http://127.0.0.1:{proxy} {{
	reverse_proxy 127.0.0.1:{files} {{
		health_uri /page.txt
		health_interval 2s
		health_timeout 5m
		lb_try_duration 1m
	}}
}}
"""
    path = _write(folder, "Caddyfile", config)
    _write(folder, "www/page.txt", "a page\n" * 1000)
    _write(folder, "www/large.bin", "0123456789abcdef" * (1 << 18))
    with _run(folder, "serving initial configuration", program, "run", "--config", path) as server:
        pages = [("GET", "/page.txt", None), ("GET", "/", None), ("GET", "/page.txt", None)]
        yield server, [
            loads.Web(files, *pages, headers=[("Accept-Encoding", "gzip")]),
            loads.Web(proxy, *pages), loads.Web(proxy, *pages, ("GET", "/large.bin", None)),
            loads.Stream(proxy, "GET", "/large.bin"), loads.Stream(files, "GET", "/large.bin"),
            loads.Web(admin, *[("GET", "/config/", None), ("GET", "/metrics", None)] * 40,
                      ("POST", "/load", config.encode()),
                      headers=[("Content-Type", "text/caddyfile"), ("Cache-Control", "must-revalidate")])]


@contextlib.contextmanager
def nats_server(program, folder):
    """Publishes to subscribers and queues, answers requests, and keeps a stream of messages with JetStream."""
    port, monitor = free_ports(2)
    config = _write(folder, "nats.conf", f"""
listen: 127.0.0.1:{port}
http: 127.0.0.1:{monitor}
write_deadline: "5m"
jetstream {{ store_dir: "{folder}/stream" }}
""")
    with _run(folder, "Server is ready", program, "-c", config) as server:
        subscribers = [loads.Nats(port) for _ in range(6)]
        for i, one in enumerate(subscribers):
            one.subscribe("news.>", lambda *_: None)
            one.subscribe("work", lambda *_: None, "workers")
            one.subscribe("echo", lambda reply, body, one=one: one.publish(reply, body), "echoes")
            one.subscribe(f"news.{i}.*", lambda *_: None)
        publisher, asker, keeper = (loads.Nats(port) for _ in range(3))
        stream = {"name": "orders", "subjects": ["orders.*"], "storage": "file", "max_msgs": 10000}
        keeper.ask("$JS.API.STREAM.CREATE.orders", json.dumps(stream).encode())
        consumer = {"stream_name": "orders", "config": {"durable_name": "c", "ack_policy": "explicit"}}
        keeper.ask("$JS.API.CONSUMER.DURABLE.CREATE.orders.c", json.dumps(consumer).encode())
        numbers = itertools.count()

        def publish():
            for _ in range(20):
                publisher.publish(f"news.{next(numbers) % 8}.x", b"n" * 500)
                publisher.publish("work", b"w" * 100)
            publisher.flush()

        def keep():
            for _ in range(5):
                _, answer = keeper.ask("orders.new", b"o" * 300)
                if b'"error"' in answer:
                    raise ValueError(answer)
                acknowledge, _ = keeper.ask("$JS.API.CONSUMER.MSG.NEXT.orders.c", b'{"batch":1}')
                keeper.publish(acknowledge, b"+ACK")

        def leave_and_come():
            one = loads.Nats(port)
            one.subscribe("news.*.*", lambda *_: None)
            one.flush()
            one.end()

        yield server, [publish, keep, lambda: asker.ask("echo", b"e" * 200), leave_and_come,
                       loads.Web(monitor, *[("GET", f"/{page}", None) for page in (
                           "varz", "connz?subs=1", "subsz", "jsz?streams=1", "healthz")])]


@contextlib.contextmanager
def prometheus(program, folder):
    """Scrapes itself, evaluates rules, and answers queries."""
    port, = free_ports(1)
    rules = _write(folder, "rules.yml", """
groups:
- name: load
  interval: 1s
  rules:
  - record: load:requests
    expr: sum by (handler) (rate(prometheus_http_requests_total[30s]))
  - alert: Busy
    expr: load:requests > 1000
""")
    targets = "".join(f"""
- job_name: self{i}
  static_configs: [{{targets: ['127.0.0.1:{port}']}}]""" for i in range(4))
    config = _write(folder, "prometheus.yml", f"""
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
scrape_configs:{targets}
""")
    with _run(folder, "Server is ready to receive web requests", program, f"--config.file={config}",
              f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}",
              "--web.enable-lifecycle") as server:

        def span():
            now = int(time.time())
            return (f"query=sum(rate(go_gc_duration_seconds_count[30s]))by(job)&start={now - 300}&end={now}"
                    "&step=5").encode()

        form = [("Content-Type", "application/x-www-form-urlencoded")]
        ask = [("POST", "/api/v1/query", b"query=topk(5,{job=~\"self.*\"})"), ("POST", "/api/v1/query_range", span),
               ("GET", "/api/v1/series?match[]=up", None), ("GET", "/api/v1/label/__name__/values", None)]
        yield server, [
            loads.Web(port, *ask, headers=form), loads.Web(port, *ask[1:], headers=form),
            loads.Web(port, ("GET", "/metrics", None), ("GET", "/federate?match[]=up", None),
                      ("GET", "/api/v1/targets", None)),
            loads.Web(port, *[("GET", "/api/v1/status/tsdb", None), ("GET", "/api/v1/rules", None)] * 20,
                      ("POST", "/-/reload", None))]


@contextlib.contextmanager
def etcd(program, folder):
    """Puts, gets, transactions, leases and watches, by the gateway from HTTP to gRPC."""
    with etcd_server.Etcd(program, os.path.join(folder, "data")) as server:
        port = server.client_port
        keys = itertools.count()

        def pair():
            key = "a2V5" + "ABCDEFGH"[next(keys) % 8] * 4  # base 64
            return {"key": key, "value": "dmFsdWVz" * 50}

        watch = json.dumps({"create_request": {"key": "a2V5", "range_end": "a2V6"}}).encode()
        everything = {"key": "a2V5", "range_end": "a2V6"}
        put, get = ("POST", "/v3/kv/put", pair), ("POST", "/v3/kv/range", everything)
        change = {"success": [{"request_put": {"key": "a2V5WFhYWA==", "value": "eA=="}}]}
        yield server, [
            loads.Web(port, put, get, get), loads.Web(port, put, get), loads.Web(port, get),
            loads.Stream(port, "POST", "/v3/watch", watch), loads.Stream(port, "POST", "/v3/watch", watch),
            loads.Web(port, ("POST", "/v3/lease/grant", {"TTL": 30}), ("POST", "/v3/kv/txn", change),
                      ("GET", "/metrics", None), ("POST", "/v3/maintenance/status", {}))]


def _syncthing_home(program, folder):
    """Writes a configuration that asks no other machine for anything. Returns the home, its port, and its device."""
    port, = free_ports(1)
    subprocess.run([program, "generate", f"--home={folder}", "--no-default-folder"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    path = os.path.join(folder, "config.xml")
    tree = xml.etree.ElementTree.parse(path)
    options = tree.getroot().find("options")
    for name, value in {"listenAddress": f"tcp://127.0.0.1:{port}", "globalAnnounceEnabled": "false",
                        "localAnnounceEnabled": "false", "relaysEnabled": "false", "natEnabled": "false",
                        "crashReportingEnabled": "false", "urAccepted": "-1", "autoUpgradeIntervalH": "0",
                        "startBrowser": "false", "reconnectionIntervalS": "5"}.items():
        options.find(name).text = value
    tree.write(path)
    device = subprocess.run([program, f"--home={folder}", "--device-id"], check=True, stdout=subprocess.PIPE,
                            text=True).stdout.strip()
    return folder, port, device


def _syncthing_run(program, home, gui):
    # By the variable it is the process that works. Without, it starts one, which would outlive it.
    return _run(home, "GUI and API listening on", program, "serve", f"--home={home}", "--no-browser",
                "--no-default-folder", f"--gui-address=127.0.0.1:{gui}", f"--gui-apikey={KEY}", STMONITORED="yes")


@contextlib.contextmanager
def syncthing(program, folder):
    """Sends a folder, whose files change, to another syncthing; answers by its REST API."""
    homes = [_syncthing_home(program, os.path.join(folder, name)) for name in ("sender", "receiver")]
    guis = free_ports(2)
    key = [("X-API-Key", KEY)]
    with contextlib.ExitStack() as stack:
        servers = [stack.enter_context(_syncthing_run(program, home, gui)) for (home, _, _), gui in zip(homes, guis)]
        devices = [{"deviceID": device, "addresses": [f"tcp://127.0.0.1:{port}"]} for _, port, device in homes]
        for (home, _, _), gui in zip(homes, guis):
            configure = loads.Web(gui, headers=key)
            for device in devices:
                configure.ask("PUT", f"/rest/config/devices/{device['deviceID']}", device)
            os.makedirs(os.path.join(home, "files"))
            configure.ask("PUT", "/rest/config/folders/f", {
                "id": "f", "path": os.path.join(home, "files"), "fsWatcherEnabled": True, "fsWatcherDelayS": 1,
                "devices": [{"deviceID": device["deviceID"]} for device in devices]})
        names = itertools.count()
        rest = loads.Web(guis[0], headers=key)

        def change():
            n = next(names)
            for i in range(3):
                _write(homes[0][0], f"files/{i}/{n % 40}", f"{n}\n" * 5000)
            rest.ask("POST", "/rest/db/scan?folder=f")

        processes.until(lambda: json.loads(rest.ask("GET", "/rest/system/connections"))["connections"].get(
            homes[1][2], {}).get("connected"), "the two syncthings connect")
        yield servers[0], [
            change,
            loads.Web(guis[0], ("GET", "/rest/db/status?folder=f", None), ("GET", "/rest/system/status", None),
                      ("GET", "/rest/system/connections", None), headers=key),
            loads.Web(guis[0], ("GET", "/rest/events?since=0&limit=5", None), ("GET", "/rest/db/browse?folder=f", None),
                      ("GET", f"/rest/db/completion?folder=f&device={homes[1][2]}", None), headers=key),
            loads.Web(guis[0], ("GET", "/rest/events?since=1000000&timeout=3", None), headers=key, waits=True)]


@contextlib.contextmanager
def influxd(program, folder):
    """Takes points, and answers queries about them."""
    port, internal = free_ports(2)
    config = _write(folder, "influxdb.conf", f"""
reporting-disabled = true
bind-address = "127.0.0.1:{internal}"
[meta]
  dir = "{folder}/meta"
[data]
  dir = "{folder}/data"
  wal-dir = "{folder}/wal"
  cache-snapshot-memory-size = 200000
  cache-snapshot-write-cold-duration = "5s"
[coordinator]
  write-timeout = "5m"
[http]
  bind-address = "127.0.0.1:{port}"
  log-enabled = false
[continuous_queries]
  run-interval = "5s"
""")
    with _run(folder, "Listening for signals", program, "run", "-config", config) as server:
        form = [("Content-Type", "application/x-www-form-urlencoded")]
        setup = loads.Web(port, headers=form)
        setup.ask("POST", "/query", b"q=CREATE DATABASE load")
        setup.ask("POST", "/query", b"q=CREATE CONTINUOUS QUERY c ON load BEGIN SELECT mean(v) INTO m2 FROM m "
                                    b"GROUP BY time(10s) END")

        def points():
            now = time.time_ns()
            return "\n".join(f"m,host=h{i} v={(now + i) % 1000},w={i}i {now + i}" for i in range(50)).encode()

        write = "POST", "/write?db=load", points
        queries = [("POST", "/query?db=load", b"q=" + text) for text in (
            b"SELECT mean(v) FROM m WHERE time > now() - 1m GROUP BY time(5s), host",
            b"SELECT last(*) FROM m", b"SHOW SERIES", b"SELECT count(v) FROM m2")]
        yield server, [loads.Web(port, write), loads.Web(port, write), loads.Web(port, *queries, headers=form),
                       loads.Web(port, *queries[:2], ("GET", "/ping", None), headers=form)]


ALL = {"caddy": caddy, "etcd": etcd, "influxd": influxd, "nats-server": nats_server, "prometheus": prometheus,
       "syncthing": syncthing}
