#!/usr/bin/env python3
"""Several servers with one store, faults of every kind, and what must hold whatever happens.

    cluster_faults.py --docsh PROGRAM --postgres SCRIPT --folder FOLDER [--nodes 3] [--faults 30] [--seed N] [--clocks]

PostgreSQL runs in FOLDER with a synchronous standby; each server reaches it through a relay of its own, whose two directions
can be cut. While transfers, unique names, counters, listeners and triggers go on, servers are killed, stopped for a while
and continued, cut off in one direction, with --clocks their clocks are moved (by Debian's `faketime`), PostgreSQL ends their
sessions, and once the primary is killed and the standby takes over. What is checked:

  * every commit that was acknowledged is there, once; every other one is there once or not at all
  * sums are kept, no name is given twice
  * a listener sees every document once, in order, and nothing that was older than what it had seen
  * every document that a trigger answers is answered
  * no commit is made under rules older than a release that forbids it
"""
import argparse
import asyncio
import glob
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid

import grpc
from google.api_core import exceptions
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport
from google.cloud.firestore_v1.types import (
    Document, DocumentTransform, ListenRequest, Precondition, StructuredQuery, Target, Value, Write)

from checks import unsigned_token

PROJECT = "demo-cluster"
DATABASE = f"projects/{PROJECT}/databases/(default)"
ROOT = f"{DATABASE}/documents"
OWNER = [("authorization", "Bearer owner"), ("google-cloud-resource-prefix", DATABASE)]
OPEN_RULES = "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{p=**} { allow read, write; } } }"
SHUT_RULES = OPEN_RULES.replace("allow read, write;", "allow read; allow write: if false;")


class Relay:
    """Passes bytes between a port of its own and a socket of PostgreSQL; either direction can be held up.

    The port is closed while nobody listens at the socket, as that of a machine is on which PostgreSQL has ended.
    """

    def __init__(self, loop, target):
        self.loop, self.target = loop, target
        self.open = {"up": asyncio.Event(), "down": asyncio.Event()}
        for event in self.open.values():
            event.set()
        self.port = 0
        self.server = None
        asyncio.run_coroutine_threadsafe(self._listen(), loop).result()
        asyncio.run_coroutine_threadsafe(self._watch(), loop)

    async def _listen(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]

    async def _watch(self):
        while True:
            try:
                _, writer = await asyncio.open_unix_connection(self.target)
                writer.close()
                if self.server is None:
                    await self._listen()
            except OSError:
                if self.server is not None:
                    self.server.close()
                    self.server = None
            await asyncio.sleep(0.05)

    async def _serve(self, reader, writer):
        try:
            up_reader, up_writer = await asyncio.open_unix_connection(self.target)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self._pass(reader, up_writer, "up"), self._pass(up_reader, writer, "down"))

    async def _pass(self, reader, writer, direction):
        try:
            while data := await reader.read(65536):
                await self.open[direction].wait()
                writer.write(data)
                await writer.drain()
        except (OSError, ConnectionError):
            pass
        finally:
            writer.close()

    def cut(self, direction):
        self.loop.call_soon_threadsafe(self.open[direction].clear)

    def mend(self):
        for event in self.open.values():
            self.loop.call_soon_threadsafe(event.set)


FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None) if "--clocks" in sys.argv else None


class Node:
    """One server, started again whenever it was killed."""

    def __init__(self, cluster, number):
        self.cluster, self.number = cluster, number
        self.relays = [Relay(cluster.loop, f"{folder}/.s.PGSQL.5432") for folder in cluster.postgres]
        self.port = 0
        self.process = None
        self.isStopped = False
        self.log = open(f"{cluster.folder}/node-{number}.log", "ab")
        self.clock = f"{cluster.folder}/clock-{number}"
        self.move_clock(0)

    def move_clock(self, seconds):
        """The server's wall clock goes wrong by so much; what only goes forward is left alone."""
        with open(self.clock + ".new", "w") as file:
            file.write(f"{seconds:+d}s\n")
        os.replace(self.clock + ".new", self.clock)

    @property
    def words(self):
        if not FAKETIME:
            return [self.cluster.docsh]
        # The library adds to the environment of the first process that has it, where a Swift program then no longer finds
        # its arguments: that is a shell here.
        return ["env", f"LD_PRELOAD={FAKETIME}", f"FAKETIME_TIMESTAMP_FILE={self.clock}", "FAKETIME_NO_CACHE=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1", "sh", "-c", 'exec "$@"', "sh", self.cluster.docsh]

    def start(self):
        hosts = ",".join("127.0.0.1" for _ in self.relays)
        ports = ",".join(str(relay.port) for relay in self.relays)
        store = f"postgres:///app?host={hosts}&port={ports}&user=docstore"
        before = os.path.getsize(self.log.name)
        self.process = subprocess.Popen(
            [*self.words, "serve", "--port", str(self.port), "--project", PROJECT, "--store", store, "--shared",
             "--triggers", f"{self.cluster.folder}/triggers.yaml", "--open"],
            stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)
        for _ in range(1200):
            with open(self.log.name, "rb") as log:
                log.seek(before)
                said = log.read().decode()
            if "docsh: serving http://" in said:
                self.port = int(said.split("docsh: serving http://")[1].split()[0].rsplit(":", 1)[1])
                return
            if self.process.poll() is not None:
                # PostgreSQL may be away.
                time.sleep(0.3)
                return self.start()
            time.sleep(0.05)
        sys.exit(f"server {self.number} does not start: {said}")

    @property
    def address(self):
        return f"127.0.0.1:{self.port}"

    def client(self):
        options = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 500)]
        return FirestoreClient(transport=FirestoreGrpcTransport(channel=grpc.insecure_channel(self.address, options)))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class Cluster:
    def __init__(self, arguments):
        self.docsh, self.script, self.folder = arguments.docsh, arguments.postgres, arguments.folder
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.postgres = [f"{self.folder}/pg", f"{self.folder}/standby"]
        self.primary = 0
        self.answer = AnswerFunction()
        with open(f"{self.folder}/triggers.yaml", "w") as file:
            file.write("triggers:\n  - name: answer\n    event: created\n    document: asked/{id}\n"
                       f"    endpoint: http://127.0.0.1:{self.answer.port}/answer\n")
        self.nodes = [Node(self, number) for number in range(arguments.nodes)]

    def ask(self, statement):
        return subprocess.run(
            ["psql", "-qXAt", "-h", self.postgres[self.primary], "-U", "docstore", "-d", "app", "-c", statement],
            capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout.strip()


class AnswerFunction:
    """The function of a trigger: notes which documents it was called for."""

    def __init__(self):
        import http.server
        called = self.called = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                name = self.headers.get("ce-document") or body.decode(errors="replace")
                called[name] = called.get(name, 0) + 1
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()


RETRIED = (exceptions.Aborted, exceptions.ServiceUnavailable, exceptions.DeadlineExceeded, exceptions.Unknown,
           exceptions.InternalServerError, exceptions.Cancelled)


class Load:
    """Clients that go on whatever happens, and remember what was acknowledged."""

    def __init__(self, cluster, seed):
        self.cluster, self.seed = cluster, seed
        self.isOver = threading.Event()
        self.acknowledged, self.names, self.asked, self.denied = set(), {}, set(), 0
        self.lock = threading.Lock()
        self.failures = []
        self.attempts = self.refused = 0
        self.threads = []

    def begin(self):
        kinds = [self.count, self.count, self.transfer, self.name, self.ask]
        for index, kind in enumerate(kinds):
            self.threads.append(threading.Thread(target=self.run, args=(kind, index), daemon=True))
        for thread in self.threads:
            thread.start()

    def end(self):
        self.isOver.set()
        for thread in self.threads:
            thread.join(60)

    def run(self, kind, index):
        chance = random.Random(self.seed * 100 + index)
        clients = {}
        while not self.isOver.is_set():
            node = chance.choice(self.cluster.nodes)
            client = clients.setdefault(node.number, node.client())
            self.attempts += 1
            try:
                kind(client, chance)
            except RETRIED:
                self.refused += 1
                time.sleep(0.05)
            except Exception as error:  # noqa: BLE001: whatever it is, it is told
                self.failures.append(f"{kind.__name__}: {error!r}")
                time.sleep(0.2)

    def commit(self, client, writes, transaction=b""):
        return client.commit({"database": DATABASE, "writes": writes, "transaction": transaction},
                             metadata=OWNER, retry=None, timeout=8)

    def create(self, path, **fields):
        values = {key: Value(integer_value=v) if isinstance(v, int) else Value(string_value=v) for key, v in fields.items()}
        return Write(update=Document(name=f"{ROOT}/{path}", fields=values), current_document=Precondition(exists=False))

    def add(self, path, field, amount):
        return Write(transform=DocumentTransform(document=f"{ROOT}/{path}", field_transforms=[
            DocumentTransform.FieldTransform(field_path=field, increment=Value(integer_value=amount))]))

    def count(self, client, chance):
        token = uuid.UUID(int=chance.getrandbits(128)).hex
        self.commit(client, [self.create(f"tokens/{token}", n=1), self.add("counters/c", "n", 1)])
        with self.lock:
            self.acknowledged.add(token)

    def ask(self, client, chance):
        token = uuid.UUID(int=chance.getrandbits(128)).hex
        self.commit(client, [self.create(f"asked/{token}", n=1)])
        with self.lock:
            self.asked.add(token)
        time.sleep(0.05)

    def name(self, client, chance):
        name, owner = f"name{chance.randrange(400)}", uuid.UUID(int=chance.getrandbits(128)).hex
        try:
            self.commit(client, [self.create(f"names/{name}", owner=owner)])
        except (exceptions.AlreadyExists, exceptions.Conflict):
            return
        with self.lock:
            self.names.setdefault(name, []).append(owner)

    def transfer(self, client, chance):
        one, other = chance.sample(range(10), 2)
        begun = client.begin_transaction({"database": DATABASE}, metadata=OWNER, retry=None, timeout=8).transaction
        found = {}
        for answer in client.batch_get_documents(
                {"database": DATABASE, "documents": [f"{ROOT}/accounts/{n}" for n in (one, other)], "transaction": begun},
                metadata=OWNER, retry=None, timeout=8):
            if answer.found.name:
                found[int(answer.found.name.rsplit("/", 1)[1])] = answer.found.fields["n"].integer_value
        amount = chance.randrange(1, 20)
        writes = [Write(update=Document(name=f"{ROOT}/accounts/{n}", fields={"n": Value(integer_value=value)}))
                  for n, value in ((one, found[one] - amount), (other, found[other] + amount))]
        self.commit(client, writes, begun)


class Listener:
    """Listens for all tokens, now at this server and now at that one, with what it was told last as its token."""

    def __init__(self, cluster, number):
        self.cluster, self.number = cluster, number
        self.known, self.counter = set(), 0
        self.failures = []
        self.moves = 0
        self.resume = b""
        self.isOver = threading.Event()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        turn = self.number
        while not self.isOver.is_set():
            node = self.cluster.nodes[turn % len(self.cluster.nodes)]
            turn += 1
            try:
                self.listen(node)
            except (grpc.RpcError, exceptions.GoogleAPICallError):
                self.moves += 1
                time.sleep(0.1)

    def listen(self, node):
        query = StructuredQuery(from_=[StructuredQuery.CollectionSelector(collection_id="tokens")])
        target = Target(target_id=2, query=Target.QueryTarget(parent=ROOT, structured_query=query))
        if self.resume:
            target.resume_token = self.resume
        hold = threading.Event()

        def requests():
            yield ListenRequest(database=DATABASE, add_target=target)
            hold.wait(20)

        current, isCurrent, last = set(self.known) if self.resume else set(), bool(self.resume), None
        try:
            for answer in node.client().listen(requests(), metadata=OWNER, timeout=15):
                if self.isOver.is_set():
                    return
                change = answer.target_change
                if "document_change" in answer:
                    current.add(answer.document_change.document.name.rsplit("/", 1)[1])
                elif "document_delete" in answer or "document_remove" in answer:
                    self.failures.append(f"a token is gone: {answer}")
                elif "filter" in answer:
                    if answer.filter.count != len(current):
                        # What a client does: forget all and ask anew.
                        self.resume, self.moves = b"", self.moves + 1
                        return
                elif "target_change" in answer:
                    kind = change.target_change_type
                    if kind == change.TargetChangeType.RESET:
                        current = set()
                    elif kind == change.TargetChangeType.REMOVE:
                        self.resume = b""
                        return
                    elif kind == change.TargetChangeType.CURRENT:
                        isCurrent = True
                    if change.read_time and not change.target_ids:
                        if last and change.read_time < last:
                            self.failures.append(f"time went back from {last} to {change.read_time}")
                        last = change.read_time
                    if change.resume_token and isCurrent and not change.target_ids:
                        if not self.known <= current:
                            self.failures.append(f"{len(self.known - current)} tokens were seen before and are gone")
                        self.known, self.resume = set(current), change.resume_token
        finally:
            hold.set()


class Faults:
    def __init__(self, cluster, seed):
        self.cluster, self.chance = cluster, random.Random(seed)
        self.counts = {}

    def one(self):
        kinds = [self.kill, self.kill, self.stop, self.cut, self.cut, self.sessions, self.release]
        if FAKETIME:
            kinds.append(self.clock)
        kind = self.chance.choice(kinds)
        self.counts[kind.__name__] = self.counts.get(kind.__name__, 0) + 1
        kind(self.chance.choice(self.cluster.nodes))

    def kill(self, node):
        node.kill()
        time.sleep(self.chance.uniform(0, 0.5))
        node.start()

    def stop(self, node):
        node.process.send_signal(signal.SIGSTOP)
        time.sleep(self.chance.choice([0.3, 1, 3.5]))
        node.process.send_signal(signal.SIGCONT)

    def cut(self, node):
        direction = self.chance.choice(["up", "down"])
        for relay in node.relays:
            relay.cut(direction)
        time.sleep(self.chance.choice([0.2, 1, 4]))
        for relay in node.relays:
            relay.mend()

    def sessions(self, _):
        self.cluster.ask("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() "
                         "and backend_type = 'client backend' and random() < 0.5")

    def clock(self, node):
        node.move_clock(self.chance.choice([0, 90, 1200, -45, -1200]))

    def release(self, _):
        """Rules that forbid writes are released; from then on no server may take a user's commit."""
        rules = Rules(self.cluster)
        if not rules.put(SHUT_RULES):
            return
        token = unsigned_token("ann", PROJECT)
        for node in self.cluster.nodes:
            try:
                node.client().commit(
                    {"database": DATABASE, "writes": [Write(update=Document(name=f"{ROOT}/forbidden/{uuid.uuid4().hex}"))]},
                    metadata=[("authorization", f"Bearer {token}"), ("google-cloud-resource-prefix", DATABASE)],
                    retry=None, timeout=5)
                raise SystemExit("a commit was taken under rules that had been replaced")
            except (exceptions.PermissionDenied, exceptions.Unauthenticated):
                pass
            except RETRIED:
                pass
        rules.put(OPEN_RULES)

    def fail_over(self):
        """The primary is killed and the standby takes over."""
        folders = self.cluster.postgres
        subprocess.run([self.cluster.script, "stop", folders[0], "immediate"], check=True, stdin=subprocess.DEVNULL)
        subprocess.run([self.cluster.script, "promote", folders[1]], check=True, stdin=subprocess.DEVNULL)
        self.cluster.primary = 1
        self.counts["fail_over"] = 1


class Rules:
    def __init__(self, cluster):
        self.cluster = cluster

    def put(self, text):
        body = json.dumps({"rules": {"files": [{"name": "firestore.rules", "content": text}]}}).encode()
        for _ in range(20):
            for node in self.cluster.nodes:
                request = urllib.request.Request(
                    f"http://{node.address}/emulator/v1/projects/{PROJECT}:securityRules", data=body, method="PUT",
                    headers={"Authorization": "Bearer owner", "Content-Type": "application/json"})
                try:
                    with urllib.request.urlopen(request, timeout=5) as answer:
                        if answer.status == 200:
                            return True
                except (urllib.error.URLError, OSError, TimeoutError):
                    continue
            time.sleep(0.2)
        return False


def latency(cluster, load, count=300):
    """Milliseconds from a commit's beginning at one server until a listener at another one hears of it, this client included."""
    target = Target(target_id=2, documents=Target.DocumentsTarget(documents=[f"{ROOT}/pings/p"]))
    hold, heard, times = threading.Event(), threading.Condition(), {}
    last = [0]

    def requests():
        yield ListenRequest(database=DATABASE, add_target=target)
        hold.wait()

    def listen():
        try:
            for answer in cluster.nodes[-1].client().listen(requests(), metadata=OWNER, timeout=60):
                if "document_change" in answer:
                    number = answer.document_change.document.fields["n"].integer_value
                    with heard:
                        times[number], last[0] = time.monotonic(), number
                        heard.notify()
        except (grpc.RpcError, exceptions.GoogleAPICallError):
            pass

    client = cluster.nodes[0].client()
    threading.Thread(target=listen, daemon=True).start()
    found = []
    for number in range(1, count + 1):
        began = time.monotonic()
        load.commit(client, [Write(update=Document(name=f"{ROOT}/pings/p", fields={"n": Value(integer_value=number)}))])
        with heard:
            if not heard.wait_for(lambda: last[0] >= number, timeout=30):  # noqa: B023
                raise SystemExit("a listener at another server hears nothing")
        if number > 20:
            found.append((times[number] - began) * 1000)
    hold.set()
    found.sort()
    print(f"   commit to listener on another server: p50 {found[len(found) // 2]:.1f} ms, "
          f"p99 {found[len(found) * 99 // 100]:.1f} ms", flush=True)


def documents(client, collection):
    query = StructuredQuery(from_=[StructuredQuery.CollectionSelector(collection_id=collection)])
    found = {}
    for answer in client.run_query({"parent": ROOT, "structured_query": query}, metadata=OWNER, retry=None, timeout=60):
        if answer.document.name:
            found[answer.document.name.rsplit("/", 1)[1]] = answer.document.fields
    return found


def until(what, isSo, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if isSo():
                return
        except (RETRIED, OSError):
            pass
        time.sleep(0.2)
    raise SystemExit(f"it never came to be: {what}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--docsh", required=True)
    parser.add_argument("--postgres", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--faults", type=int, default=30)
    parser.add_argument("--clocks", action="store_true", help="move the servers' clocks, which slows them down")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    if arguments.clocks and not FAKETIME:
        sys.exit("--clocks needs the package faketime (Debian: apt-get install faketime)")
    print(f"   seed {arguments.seed}", flush=True)
    cluster = Cluster(arguments)
    for node in cluster.nodes:
        node.start()
    if not Rules(cluster).put(OPEN_RULES):
        raise SystemExit("rules cannot be released")
    client = cluster.nodes[0].client()
    load = Load(cluster, arguments.seed)
    load.commit(client, [load.create(f"accounts/{n}", n=1000) for n in range(10)])
    if not FAKETIME:
        latency(cluster, load)
    listeners = [Listener(cluster, number) for number in range(len(cluster.nodes))]
    load.begin()
    faults = Faults(cluster, arguments.seed)
    began = time.monotonic()
    for number in range(arguments.faults):
        if number == arguments.faults // 2:
            faults.fail_over()
        faults.one()
        time.sleep(0.3)
    load.end()
    seconds = time.monotonic() - began
    until("every server answers", lambda: all(
        node.client().run_query and documents(node.client(), "counters") for node in cluster.nodes))
    check(cluster, load, listeners)
    text = ", ".join(f"{count} {name}" for name, count in sorted(faults.counts.items()))
    print(f"   {sum(faults.counts.values())} faults in {seconds:.0f} s ({text}): {load.attempts} attempts, "
          f"{load.refused} refused or unknown, {len(load.acknowledged)} counted commits, "
          f"{sum(l.moves for l in listeners)} moves of listeners; all of it holds")
    for node in cluster.nodes:
        node.process.send_signal(signal.SIGCONT)
        node.process.terminate()
    for node in cluster.nodes:
        node.process.wait(30)


def check(cluster, load, listeners):
    problems = list(load.failures)
    states = []
    for node in cluster.nodes:
        client = node.client()
        states.append({name: documents(client, name) for name in ("tokens", "counters", "accounts", "names", "forbidden")})
    state = states[0]
    for number, other in enumerate(states):
        if {k: set(v) for k, v in other.items()} != {k: set(v) for k, v in state.items()}:
            problems.append(f"server {number} has other documents than server 0")
    tokens = set(state["tokens"])
    if lost := load.acknowledged - tokens:
        problems.append(f"{len(lost)} acknowledged commits are lost")
    counter = state["counters"]["c"]["n"].integer_value
    if counter != len(tokens):
        problems.append(f"the counter is {counter}, and there are {len(tokens)} tokens")
    total = sum(fields["n"].integer_value for fields in state["accounts"].values())
    if total != 10000:
        problems.append(f"the accounts hold {total} in place of 10000")
    for name, owners in load.names.items():
        if len(owners) > 1 or state["names"][name]["owner"].string_value not in owners:
            problems.append(f"{name} was given to {owners}")
    if state["forbidden"]:
        problems.append("a commit was made under rules that had been replaced")
    for listener in listeners:
        until(f"listener {listener.number} sees all {len(tokens)} tokens, not {len(listener.known)}",
              lambda listener=listener: listener.known == tokens)
        problems += listener.failures
        listener.isOver.set()
    called = lambda: {token for token in load.asked if any(token in name for name in list(cluster.answer.called))}  # noqa: E731
    until("every trigger is called", lambda: called() == load.asked)
    if problems:
        raise SystemExit("\n".join(problems[:20]))


main()
