#!/usr/bin/env python3
"""Clients that want to use up a server's memory, with sockets alone, and a well-behaved one beside them.

    attack_memory.py --docsh PATH [--budget 256] [--scale 1] [--seconds 3] [--only NAME]

A server with a small `--memory-budget` is started and stopped here. Each attack has some seconds; meanwhile the anonymous
memory of the process (`RssAnon` of `/proc`) must stay below the budget and 64 MiB more, and the client beside must keep half of
its throughput. Afterwards the memory must have gone back to the system.
"""
import argparse
import json
import multiprocessing
import os
import re
import resource
import socket
import struct
import threading
import time

from connections import (DATABASE, PREFACE, ROOT, SERVICE, Reader, Report, Server, call, field, frame, get, headers, message,
                         query, settings)
from urllib.parse import urlencode

MIB = 1 << 20
# LIMIT: what the memory may be beyond the budget.
SLACK = 64 * MIB
SMALL, LARGE = "small", "large"
LARGE_BYTES, LARGE_COUNT = 900_000, 12
CHANNEL = "/google.firestore.v1.Firestore/Listen/channel?"


# --- what is watched ---------------------------------------------------------------------------------------------

def anonymous_bytes(pid):
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"RssAnon:\s+(\d+)", status.read())[1]) << 10


class Peak:
    """The most anonymous memory that a process had since it was last asked."""

    def __init__(self, pid):
        self.pid, self.most, self.going = pid, 0, True
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while self.going:
            try:
                self.most = max(self.most, anonymous_bytes(self.pid))
            except (OSError, TypeError):    # it has ended: another check's finding
                return
            time.sleep(0.01)

    def take(self):
        most, self.most = self.most, anonymous_bytes(self.pid)
        return max(most, self.most)


def serve_well(address, count, failures, longest):
    """A client that reads what it asks for: documents, and every tenth time a query. A process of its own."""
    stream = 0
    while True:
        try:
            with socket.create_connection(address, timeout=20) as connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.sendall(PREFACE + settings(1 << 24) + frame(8, 0, 0, struct.pack(">I", 1 << 29)))
                reader = Reader(connection)
                for number in range(1, 100_000):
                    stream = 2 * number - 1
                    start = time.monotonic()
                    connection.sendall(query(stream, SMALL) if number % 10 == 0 else get(stream, f"{SMALL}/00001"))
                    if not reader.until(stream, start + 20):
                        failures.value += 1
                        break
                    longest.value = max(longest.value, time.monotonic() - start)
                    count.value += 1
        except OSError:
            failures.value += 1
            time.sleep(0.1)


class Beside:
    def __init__(self, address):
        self.count, self.failures = multiprocessing.Value("q", 0), multiprocessing.Value("q", 0)
        self.longest = multiprocessing.Value("d", 0.0)
        self.process = multiprocessing.Process(
            target=serve_well, args=(address, self.count, self.failures, self.longest), daemon=True)
        self.process.start()

    def rate(self, seconds):
        before, start = self.count.value, time.monotonic()
        time.sleep(seconds)
        return (self.count.value - before) / (time.monotonic() - start)


# --- the attacks -------------------------------------------------------------------------------------------------

class Attack:
    """Sockets that send and do not read, each on a thread, because the server may stop reading them."""

    def __init__(self, server):
        self.server, self.sockets, self.refused = server, [], 0
        self.over = False

    def send(self, pieces, greets=False):
        """Sends pieces; over HTTP/2 behind the server's settings, where they are larger than a first window."""
        threading.Thread(target=self.run, args=(list(pieces), greets), daemon=True).start()

    def run(self, pieces, greets):
        try:
            connection = self.server.connect(receive_buffer=4_096)
            self.sockets.append(connection)
            connection.settimeout(60)
            for number, piece in enumerate(pieces):
                if self.over:
                    return
                connection.sendall(piece)
                if greets and number == 0:
                    Reader(connection).greet()
        except OSError:     # refused, or closed at the end of the attack
            self.refused += 1

    def end(self):
        self.over = True
        for connection in self.sockets:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()


def in_batches(calls, size=20):
    calls = list(calls)
    return [b"".join(calls[start:start + size]) for start in range(0, len(calls), size)]


def streams(count):
    return [1 + 2 * number for number in range(count)]


def unread_queries(attack, scale):
    """One connection with 1,000 queries whose answers nobody reads."""
    for _ in range(scale):
        attack.send([PREFACE + settings(0)] + in_batches(query(stream, LARGE) for stream in streams(1_000)))


def unread_gets(attack, scale):
    """One connection with 1,000 large documents that nobody reads."""
    for _ in range(scale):
        attack.send([PREFACE + settings(0)] + in_batches(get(stream, f"{LARGE}/00001") for stream in streams(1_000)))


def unread_listens(attack, scale):
    """One connection with 1,000 listeners that do not read."""
    target = field(2, field(2, field(1, ROOT.encode()) + field(2, field(2, field(2, LARGE.encode())))) + b"\x28\x02")
    begin = field(1, DATABASE.encode()) + target
    for _ in range(scale):
        attack.send([PREFACE + settings(0)] + in_batches(
            headers(stream, SERVICE + "Listen") + frame(0, 0, stream, message(begin)) for stream in streams(1_000)))


def pipelined(attack, scale):
    """Requests of HTTP/1.1 one behind the other, and no answer read."""
    one = f"GET /v1/{ROOT}/{LARGE}/00001 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer owner\r\n\r\n".encode()
    for _ in range(4 * scale):
        attack.send([one * 50] * 40)


def pipelined_queries(attack, scale):
    body = json.dumps({"structuredQuery": {"from": [{"collectionId": LARGE}]}})
    one = (f"POST /v1/{ROOT}:runQuery HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer owner\r\n"
           f"Content-Length: {len(body)}\r\n\r\n{body}").encode()
    for _ in range(40 * scale):
        attack.send([one * 50] * 20)


def unfinished(attack, scale):
    """Messages of 11 MB of which the first megabyte comes."""
    prefix = b"\x00" + struct.pack(">I", 11_000_000)
    body = prefix + bytes(1_000_000)
    frames = [body[start:start + 16_384] for start in range(0, len(body), 16_384)]
    for _ in range(40 * scale):
        attack.send([PREFACE + settings()] + [
            headers(stream, SERVICE + "Commit") + b"".join(frame(0, 0, stream, piece) for piece in frames)
            for stream in streams(15)], greets=True)


def unfinished_bodies(attack, scale):
    """The same over HTTP/1.1."""
    head = f"POST /v1/{ROOT}:commit HTTP/1.1\r\nHost: localhost\r\nContent-Length: 11000000\r\n\r\n".encode()
    for _ in range(60 * scale):
        attack.send([head] + [bytes(500_000)] * 21)


def unread_sessions(attack, scale):
    """Streams of browsers whose back channels nobody reads."""
    listen = {"database": DATABASE, "addTarget": {"targetId": 2, "query": {
        "parent": ROOT, "structuredQuery": {"from": [{"collectionId": LARGE}]}}}}
    fields = urlencode([("headers", "Authorization:Bearer owner\r\n"), ("count", 1), ("ofs", 0),
                        ("req0___data__", json.dumps(listen))])
    hands = (f"POST {CHANNEL}{urlencode({'VER': 8, 'RID': 1, 'CVER': 22})} HTTP/1.1\r\nHost: localhost\r\n"
             f"Content-Length: {len(fields)}\r\n\r\n{fields}").encode()

    def begin():
        for _ in range(40 * scale):
            try:
                connection = attack.server.connect(receive_buffer=4_096)
                attack.sockets.append(connection)
                connection.sendall(hands)
                answer = b""
                while b'"c","' not in answer or not answer.endswith(b"]]]"):
                    data = connection.recv(4_096)
                    if not data:
                        raise OSError
                    answer += data
                sid = re.search(rb'"c","([^"]+)"', answer)[1].decode()
                parameters = urlencode({"VER": 8, "SID": sid, "RID": "rpc", "AID": 0, "CI": 0})
                connection.sendall(f"GET {CHANNEL}{parameters} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            except OSError:
                attack.refused += 1
            if attack.over:
                return
    for _ in range(2):
        threading.Thread(target=begin, daemon=True).start()


ATTACKS = {
    "unread queries": unread_queries, "unread gets": unread_gets, "unread listeners": unread_listens,
    "pipelined HTTP/1": pipelined, "pipelined queries": pipelined_queries, "unfinished messages": unfinished,
    "unfinished bodies": unfinished_bodies, "unread sessions": unread_sessions,
}


# --- the checks --------------------------------------------------------------------------------------------------

def metrics_of(server):
    try:
        return server.metrics()
    except OSError:     # too busy: the client beside tells
        return {}


def strike(name, server, beside, peak, report, options):
    """An attack. A second try where only the client beside was slow: others may use the machine, too."""
    load, cores = os.getloadavg()[0], os.cpu_count()
    for attempt in range(2):
        seen = measure(name, server, beside, peak, options)
        if seen["most"] > seen["limit"] or seen["meanwhile"] >= seen["fair"] / 2:
            break
    report.check(name, seen["most"] <= seen["limit"], f"at most {seen['most'] >> 20} MiB of {seen['limit'] >> 20}; "
                 f"{seen['held'] / MIB:.0f} MiB held at the end, {seen['sheds']:.0f} shed, {seen['refused']} refused")
    # Who shares two cores with compilers has no speed that could be halved: then only the metrics are told.
    busy = load > 2 * cores
    report.check(f"  beside {name}", seen["meanwhile"] >= seen["fair"] / 2 or busy,
                 f"{seen['meanwhile']:.0f} requests/s of {seen['fair']:.0f}, the longest {seen['longest'] * 1e3:.0f} ms"
                 + (" (second try)" if attempt else "") + (f" (not judged: the load is {load:.0f})" if busy else ""))


def measure(name, server, beside, peak, options):
    alone = beside.rate(0.7)
    beside.longest.value = 0.0
    peak.take()
    sheds = metrics_of(server).get("docstore_memory_sheds_total", 0)
    attack = Attack(server)
    ATTACKS[name](attack, options.scale)
    meanwhile = beside.rate(options.seconds)
    most, metrics = peak.take(), metrics_of(server)
    longest = beside.longest.value
    attack.end()
    time.sleep(1)
    # A machine that others use, too, may have had another speed before than behind.
    fair = min(alone, beside.rate(0.7))
    return {"most": most, "limit": options.budget * MIB + SLACK, "meanwhile": meanwhile, "fair": fair, "longest": longest,
            "held": metrics.get("docstore_memory_held_bytes", 0), "refused": attack.refused,
            "sheds": metrics.get("docstore_memory_sheds_total", 0) - sheds}


def settle(server, limit, seconds=150):
    """The memory once it is small enough; or as it is after a while. What sessions hold, of browsers that may come back
    within two minutes, is theirs; so are the blocks around those bytes, which nobody counts: who still holds more than the
    limit when the sessions have ended holds it for good."""
    deadline = time.monotonic() + seconds
    while True:
        now = anonymous_bytes(server.process.pid) - int(metrics_of(server).get("docstore_memory_held_bytes", 0))
        if now <= limit or time.monotonic() > deadline:
            return now
        time.sleep(0.2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--docsh", required=True)
    parser.add_argument("--budget", type=int, default=256, help="MiB")
    parser.add_argument("--scale", type=int, default=1, help="so many times the attackers")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each attack")
    parser.add_argument("--only", choices=ATTACKS, action="append")
    parser.add_argument("--without-option", action="store_true", help="do not set the budget: to see what happens without one")
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
    start, report = time.monotonic(), Report()
    server = Server(options.docsh, *([] if options.without_option else ["--memory-budget", f"{options.budget}MiB"]))
    try:
        server.fill(SMALL, 20, 1_000)
        server.fill(LARGE, LARGE_COUNT, LARGE_BYTES)
        base, peak, beside = anonymous_bytes(server.process.pid), Peak(server.process.pid), Beside(server.address)
        beside.rate(0.5)
        for name in options.only or ATTACKS:
            strike(name, server, beside, peak, report, options)
            if not server.alive:
                report.check("the server lives", False, f"status {server.process.poll()}")
                break
        else:
            beside.process.terminate()
            report.check("the client beside was never refused", beside.failures.value == 0, f"{beside.failures.value} failures")
            rest = settle(server, base + SLACK)
            report.check("the memory goes back to the system", rest <= base + SLACK,
                         f"{rest >> 20} MiB, {base >> 20} MiB before")
            report.check("the server answers as before", server.answers(), f"in {time.monotonic() - start:.0f} s")
    except BaseException:
        server.process.kill()
        raise
    report.close(server, "attack_memory", start)


if __name__ == "__main__":
    main()
