#!/usr/bin/env python3
"""Hostile and broken input against a running server: every case ends with a clear status, and the server goes on.

    bad_input.py HOST:PORT [--project PROJECT]

After each case a good request must be answered. The cases marked `socket` speak bytes, not gRPC.
"""
import argparse
import os
import random
import socket
import struct
import time

import grpc
from google.cloud.firestore_v1.types import CommitRequest, Document, GetDocumentRequest, Value, Write

from checks import Checks, close, fresh

checks = Checks()
Status = grpc.StatusCode
SERVICE = "/google.firestore.v1.Firestore/"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
MIB = 1 << 20
# What servers call a message that does not parse: ours INVALID_ARGUMENT or INTERNAL, the official emulator also UNKNOWN.
UNREADABLE = (Status.INVALID_ARGUMENT, Status.INTERNAL, Status.UNKNOWN)


class Target:
    """A server, called with raw bytes so that requests can be as wrong as we like."""

    def __init__(self, address, project):
        host, _, port = address.rpartition(":")
        self.place = (host, int(port))
        self.database = f"projects/{project}/databases/(default)"
        self.collection = fresh("bad")
        self.channel = grpc.insecure_channel(address, options=[
            ("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)])

    def name(self, document):
        return f"{self.database}/documents/{self.collection}/{document}"

    def raw(self, method, body, token="owner", timeout=30):
        """Status and text of a unary call with these bytes as its message."""
        call = self.channel.unary_unary(method, request_serializer=bytes, response_deserializer=bytes)
        metadata = [("google-cloud-resource-prefix", self.database)]
        if token is not None:
            metadata.append(("authorization", f"Bearer {token}"))
        try:
            call(body, metadata=metadata, timeout=timeout)
        except grpc.RpcError as error:
            return error.code(), error.details()
        return Status.OK, ""

    def commit(self, document, fields, **keywords):
        write = Write(update=Document(name=self.name(document), fields=fields))
        body = CommitRequest(database=self.database, writes=[write])
        return self.raw(SERVICE + "Commit", CommitRequest.serialize(body), **keywords)

    def good(self):
        """Writes and reads a small document; whatever came before must not matter."""
        deadline = time.monotonic() + 10
        while True:  # a channel whose connection was cut needs a moment to connect again
            status, text = self.commit("good", {"n": Value(integer_value=1)}, timeout=10)
            if status != Status.UNAVAILABLE or time.monotonic() > deadline:
                break
            time.sleep(0.05)
        assert status == Status.OK, ("the good request failed", status, text)
        body = GetDocumentRequest.serialize(GetDocumentRequest(name=self.name("good")))
        status, text = self.raw(SERVICE + "GetDocument", body)
        assert status == Status.OK, ("the good request failed", status, text)

    def connect(self):
        connection = socket.create_connection(self.place, timeout=10)
        connection.settimeout(10)
        return connection

    def converse(self, *parts, wait=10):
        """Sends the parts and reads until the server closes or has been silent for a while; the bytes that came."""
        received = b""
        with self.connect() as connection:
            try:
                for part in parts:
                    connection.sendall(part)
                connection.settimeout(wait)
                while chunk := connection.recv(65536):
                    received += chunk
            except (TimeoutError, ConnectionError):
                pass
        return received


def refused(status, text, *allowed):
    assert status in allowed, (status, text)
    assert text and "Traceback" not in text and "Exception" not in text, ("no clear text", status, text)


def nested(levels):
    """A value whose field lies `levels` maps deep."""
    value = Value(integer_value=1)
    for _ in range(levels):
        value = Value(map_value={"fields": {"m": value}})
    return value


def frame(kind, flags, stream, payload):
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def header(name, value):
    """A literal header field without indexing and without Huffman coding."""
    return b"\x00" + bytes((len(name),)) + name + bytes((len(value),)) + value


def request_headers(path, *more):
    fields = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", path), (b":authority", b"localhost"),
              (b"content-type", b"application/grpc"), (b"te", b"trailers"), *more]
    return b"".join(header(name, value) for name, value in fields)


def stream(path, message, *more, end=True):
    """A whole HTTP/2 connection with one request: preface, settings, headers, one data frame."""
    data = frame(0, 1 if end else 0, 1, message)
    return PREFACE + frame(4, 0, 0, b"") + frame(1, 4, 1, request_headers(path, *more)) + data


# ---- Too much ------------------------------------------------------------------------------------

@checks("a request of 20 MiB")
def huge_request(target):
    fields = {f"f{n}": Value(bytes_value=bytes(MIB - 1024)) for n in range(20)}
    refused(*target.commit("huge", fields), Status.RESOURCE_EXHAUSTED, Status.INVALID_ARGUMENT)


@checks("a document over 1 MiB")
def large_document(target):
    fields = {name: Value(bytes_value=bytes(600_000)) for name in "ab"}
    refused(*target.commit("large", fields), Status.INVALID_ARGUMENT)
    assert target.commit("large", {"a": Value(bytes_value=bytes(600_000))})[0] == Status.OK


@checks("a string over 1,048,487 bytes")
def long_string(target):
    refused(*target.commit("long", {"a": Value(string_value="x" * 1_048_488)}), Status.INVALID_ARGUMENT)


@checks("21 levels of nesting, 20 are fine")
def nesting(target):
    assert target.commit("deep", {"m": nested(20)})[0] == Status.OK
    refused(*target.commit("deep", {"m": nested(21)}), Status.INVALID_ARGUMENT)


@checks("3,000 levels of nesting")
def deep_nesting(target):
    body = b""
    for _ in range(3000):  # Value{map_value{fields{key: "m", value: …}}}, from the inside out
        entry = b"\x0a\x01m" + b"\x12" + varint(len(body)) + body
        fields = b"\x0a" + varint(len(entry)) + entry
        body = b"\x32" + varint(len(fields)) + fields
    entry = b"\x0a\x01m" + b"\x12" + varint(len(body)) + body
    name = target.name("deeper").encode()
    document = b"\x0a" + varint(len(name)) + name + b"\x12" + varint(len(entry)) + entry
    write = b"\x0a" + varint(len(document)) + document
    database = target.database.encode()
    request = b"\x0a" + varint(len(database)) + database + b"\x12" + varint(len(write)) + write
    status, _ = target.raw(SERVICE + "Commit", request)
    assert status in UNREADABLE, status


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes((number,))


# ---- Wrong messages ------------------------------------------------------------------------------

@checks("truncated and broken protobuf")
def broken_protobuf(target):
    good = CommitRequest.serialize(CommitRequest(database=target.database, writes=[
        Write(update=Document(name=target.name("cut"), fields={"n": Value(string_value="x" * 50)}))]))
    for body in (good[:-7], good[:len(good) // 2], b"\x0a\xff\xff\xff\xff\x0f", b"\xff" * 40, b"\x0a\x05ab", b"\x0f"):
        status, _ = target.raw(SERVICE + "Commit", body)
        assert status in UNREADABLE, (body[:10], status)
    assert target.raw(SERVICE + "GetDocument", GetDocumentRequest.serialize(
        GetDocumentRequest(name=target.name("cut"))))[0] == Status.NOT_FOUND


@checks("two hundred requests of random bytes")
def random_messages(target):
    generator = random.Random(42)
    for _ in range(200):
        body = generator.randbytes(generator.randrange(1, 200))
        method = generator.choice(["Commit", "GetDocument", "CreateDocument", "UpdateDocument", "BatchWrite", "BeginTransaction"])
        status, _ = target.raw(SERVICE + method, body)
        assert status not in (Status.OK, Status.UNAVAILABLE, Status.DEADLINE_EXCEEDED), (method, body.hex(), status)


@checks("an empty message")
def empty_message(target):
    for method in ("GetDocument", "Commit", "CreateDocument", "DeleteDocument"):
        refused(*target.raw(SERVICE + method, b""), Status.INVALID_ARGUMENT)


@checks("unknown method, unknown service, no method")
def unknown_method(target):
    for method in (SERVICE + "Frobnicate", "/google.firestore.v9.Firestore/Commit", "/x/y"):
        refused(*target.raw(method, b""), Status.UNIMPLEMENTED)


@checks("names that are no names")
def bad_names(target):
    root = f"{target.database}/documents"
    for name in ("", "x", root, f"{root}/users", f"{root}/users/", f"{root}//a", f"{root}/users/__x__",
                 f"{root}/users/..", "projects//databases/(default)/documents/a/b"):
        body = GetDocumentRequest.serialize(GetDocumentRequest(name=name))
        refused(*target.raw(SERVICE + "GetDocument", body), Status.INVALID_ARGUMENT)
    refused(*target.commit("x" * 1501, {}), Status.INVALID_ARGUMENT)


@checks("strings that are not UTF-8")
def bad_utf8(target):
    name = target.name("utf").encode()
    entry = b"\x0a\x01k" + b"\x12\x05" + b"\x8a\x01\x02\xff\xfe"
    document = b"\x0a" + varint(len(name)) + name + b"\x12" + varint(len(entry)) + entry
    write = b"\x0a" + varint(len(document)) + document
    database = target.database.encode()
    request = b"\x0a" + varint(len(database)) + database + b"\x12" + varint(len(write)) + write
    status, _ = target.raw(SERVICE + "Commit", request)
    assert status in UNREADABLE, status


@checks("tokens that are no tokens")
def bad_tokens(target):
    body = GetDocumentRequest.serialize(GetDocumentRequest(name=target.name("good")))
    for token in ("nonsense", "a.b", "!!!.???.", "eyJhbGciOiJub25lIn0.bm90IGpzb24."):
        status, text = target.raw(SERVICE + "GetDocument", body, token=token)
        refused(status, text, Status.INVALID_ARGUMENT, Status.UNAUTHENTICATED, Status.PERMISSION_DENIED)


# ---- Wrong bytes on the socket -------------------------------------------------------------------

@checks("socket: random bytes")
def random_bytes(target):
    generator = random.Random(7)
    for size in (1, 10, 1000, 100_000):
        target.converse(generator.randbytes(size), wait=1)


@checks("socket: connections that say nothing, or half a word, while others work")
def silent_connections(target):
    quiet = [target.connect() for _ in range(50)]
    for connection in quiet[25:]:
        connection.sendall(PREFACE[:9])
    target.good()
    for connection in quiet:
        connection.close()


@checks("socket: garbage after a correct preface")
def garbage_frames(target):
    settings = PREFACE + frame(4, 0, 0, b"")
    for garbage in (
        b"\xff" * 100,
        frame(4, 0, 0, b"\x00" * 5),                       # SETTINGS of a wrong length
        frame(0, 1, 1, b"data before headers"),
        frame(9, 4, 1, b"continuation of nothing"),
        frame(8, 0, 0, b"\x00\x00\x00\x00"),               # WINDOW_UPDATE of zero
        frame(6, 0, 0, b"short"),                          # PING of a wrong length
        frame(1, 4, 2, request_headers(b"/x")),            # a client's streams are odd
        frame(1, 4, 1, b"\xff\xff\xff\xff\xff\xff"),       # headers that do not decompress
        b"\xff\xff\xff\x00\x00\x00\x00\x00\x01",           # a frame of 16 MiB is announced
    ):
        target.converse(settings, garbage, wait=1)
        target.good()


@checks("socket: messages that lie about their length")
def lying_lengths(target):
    path = (SERVICE + "GetDocument").encode()
    name = target.name("good").encode()
    body = b"\x0a" + varint(len(name)) + name
    for message in (
        b"\x00" + struct.pack(">I", len(body) + 10) + body,           # announces more than comes
        b"\x00" + struct.pack(">I", 3) + body,                        # announces less
        b"\x00" + struct.pack(">I", 0xFFFFFFFF) + body,               # announces 4 GiB
        b"\x01" + struct.pack(">I", len(body)) + body,                # compressed, says the flag
        b"\x07" + struct.pack(">I", len(body)) + body,                # no such flag
        b"\x00\x00",                                                  # not even a header
        b"",
    ):
        answer = target.converse(stream(path, message), wait=2)
        assert answer, "no answer at all"
        target.good()


@checks("socket: a message announced as 4 GiB is not waited for in memory")
def announced_size(target):
    path = (SERVICE + "Commit").encode()
    with target.connect() as connection:
        connection.sendall(stream(path, b"\x00\xff\xff\xff\xff" + bytes(10_000), end=False))
        target.good()


@checks("socket: request headers without method, path or content type")
def odd_headers(target):
    for fields in (
        [(b":scheme", b"http"), (b":authority", b"localhost")],
        [(b":method", b"POST"), (b":scheme", b"http"), (b":path", b""), (b":authority", b"localhost")],
        [(b":method", b"POST"), (b":scheme", b"http"), (b":path", b"/x/y"), (b"content-type", b"text/plain")],
        [(b":method", b"TRACE"), (b":scheme", b"http"), (b":path", b"/"), (b"content-type", b"application/grpc")],
        [(b":method", b"POST"), (b":scheme", b"http"), (b":path", (SERVICE + "Commit").encode()),
         (b"content-type", b"application/grpc"), (b"grpc-timeout", b"soon")],
    ):
        block = b"".join(header(name, value) for name, value in fields)
        target.converse(PREFACE + frame(4, 0, 0, b"") + frame(1, 5, 1, block), wait=1)
        target.good()


@checks("socket: a thousand streams opened and reset")
def rapid_reset(target):
    parts = [PREFACE + frame(4, 0, 0, b"")]
    block = request_headers((SERVICE + "GetDocument").encode())
    for number in range(1000):
        parts.append(frame(1, 4, 2 * number + 1, block) + frame(3, 0, 2 * number + 1, struct.pack(">I", 8)))
    target.converse(b"".join(parts), wait=1)


@checks("socket: a client that leaves in the middle of a message")
def leaves(target):
    path = (SERVICE + "Commit").encode()
    for _ in range(20):
        with target.connect() as connection:
            connection.sendall(stream(path, b"\x00" + struct.pack(">I", 5000) + bytes(100), end=False))


@checks("socket: broken HTTP/1.1")
def broken_http1(target):
    for request in (
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\r\n\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nHost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
        b"GET /" + b"z" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"POST /v1/x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        b"PUT /emulator/v1/projects/p:securityRules HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n{\"a\":",
    ):
        target.converse(request, wait=1)
        target.good()


@checks("socket: the root answers a plain request after all that")
def root_answers(target):
    answer = target.converse(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200"), answer[:80]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", metavar="HOST:PORT")
    parser.add_argument("--project", default="demo-bad-input")
    options = parser.parse_args()
    target = Target(options.address, options.project)
    target.good()
    checks.entries = [(name, followed_by_good(function)) for name, function in checks.entries]
    close([checks.run(target)])


def followed_by_good(function):
    def run(target):
        function(target)
        target.good()
    return run


if __name__ == "__main__":
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    main()
