"""Kills a server with kill -9 while a pack's triggers run, again and again: what they keep must hold at the end.

Usage: pack_crashes.py DOCSH PACK ROUNDS

Each round commits documents of the pack to a durable store (`pack_crashes_PACK.py` says which), kills the server in the middle,
and starts it again on the same folder. At the end all triggers are drained, and the pack's invariants are checked exactly.
"""
import importlib
import random
import signal
import sys
import tempfile
import time

from store_server import BASE, Server, plain_value

DRAIN_SECONDS = 120


def read(server, collection):
    """{id: fields} of a collection."""
    parent, _, name = collection.rpartition("/")
    answer = server.call("POST", BASE + ("/" + parent if parent else "") + ":runQuery", {
        "structuredQuery": {"from": [{"collectionId": name}]}})
    found = [row["document"] for row in server.rows(answer) if "document" in row]
    return {document["name"].rsplit("/", 1)[1]: {
        name: plain_value(value) for name, value in document.get("fields", {}).items()} for document in found}


def main():
    docsh, pack, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    story = importlib.import_module("pack_crashes_" + pack.replace("-", "_"))
    draw = random.Random(7)
    written = {}
    commits = 0
    with tempfile.TemporaryDirectory() as folder:
        for round in range(rounds):
            with Server(docsh, folder, "--triggers", pack) as server:
                for writes in story.commits(draw, round):
                    server.commit([server.delete(path) if fields is None else server.write(path, fields)
                                   for path, fields in writes])
                    written.update(writes)
                    commits += 1
                # In the middle of what the last ones cause.
                time.sleep(draw.random() * 0.2)
                server.process.send_signal(signal.SIGKILL)
                server.process.wait()
        with Server(docsh, folder, "--triggers", pack) as server:
            drained = server.call("POST", f"/emulator/v1/projects/-/triggers:drain?seconds={DRAIN_SECONDS}")["drained"]
            letters = server.call("GET", "/emulator/v1/projects/-/triggers:deadLetters").get("deadLetters", [])
            assert drained and not letters, (drained, letters)
            told = story.check(written, lambda collection: read(server, collection))
    print(f"pack_crashes {pack}: {rounds} kills, {commits} commits, {told}: all holds")


if __name__ == "__main__":
    main()
