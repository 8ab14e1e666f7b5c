#!/usr/bin/env python3
"""The WebSocket that the emulators' UI reads its requests page from, read by a client with nothing but sockets.

Starts the binary that DOCSH names as the Firebase command line would, asks it for one thing after the other and reads
what the socket tells. With --official HOST:PORT --official-socket PORT a running official emulator is asked the same
and compared. The last line counts.
"""
import argparse
import base64
import http.client
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--official", help="HOST:PORT of a running official emulator")
parser.add_argument("--official-socket", type=int, help="its --websocket_port")
options = parser.parse_args()

PROJECT = "demo-socket"
ROOT = f"projects/{PROJECT}/databases/(default)/documents"
SECONDS = 60
RULES = """rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    function me() { return get(/databases/$(database)/documents/users/$(request.auth.uid)); }
    match /users/{uid} {
      allow get: if request.auth != null && request.auth.uid == uid;
      allow list: if request.query.limit <= 10;
      allow write: if request.auth.uid == uid && request.resource.data.age > 3;
      allow delete: if true;
    }
    match /posts/{id} {
      allow read: if resource.data.public == true || me().data.admin == true;
      allow create: if exists(/databases/$(database)/documents/users/$(request.auth.uid));
    }
  }
}
"""
passed = failed = 0


def check(name, holds, saw=""):
    global passed, failed
    passed += bool(holds)
    failed += not holds
    print(f"{'ok    ' if holds else 'FAILED'}  {name}{'' if holds else ': ' + str(saw)}", flush=True)


class WebSocket:
    """Reads messages; sends nothing but the handshake, a ping and the end."""

    def __init__(self, host, port, path="/requests"):
        self.socket = socket.create_connection((host, port), timeout=SECONDS)
        self.stream = self.socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                             f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
        self.status = int(self.stream.readline().split()[1])
        while self.stream.readline().strip():
            pass

    def frame(self):
        first, second = self.stream.read(2)
        length = second & 0x7F
        if length == 126:
            length = struct.unpack(">H", self.stream.read(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.stream.read(8))[0]
        return first, self.stream.read(length)

    def next(self):
        """The next message, put together."""
        text = b""
        while True:
            first, piece = self.frame()
            if first & 0x0F in (0, 1):
                text += piece
                if first & 0x80:
                    return json.loads(text)

    def send(self, kind, payload=b""):
        mask = os.urandom(4)
        body = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
        self.socket.sendall(bytes([0x80 | kind, 0x80 | len(payload)]) + mask + body)


def token(uid):
    def encode(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
    claims = {"sub": uid, "user_id": uid, "aud": PROJECT, "firebase": {"sign_in_provider": "custom", "identities": {}}}
    return f"{encode({'alg': 'none', 'typ': 'JWT'})}.{encode(claims)}."


class Emulator:
    def __init__(self, host, port, socket_port):
        self.host, self.port, self.socket_port = host, port, socket_port

    def ask(self, method, path, body=None, user=None):
        headers = {"content-type": "application/json"}
        if user:
            headers["authorization"] = "Bearer " + ("owner" if user == "owner" else token(user))
        connection = http.client.HTTPConnection(self.host, self.port, timeout=SECONDS)
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        status = connection.getresponse().status
        connection.close()
        return status

    def prepare(self):
        """The same rules and documents everywhere. False when that cannot be."""
        rules = {"rules": {"files": [{"name": "s.rules", "content": RULES}]}}
        done = [self.ask("DELETE", "/emulator/v1/" + ROOT), self.ask("PUT", f"/emulator/v1/projects/{PROJECT}:securityRules", rules)]
        done.append(self.ask("PATCH", f"/v1/{ROOT}/users/alice", {"fields": ALICE}, "owner"))
        done.append(self.ask("PATCH", f"/v1/{ROOT}/posts/p1", {"fields": {"public": {"booleanValue": False}}}, "owner"))
        return done == [200] * 4


ALICE = {
    "age": {"integerValue": "4"}, "n": {"doubleValue": 1.5}, "none": {"nullValue": None}, "b": {"booleanValue": True},
    "t": {"timestampValue": "2026-01-02T03:04:05.678901Z"}, "g": {"geoPointValue": {"latitude": 1, "longitude": 2.5}},
    "y": {"bytesValue": "aGk="}, "r": {"referenceValue": ROOT + "/users/bob"},
    "l": {"arrayValue": {"values": [{"stringValue": "x"}, {"integerValue": "1"}]}},
    "m": {"mapValue": {"fields": {"k": {"stringValue": "v"}}}},
}


def create(path, fields):
    return {"update": {"name": f"{ROOT}/{path}", "fields": fields}, "currentDocument": {"exists": False}}


def number(value):
    return {"integerValue": str(value)}


USERS = [{"collectionId": "users"}]
QUERY = {"from": USERS, "where": {"fieldFilter": {"field": {"fieldPath": "age"}, "op": "EQUAL", "value": number(4)}},
         "orderBy": [{"field": {"fieldPath": "age"}, "direction": "DESCENDING"}], "limit": 5, "offset": 1}
BODIES = "/v1/" + ROOT
# name, method, path, body, who, what each operation comes to
REQUESTS = [
    ("somebody else's profile", "GET", BODIES + "/users/alice", None, None, [("get", "users/alice", "deny")]),
    ("one's own", "GET", BODIES + "/users/alice", None, "alice", [("get", "users/alice", "allow")]),
    ("one that is missing", "GET", BODIES + "/users/bob", None, "bob", [("get", "users/bob", "allow")]),
    ("an error", "GET", BODIES + "/posts/p1", None, None, [("get", "posts/p1", "error")]),
    ("a member that is missing", "GET", BODIES + "/posts/p1", None, "alice", [("get", "posts/p1", "error")]),
    ("an administrator", "GET", BODIES + "/posts/p1", None, "owner", []),
    ("a query", "POST", BODIES + ":runQuery", {"structuredQuery": QUERY}, "alice", [("list", "users/*", "allow")]),
    ("a query that is refused", "POST", BODIES + ":runQuery", {"structuredQuery": {"from": USERS}}, "alice",
     [("list", "users/*", "error")]),
    ("a group", "POST", BODIES + ":runQuery",
     {"structuredQuery": {"from": [{"collectionId": "users", "allDescendants": True}]}}, "alice",
     [("list", "**/users/*", "deny")]),
    ("a page", "GET", BODIES + "/users?pageSize=3", None, "alice", [("list", "users/*", "allow")]),
    ("a count", "POST", BODIES + ":runAggregationQuery",
     {"structuredAggregationQuery": {"structuredQuery": QUERY, "aggregations": [{"alias": "c", "count": {}}]}}, "alice",
     [("list", "users/*", "allow")]),
    ("an update", "PATCH", BODIES + "/users/alice?updateMask.fieldPaths=age", {"fields": {"age": number(9)}}, "alice",
     [("update", "users/alice", "allow")]),
    ("an update that is refused", "PATCH", BODIES + "/users/alice?updateMask.fieldPaths=age", {"fields": {"age": number(1)}},
     "alice", [("update", "users/alice", "deny")]),
    ("two writes", "POST", BODIES + ":commit",
     {"writes": [create("users/carl", {"age": number(8)}), create("posts/p2", {})]}, "carl",
     [("create", "users/carl", "allow"), ("create", "posts/p2", "deny")]),
    ("a deletion", "DELETE", BODIES + "/users/nobody", None, "alice", [("delete", "users/nobody", "allow")]),
    ("no rule", "GET", BODIES + "/other/x", None, "alice", [("get", "other/x", "deny")]),
    ("several documents", "POST", BODIES + ":batchGet", {"documents": [ROOT + "/users/alice", ROOT + "/users/ghost"]}, "alice",
     [("get", "users/alice", "allow"), ("get", "users/ghost", "deny")]),
]


def told(emulator, web):
    """What the socket tells of each request: the last word about each operation, since officially there are several."""
    for index, (name, method, path, body, user, _) in enumerate(REQUESTS):
        emulator.ask(method, path, body, user)
        # What comes before this came of the request.
        emulator.ask("GET", f"{BODIES}/sentinels/{index}")
        operations = {}
        while True:
            message = web.next()
            context = message["rulesContext"]
            if context["path"].endswith(f"/sentinels/{index}"):
                break
            key = context["path"].split("/documents/")[-1], "write" if context["method"] in ("create", "update", "delete") else context["method"]
            operations[key] = message
        yield name, list(operations.values())


def facts(message):
    """What is the same in both."""
    context = message["rulesContext"]
    request = context["request"]["mapValue"]["fields"]
    query = request.get("query", {}).get("mapValue", {}).get("fields", {})
    return {
        "outcome": message["outcome"], "rules": message["rules"], "method": context["method"], "path": context["path"],
        "request.method": request["method"], "request.path": request["path"], "auth": request["auth"],
        "inTransaction": request["inTransaction"],
        "query": {name: plain(query.get(name)) for name in ("limit", "offset", "orderBy", "kind", "allDescendants")},
        "list": plain(context["resource"]) if context["method"] == "list" else None,
    }


def plain(value):
    """An empty map is one with no fields."""
    if isinstance(value, dict):
        if value.get("mapValue") == {}:
            return {"mapValue": {"fields": {}}}
        return {name: plain(part) for name, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, list) else value


def compare(ours, theirs):
    for (name, mine), (_, official) in zip(ours, theirs):
        check(f"{name}: as many operations", len(mine) == len(official), (len(mine), len(official)))
        for one, other in zip(mine, official):
            mine_facts, other_facts = plain(facts(one)), plain(facts(other))
            differing = {key: (mine_facts[key], other_facts[key]) for key in mine_facts if mine_facts[key] != other_facts[key]}
            check(f"{name}: the same facts", not differing, differing)
            # Officially every earlier try is listed, too.
            outcomes, all_outcomes = one["granularAllowOutcomes"], other["granularAllowOutcomes"]
            check(f"{name}: the same outcomes", all_outcomes[len(all_outcomes) - len(outcomes):] == outcomes, (outcomes, all_outcomes))
            resource, official_resource = one["rulesContext"]["resource"], other["rulesContext"]["resource"]
            # Officially a document that no rule looks at is not there.
            if "mapValue" in official_resource:
                check(f"{name}: the same document", plain(resource) == plain(official_resource), (resource, official_resource))
            new, official_new = (part["rulesContext"]["request"]["mapValue"]["fields"].get("resource") for part in (one, other))
            check(f"{name}: the same new document", plain(new) == plain(official_new), (new, official_new))


def main():
    with tempfile.TemporaryDirectory() as folder:
        log = open(os.path.join(folder, "log"), "w+")
        process = subprocess.Popen(
            [os.environ["DOCSH"], "emulator", "--host", "127.0.0.1", "--port", "0",
             "--websocket_port", "0", "--project_id", PROJECT], stdout=log, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + SECONDS
            ports = None
            while ports is None and time.monotonic() < deadline and process.poll() is None:
                time.sleep(0.05)
                ports = re.search(r"serving http://127\.0\.0\.1:(\d+) (?:.*\n)*.*requests on ws://127\.0\.0\.1:(\d+)/",
                                  open(log.name).read())
            if ports is None:
                sys.exit("requests_socket: the server did not start\n" + open(log.name).read())
            ours = Emulator("127.0.0.1", int(ports.group(1)), int(ports.group(2)))
            check("it is prepared", ours.prepare())
            web = WebSocket(ours.host, ours.socket_port)
            check("the socket is taken", web.status == 101, web.status)
            check("there is nothing yet", web.next() == [])
            web.send(9, b"hi")
            check("a ping is answered", web.frame() == (0x8A, b"hi"))
            check("other paths are not found", WebSocket(ours.host, ours.socket_port, "/x").status == 404)
            mine = list(told(ours, web))
            for (name, messages), request in zip(mine, REQUESTS):
                saw = [(m["rulesContext"]["method"], m["rulesContext"]["path"].split("/documents/")[1], m["outcome"]) for m in messages]
                check(name, saw == request[5], saw)
            later = WebSocket(ours.host, ours.socket_port).next()
            check("who comes later gets all of it", len(later) == len(REQUESTS) + sum(len(row[5]) for row in REQUESTS), len(later))
            check("every id is another", len({entry["requestId"] for entry in later}) == len(later))
            if options.official:
                host, port = options.official.rsplit(":", 1)
                official = Emulator(host, int(port), options.official_socket)
                check("the official emulator is prepared", official.prepare())
                other = WebSocket(host, options.official_socket)
                check("its first message is a list", isinstance(other.next(), list))
                compare(mine, list(told(official, other)))
            web.send(8)
            check("an end is answered", web.frame()[0] == 0x88)
        finally:
            process.send_signal(signal.SIGINT)
            check("SIGINT ends it with open sockets", process.wait(timeout=SECONDS) == 0)


main()
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
