"""A cluster for trials: servers that have one store, the PostgreSQLs below them, and the function that their triggers call."""
import glob
import http.server
import json
import os
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

import grpc
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport

from cluster_links import Namespaces, Relays
from cluster_postgres import Postgres

PROJECT = "demo-cluster"
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)


class Cluster:
    def __init__(self, arguments):
        self.docsh, self.folder, self.hasClocks = arguments.docsh, arguments.folder, arguments.clocks
        self.links = (Relays if arguments.relays else Namespaces)(self.folder, 2, arguments.nodes)
        self.postgres = Postgres(arguments.postgres, self.folder, self.links)
        self.answer = AnswerFunction(self.links.own)
        with open(f"{self.folder}/triggers.yaml", "w") as file:
            file.write("triggers:\n  - name: answer\n    event: created\n    document: asked/{id}\n"
                       f"    endpoint: http://{self.links.own}:{self.answer.port}/answer\n")
        self.nodes = [Node(self, number) for number in range(arguments.nodes)]

    def start(self):
        self.postgres.start(os.getppid())
        for node in self.nodes:
            node.start()

    def stop(self):
        """In order, which each server says with its status."""
        for node in self.nodes:
            node.process.terminate()
        for node in self.nodes:
            if (status := node.process.wait(30)) != 128 + signal.SIGTERM:
                raise SystemExit(f"server {node.number} ends with status {status}")

    def kill(self):
        for node in self.nodes:
            if node.process:
                node.kill()

    def put_rules(self, text):
        """Releases rules: whether some server says that they hold. No release is left behind that may hold later."""
        body = json.dumps({"rules": {"files": [{"name": "firestore.rules", "content": text}]}}).encode()
        for _ in range(20):
            for node in self.nodes:
                request = urllib.request.Request(
                    f"http://{node.address}/emulator/v1/projects/{PROJECT}:securityRules", data=body, method="PUT",
                    headers={"Authorization": "Bearer owner", "Content-Type": "application/json"})
                try:
                    with urllib.request.urlopen(request, timeout=60) as answer:
                        if answer.status == 200:
                            return True
                except (urllib.error.URLError, OSError, TimeoutError):
                    continue
            time.sleep(0.2)
        return False


class Node:
    """One server, started again whenever it was killed."""

    def __init__(self, cluster, number):
        self.cluster, self.number = cluster, number
        self.address, self.port = "", 0
        self.process = None
        self.log = open(f"{cluster.folder}/node-{number}.log", "ab")
        self.clock = f"{cluster.folder}/clock-{number}"
        self.move_clock(0)

    def move_clock(self, seconds):
        """The server's wall clock goes wrong by so much; what only goes forward is left alone.

        Not quite: the library moves deadlines of timers, too, which no clock does. A server whose clock is slow by so much
        ends later by as much.
        """
        with open(self.clock + ".new", "w") as file:
            file.write(f"{seconds:+d}s\n")
        os.replace(self.clock + ".new", self.clock)

    @property
    def words(self):
        cluster = self.cluster
        here = cluster.links.server_words(self.number)
        if not cluster.hasClocks:
            return [*here, cluster.docsh]
        # The library adds to the environment of the first process that has it, where a Swift program then no longer finds
        # its arguments: that is a shell here.
        return [*here, "env", f"LD_PRELOAD={FAKETIME}", f"FAKETIME_TIMESTAMP_FILE={self.clock}", "FAKETIME_NO_CACHE=1",
                "FAKETIME_DONT_FAKE_MONOTONIC=1", "NO_FAKE_STAT=1", "sh", "-c", 'exec "$@"', "sh", cluster.docsh]

    def start(self):
        deadline = time.monotonic() + 60
        said = ""
        while time.monotonic() < deadline:
            if said := self.begin(deadline):
                self.address = said.split("docsh: serving http://")[1].split()[0]
                self.port = int(self.address.rsplit(":", 1)[1])
                return
            # PostgreSQL may be away.
            time.sleep(0.3)
        raise SystemExit(f"server {self.number} does not start")

    def begin(self, deadline):
        """What it has said when it serves; nothing where it has ended."""
        cluster = self.cluster
        before = os.path.getsize(self.log.name)
        self.process = subprocess.Popen(
            [*self.words, "serve", "--port", str(self.port), *cluster.links.server_options(self.number), "--project", PROJECT,
             "--store", cluster.links.store(self.number), "--shared", "--triggers", f"{cluster.folder}/triggers.yaml",
             "--open", "--exit-with-parent"],
            stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL)
        while self.process.poll() is None and time.monotonic() < deadline:
            with open(self.log.name, "rb") as log:
                log.seek(before)
                said = log.read().decode()
            if "docsh: serving http://" in said:
                return said
            time.sleep(0.05)
        return ""

    def client(self):
        options = [("grpc.initial_reconnect_backoff_ms", 100), ("grpc.max_reconnect_backoff_ms", 500)]
        return FirestoreClient(transport=FirestoreGrpcTransport(channel=grpc.insecure_channel(self.address, options)))

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


class AnswerFunction:
    """The function of a trigger: notes which documents it was called for."""

    def __init__(self, address):
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

        server = http.server.ThreadingHTTPServer((address, 0), Handler)
        self.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()
