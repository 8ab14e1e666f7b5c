#!/usr/bin/env python3
"""Hostile WebChannel clients beside a well-behaved one, with sockets alone; and what open sessions cost.

    webchannel_attack.py --docsh PATH [--sessions 2000] [--mutations 2000] [--flood 15000] [--seed 1]

Whatever comes is answered or its connection is closed; memory stays bounded, and the client beside is served. The server is
started and stopped here. Its own metrics (`/metrics`) and the system's (`/proc`) say what was left behind.
"""
import argparse
import http.client
import json
import random
import re
import resource
import socket
import subprocess
import threading
import time
import urllib.parse

DATABASE = "projects/demo/databases/(default)"
SERVICE = "/google.firestore.v1.Firestore/"
PATIENCE = 20.0  # seconds in which everybody must have an answer, whatever the others do
LISTEN = {"database": DATABASE, "addTarget": {"targetId": 2, "query": {
    "parent": DATABASE + "/documents", "structuredQuery": {"from": [{"collectionId": "c"}]}}}}


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, holds, saw):
        self.passed += bool(holds)
        self.failed += not holds
        print(f"{'ok    ' if holds else 'FAILED'}  {name}: {saw}", flush=True)


class Server:
    def __init__(self, docsh):
        command = [docsh, "serve", "--port", "0", "--open"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            found = re.search(r"serving http://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found[1])
                break
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def private_bytes(self):
        """Memory of its own: what is no file and shared with nobody."""
        with open(f"/proc/{self.process.pid}/smaps_rollup") as rollup:
            return sum(int(line.split()[1]) for line in rollup if line.startswith("Anonymous:")) << 10

    def metric(self, name):
        status, text = ask(self, "GET", "/metrics")
        found = re.search(rf"^{name} (\d+)", text, re.M)
        return int(found[1]) if found else 0

    def sessions(self):
        return self.metric("docstore_webchannel_sessions")


def ask(server, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def form(messages, base=0):
    fields = [("count", len(messages)), ("ofs", base)]
    fields += [(f"req{index}___data__", json.dumps(message)) for index, message in enumerate(messages)]
    return urllib.parse.urlencode(fields)


def channel(stream="Listen", **parameters):
    query = urllib.parse.urlencode({"VER": 8, **parameters})
    return f"{SERVICE}{stream}/channel?{query}"


def shake_hands(server, message=LISTEN, stream="Listen"):
    status, text = ask(server, "POST", channel(stream, RID=1, CVER=22), form([message]))
    assert status == 200, text
    return re.search(r'"c","([^"]+)"', text)[1]


def raw(server, data, timeout=PATIENCE):
    """Sends bytes; what came back until the server closed, fell silent for a moment, or time was over."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=timeout) as connection:
        try:
            connection.sendall(data)
            return connection.recv(1 << 16)
        except (ConnectionError, TimeoutError):
            return b""


def request(method, path, body=b""):
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


class Beside:
    """A client that writes and listens all the time, and remembers how long it waited at most."""

    def __init__(self, server):
        self.server, self.longest, self.rounds, self.failure = server, 0.0, 0, None
        self.going = True
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        try:
            sid, last = shake_hands(self.server), 0
            while self.going:
                began = time.monotonic()
                status, _ = ask(self.server, "PATCH", f"/v1/{DATABASE}/documents/beside/a", json.dumps(
                    {"fields": {"n": {"integerValue": str(self.rounds)}}}))
                assert status == 200, status
                status, text = ask(self.server, "GET", channel(SID=sid, RID="rpc", AID=last, CI=1, TO=50))
                assert status == 200, (status, text)
                last = max([last] + [int(found) for found in re.findall(r"\[(\d+),\[", text)])
                self.longest = max(self.longest, time.monotonic() - began)
                self.rounds += 1
        except Exception as error:  # told at the end: it is the check's finding
            self.failure = error

    def stop(self):
        self.going = False
        self.thread.join(PATIENCE * 2)
        return self.failure is None and self.longest < PATIENCE, (
            f"{self.rounds} rounds, the longest {self.longest:.2f} s" + (f", {self.failure!r}" if self.failure else ""))


def wrong_sids(server, report, count):
    odd = 0
    for number in range(count):
        method, extra = [("GET", {"RID": "rpc"}), ("POST", {"RID": 2}), ("POST", {"TYPE": "terminate"}),
                         ("GET", {"TYPE": "terminate"})][number % 4]
        status, text = ask(server, method, channel(SID=f"{random.getrandbits(128):x}", **extra), "count=0" if method == "POST" else None)
        odd += status != 400 or "Unknown SID" not in text
    report.check(f"{count} requests for sessions that are none", odd == 0, f"{odd} not answered `Unknown SID`")


def mutated(server, report, count):
    """Requests that a client really sends, with bytes changed, doubled, cut and swapped."""
    sid = shake_hands(server)
    seeds = [
        request("POST", channel(RID=1, CVER=22), form([LISTEN]).encode()),
        request("POST", channel(SID=sid, RID=2, AID=1), form([{"removeTarget": 2}], 1).encode()),
        request("GET", channel(SID=sid, RID="rpc", AID=0, CI=1, TO=1)),
        request("POST", channel("Write", RID=1), form([{"database": DATABASE}, {"streamToken": "MA==", "writes": [
            {"update": {"name": f"{DATABASE}/documents/m/a", "fields": {"x": {"stringValue": "é"}}}}]}]).encode()),
        request("POST", channel(SID=sid, TYPE="terminate")),
    ]
    silent = 0
    for _ in range(count):
        data = bytearray(random.choice(seeds))
        body = data.find(b"\r\n\r\n") + 4
        for _ in range(random.randint(1, 6)):
            # Mostly behind the head: a head that is none says nothing of WebChannel.
            place = random.randrange(body if body < len(data) and random.random() < 0.7 else 0, len(data))
            kind = random.randrange(5)
            if kind == 0:
                data[place] = random.randrange(256)
            elif kind == 1:
                data[place:place] = random.choice([b"%", b"&", b"=", b"req9999999___data__=", b"[", b"%7B" * 50, b"\x00"])
            elif kind == 2:
                del data[place:place + random.randint(1, 20)]
            elif kind == 3:
                data[place:place] = data[max(0, place - 40):place]
            else:
                data[place:place] = str(random.choice([-1, 2**31, 2**63, 10**30])).encode()
        if body < len(data):
            data = re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % (len(data) - bytes(data).find(b"\r\n\r\n") - 4), bytes(data))
        # Half a request is waited for, as any client may be slow: the end of the connection tells that no more comes.
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
            try:
                connection.sendall(bytes(data))
                connection.shutdown(socket.SHUT_WR)
                connection.recv(1 << 16)
            except TimeoutError:
                silent += 1
            except OSError:     # closed or reset, perhaps before our half was shut down (ENOTCONN is no ConnectionError)
                pass
    report.check(f"{count} mutated requests", silent == 0, f"{silent} neither answered nor closed")


def large_forms(server, report):
    """100 MB of a form: refused, whatever it would say."""
    answers = []
    for size, start in [(100 << 20, b"count=1&ofs=0&req0___data__="), (100 << 20, b"&" * 100), (9 << 20, b"count=1&ofs=0&req0___data__=%22")]:
        head = f"POST {channel(RID=1)} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n".encode()
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
            try:
                connection.sendall(head + start)
                left = size - len(start)
                while left > 0:
                    left -= connection.send(b"%22" * 20_000 if left > 60_000 else b"a" * left)
            except ConnectionError:
                pass
            try:
                answers.append(connection.recv(100).split(b"\r\n")[0].decode() or "closed")
            except (ConnectionError, TimeoutError) as error:
                answers.append("closed" if isinstance(error, ConnectionError) else "silent")
    report.check("forms of 100 MB and of 9 MB", "silent" not in answers, ", ".join(answers))


def gaps(server, report):
    statuses = []
    sid = shake_hands(server)
    for messages, base in [([{}] * 900, 5), ([{}], 5_000), ([{}], 10**14)]:
        statuses.append(ask(server, "POST", channel(SID=sid, RID=2), form(messages, base))[0])
    report.check("messages far ahead of their turn", statuses[-1] == 400, statuses)


def half_open(server, report, count):
    """Back channels that nobody reads, of streams that have much to say."""
    before = server.private_bytes()
    for number in range(60):
        ask(server, "PATCH", f"/v1/{DATABASE}/documents/c/large{number}", json.dumps(
            {"fields": {"t": {"stringValue": "x" * 300_000}}}))
    loaded = server.private_bytes()
    sockets = []
    for _ in range(count):
        sid = shake_hands(server)
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(request("GET", channel(SID=sid, RID="rpc", AID=0, CI=0)))
        sockets.append(connection)
    time.sleep(2)
    each = (server.private_bytes() - loaded) / count / (1 << 20)
    report.check(f"{count} back channels that nobody reads, 18 MB waiting for each", each < 24,
                 f"{each:.1f} MiB each ({(loaded - before) >> 20} MiB for the documents)")
    for connection in sockets:
        connection.close()
    for number in range(60):
        ask(server, "DELETE", f"/v1/{DATABASE}/documents/c/large{number}")


def flood(server, report, count):
    for _ in range(count // 100):
        data = b"".join(request("POST", channel(RID=1, CVER=22), form([LISTEN]).encode()).replace(b"Connection: close\r\n", b"")
                        for _ in range(100))
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
            connection.sendall(data)
            got = b""
            while got.count(b'"c","') + got.count(b" 503 ") < 100:
                piece = connection.recv(1 << 16)
                if not piece:
                    break
                got += piece
    sessions = server.sessions()
    report.check(f"a flood of {count} handshakes", sessions <= 10_000, f"{sessions} sessions, {server.private_bytes() >> 20} MiB")


def open_sessions(docsh, report, count):
    server = Server(docsh)
    for _ in range(50):
        shake_hands(server)
    before, sockets = server.private_bytes(), []
    for _ in range(count):
        sid = shake_hands(server)
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
        connection.sendall(request("GET", channel(SID=sid, RID="rpc", AID=0, CI=0)))
        connection.recv(1 << 16)
        sockets.append(connection)
    time.sleep(1)
    each = (server.private_bytes() - before) / count / 1024
    report.check(f"{count} open sessions with their back channels", each <= 20, f"{each:.1f} KiB each (at most 20)")
    for connection in sockets:
        connection.close()
    server.process.terminate()
    report.check("the server ends when it is asked to", server.process.wait(PATIENCE) in (0, 143, -15), server.process.returncode)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--docsh", required=True)
    for name, default in [("sessions", 2_000), ("mutations", 2_000), ("flood", 15_000), ("seed", 1)]:
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    random.seed(options.seed)
    wanted = options.sessions + 200
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(wanted, 4_096), max(resource.getrlimit(resource.RLIMIT_NOFILE)[1], wanted)))
    report = Report()
    open_sessions(options.docsh, report, options.sessions)

    server = Server(options.docsh)
    attacks = [
        ("wrong sessions", lambda: wrong_sids(server, report, 400)), ("mutations", lambda: mutated(server, report, options.mutations)),
        ("large forms", lambda: large_forms(server, report)), ("gaps", lambda: gaps(server, report)),
        ("half open", lambda: half_open(server, report, 40)), ("flood", lambda: flood(server, report, options.flood)),
    ]
    for name, attack in attacks:
        beside = Beside(server)
        attack()
        holds, saw = beside.stop()
        report.check(f"  the client beside ({name})", holds, saw)
    memory, budget = server.private_bytes() >> 20, server.metric("docstore_memory_budget_bytes") >> 20
    report.check("memory after all that", memory < budget + 64, f"{memory} MiB of {budget} and 64 more")
    report.check("the server lives", server.process.poll() is None and ask(server, "GET", "/healthz")[0] == 200, "answers")
    server.process.terminate()
    report.check("and ends when it is asked to", server.process.wait(PATIENCE) in (0, 143, -15), server.process.returncode)
    print(f"{report.passed} passed, {report.failed} failed")
    raise SystemExit(0 if report.failed == 0 else 1)


main()
