#!/usr/bin/env python3
"""Injected faults as the Python SDK bears them: what it tries again, it tries again, and nothing happens twice.

    faults.py [HOST:PORT]        without an argument FIRESTORE_EMULATOR_HOST says where

Needs the packages of requirements.txt, and a server that lets everybody do everything.
"""
import json
import os
import sys
import threading
import time
import urllib.error
import urllib.request

if len(sys.argv) > 1:
    os.environ["FIRESTORE_EMULATOR_HOST"] = sys.argv[1]
if "FIRESTORE_EMULATOR_HOST" not in os.environ:
    sys.exit(__doc__)

from google.api_core import exceptions  # noqa: E402  (reads the variable that was set above)
from google.cloud import firestore  # noqa: E402

from checks import Checks, close, fresh, raises, unsigned_token  # noqa: E402

PROJECT = "demo-faults"
HOST = os.environ["FIRESTORE_EMULATOR_HOST"]
DATABASE = f"projects/{PROJECT}/databases/(default)"
PATIENCE = 60  # seconds; for a state, not for a speed
checks = Checks()


def ask(method, path, body=None, token="owner"):
    """One request; (status, JSON)."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://{HOST}{path}", data, {"authorization": f"Bearer {token}"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


class Fault:
    """A fault that is set while a block runs."""

    def __init__(self, rule):
        self.rule = rule

    def __enter__(self):
        status, answer = ask("POST", f"/emulator/v1/{DATABASE}:faults", {"rule": self.rule})
        assert status == 200, answer
        self.number = answer["number"]
        return self

    def __exit__(self, *_):
        ask("DELETE", f"/emulator/v1/{DATABASE}:faults?number={self.number}")

    @property
    def struck(self):
        faults = ask("GET", f"/emulator/v1/{DATABASE}:faults")[1]["faults"]
        return next(fault["struck"] for fault in faults if fault["number"] == self.number)


def count_up(client, document):
    """Adds one in a transaction; how often its function ran."""
    attempts = []

    @firestore.transactional
    def add_one(transaction):
        attempts.append(1)
        number = document.get(transaction=transaction).to_dict()["n"]
        transaction.update(document, {"n": number + 1})

    add_one(client.transaction())
    return len(attempts)


def counter(client):
    document = client.collection(fresh("faults")).document("counter")
    document.set({"n": 0})
    return document


@checks("ABORTED on a commit: the transaction runs again, and counts once")
def aborted(client):
    document = counter(client)
    with Fault("ABORTED on commit 1-2") as fault:
        assert count_up(client, document) == 3
        assert fault.struck == 2
    assert document.get().to_dict() == {"n": 1}


@checks("UNAVAILABLE on a commit: the same attempt commits again, and counts once")
def unavailable(client):
    document = counter(client)
    with Fault("UNAVAILABLE on commit 1") as fault:
        assert count_up(client, document) == 1
        assert fault.struck == 1
    assert document.get().to_dict() == {"n": 1}


@checks("UNAVAILABLE on a read by name and on a query: both are tried again")
def reads(client):
    document = counter(client)
    with Fault("UNAVAILABLE on get 1-2") as get, Fault("UNAVAILABLE on query 1") as query:
        assert document.get().to_dict() == {"n": 0}
        assert [found.id for found in document.parent.stream()] == ["counter"]
        assert (get.struck, query.struck) == (2, 1)


@checks("what is not worth another try fails at once, under its path alone")
def refused(client):
    document, other = counter(client), counter(client)
    with Fault(f"PERMISSION_DENIED on get under {document.parent.id}/**") as fault:
        error = raises(exceptions.PermissionDenied, document.get)
        assert "injected by fault" in str(error), error
        assert other.get().to_dict() == {"n": 0}
        assert fault.struck == 1


@checks("a delay is waited for")
def delayed(client):
    document = counter(client)
    with Fault("delay 300ms on get"):
        start = time.monotonic()
        assert document.get().to_dict() == {"n": 0}
        assert time.monotonic() - start >= 0.3


@checks("a listener that loses its connection goes on and misses nothing")
def dropped(client):
    collection = client.collection(fresh("faults"))
    collection.document("d0").set({"n": 0})
    seen, changed = set(), threading.Condition()

    def take(documents, changes, read_time):
        with changed:
            seen.clear()
            seen.update(document.id for document in documents)
            changed.notify_all()

    def wait(wanted):
        with changed:
            assert changed.wait_for(lambda: seen == wanted, PATIENCE), (seen, wanted)

    watch = collection.on_snapshot(take)
    try:
        wait({"d0"})
        wanted = {"d0"}
        for index, rule in enumerate(["drop listen after 1 message", "drop listen after 3 messages"]):
            with Fault(rule) as fault:
                for number in range(1, 4):
                    wanted.add(f"d{index}-{number}")
                    collection.document(f"d{index}-{number}").set({"n": number})
                    wait(wanted)
                assert fault.struck == 1, fault.struck
    finally:
        watch.unsubscribe()


@checks("one user of REST is struck, another is not; who is no administrator sets nothing")
def users(client):
    path = f"/v1/{DATABASE}/documents/faults/x"
    client.document("faults/x").set({"n": 0})
    with Fault("RESOURCE_EXHAUSTED on get of alice"):
        assert ask("GET", path, token=unsigned_token("alice", PROJECT))[0] == 429
        assert ask("GET", path, token=unsigned_token("bob", PROJECT))[0] == 200
    status, answer = ask(
        "POST", f"/emulator/v1/{DATABASE}:faults", {"rule": "ABORTED"}, unsigned_token("alice", PROJECT))
    assert status == 403, answer


close([checks.run(firestore.Client(project=PROJECT))])
