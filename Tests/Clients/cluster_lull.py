"""Nobody commits, and one server is read so much that it reads without asking the others; then somebody commits.

What was acknowledged before a read began, that read must see, whichever server it asks.
"""
import signal
import threading
import time

import grpc
from google.cloud.firestore_v1.types import Document, GetDocumentRequest, Value, Write

from cluster_load import OWNER, RETRIED, ROOT

NAME = f"{ROOT}/pings/lull"


class Reader:
    """Reads one document of a server, one read after the other, and knows what each of them has to see at least."""

    def __init__(self, node):
        self.least, self.reads, self.failures = 0, 0, []
        self.isOver = threading.Event()
        channel = node.client().transport.grpc_channel
        self.get = channel.unary_unary("/google.firestore.v1.Firestore/GetDocument")
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        request = GetDocumentRequest.serialize(GetDocumentRequest(name=NAME))
        while not self.isOver.is_set():
            least = self.least
            try:
                answer = self.get(request, metadata=OWNER, timeout=8)
            except grpc.RpcError:
                time.sleep(0.02)
                continue
            self.reads += 1
            found = Document.deserialize(answer).fields["n"].integer_value
            if found < least:
                self.failures.append(f"a read that began after {least} was acknowledged gave {found}")

    def end(self):
        self.isOver.set()
        self.thread.join(20)


class Lull:
    def __init__(self, cluster, load, chance):
        self.cluster, self.load, self.chance = cluster, load, chance
        self.number = 0
        self.counts = {"lulls": 0, "without asking": 0, "reads": 0}
        self.failures = []

    @property
    def text(self):
        return ", ".join(f"{count} {name}" for name, count in self.counts.items())

    def happen(self, node):
        self.load.rest.set()
        reader = Reader(node)
        self.commit(node, reader)
        try:
            isLeased = self.wait_for_lease()
            for _ in range(self.chance.randrange(1, 4)):
                other = self.chance.choice([other for other in self.cluster.nodes if other is not node])
                isStopped = self.chance.random() < 0.3
                if isStopped:
                    node.process.send_signal(signal.SIGSTOP)
                self.commit(other, reader)
                if isStopped:
                    time.sleep(self.chance.uniform(0, 0.1))
                    node.process.send_signal(signal.SIGCONT)
                time.sleep(self.chance.choice([0, 0.001, 0.01, 0.4]))
        finally:
            node.process.send_signal(signal.SIGCONT)
            reader.end()
            self.load.rest.clear()
        self.failures += reader.failures
        for name, count in (("lulls", 1), ("without asking", isLeased), ("reads", reader.reads)):
            self.counts[name] += count

    def commit(self, node, reader):
        """Whether it is acknowledged or not, the next one is another number."""
        self.number += 1
        write = Write(update=Document(name=NAME, fields={"n": Value(integer_value=self.number)}))
        try:
            self.load.commit(node.client(), [write])
            reader.least = self.number
        except RETRIED:
            pass

    def wait_for_lease(self):
        """Whether servers need not ask, after a while."""
        deadline = time.monotonic() + 1.5
        while time.monotonic() < deadline:
            time.sleep(0.15)
            if self.cluster.postgres.ask("select epoch % 2 from docstore.clock where id = 3") == "0":
                return 1
        return 0
