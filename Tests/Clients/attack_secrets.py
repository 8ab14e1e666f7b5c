#!/usr/bin/env python3
"""Attacks on secrets: what denials tell, whose transactions are whose, who may administrate.

    attack_secrets.py --docsh PATH [--scale N] [--seed N]

Starts and ends servers of its own. Every value that is stored has a mark; no answer to a client may hold one, over gRPC (status and
details), REST, listeners, explained queries and WebChannel. `--scale` multiplies the requests.
"""
import argparse
import base64
import http.client
import json
import os
import random
import re
import socket
import subprocess
import tempfile
import threading
import urllib.parse

import grpc
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport
from google.cloud.firestore_v1.types import ListenRequest, StructuredQuery, Target, TransactionOptions

from checks import Checks, close, unsigned_token

PATIENCE = 20.0
DATABASE = "projects/demo/databases/(default)"
DOCUMENTS = DATABASE + "/documents"
ROOT = f"/v1/{DOCUMENTS}"
MARKS = ("TAINT", "taint", "4815162342", "48151.6", "2037-11-23", "VEFJTlQ")
SECRET = {
    "s": {"stringValue": "TAINT-s"}, "n": {"integerValue": "4815162342"}, "f": {"doubleValue": 48151.625},
    "t": {"timestampValue": "2037-11-23T00:00:00Z"}, "b": {"bytesValue": "VEFJTlQ="}, "p": {"stringValue": "[TAINT"},
    "r": {"referenceValue": DOCUMENTS + "/vault/taint-ref"},
    "l": {"arrayValue": {"values": [{"stringValue": "TAINT-l"}]}},
    "m": {"mapValue": {"fields": {"k": {"stringValue": "TAINT-k"}}}},
}
OWNER = {"Authorization": "Bearer owner"}
checks = Checks()


class Server:
    def __init__(self, docsh, *options, host="127.0.0.1", environment=None):
        self.log = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [docsh, "serve", "--host", host, "--port", "0", *options], stdout=subprocess.PIPE, stderr=self.log, text=True,
            env={**os.environ, **(environment or {})})
        self.port = 0
        for line in self.process.stdout:
            found = re.search(r"serving http://\S+:(\d+)", line)
            if found:
                self.port = int(found[1])
                break
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        assert self.port, f"the server ended with {self.process.wait()}: {self.errors()}"
        self.address = f"127.0.0.1:{self.port}"

    def errors(self):
        self.log.seek(0)
        return self.log.read()

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            data = None if body is None else json.dumps(body) if not isinstance(body, str) else body
            kind = {} if isinstance(body, str) else {"Content-Type": "application/json"}
            connection.request(method, urllib.parse.quote(path, safe="/:?=&()%"), data, {**kind, **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def release(self, text, headers=None):
        body = {"rules": {"files": [{"name": "firestore.rules", "content": text}]}}
        return self.ask("PUT", "/emulator/v1/projects/demo:securityRules", body, headers)

    def rules(self, text):
        status, answer = self.release(text)
        assert status == 200, answer

    def fuzzed_rules(self, author):
        """Some that compile."""
        for _ in range(50):
            text = author.rules()
            if self.release(text)[0] == 200:
                return text
        raise AssertionError("no rules compile")

    def client(self):
        channel = grpc.insecure_channel(self.address)
        return FirestoreClient(transport=FirestoreGrpcTransport(channel=channel))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)


def ruleset(condition, *allows):
    lines = "\n".join(allows or [f"allow read, write: if {condition};"])
    return f"""rules_version = '2';
service cloud.firestore {{ match /databases/{{d}}/documents {{
  function look() {{ return get(/databases/$(d)/documents/secrets/a).data; }}
  match /vault/{{id}} {{
    {lines}
  }}
}} }}"""


class Author:
    """Conditions that put stored values into messages."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def one(self, *choices):
        return self.random.choice(choices)

    def secret(self):
        document = self.one(
            "resource.data", "request.resource.data", "look()", "get(/databases/$(d)/documents/secrets/a).data",
            "getAfter(/databases/$(d)/documents/vault/v).data")
        return f"{document}.{self.one('s', 'n', 'f', 't', 'b', 'r', 'l', 'm', 'p', 'm.k', 'l[0]')}"

    def question(self):
        a, b, field = self.secret(), self.secret(), self.one("s", "n", "l", "x")
        return self.one(
            f"resource.data.{field} == {a}", f"resource.data.{field} in [{a}, {b}]", f"{a} in resource.data.{field}",
            f"resource.data.{field} < {a}", f"resource.data.{field}.hasAny([{a}, {b}])", f"{{}}[{a}] == 1",
            f"{{}}[string({a})] == 1", f"request.auth.token[{a}] == 1", f"int({a}) == 1", f"'a'.matches({a})",
            f"get(/databases/$(d)/documents/secrets/$({a})).data.x == 1", f"exists(/$({a}))",
            f"duration.value(1, {a}) == null", f"{a} + {b} == 1", f"{a}", f"!{a}", f"{a}[{b}] == 1", f"id == {a}",
            f"path(string({a})).bind({{}}) == null", f"resource.data == {a}", f"{a}.split({b})[9] == ''")

    def condition(self, depth=2):
        if depth == 0:
            return self.question()
        a, b = self.condition(depth - 1), self.condition(depth - 1)
        return self.one(a, f"({a}) && ({b})", f"({a}) || ({b})", f"!({a})", f"({a}) ? ({b}) : false")

    def rules(self):
        return ruleset("", *(f"allow {method}: if {self.condition()};"
                             for method in ("get", "list", "create", "update", "delete")))

    def query(self):
        query = {"from": [{"collectionId": "vault"}]}
        where = self.one(
            None, ("x", "EQUAL", {"integerValue": "1"}), ("n", "LESS_THAN", {"integerValue": "5"}),
            ("s", "IN", {"arrayValue": {"values": [{"stringValue": "a"}, {"stringValue": "b"}]}}),
            ("l", "ARRAY_CONTAINS", {"stringValue": "a"}),
            ("__name__", "EQUAL", {"referenceValue": DOCUMENTS + "/vault/v"}))
        if where:
            query["where"] = {"fieldFilter": {"field": {"fieldPath": where[0]}, "op": where[1], "value": where[2]}}
        return query

    def write(self):
        name = DOCUMENTS + "/" + self.path()
        fields = {"x": {"integerValue": "1"}}
        return self.one(
            {"update": {"name": name, "fields": fields}}, {"delete": name},
            {"update": {"name": name, "fields": fields}, "updateMask": {"fieldPaths": ["x"]}},
            {"update": {"name": name, "fields": fields}, "currentDocument": {"exists": self.one(True, False)}},
            {"transform": {"document": name, "fieldTransforms": [
                {"fieldPath": "n", "increment": {"integerValue": "1"}}]}})

    def path(self):
        return self.one("vault/v", "vault/w", "vault/none")

    def headers(self):
        return self.one({}, {"Authorization": "Bearer " + unsigned_token("u", "demo")})


def seal(server, fields=SECRET):
    names = ("secrets/a", "vault/v", "vault/w")
    writes = [{"update": {"name": f"{DOCUMENTS}/{name}", "fields": fields}} for name in names]
    status, answer = server.ask("POST", ROOT + ":commit", {"writes": writes}, OWNER)
    assert status == 200, answer


def clean(what, text, rules):
    for mark in MARKS:
        assert mark not in text, f"{mark} in {what}: {text}\n{rules}"


def rest(server, author):
    """One refused request over REST, as text; empty when it is granted."""
    headers = author.headers()
    kind = author.one("get", "query", "explain", "count", "commit", "batch", "list")
    if kind == "get":
        status, text = server.ask("GET", f"{ROOT}/{author.path()}", headers=headers)
    elif kind == "list":
        status, text = server.ask("GET", f"{ROOT}/vault", headers=headers)
    elif kind == "batch":
        names = [f"{DOCUMENTS}/{author.path()}" for _ in range(2)]
        status, text = server.ask("POST", ROOT + ":batchGet", {"documents": names}, headers)
    elif kind == "commit":
        writes = [author.write() for _ in range(author.one(1, 2))]
        status, text = server.ask("POST", ROOT + ":commit", {"writes": writes}, headers)
    elif kind == "count":
        query = {"structuredAggregationQuery": {
            "structuredQuery": author.query(), "aggregations": [{"alias": "n", "count": {}}]}}
        status, text = server.ask("POST", ROOT + ":runAggregationQuery", query, headers)
    else:
        query = {"structuredQuery": author.query()}
        if kind == "explain":
            query["explainOptions"] = {"analyze": author.one(True, False)}
        status, text = server.ask("POST", ROOT + ":runQuery", query, headers)
    return text if status != 200 else ""


def over_grpc(server, client, author):
    """One refused call over gRPC: message, details and trailers as text."""
    metadata = [(name.lower(), value) for name, value in author.headers().items()]
    try:
        if author.one(True, False):
            client.get_document({"name": f"{DOCUMENTS}/{author.path()}"}, metadata=metadata, retry=None)
        else:
            query = StructuredQuery(from_=[StructuredQuery.CollectionSelector(collection_id="vault")])
            list(client.run_query({"parent": DOCUMENTS, "structured_query": query}, metadata=metadata, retry=None))
        return ""
    except Exception as error:  # the client library wraps the call's error
        cause = getattr(error, "errors", [error])[0] if getattr(error, "errors", None) else error
        trailers = cause.trailing_metadata() if hasattr(cause, "trailing_metadata") else ()
        return f"{error} {getattr(error, 'details', '')} {trailers}"


def listener(server, client, author):
    """What a target that may not be seen is told."""
    metadata = [(name.lower(), value) for name, value in author.headers().items()]
    target = Target(target_id=2, query=Target.QueryTarget(
        parent=DOCUMENTS,
        structured_query=StructuredQuery(from_=[StructuredQuery.CollectionSelector(collection_id="vault")])))
    over = threading.Event()

    def requests():
        yield ListenRequest(database=DATABASE, add_target=target)
        over.wait(PATIENCE)

    answers = client.listen(requests(), metadata=metadata, timeout=PATIENCE, retry=None)
    told = ""
    try:
        for answer in answers:
            change = answer.target_change
            if change.cause.code:
                return str(change.cause)
            if change.target_change_type == 2 or change.target_change_type == 3:
                break
    except Exception as error:
        told = str(error)
    finally:
        over.set()
    return told


def web_channel(server, author):
    message = {"database": DATABASE, "addTarget": {"targetId": 2, "query": {
        "parent": DOCUMENTS, "structuredQuery": {"from": [{"collectionId": "vault"}]}}}}
    fields = [("count", 1), ("ofs", 0), ("req0___data__", json.dumps(message))]
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    path = "/google.firestore.v1.Firestore/Listen/channel?VER=8&"
    _, text = server.ask("POST", path + "RID=1&CVER=22", urllib.parse.urlencode(fields), form)
    sid = re.search(r'"c","([^"]+)"', text)[1]
    with socket.create_connection(("127.0.0.1", server.port), timeout=2) as connection:
        request = f"GET {path}SID={sid}&RID=rpc&AID=0&CI=1&TYPE=xmlhttp HTTP/1.1\r\nHost: localhost\r\n\r\n"
        connection.sendall(request.encode())
        told = b""
        try:
            while b"cause" not in told and b"CURRENT" not in told:
                part = connection.recv(1 << 16)
                if not part:
                    break
                told += part
        except TimeoutError:
            pass
    text = told.decode(errors="replace")
    return text if "cause" in text else ""


# Denials.


@checks("no stored value is in what a client is told")
def taint(options):
    author = Author(options.seed)
    refused = {"rest": 0, "grpc": 0, "listen": 0, "webchannel": 0}
    with Server(options.docsh) as server:
        seal(server)
        client = server.client()
        for _ in range(12 * options.scale):
            rules = server.fuzzed_rules(author)
            for _ in range(60):
                text = rest(server, author)
                refused["rest"] += bool(text)
                clean("REST", text, rules)
            for _ in range(10):
                text = over_grpc(server, client, author)
                refused["grpc"] += bool(text)
                clean("gRPC", text, rules)
            text = listener(server, client, author)
            refused["listen"] += bool(text)
            clean("a listener", text, rules)
            text = web_channel(server, author)
            refused["webchannel"] += bool(text)
            clean("WebChannel", text, rules)
            seal(server)
    print(f"        {refused}", flush=True)
    assert refused["rest"] > 200 and all(refused.values()), refused


@checks("the same requests with the official words tell values: the fixtures hold some")
def official(options):
    author = Author(options.seed + 1)
    leaks = 0
    with Server(options.docsh, "--denial-detail", "official") as server:
        seal(server)
        for _ in range(6):
            server.fuzzed_rules(author)
            leaks += sum(any(mark in rest(server, author) for mark in MARKS) for _ in range(40))
    assert leaks > 3, leaks


@checks("a secret that a rule compares with is not told as a filter")
def advice(options):
    with Server(options.docsh) as server:
        seal(server)
        for condition in (
                "resource.data.code == look().s", "resource.data.code in look().l", "resource.data.code < look().n",
                "look().s in resource.data.code"):
            server.rules(ruleset(condition))
            query = {"structuredQuery": {"from": [{"collectionId": "vault"}]}}
            status, text = server.ask("POST", ROOT + ":runQuery", query)
            assert status == 403 and "allowed with" not in text, text
            clean("advice", text, condition)
        server.rules(ruleset("resource.data.code == 'open'"))
        assert "allowed with where code == \\\"open\\\"" in server.ask("POST", ROOT + ":runQuery", query)[1]


@checks("a denial does not tell whether a hidden document exists")
def existence(options):
    with Server(options.docsh) as server:
        seal(server)
        for allows in (
                ["allow create: if resource == null && false;", "allow update: if resource.data.n == 1;"],
                ["allow write: if request.auth.uid == id;"], ["allow write: if false;"]):
            server.rules(ruleset("", *allows))
            for more in ({}, {"updateMask": {"fieldPaths": ["x"]}}, {"currentDocument": {"exists": True}},
                         {"currentDocument": {"exists": False}}):
                told = []
                for path in ("vault/v", "vault/none"):
                    write = {"update": {"name": f"{DOCUMENTS}/{path}", "fields": {}}, **more}
                    status, text = server.ask("POST", ROOT + ":commit", {"writes": [write]})
                    assert status == 403, text
                    told.append(text)
                assert told[0] == told[1], told
                if "currentDocument" not in more:
                    assert "for 'create'" in told[0] and "for 'update'" in told[0], told[0]


# Transactions.


def user(uid):
    return {"Authorization": "Bearer " + unsigned_token(uid, "demo")}


def begin(server, headers, options=None, root=ROOT):
    status, text = server.ask("POST", root + ":beginTransaction", {"options": options or {"readOnly": {}}}, headers)
    return status, json.loads(text).get("transaction"), text


@checks("a transaction belongs to its caller and its database")
def ownership(options):
    callers = [OWNER, {}, user("ann"), user("bob")]
    with Server(options.docsh, "--open", "--user-transactions", "all") as server:
        server.ask("POST", ROOT + ":commit", {"writes": [{"update": {"name": DOCUMENTS + "/c/a", "fields": {}}}]}, OWNER)
        for mode in ({"readOnly": {}}, {"readWrite": {}}):
            for own in callers:
                status, token, text = begin(server, own, mode)
                assert status == 200, text
                for other in callers:
                    if other is own:
                        continue
                    for verb, body in ((":rollback", {}), (":commit", {"writes": []}),
                                       (":batchGet", {"documents": [DOCUMENTS + "/c/a"]})):
                        status, text = server.ask("POST", ROOT + verb, {**body, "transaction": token}, other)
                        assert status == 400, (verb, status, text)
                elsewhere = ROOT.replace("(default)", "second")
                assert server.ask("POST", elsewhere + ":rollback", {"transaction": token}, own)[0] == 400
                body = {"documents": [DOCUMENTS + "/c/a"], "transaction": token}
                assert server.ask("POST", ROOT + ":batchGet", body, own)[0] == 200
                assert server.ask("POST", ROOT + ":rollback", {"transaction": token}, own)[0] == 200
                assert server.ask("POST", ROOT + ":batchGet", body, own)[0] == 409


@checks("ids of transactions cannot be guessed from one's own")
def guessing(options):
    with Server(options.docsh, "--open", "--user-transactions", "all") as server:
        tokens = []
        for _ in range(50):
            tokens.append(begin(server, {}, {"readWrite": {}})[1])
        raw = [base64.b64decode(token) for token in tokens]
        for place in range(0, len(raw[0]) - 8):
            numbers = [int.from_bytes(token[place:place + 8], "little") for token in raw]
            assert len({b - a for a, b in zip(numbers, numbers[1:])}) > 10, f"counts at byte {place}"
        rng = random.Random(options.seed)
        for _ in range(200 * options.scale):
            guess = bytearray(rng.choice(raw))
            guess[rng.randrange(len(guess))] ^= 1 << rng.randrange(8)
            body = {"transaction": base64.b64encode(bytes(guess)).decode()}
            assert server.ask("POST", ROOT + ":rollback", body)[0] == 400
        counter = b"\x11" + (1).to_bytes(8, "little")
        body = {"transaction": base64.b64encode(counter).decode()}
        assert server.ask("POST", ROOT + ":rollback", body)[0] == 400
    with Server(options.docsh, "--open", "--user-transactions", "all") as server:
        assert server.ask("POST", ROOT + ":rollback", {"transaction": tokens[0]})[0] == 400


@checks("one caller does not lock the others out")
def quota(options):
    with Server(options.docsh, "--open", "--user-transactions", "all") as server:
        client = server.client()
        read_only = TransactionOptions(read_only=TransactionOptions.ReadOnly())
        read_write = TransactionOptions(read_write=TransactionOptions.ReadWrite())
        for _ in range(1_500 * options.scale):
            client.begin_transaction({"database": DATABASE, "options": read_only}, retry=None)
        taken, refused = 0, ""
        for _ in range(1_100):
            try:
                client.begin_transaction({"database": DATABASE, "options": read_write}, retry=None)
                taken += 1
            except Exception as error:
                refused = str(error)
                break
        assert 500 <= taken <= 1_000 and "Too many open transactions" in refused, (taken, refused)
        assert begin(server, {}, {"readWrite": {}})[0] == 429
        assert begin(server, {}, {"readOnly": {}})[0] == 200
        for other in (OWNER, user("ann")):
            status, token, text = begin(server, other, {"readWrite": {}})
            assert status == 200, text
            assert server.ask("POST", ROOT + ":commit", {"writes": [], "transaction": token}, other)[0] == 200


# Administration.

ADMINISTRATION = (
    ("PUT", "/emulator/v1/projects/demo:securityRules", {"rules": {"files": [{"name": "f", "content": ruleset("true")}]}}),
    ("GET", "/emulator/v1/projects/demo:securityRules", None), ("DELETE", "/emulator" + ROOT, None),
    ("GET", "/emulator/v1/projects/demo:ruleCoverage", None), ("GET", "/emulator/v1/projects/demo:requests", None),
    ("POST", "/emulator/v1/projects/demo:explainRequest", {}), ("POST", "/emulator/v1/projects/demo:export", {}),
    ("PUT", "/emulator/v1/projects/demo/triggers/t", {}), ("GET", "/emulator/v1/projects/-/triggers", None),
    ("POST", "/reset", None),
)


def is_refused(server, method, path, body, headers):
    status, text = server.ask(method, path, body, headers)
    return status in (401, 403) and "PERMISSION_DENIED" in text


@checks("on loopback administration is open to programs and pages of this machine, and to no other page")
def loopback(options):
    with Server(options.docsh) as server:
        for method, path, body in ADMINISTRATION:
            for headers in ({}, {"Origin": "http://localhost:3000"}, OWNER):
                assert not is_refused(server, method, path, body, headers), (method, path, headers)
            for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
                assert is_refused(server, method, path, body, {**headers, **OWNER}), (method, path, headers)


@checks("with a key nobody administrates who does not show it; docsh's own clients do")
def key(options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "key")
        secret = "k" * 16 + "3f9a" * 8
        for content, mode, words in ((secret, 0o644, "chmod 600"), ("", 0o600, "is empty"), ("short", 0o600, "must hold"),
                                     (secret + " x", 0o600, "must hold")):
            with open(path, "w") as file:
                file.write(content)
            os.chmod(path, mode)
            ended = subprocess.run([options.docsh, "serve", "--port", "0", "--admin-key-file", path], text=True,
                                   capture_output=True, timeout=PATIENCE)
            assert ended.returncode != 0 and words in ended.stderr, ended.stderr
        with open(path, "w") as file:
            file.write(secret + "\n")
        os.chmod(path, 0o600)
        shown = {"Authorization": "Bearer " + secret}
        with Server(options.docsh, "--admin-key-file", path) as server:
            wrong = ({}, OWNER, {"Authorization": "Bearer " + secret[:-1]}, {"Authorization": "Bearer " + secret[:-1] + "b"},
                     {"Authorization": "Bearer " + secret + "b"}, user("ann"), {"Origin": "http://localhost:3000"},
                     {**shown, "Origin": "https://evil.example"})
            for method, target, body in ADMINISTRATION + (("POST", "/shutdown", None),):
                for headers in wrong:
                    assert is_refused(server, method, target, body, headers), (method, target, headers)
            for method, target, body in ADMINISTRATION:
                assert not is_refused(server, method, target, body, shown), (method, target)
            assert server.ask("GET", "/metrics")[0] == 200
            assert server.ask("GET", "/healthz")[0] == 200
            assert server.ask("GET", ROOT + "/vault/none", headers=shown)[0] == 404
            for environment, ends_well in (({}, False), ({"DOCSH_ADMIN_KEY_FILE": path}, True)):
                ended = subprocess.run(
                    [options.docsh, "triggers", "list", "--server", server.address], text=True, capture_output=True,
                    timeout=PATIENCE, env={**os.environ, **environment})
                assert (ended.returncode == 0) == ends_well, (environment, ended.stdout, ended.stderr)


@checks("beyond loopback `Bearer owner` and administration are off unless they are allowed")
def beyond(options):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
    account = f"{part({'alg': 'RS256'})}.{part({'iss': 'sa', 'sub': 'sa', 'scope': 's', 'exp': 4102444800})}.c2ln"
    tokens = ("owner", "Owner", "ya29.abc", account)
    with Server(options.docsh, "--allow-public", host="0.0.0.0") as server:
        for token in tokens:
            status, text = server.ask("GET", ROOT + "/vault/v", headers={"Authorization": "Bearer " + token})
            assert status == 403 and "--allow-owner" in text, (token, status, text)
        for method, path, body in ADMINISTRATION:
            assert is_refused(server, method, path, body, OWNER), (method, path)
        assert "--allow-owner" in server.errors(), server.errors()
    with Server(options.docsh, "--allow-owner", host="0.0.0.0") as server:
        for token in tokens:
            status, text = server.ask("GET", ROOT + "/vault/v", headers={"Authorization": "Bearer " + token})
            assert status == 404, (token, status, text)
        for method, path, body in ADMINISTRATION:
            assert not is_refused(server, method, path, body, OWNER), (method, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--docsh", default=".build/release/docsh")
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--seed", type=int, default=15)
    close([checks.run(parser.parse_args())])


if __name__ == "__main__":
    main()
