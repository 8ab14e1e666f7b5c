#!/usr/bin/env python3
"""The Python SDK against a server that knows indexes: what is refused, in which words, and what is suggested.

    indexes.py DOCSH [PORT]        DOCSH is the program; PORT and the two above it must be free, without it any are taken

Starts servers of its own. Needs the packages of requirements.txt.
"""
import json
import os
import subprocess
import sys
import tempfile
import urllib.request

if len(sys.argv) < 2:
    sys.exit(__doc__)
DOCSH = os.path.abspath(sys.argv[1])
PORT = int(sys.argv[2]) if len(sys.argv) > 2 else 0

from google.api_core import exceptions  # noqa: E402
from google.auth.credentials import AnonymousCredentials  # noqa: E402
from google.cloud import firestore  # noqa: E402
from google.cloud.firestore_v1.base_query import FieldFilter, Or  # noqa: E402

from checks import Checks, close, raises  # noqa: E402

PROJECT = "demo-indexes"
FILE = {
    "indexes": [
        {"collectionGroup": "orders", "queryScope": "COLLECTION", "fields": [
            {"fieldPath": "status", "order": "ASCENDING"}, {"fieldPath": "total", "order": "DESCENDING"}]},
        {"collectionGroup": "orders", "queryScope": "COLLECTION", "fields": [
            {"fieldPath": "labels", "arrayConfig": "CONTAINS"}, {"fieldPath": "created", "order": "DESCENDING"}]},
        {"collectionGroup": "lines", "queryScope": "COLLECTION_GROUP", "fields": [
            {"fieldPath": "item", "order": "ASCENDING"}, {"fieldPath": "count", "order": "ASCENDING"}]},
    ],
    "fieldOverrides": [
        {"collectionGroup": "lines", "fieldPath": "item", "indexes": [
            {"queryScope": "COLLECTION", "order": "ASCENDING"},
            {"queryScope": "COLLECTION_GROUP", "order": "ASCENDING"}]},
        {"collectionGroup": "orders", "fieldPath": "note", "indexes": []},
    ],
}


class Server:
    """A server on a port, its lines on standard error, and a client of it."""

    def __init__(self, port, *options):
        self.log = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [DOCSH, "serve", "--open", "--port", str(port), *options], stdout=subprocess.PIPE, stderr=self.log, text=True)
        for line in self.process.stdout:
            if line.startswith("docsh: serving http://"):
                self.address = line.split("//")[1].split()[0]
                break
        else:
            sys.exit(f"indexes: the server ended with {self.process.wait()}")
        os.environ["FIRESTORE_EMULATOR_HOST"] = self.address
        self.client = firestore.Client(project=PROJECT, credentials=AnonymousCredentials())
        batch = self.client.batch()
        for n in range(6):
            order = self.client.document(f"orders/o{n}")
            batch.set(order, {"status": "open" if n % 2 else "sent", "total": n, "created": n, "labels": ["x", n],
                              "customer": f"c{n % 3}", "note": "n"})
            batch.set(order.collection("lines").document("l"), {"item": f"i{n % 2}", "count": n})
        batch.commit()

    def lines(self):
        self.log.flush()
        self.log.seek(0)
        return [line for line in self.log.read().splitlines() if "index:" in line]

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


def where(query, *filters):
    for path, operator, value in filters:
        query = query.where(filter=FieldFilter(path, operator, value))
    return query


def ids(query, **keywords):
    return [snapshot.id for snapshot in query.stream(**keywords)]


def served(client):
    """Queries that the file's indexes and the automatic ones serve."""
    orders, lines = client.collection("orders"), client.collection_group("lines")
    yield "equalities", where(orders, ("status", "==", "open"), ("customer", "==", "c1"))
    yield "status, total down", where(orders, ("status", "==", "open")).order_by("total", direction="DESCENDING")
    yield "status in, total down", where(orders, ("status", "in", ["open", "sent"])).order_by("total", direction="DESCENDING")
    yield "a label, newest first", where(orders, ("labels", "array_contains", "x")).order_by("created", direction="DESCENDING")
    yield "range and order on one field", where(orders, ("total", ">", 1)).order_by("total", direction="DESCENDING").limit(2)
    yield "limit to last", where(orders, ("status", "==", "open")).order_by("total").limit_to_last(2)
    yield "a group's field", where(lines, ("item", "==", "i0"))
    yield "a group's composite", where(lines, ("item", "==", "i0")).order_by("count")
    yield "a group's composite in a collection", where(client.collection("orders/o0/lines"), ("item", "==", "i0")).order_by("count")
    yield "all of a group", lines


def refused(client):
    """Queries that lack an index, and what the refusal names."""
    orders, lines = client.collection("orders"), client.collection_group("lines")
    yield "status, total up", where(orders, ("status", "==", "open")).order_by("total"), "requires an index"
    yield "two orders", orders.order_by("status").order_by("created"), "requires an index"
    yield "two ranges", where(orders, ("total", ">", 1), ("created", ">", 1)), "range and inequality filters on multiple fields"
    yield "names backwards", orders.order_by("__name__", direction="DESCENDING"), "requires an index"
    yield "an exempted field", where(orders, ("note", "==", "n")), "COLLECTION_ASC index for collection orders and field note"
    yield "a group's other field", where(lines, ("count", "==", 1)), "COLLECTION_GROUP_ASC index for collection lines and field count"
    yield "a group's order", lines.order_by("item", direction="DESCENDING"), "COLLECTION_GROUP_DESC index for collection lines and field item"
    yield "one way of two", orders.where(filter=Or([FieldFilter("status", "==", "open"), FieldFilter("total", ">", 4)])), "requires an index"


check = Checks()


@check("queries with an index are served, page by page and in transactions")
def _(server, _path):
    for name, query in served(server.client):
        if query._limit_to_last:
            found = [snapshot.id for snapshot in query.get()]
        else:
            found = ids(query)
        assert found, name
    transaction = server.client.transaction()
    transaction._begin()
    assert ids(where(server.client.collection("orders"), ("status", "==", "open")), transaction=transaction)
    transaction._rollback()


@check("queries without one are refused in the service's words, with a link and the entry to add")
def _(server, _path):
    for name, query, words in refused(server.client):
        message = str(refusal(query))
        assert words in message, f"{name}: {message}"
        assert f"https://console.firebase.google.com/v1/r/project/{PROJECT}/firestore/indexes?create_" in message, name
        assert "firestore.indexes.json: {" in message, name


@check("the entry that a refusal prints makes the query pass")
def _(server, path):
    for name, query, _ in refused(server.client):
        file = json.loads(json.dumps(FILE))
        for _ in range(3):
            error = refusal(query)
            if error is None:
                break
            line = [line for line in str(error).splitlines() if "firestore.indexes.json: {" in line][0]
            entries = line.split('"')[1]
            entry = json.loads(line[line.index("{"):])
            kept = [old for old in file[entries] if old.get("fieldPath") is None or
                    (old["collectionGroup"], old["fieldPath"]) != (entry["collectionGroup"], entry["fieldPath"])]
            file[entries] = kept + [entry]
            put(server, file)
        assert refusal(query) is None, name
        put(server, FILE)


@check("aggregations and transactions are refused alike")
def _(server, _path):
    query = where(server.client.collection("orders"), ("status", "==", "open"))
    assert query.count().get()[0][0].value == 3
    assert raises(exceptions.FailedPrecondition, query.sum("created").get)
    transaction = server.client.transaction()
    transaction._begin()
    assert raises(exceptions.FailedPrecondition, ids, query.order_by("total"), transaction=transaction)
    transaction._rollback()


@check("REST answers 400 FAILED_PRECONDITION with the same words")
def _(server, _path):
    body = {"structuredQuery": {"from": [{"collectionId": "orders"}], "where": {"fieldFilter": {
        "field": {"fieldPath": "status"}, "op": "EQUAL", "value": {"stringValue": "open"}}},
        "orderBy": [{"field": {"fieldPath": "total"}}]}}
    request = urllib.request.Request(
        f"http://{server.address}/v1/projects/{PROJECT}/databases/(default)/documents:runQuery",
        data=json.dumps(body).encode(), method="POST")
    try:
        urllib.request.urlopen(request, timeout=60)
        assert False, "served"
    except urllib.error.HTTPError as error:
        answer = json.loads(error.read())
        answer = answer[0] if isinstance(answer, list) else answer
        assert error.code == 400 and answer["error"]["status"] == "FAILED_PRECONDITION", answer
        assert answer["error"]["message"].startswith("The query requires an index. You can create it here: https://"), answer


@check("the link of a refusal is decoded into the entry")
def _(server, _path):
    query = where(server.client.collection("orders"), ("status", "==", "open")).order_by("total")
    link = [word for word in str(raises(exceptions.FailedPrecondition, ids, query)).split() if word.startswith("https://console")][0]
    entry = json.loads(docsh("indexes", "decode", link).stdout)
    assert entry["fields"] == [{"fieldPath": "status", "order": "ASCENDING"}, {"fieldPath": "total", "order": "ASCENDING"}], entry


warned = Checks()


@warned("without a file everything is served, and the log names each definition once")
def _(server, _path):
    for _ in range(3):
        for name, query in list(served(server.client)) + [row[:2] for row in refused(server.client)]:
            (query.get() if query._limit_to_last else ids(query))
    lines = server.lines()
    assert len(lines) == len(set(lines)) and len(lines) >= 8, lines
    assert any("orders (status ASC, total ASC)" in line for line in lines), lines


@warned("what is suggested serves all that was asked")
def _(server, path):
    written = os.path.join(path, "suggested.json")
    docsh("indexes", "suggest", "--server", server.address, "--write", written)
    file = json.load(open(written))
    assert len(file["indexes"]) + len(file["fieldOverrides"]) >= 8, file
    checked = docsh("indexes", "check", written)
    assert "no problems" in checked.stdout or "warning" in checked.stdout, checked.stdout
    strict = Server(PORT and PORT + 2, "--indexes", written)
    try:
        for name, query in list(served(strict.client)) + [row[:2] for row in refused(strict.client)]:
            if name == "an exempted field":
                continue
            (query.get() if query._limit_to_last else ids(query))
        again = json.loads(docsh("indexes", "suggest", "--server", strict.address, "--file", written, "--json").stdout)
        assert again["additions"] == [], again
    finally:
        strict.stop()


@warned("k equalities over one order are suggested as k definitions")
def _(server, path):
    things = server.client.collection("things")
    fields = ["a", "b", "c", "d"]
    for mask in range(1, 16):
        query = where(things, *[(f, "==", 1) for n, f in enumerate(fields) if mask & (1 << n)]).order_by("t")
        ids(query)
    report = json.loads(docsh("indexes", "suggest", "--server", server.address, "--json").stdout)
    things = [addition for addition in report["additions"] if addition["summary"].startswith("things ")]
    assert len(things) == 4, things
    exact = json.loads(docsh("indexes", "suggest", "--server", server.address, "--json", "--exact").stdout)
    assert len([addition for addition in exact["additions"] if addition["summary"].startswith("things ")]) >= 4


emulated = Checks()


@emulated("the profile emulator serves everything, file or not, and says what production would refuse")
def _(server, _path):
    for name, query, _ in refused(server.client):
        assert refusal(query) is None, name
    # Two of them need the same definition, which is named once.
    assert len(server.lines()) == len(list(refused(server.client))) - 1, server.lines()


def refusal(query):
    """Why a query is refused; None when it is served."""
    try:
        ids(query)
    except exceptions.FailedPrecondition as error:
        return error
    return None


def put(server, file):
    request = urllib.request.Request(
        f"http://{server.address}/emulator/v1/projects/{PROJECT}:indexes", data=json.dumps(file).encode(), method="PUT")
    urllib.request.urlopen(request, timeout=60).read()


def docsh(*arguments):
    return subprocess.run([DOCSH, *arguments], capture_output=True, text=True, check=True, timeout=60)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "firestore.indexes.json")
    with open(path, "w") as file:
        file.write("// comments are allowed\n" + json.dumps(FILE, indent=1))
    results = []
    for checks, options in ((check, ["--indexes", path]), (warned, [])):
        server = Server(PORT and PORT + (0 if checks is check else 1), *options)
        try:
            results.append(checks.run(server, folder))
        finally:
            server.stop()
    server = Server(PORT, "--indexes", path, "--profile", "emulator")
    try:
        results.append(emulated.run(server, folder))
    finally:
        server.stop()
    close(results)
