#!/usr/bin/env python3
"""Listeners of the Python SDK against a running server: documents, queries and limit queries, as callbacks see them.

    listen.py [HOST:PORT]        without an argument FIRESTORE_EMULATOR_HOST says where

Needs the packages of requirements.txt, and a server that lets the owner do everything. Ends by clearing its database.
"""
import os
import sys
import threading
import time
import urllib.request

if len(sys.argv) > 1:
    os.environ["FIRESTORE_EMULATOR_HOST"] = sys.argv[1]
if "FIRESTORE_EMULATOR_HOST" not in os.environ:
    sys.exit(__doc__)

from google.cloud import firestore  # noqa: E402  (reads the variable that was set above)
from google.cloud.firestore_v1.base_query import FieldFilter  # noqa: E402

from checks import Checks, close, fresh  # noqa: E402

PROJECT = "demo-listen"
PATIENCE = 60  # seconds; for a state, not for a speed
checks = Checks()


class Seen:
    """Every snapshot that a callback was given: a dictionary of documents by id, and what changed since the last."""

    def __init__(self, target):
        self.snapshots = []
        self.changed = threading.Condition()
        self.watch = target.on_snapshot(self.take)

    def take(self, documents, changes, read_time):
        with self.changed:
            self.snapshots.append((
                {document.id: document.to_dict() for document in documents if document.exists},
                sorted((change.type.name, change.document.id) for change in changes), read_time))
            self.changed.notify_all()

    def wait(self, what, holds):
        """Waits until the newest snapshot is such that `holds`; returns it."""
        end = time.monotonic() + PATIENCE
        with self.changed:
            while not (self.snapshots and holds(self.snapshots[-1][0])):
                left = end - time.monotonic()
                assert left > 0 and self.changed.wait(left), f"never saw {what}; last: {self.snapshots[-1:]}"
            return self.snapshots[-1]

    def changes(self):
        """All changes so far, in order of the snapshots."""
        with self.changed:
            return [change for _, changes, _ in self.snapshots for change in changes]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.watch.unsubscribe()


@checks("a document: missing, made, changed, deleted, made again")
def document(client):
    reference = client.collection(fresh("single")).document("d")
    with Seen(reference) as seen:
        seen.wait("no document", lambda now: now == {})
        for value in ({"n": 1}, {"n": 2, "m": {"k": [1, None]}}):
            reference.set(value)
            seen.wait(value, lambda now: now == {"d": value})
        reference.delete()
        seen.wait("the deletion", lambda now: now == {})
        reference.set({"n": 3})
        seen.wait("the new document", lambda now: now == {"d": {"n": 3}})


@checks("a query: documents enter, change, leave by what they say, and are deleted")
def query(client):
    collection = client.collection(fresh("query"))
    collection.document("a").set({"open": True, "n": 1})
    collection.document("b").set({"open": False, "n": 2})
    with Seen(collection.where(filter=FieldFilter("open", "==", True))) as seen:
        seen.wait("the first result", lambda now: now == {"a": {"open": True, "n": 1}})
        collection.document("b").update({"open": True})
        seen.wait("b", lambda now: set(now) == {"a", "b"})
        collection.document("a").update({"n": 7})
        seen.wait("a's new state", lambda now: now.get("a", {}).get("n") == 7)
        collection.document("a").update({"open": False})
        seen.wait("a gone", lambda now: set(now) == {"b"})
        collection.document("b").delete()
        seen.wait("b gone", lambda now: now == {})
        expected = [("ADDED", "a"), ("ADDED", "b"), ("MODIFIED", "a"), ("REMOVED", "a"), ("REMOVED", "b")]
        assert seen.changes() == expected, seen.changes()


@checks("a limit query: who leaves is replaced in the same snapshot, who comes pushes one out")
def limit(client):
    collection = client.collection(fresh("limit"))
    for number in range(8):
        collection.document(f"d{number}").set({"n": number})
    top = collection.order_by("n", direction=firestore.Query.DESCENDING).limit(3)
    with Seen(top) as seen:
        seen.wait("the first three", lambda now: set(now) == {"d7", "d6", "d5"})
        collection.document("d6").delete()
        seen.wait("d4 instead of d6", lambda now: set(now) == {"d7", "d5", "d4"})
        collection.document("d7").update({"n": -1})
        seen.wait("d3 instead of d7", lambda now: set(now) == {"d5", "d4", "d3"})
        collection.document("new").set({"n": 100})
        seen.wait("new instead of d3", lambda now: set(now) == {"new", "d5", "d4"})
        batch = client.batch()
        for number in (2, 3, 4, 5):
            batch.delete(collection.document(f"d{number}"))
        batch.commit()
        seen.wait("what is left", lambda now: set(now) == {"new", "d1", "d0"})
        sizes = [len(documents) for documents, _, _ in seen.snapshots]
        assert sizes == [3] * len(sizes), f"a snapshot of {sizes} documents"


@checks("a batch is one snapshot, for every listener")
def atomicity(client):
    collection = client.collection(fresh("batch"))
    other = client.collection(fresh("batch"))
    with Seen(collection) as first, Seen(other) as second:
        first.wait("nothing", lambda now: now == {})
        second.wait("nothing", lambda now: now == {})
        for size in (10, 40):
            batch = client.batch()
            for number in range(size):
                batch.set(collection.document(f"d{number:02}"), {"size": size})
                batch.set(other.document(f"e{number:02}"), {"size": size})
            batch.commit()
            first.wait(f"{size} documents", lambda now: len(now) == size)
            second.wait(f"{size} documents", lambda now: len(now) == size)
        for seen in (first, second):
            for documents, _, _ in seen.snapshots:
                assert len({fields["size"] for fields in documents.values()}) <= 1, "a torn snapshot"


@checks("a collection group, and read times that never go back")
def group(client):
    name = fresh("group")
    with Seen(client.collection_group(name)) as seen:
        seen.wait("nothing", lambda now: now == {})
        client.document(f"{fresh('top')}/x/{name}/a").set({"n": 1})
        client.document(f"{name}/b").set({"n": 2})
        seen.wait("both", lambda now: set(now) == {"a", "b"})
        times = [read_time for _, _, read_time in seen.snapshots]
        assert times == sorted(times) and all(moment.timestamp() > 0 for moment in times), times


@checks("a hundred writes from four threads: the last snapshot is what is stored")
def many(client):
    collection = client.collection(fresh("many"))
    with Seen(collection) as seen:
        seen.wait("nothing", lambda now: now == {})

        def write(worker):
            for number in range(25):
                collection.document(f"d{(worker * 7 + number) % 40}").set({"by": worker, "n": number})
                if number % 5 == 4:
                    collection.document(f"d{(worker + number) % 40}").delete()

        threads = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        stored = {document.id: document.to_dict() for document in collection.stream()}
        seen.wait("the stored documents", lambda now: now == stored)


@checks("who has unsubscribed is told nothing more, and others go on")
def unsubscribe(client):
    collection = client.collection(fresh("leave"))
    with Seen(collection) as staying:
        with Seen(collection) as leaving:
            leaving.wait("nothing", lambda now: now == {})
        collection.document("a").set({})
        staying.wait("a", lambda now: set(now) == {"a"})
        assert len(leaving.snapshots) == 1, leaving.snapshots


@checks("a cleared database is one snapshot of deletions, and its listeners live on")
def clear(client):
    collection = client.collection(fresh("clear"))
    for number in range(5):
        collection.document(f"d{number}").set({"n": number})
    with Seen(collection) as all_of_it, Seen(collection.order_by("n").limit(2)) as window, \
            Seen(collection.document("d3")) as one:
        all_of_it.wait("all", lambda now: len(now) == 5)
        window.wait("two", lambda now: set(now) == {"d0", "d1"})
        one.wait("d3", lambda now: set(now) == {"d3"})
        request = urllib.request.Request(
            f"http://{os.environ['FIRESTORE_EMULATOR_HOST']}/emulator/v1/projects/{PROJECT}/databases/(default)/documents",
            method="DELETE")
        assert urllib.request.urlopen(request, timeout=60).status == 200
        for seen in (all_of_it, window, one):
            seen.wait("nothing", lambda now: now == {})
        assert len(all_of_it.snapshots) == 2, all_of_it.snapshots
        collection.document("d3").set({"n": 9})
        for seen in (all_of_it, window, one):
            seen.wait("the new document", lambda now: now == {"d3": {"n": 9}})


if __name__ == "__main__":
    close([checks.run(firestore.Client(project=PROJECT))])
