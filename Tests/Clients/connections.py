#!/usr/bin/env python3
"""What holds for connections of a server, checked from outside with sockets alone.

    connections.py --docsh PATH [--connections 1000] [--slow 10] [--vanish 10000] [--hostile 3000] [--http] [--seed 1]

The server is started and stopped here. Its own metrics (`/metrics`) and the system's (`/proc`) say whether
anything was left behind.
"""
import argparse
import http.client
import json
import os
import random
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATABASE = "projects/demo/databases/(default)"
ROOT = DATABASE + "/documents"
SERVICE = "/google.firestore.v1.Firestore/"
SMALL, LARGE = "small", "large"
# LIMIT: seconds in which everybody must have an answer, whatever the others do.
PATIENCE = 10.0


class Report:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, name, holds, saw):
        self.passed += bool(holds)
        self.failed += not holds
        print(f"{'ok    ' if holds else 'FAILED'}  {name}: {saw}", flush=True)

    def close(self, server, name, start):
        """Ends the program; behind a failure stands the end of what the server said."""
        if server.alive:
            server.process.kill()
        if self.failed:
            server.log.seek(0)
            sys.stderr.write(server.log.read().decode(errors="replace")[-4_000:])
        os.unlink(server.log.name)
        print(f"{name}: {self.passed} passed, {self.failed} failed, {time.monotonic() - start:.0f} s")
        sys.exit(1 if self.failed else 0)


# --- bytes of the protocol ---------------------------------------------------------------------------------------

def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    """A header field that is sent as it is; below 127 bytes a length is one byte."""
    def text(data):
        head = bytes([len(data)]) if len(data) < 127 else bytes([127]) + varint(len(data) - 127)
        return head + data
    return b"\x00" + text(name.encode()) + text(value.encode())


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number, content):
    """One field of a message: a text, bytes, a message, or a number."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    if isinstance(content, str):
        content = content.encode()
    return varint(number << 3 | 2) + varint(len(content)) + content


def headers(stream, path, end=False, extra=()):
    block = b"".join(literal(*pair) for pair in [
        (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"),
        ("content-type", "application/grpc"), ("te", "trailers"), ("authorization", "Bearer owner"), *extra])
    return frame(1, 4 | (1 if end else 0), stream, block)


def message(data):
    return b"\x00" + struct.pack(">I", len(data)) + data


def call(stream, method, data, extra=()):
    """A call with its message, in frames of at most 16 KiB."""
    body = message(data)
    pieces = [body[start:start + 16_384] for start in range(0, len(body), 16_384)]
    return headers(stream, SERVICE + method, extra=extra) + b"".join(
        frame(0, 1 if number == len(pieces) - 1 else 0, stream, piece) for number, piece in enumerate(pieces))


def settings(window=None):
    return frame(4, 0, 0, b"" if window is None else struct.pack(">HI", 4, window))


def get(stream, name):
    return call(stream, "GetDocument", field(1, f"{ROOT}/{name}".encode()))


def query(stream, collection):
    selector = field(2, collection.encode())
    return call(stream, "RunQuery", field(1, ROOT.encode()) + field(2, field(2, selector)))


class Reader:
    """Frames from a socket: which streams got how many bytes, and which ended how."""

    def __init__(self, connection):
        self.connection = connection
        self.buffer = b""
        self.bytes = {}
        self.ended = {}
        self.greeted = False

    def greet(self):
        """Waits for the server's settings: its windows hold from then on."""
        while not self.greeted:
            data = self.connection.recv(1 << 16)
            if not data:
                return
            self.feed(data)

    def until(self, stream, deadline):
        """True when the stream ended with messages before the deadline."""
        while stream not in self.ended:
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self.connection.settimeout(left)
            try:
                data = self.connection.recv(1 << 18)
            except OSError:
                return False
            if not data:
                return False
            self.feed(data)
        return self.ended[stream] == "end" and self.bytes.get(stream, 0) > 0

    def feed(self, data):
        self.buffer += data
        while len(self.buffer) >= 9:
            size = int.from_bytes(self.buffer[:3], "big")
            if len(self.buffer) < 9 + size:
                return
            kind, flags = self.buffer[3], self.buffer[4]
            stream = int.from_bytes(self.buffer[5:9], "big") & 0x7FFFFFFF
            if kind == 0:
                self.bytes[stream] = self.bytes.get(stream, 0) + size
            if kind in (0, 1) and flags & 1:
                self.ended[stream] = "end"
            if kind == 3:
                self.ended[stream] = "reset"
            if kind == 4 and not flags & 1:
                self.greeted = True
                try:
                    self.connection.sendall(frame(4, 1, 0))
                except OSError:
                    pass
            self.buffer = self.buffer[9 + size:]


# --- the server --------------------------------------------------------------------------------------------------

class Server:
    def __init__(self, docsh, *options):
        self.log = open(os.path.join(tempfile.gettempdir(), "connections-%d.log" % os.getpid()), "w+b")
        self.process = subprocess.Popen(
            [docsh, "serve", "--port", "0", "--open", "--exit-with-parent", *options], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=self.log)
        self.address = None
        for line in self.process.stdout:
            text = line.decode()
            if "serving http://" in text:
                host, _, port = text.split("http://")[1].split(" ")[0].rpartition(":")
                self.address = (host, int(port))
                break
        if self.address is None:
            raise SystemExit("connections: the server did not start")

    def connect(self, receive_buffer=None):
        connection = socket.socket()
        if receive_buffer:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        connection.settimeout(PATIENCE)
        connection.connect(self.address)
        return connection

    def request(self, method, path, body=None):
        connection = http.client.HTTPConnection(*self.address, timeout=30)
        try:
            connection.request(method, path, body, {"Authorization": "Bearer owner"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def fill(self, collection, count, size):
        """Documents of one text field, in commits below the window of a stream."""
        value = field(2, field(1, b"text") + field(2, field(17, b"x" * size)))
        step = max(1, 800_000 // (size + 200))
        for start in range(0, count, step):
            writes = b"".join(
                field(2, field(1, field(1, f"{ROOT}/{collection}/{number:05}".encode()) + value))
                for number in range(start, min(count, start + step)))
            with self.connect() as connection:
                connection.sendall(PREFACE + settings())
                reader = Reader(connection)
                reader.greet()
                connection.sendall(call(1, "Commit", field(1, DATABASE.encode()) + writes))
                if not reader.until(1, time.monotonic() + 60):
                    raise SystemExit("connections: cannot fill")

    def metrics(self):
        status, body = self.request("GET", "/metrics")
        if status != 200:
            raise SystemExit("connections: no metrics")
        metrics = {}
        for line in body.decode().splitlines():
            if line and not line.startswith("#") and "{" not in line:
                name, value = line.rsplit(" ", 1)
                metrics[name] = float(value)
        return metrics

    def settled(self, fds, seconds=20):
        """The metrics, once nobody but the asker is connected; or as they are after a while."""
        deadline = time.monotonic() + seconds
        while True:
            metrics = self.metrics()
            quiet = (metrics["docstore_connections"] <= 1 and metrics["docstore_requests_in_progress"] <= 1
                     and metrics["docstore_workers_busy"] == 0 and metrics["process_open_fds"] <= fds + 2)
            if quiet or time.monotonic() > deadline:
                return metrics, quiet
            time.sleep(0.1)

    @property
    def alive(self):
        return self.process.poll() is None

    def answers(self):
        """A document, over a connection of its own."""
        with self.connect() as connection:
            connection.sendall(PREFACE + settings() + get(1, f"{SMALL}/00001"))
            return Reader(connection).until(1, time.monotonic() + PATIENCE)


def probe(server, count):
    """Latencies of a client that behaves: gets, and every tenth time a query of 200 documents."""
    times = []
    with server.connect() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(PREFACE + settings(1 << 24) + frame(8, 0, 0, struct.pack(">I", 1 << 29)))
        reader = Reader(connection)
        for number in range(count):
            stream = 1 + 2 * number
            start = time.monotonic()
            connection.sendall(query(stream, SMALL) if number % 10 == 9 else get(stream, f"{SMALL}/00001"))
            if not reader.until(stream, start + PATIENCE):
                return None
            times.append(time.monotonic() - start)
    return sorted(times)


def milliseconds(times):
    if not times:
        return "no answer"
    return f"median {times[len(times) // 2] * 1e3:.2f} ms, slowest {times[-1] * 1e3:.1f} ms"


# --- the checks --------------------------------------------------------------------------------------------------

def crowd(server, report, count, slow_count):
    alone = probe(server, 200)
    report.check("a client alone is answered", alone, milliseconds(alone))

    slow = []
    for _ in range(slow_count):
        connection = server.connect(receive_buffer=4_096)
        # Windows as large as they may be: only the socket holds the server back.
        connection.sendall(PREFACE + settings(0x7FFFFFFF) + frame(8, 0, 0, struct.pack(">I", 0x7FFF0000))
                           + query(1, LARGE))
        slow.append(connection)

    crowd = [server.connect() for _ in range(count)]
    start = time.monotonic()
    for number, connection in enumerate(crowd):
        if number % 2 == 0:
            connection.sendall(PREFACE + settings() + get(1, f"{SMALL}/00001"))
        else:
            connection.sendall(
                f"GET /v1/{ROOT}/{SMALL}/00001 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n\r\n".encode())
    answered = 0
    for number, connection in enumerate(crowd):
        deadline = start + PATIENCE
        if number % 2 == 0:
            answered += Reader(connection).until(1, deadline)
        else:
            connection.settimeout(max(0.01, deadline - time.monotonic()))
            try:
                answered += connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
            except OSError:
                pass
    seconds = time.monotonic() - start
    report.check(f"{count} connections at once are all answered", answered == count,
                 f"{answered} answers in {seconds:.2f} s")

    beside = probe(server, 300)
    report.check(f"a client beside {count} open connections and {slow_count} slow readers is not stalled",
                 beside and beside[-1] < 1.0, milliseconds(beside))
    status, _ = server.request("POST", f"/v1/{ROOT}:commit", json.dumps(
        {"writes": [{"update": {"name": f"{ROOT}/{SMALL}/00000", "fields": {}}}]}).encode())
    report.check("commits go on beside them", status == 200, f"status {status}")
    metrics = server.metrics()
    report.check("slow readers hold no threads", metrics["docstore_workers_busy"] == 0,
                 f"{metrics['docstore_workers_busy']:.0f} busy, {metrics['docstore_connections']:.0f} connections, "
                 f"{metrics['process_private_memory_bytes'] / 1e6:.0f} MB private")

    # Read at last, a slow reader gets the whole answer.
    reader = Reader(slow[0])
    whole = reader.until(1, time.monotonic() + 30)
    report.check("a slow reader that reads at last gets everything", whole,
                 f"{reader.bytes.get(1, 0) / 1e6:.1f} MB")
    for connection in slow + crowd:
        connection.close()


def vanish_once(server, draw):
    """One client that goes away somewhere in the middle."""
    connection = server.connect()
    kind = draw.randrange(8)
    large = LARGE if draw.random() < 0.02 else SMALL
    try:
        if kind == 0:  # in the preface
            connection.sendall(PREFACE[:draw.randrange(len(PREFACE))])
        elif kind == 1:  # after the head of a call
            connection.sendall(PREFACE + settings() + headers(1, SERVICE + "RunQuery"))
        elif kind == 2:  # in a message
            data = PREFACE + settings() + query(1, SMALL)
            connection.sendall(data[:draw.randrange(len(PREFACE), len(data))])
        elif kind == 3:  # before the answer
            connection.sendall(PREFACE + settings(1 << 24) + query(1, large))
        elif kind == 4:  # in the answer
            connection.sendall(PREFACE + settings(1 << 24) + query(1, large))
            connection.recv(4_096)
        elif kind == 5:  # several calls, one of them given up
            connection.sendall(PREFACE + settings() + query(1, large) + get(3, f"{SMALL}/00001")
                               + frame(3, 0, 1, struct.pack(">I", 8)) + query(5, SMALL))
        elif kind == 6:  # in an HTTP/1.1 request
            connection.sendall(b"POST /v1/" + ROOT.encode() + b":runQuery HTTP/1.1\r\nHost: x\r\n"
                               b"Content-Length: 500\r\n\r\n{\"structured")
        else:  # in a JSON answer
            body = json.dumps({"structuredQuery": {"from": [{"collectionId": large}]}})
            connection.sendall((f"POST /v1/{ROOT}:runQuery HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer owner\r\n"
                                f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
            connection.recv(1_024)
    except OSError:
        pass
    if draw.random() < 0.7:
        # A reset instead of an orderly end.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def vanish(server, report, count, fds, draw):
    warm = max(1, count // 5)
    start = time.monotonic()
    for _ in range(warm):
        vanish_once(server, draw)
    before, _ = server.settled(fds)
    for _ in range(count - warm):
        vanish_once(server, draw)
    after, quiet = server.settled(fds)
    seconds = time.monotonic() - start
    grown = (after["process_private_memory_bytes"] - before["process_private_memory_bytes"]) / 1e6
    report.check(f"{count} clients that vanish leave no stream, connection or file behind", quiet,
                 f"{after['docstore_requests_in_progress'] - 1:.0f} streams, "
                 f"{after['docstore_connections'] - 1:.0f} connections, "
                 f"{after['process_open_fds']:.0f} files (at first {fds:.0f}), {seconds:.1f} s")
    report.check("and no memory", grown < 48, f"{grown:+.1f} MB from client {warm} to {count}, "
                 f"{after['process_private_memory_bytes'] / 1e6:.0f} MB private")
    times = probe(server, 100)
    report.check("the server answers as before", times, milliseconds(times))


HTTP_KINDS = [7, 8]


def rest_request(draw):
    """A good request of the REST form, some bytes of which are wrong."""
    value = draw.choice(['{"stringValue": "x"}', '{"integerValue": "1"}', '{"mapValue": {"fields": {"a": {"nullValue": null}}}}',
                         '{"arrayValue": {"values": [{"doubleValue": 1e3}]}}', '{"timestampValue": "2024-01-01T00:00:00Z"}',
                         '{"geoPointValue": {"latitude": 1}}', '{"bytesValue": "AA=="}'])
    field = f'{{"fieldPath": "a.b"}}'
    filters = f'{{"fieldFilter": {{"field": {field}, "op": "EQUAL", "value": {value}}}}}'
    verb, body = draw.choice([
        ("commit", f'{{"writes": [{{"update": {{"name": "{ROOT}/x/y", "fields": {{"a": {value}}}}},'
                   f' "updateMask": {{"fieldPaths": ["a"]}}, "currentDocument": {{"exists": false}}}}]}}'),
        ("runQuery", f'{{"structuredQuery": {{"from": [{{"collectionId": "small"}}], "where": {filters}, "limit": 3}}}}'),
        ("batchGet", f'{{"documents": ["{ROOT}/small/00001"], "mask": {{"fieldPaths": ["a"]}}}}'),
        ("runAggregationQuery", f'{{"structuredAggregationQuery": {{"structuredQuery": {{"from": [{{"collectionId": "small"}}]}},'
                                f' "aggregations": [{{"alias": "n", "count": {{}}}}]}}}}'),
        ("beginTransaction", '{"options": {"readOnly": {"readTime": "2024-01-01T00:00:00Z"}}}'),
    ])
    sent = bytearray(f"POST /v1/{ROOT}:{verb} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
    start = draw.choice([0, len(sent) - len(body)])
    for _ in range(draw.randrange(1, 6)):
        place = draw.randrange(start, len(sent))
        if draw.random() < 0.5:
            sent[place] = draw.randrange(256)
        else:  # of the same length, so that the body still ends where it says
            piece = draw.choice([b'"', b"{", b"]", b"[[[[[[[[", b"\\u12", b"\\", b"e999", b"-", b"\x00", b"\xff", b"null", b"/*"])
            sent[place:place + len(piece)] = piece[:len(sent) - place]
    return bytes(sent)


def hostile_bytes(draw, kinds=range(10)):
    """Bytes that are no requests: noise, frames gone wrong, messages cut short."""
    kind = draw.choice(kinds)
    noise = draw.randbytes(draw.randrange(1, 400))
    if kind == 0:
        return noise
    if kind == 1:
        return PREFACE + noise
    if kind == 2:  # any frame with any content
        return PREFACE + settings() + b"".join(
            frame(draw.randrange(256), draw.randrange(256), draw.randrange(1 << 31), draw.randbytes(draw.randrange(40)))
            for _ in range(draw.randrange(1, 8)))
    if kind == 3:  # a good call with wrong bytes in it
        data = bytearray(PREFACE + settings() + query(1, SMALL) + get(3, f"{SMALL}/00001"))
        for _ in range(draw.randrange(1, 6)):
            data[draw.randrange(len(PREFACE), len(data))] = draw.randrange(256)
        return bytes(data)
    if kind == 4:  # a message that says it is longer, or shorter, than it is
        body = b"\x00" + struct.pack(">I", draw.choice([0, 1, 7, 1 << 20, 0x7FFFFFFF, 0xFFFFFFFF])) + noise
        return PREFACE + settings() + headers(1, SERVICE + "Commit") + frame(0, 1, 1, body)
    if kind == 5:  # truncated or random protobuf for any method
        method = draw.choice(["GetDocument", "Commit", "RunQuery", "BatchGetDocuments", "ListDocuments", "BatchWrite",
                              "RunAggregationQuery", "BeginTransaction", "ListCollectionIds", "CreateDocument"])
        good = field(1, DATABASE.encode()) + field(2, field(1, field(1, f"{ROOT}/{SMALL}/x".encode()) + noise))
        return PREFACE + settings() + call(1, method, draw.choice([noise, good[:draw.randrange(len(good))], good]))
    if kind == 6:  # header blocks that are none
        return PREFACE + settings() + frame(1, 5, 1, noise) + frame(9, 4, 1, noise)
    if kind == 7:  # HTTP/1.1 gone wrong
        return draw.choice([
            b"GET / HTTP/1.1\r\n" + noise, b"POST /v1/" + noise + b" HTTP/1.1\r\n\r\n",
            b"GET /%zz HTTP/1.1\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n\r\n" + noise,
            b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n" + noise,
            b"POST /v1/" + ROOT.encode() + b":commit HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n{",
            b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000])
    if kind == 8:
        return rest_request(draw)
    # many streams that are opened and given up at once
    return PREFACE + settings() + b"".join(
        get(stream, f"{SMALL}/00001") + frame(3, 0, stream, struct.pack(">I", 8)) for stream in range(1, 101, 2))


def hostile(server, report, count, fds, draw, kinds):
    for number in range(count):
        connection = server.connect()
        try:
            connection.sendall(hostile_bytes(draw, kinds))
            if draw.random() < 0.3:
                connection.settimeout(0.002)
                connection.recv(4_096)
        except OSError:
            pass
        connection.close()
        if not server.alive:
            return report.check("hostile bytes never end the server", False, f"it ended after {number + 1}")
    report.check("hostile bytes never end the server", server.alive and server.answers(), f"{count} connections")
    metrics, quiet = server.settled(fds)
    report.check("and leave nothing behind", quiet,
                 f"{metrics['docstore_requests_in_progress'] - 1:.0f} streams, "
                 f"{metrics['docstore_connections'] - 1:.0f} connections, {metrics['process_open_fds']:.0f} files")


def stop(server, report):
    # Somebody holds a stream open while the server is told to end.
    with server.connect() as connection:
        connection.sendall(PREFACE + settings(0) + query(1, SMALL))
        start = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        try:
            status = server.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            server.process.kill()
            status = None
    seconds = time.monotonic() - start
    report.check("SIGTERM ends it although a stream is open", status == 143, f"status {status} after {seconds:.1f} s")
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            again.bind(server.address)
            free = True
        except OSError:
            free = False
    report.check("the port is free again", free, f"port {server.address[1]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--docsh", required=True)
    parser.add_argument("--connections", type=int, default=1_000)
    parser.add_argument("--slow", type=int, default=10)
    parser.add_argument("--vanish", type=int, default=10_000)
    parser.add_argument("--hostile", type=int, default=3_000)
    parser.add_argument("--http", action="store_true", help="hostile bytes of HTTP/1.1 only")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
    start = time.monotonic()
    draw = random.Random(options.seed)
    report = Report()
    server = Server(options.docsh)
    try:
        server.fill(SMALL, 200, 1_000)
        server.fill(LARGE, 300, 100_000)
        fds = server.metrics()["process_open_fds"]
        crowd(server, report, options.connections, options.slow)
        vanish(server, report, options.vanish, fds, draw)
        kinds = HTTP_KINDS if options.http else range(10)
        hostile(server, report, options.hostile, fds, draw, kinds)
        stop(server, report)
    except BaseException:
        server.process.kill()
        raise
    report.close(server, "connections", start)


if __name__ == "__main__":
    main()
