#!/usr/bin/env python3
"""Requests that once stopped everybody else's: an administrator beside them, in another database, is still answered.

    attack_stalls.py --docsh PATH [--scale N] [--bound MILLISECONDS] [CHECK ..]

Each check sends one kind of heavy request while another client commits and gets small documents all the time; the slowest of
these is held against the bound, which a busy machine has several times over: what is measured beside it without any attack is
added. CHECKs are parts of names; without them all run. The servers are started and stopped here.
"""
import argparse
import http.client
import json
import re
import subprocess
import sys
import tempfile
import threading
import time

VICTIM = "projects/demo/databases/beside"
ATTACKED = "projects/demo/databases/(default)"
OWNER = {"Authorization": "Bearer owner"}
RULES = """rules_version = '2';
service cloud.firestore {
  match /databases/{d}/documents {
    match /split/{id} { allow write: if request.resource.data.t.split('a*b|a').size() > 0; }
    match /splits/{id} { allow write: if request.resource.data.t.split('a*b|a').size() > 0 || true; }
    match /commas/{id} { allow write: if request.resource.data.t.split(',').size() > 0; }
    match /lists/{id} {
      allow write: if request.resource.data.l.toSet().size() > 1 || request.resource.data.l.hasAll(request.resource.data.l);
    }
    match /texts/{id} { allow write: if request.resource.data.t.matches('([a-z]+[a-z0-9]*)*!') || true; }
    match /open/{id} { allow read, write: if true; }
  }
}
"""
INDEXES = {"indexes": [{"collectionGroup": "tagged", "queryScope": "COLLECTION", "fields": [
    {"fieldPath": "tags", "arrayConfig": "CONTAINS"}, {"fieldPath": "n", "order": "ASCENDING"}]}]}


class Server:
    def __init__(self, docsh, *options):
        self.folder = tempfile.TemporaryDirectory()
        rules = self.folder.name + "/firestore.rules"
        with open(rules, "w") as file:
            file.write(RULES)
        command = [docsh, "serve", "--port", "0", "--rules", rules, *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            found = re.search(r"serving http://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found[1])
                break
        else:
            sys.exit("the server did not start: " + "".join(lines))
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


class Client:
    """One connection, one request at a time."""

    def __init__(self, port, headers=OWNER, patience=120):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=patience)
        self.headers = {"Content-Type": "application/json", **headers}

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body)
        self.connection.request(method, "/v1/" + path, data, self.headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def commit(self, database, writes):
        return self.ask("POST", f"{database}/documents:commit", {"writes": writes})


def update(database, path, fields, mask=None, **more):
    write = {"update": {"name": f"{database}/documents/{path}", "fields": fields}, **more}
    if mask is not None:
        write["updateMask"] = {"fieldPaths": mask}
    return write


def text(value):
    return {"stringValue": value}


def array(values):
    return {"arrayValue": {"values": values}}


class Beside:
    """Small commits and gets of an administrator, one after the other, until told to end; the slowest one of each."""

    def __init__(self, port):
        self.client = Client(port)
        self.slowest = 0.0
        self.count = 0
        self.failure = None
        self.is_over = False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            while not self.is_over:
                start = time.monotonic()
                status, _ = self.client.commit(VICTIM, [update(VICTIM, "c/x", {"n": {"integerValue": self.count}})])
                assert status == 200, f"the commit beside was answered {status}"
                middle = time.monotonic()
                status, _ = self.client.ask("GET", f"{VICTIM}/documents/c/x")
                assert status == 200, f"the get beside was answered {status}"
                self.slowest = max(self.slowest, middle - start, time.monotonic() - middle)
                self.count += 1
                time.sleep(0.002)
        except Exception as error:
            self.failure = error

    def end(self):
        self.is_over = True
        self.thread.join(120)
        if self.failure:
            raise self.failure
        return self.slowest * 1_000


class Checks:
    def __init__(self, arguments):
        self.arguments = arguments
        self.passed = self.failed = 0
        self.idle = 0.0

    def report(self, name, holds, saw):
        self.passed += bool(holds)
        self.failed += not holds
        print(f"{'ok    ' if holds else 'FAILED'}  {name}: {saw}", flush=True)

    def attack(self, name, port, body):
        """Runs the attack with a client beside it; `body` returns what it saw."""
        if self.arguments.checks and not any(part in name for part in self.arguments.checks):
            return
        beside = Beside(port)
        try:
            saw = body()
            slowest = beside.end()
        except Exception as error:
            beside.is_over = True
            return self.report(name, False, f"{type(error).__name__}: {error}")
        bound = self.arguments.bound + 3 * self.idle
        self.report(
            name, slowest <= bound and beside.count > 0,
            f"{saw}; beside it {beside.count} commits and gets, the slowest {slowest:.0f} ms (bound {bound:.0f} ms)")

    def warm(self, port):
        """What a client waits for at most while nobody attacks, on this machine."""
        beside = Beside(port)
        time.sleep(1)
        self.idle = beside.end()


def rules_attacks(checks, server, scale):
    anonymous = Client(server.port, {})

    def refused(path, fields, count=1):
        def body():
            status, answer = anonymous.commit(
                ATTACKED, [update(ATTACKED, f"{path}/d{index}", fields) for index in range(count)])
            assert status in (403, 429), f"answered {status}: {answer[:200]!r}"
            return f"{count} writes, refused"
        return body

    def allowed(path, fields, count=1):
        def body():
            status, answer = anonymous.commit(
                ATTACKED, [update(ATTACKED, f"{path}/d{index}", fields) for index in range(count)])
            assert status == 200, f"answered {status}: {answer[:200]!r}"
            return f"{count} writes, allowed"
        return body

    def answered(path, fields, count):
        """Linear in the text: within the budget up to some size, and quick either way."""
        def body():
            status, answer = anonymous.commit(
                ATTACKED, [update(ATTACKED, f"{path}/d{index}", fields) for index in range(count)])
            assert status in (200, 403), f"answered {status}: {answer[:200]!r}"
            return f"{count} writes, answered {status}"
        return body

    long = text("a" * 150_000)
    checks.attack("a pattern that looks far ahead", server.port, refused("split", {"t": long}))
    checks.attack("the same behind `|| true`", server.port, refused("splits", {"t": long}))
    checks.attack("the same in many writes of one commit", server.port, refused("split", {"t": text("a" * 9_000)}, 100 * scale))
    checks.attack("an ordinary pattern", server.port, allowed("commas", {"t": text("a," * 75_000)}))
    odd = [array([{"integerValue": str(2**62 + index % 1_000)}, {"integerValue": str(2**62 + index // 1_000)}])
           for index in range(12_000 * scale)]
    # An array directly in another one cannot be stored; in a map it can.
    odd = [{"mapValue": {"fields": {"a": value["arrayValue"]["values"][0], "b": value["arrayValue"]["values"][1]}}} for value in odd[:20_000]]
    checks.attack("a set of values that share a hash", server.port, refused("lists", {"l": array(odd)}))
    checks.attack(
        "patterns on many texts of one commit", server.port,
        answered("texts", {"t": text("a" * 90_000)}, min(100, 40 * scale)))


def write_attacks(checks, server, scale):
    admin = Client(server.port)
    count = 4_000 * scale
    fields = {f"f{index}": {"integerValue": "1"} for index in range(min(count, 20_000))}
    big = {"t": text("x" * (1_000_000 - 40 * len(fields)) if len(fields) < 20_000 else "x" * 100_000)}
    status, answer = admin.commit(ATTACKED, [update(ATTACKED, "open/big", {**fields, **big})])
    assert status == 200, answer[:200]

    def many(made):
        def body():
            start = time.monotonic()
            status, answer = admin.commit(ATTACKED, [made(index) for index in range(count)])
            assert status == 200, f"answered {status}: {answer[:200]!r}"
            return f"{count} writes in {(time.monotonic() - start) * 1_000:.0f} ms"
        return body

    checks.attack("many masked updates of one large document", server.port, many(
        lambda index: update(ATTACKED, "open/big", {f"f{index % len(fields)}": {"integerValue": "2"}},
                             [f"f{index % len(fields)}"])))
    checks.attack("many increments of one large document", server.port, many(
        lambda index: update(ATTACKED, "open/big", {}, [], updateTransforms=[
            {"fieldPath": f"f{index % len(fields)}", "increment": {"integerValue": "1"}}])))
    listed = {"l": array([{"integerValue": str(index)} for index in range(10_000)]), "t": text("x" * 500_000)}
    status, answer = admin.commit(ATTACKED, [update(ATTACKED, "open/list", listed)])
    assert status == 200, answer[:200]
    checks.attack("many elements added to one long array", server.port, many(
        lambda index: update(ATTACKED, "open/list", {}, [], updateTransforms=[
            {"fieldPath": "l", "appendMissingElements": {"values": [{"integerValue": str(1_000_000 + index % 5_000)}]}}])))


def index_attacks(checks, server, scale):
    admin = Client(server.port)
    elements = 19_000

    def tags(shift):
        return array([{"integerValue": str(index + shift)} for index in range(elements)])

    def put(collection, shift, n):
        start = time.monotonic()
        status, answer = admin.commit(
            ATTACKED, [update(ATTACKED, f"{collection}/x", {"tags": tags(shift), "n": {"integerValue": str(n)}})])
        assert status == 200, f"answered {status}: {answer[:200]!r}"
        return (time.monotonic() - start) * 1_000

    def query():
        return admin.ask("POST", f"{ATTACKED}/documents:runQuery", {"structuredQuery": {
            "from": [{"collectionId": "tagged"}], "orderBy": [{"field": {"fieldPath": "n"}}], "limit": 1,
            "where": {"fieldFilter": {"field": {"fieldPath": "tags"}, "op": "ARRAY_CONTAINS", "value": {"integerValue": "-1"}}}}})

    def build():
        """Indexes are built for queries that looked at many documents for few."""
        for first in range(0, 3_000, 500):
            status, answer = admin.commit(ATTACKED, [
                update(ATTACKED, f"tagged/d{index}", {"tags": array([{"integerValue": str(-index)}]), "n": {"integerValue": "1"}})
                for index in range(first, first + 500)])
            assert status == 200, answer[:200]
        for _ in range(20):
            query()
            time.sleep(0.05)

    build()

    def body():
        for collection in ("tagged", "open"):
            put(collection, 0, 1)
        with_index = [put("tagged", 1 + round, 1) for round in range(3 * scale)]
        without = [put("open", 1 + round, 1) for round in range(3 * scale)]
        return f"{elements} elements, one moved: {min(with_index):.0f} ms, {min(without):.0f} ms without the index"

    checks.attack("a long array in an index", server.port, body)

    def replaced():
        times = [put("tagged", 100_000 * (1 + round), 1) for round in range(2 * scale)]
        return f"{elements} elements replaced in {min(times):.0f} ms"

    checks.attack("a long array in an index, every element replaced", server.port, replaced)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docsh", required=True)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--bound", type=float, default=250.0)
    parser.add_argument("checks", nargs="*")
    arguments = parser.parse_args()
    checks = Checks(arguments)
    server = Server(arguments.docsh, "--profile", "emulator")
    try:
        checks.warm(server.port)
        rules_attacks(checks, server, arguments.scale)
        write_attacks(checks, server, arguments.scale)
    finally:
        server.stop()
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/firestore.indexes.json", "w") as file:
            json.dump(INDEXES, file)
        server = Server(arguments.docsh, "--profile", "emulator", "--indexes", folder + "/firestore.indexes.json")
        try:
            index_attacks(checks, server, arguments.scale)
        finally:
            server.stop()
    print(f"{checks.passed} passed, {checks.failed} failed")
    sys.exit(0 if checks.failed == 0 and checks.passed else 1)


if __name__ == "__main__":
    main()
