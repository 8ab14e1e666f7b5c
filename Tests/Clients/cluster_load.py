"""What clients do to a cluster while it has faults, and what listeners see of it."""
import random
import threading
import time
import uuid

import grpc
from google.api_core import exceptions
from google.cloud.firestore_v1.types import (
    Document, DocumentTransform, ListenRequest, Precondition, StructuredQuery, Target, Value, Write)

from cluster_hosts import PROJECT

DATABASE = f"projects/{PROJECT}/databases/(default)"
ROOT = f"{DATABASE}/documents"
OWNER = [("authorization", "Bearer owner"), ("google-cloud-resource-prefix", DATABASE)]
RETRIED = (exceptions.Aborted, exceptions.ServiceUnavailable, exceptions.DeadlineExceeded, exceptions.Unknown,
           exceptions.InternalServerError, exceptions.Cancelled)


class Load:
    """Clients that go on whatever happens, and remember what was acknowledged."""

    def __init__(self, cluster, seed):
        self.cluster, self.seed = cluster, seed
        self.isOver, self.rest = threading.Event(), threading.Event()
        self.acknowledged, self.names, self.asked, self.denied = set(), {}, set(), 0
        self.lock = threading.Lock()
        self.failures = []
        self.attempts = self.refused = self.transferred = 0
        self.last, self.pause = None, 0.0
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

        def client():
            """Of whichever server, as a balancer would choose."""
            node = chance.choice(self.cluster.nodes)
            if node.number not in clients:
                clients[node.number] = node.client()
            return clients[node.number]

        while not self.isOver.is_set():
            if self.rest.is_set():
                self.last = None
                time.sleep(0.02)
                continue
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
        self.commit(client(), [self.create(f"tokens/{token}", n=1), self.add("counters/c", "n", 1)])
        with self.lock:
            self.acknowledged.add(token)
            now = time.monotonic()
            self.pause, self.last = max(self.pause, now - (self.last or now)), now

    def large(self, client):
        """A commit that takes a while to be sent. Nobody asks what becomes of it."""
        text = Value(string_value="x" * 1_000_000)
        try:
            self.commit(client, [Write(update=Document(name=f"{ROOT}/large/{n}", fields={"text": text})) for n in range(9)])
        except exceptions.GoogleAPICallError:
            pass

    def ask(self, client, chance):
        token = uuid.UUID(int=chance.getrandbits(128)).hex
        self.commit(client(), [self.create(f"asked/{token}", n=1)])
        with self.lock:
            self.asked.add(token)
        time.sleep(0.05)

    def name(self, client, chance):
        name, owner = f"name{chance.randrange(400)}", uuid.UUID(int=chance.getrandbits(128)).hex
        try:
            self.commit(client(), [self.create(f"names/{name}", owner=owner)])
        except (exceptions.AlreadyExists, exceptions.Conflict):
            return
        with self.lock:
            self.names.setdefault(name, []).append(owner)

    def transfer(self, client, chance):
        """A transaction, each call of which goes to whichever server."""
        one, other = chance.sample(range(10), 2)
        begun = client().begin_transaction({"database": DATABASE}, metadata=OWNER, retry=None, timeout=8).transaction
        found = {}
        for answer in client().batch_get_documents(
                {"database": DATABASE, "documents": [f"{ROOT}/accounts/{n}" for n in (one, other)], "transaction": begun},
                metadata=OWNER, retry=None, timeout=8):
            if answer.found.name:
                found[int(answer.found.name.rsplit("/", 1)[1])] = answer.found.fields["n"].integer_value
        amount = chance.randrange(1, 20)
        writes = [Write(update=Document(name=f"{ROOT}/accounts/{n}", fields={"n": Value(integer_value=value)}))
                  for n, value in ((one, found[one] - amount), (other, found[other] + amount))]
        self.commit(client(), writes, begun)
        with self.lock:
            self.transferred += 1


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
        # Long enough to read all of them once more, as this client reads.
        seconds = 15 + len(self.known) / 1_000

        def requests():
            yield ListenRequest(database=DATABASE, add_target=target)
            hold.wait(seconds + 5)

        current, isCurrent, last = set(self.known) if self.resume else set(), bool(self.resume), None
        try:
            for answer in node.client().listen(requests(), metadata=OWNER, timeout=seconds):
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
