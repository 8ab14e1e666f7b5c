#!/usr/bin/env python3
"""Several servers with one store, faults of every kind, and what must hold whatever happens.

    cluster_faults.py --docsh PROGRAM --postgres SCRIPT --folder FOLDER [--nodes 3] [--faults 30] [--seed N] [--clocks] [--relays]

Each server, and each of two PostgreSQLs, is on a host of its own (a network namespace), or with --relays all are on this
machine and servers reach PostgreSQL through relays: cluster_links.py. While transfers, unique names, counters, listeners and
triggers go on, this happens:

  kill          a server is killed and starts again
  stop          a server is stopped for a while and continued
  cut           what a server sends to PostgreSQL vanishes for a while, or what PostgreSQL sends to it
  torn          a server is stopped or cut off for a while in the middle of a large commit, and the others go on
  sessions      PostgreSQL ends half of its sessions
  backend       the process of a session is killed, and PostgreSQL starts all of them again
  replication   what one PostgreSQL sends to the other one vanishes for a while (not with --relays)
  release       rules are released that forbid what the ones before allowed
  lull          nobody commits and one server is read until it reads without asking; then others commit, while it is stopped perhaps
  clock         a server's clock is set (with --clocks, by Debian's `faketime`)
  fail_over     the primary is killed, the standby takes over and gets a standby of its own: once in sixty faults, at least once

What is checked:

  * every commit that was acknowledged is there, once; every other one is there once or not at all
  * sums are kept, no name is given twice
  * a listener sees every document once, in order, and nothing that was older than what it had seen
  * a read sees what was acknowledged before it began
  * every document that a trigger answers is answered
  * no commit is made under rules older than a release that forbids it
"""
import argparse
import ctypes
import os
import random
import signal
import sys
import threading
import time
import uuid

from google.api_core import exceptions
from google.cloud.firestore_v1.types import Document, Write

from checks import unsigned_token
from cluster_checks import ACCOUNTS, BALANCE, check, latency, until
from cluster_hosts import FAKETIME, PROJECT, Cluster
from cluster_load import DATABASE, RETRIED, ROOT, Listener, Load
from cluster_lull import Lull

OPEN_RULES = "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{p=**} { allow read, write; } } }"
SHUT_RULES = OPEN_RULES.replace("allow read, write;", "allow read; allow write: if false;")
FAULTS_PER_FAIL_OVER = 60


class Faults:
    def __init__(self, cluster, load, seed, kinds):
        self.cluster, self.load, self.chance = cluster, load, random.Random(seed)
        self.counts = {}
        self.lulls = Lull(cluster, load, self.chance)
        self.kinds = [self.kill, self.kill, self.stop, self.cut, self.cut, self.torn, self.sessions, self.backend, self.release,
                      self.lull]
        if hasattr(cluster.links, "split"):
            self.kinds.append(self.replication)
        if cluster.hasClocks:
            self.kinds.append(self.clock)
        if kinds:
            self.kinds = [kind for kind in self.kinds if kind.__name__ in kinds]
        self.next = []

    def run(self, count):
        """So many faults, one after the other, and fail-overs among them."""
        failOvers = -(-count // FAULTS_PER_FAIL_OVER)
        turns = {(2 * number + 1) * count // (2 * failOvers) for number in range(failOvers)}
        for number in range(count):
            if number in turns:
                self.happen(self.fail_over)
            self.next = self.next or self.chance.sample(self.kinds, len(self.kinds))
            self.happen(self.next.pop())
            time.sleep(0.3)

    def happen(self, kind):
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
        self.cluster.links.cut(node.number, self.chance.choice(["up", "down"]))
        time.sleep(self.chance.choice([0.2, 1, 4]))
        self.cluster.links.mend(node.number)

    def torn(self, node):
        isCut = self.chance.choice([True, False])
        for _ in range(5):
            threading.Thread(target=self.load.large, args=(node.client(),), daemon=True).start()
            self.cluster.postgres.wait_for_part()
            self.interrupt(node, isCut)
            time.sleep(0.3)
            if self.cluster.postgres.waits_for_rest():
                break
            self.resume(node, isCut)
        other = self.chance.choice([other for other in self.cluster.nodes if other is not node])
        until(f"server {other.number} takes a commit while server {node.number} is {'cut off' if isCut else 'stopped'}",
              lambda: self.load.commit(other.client(), [self.load.add("pings/torn", "n", 1)]), seconds=20)
        self.resume(node, isCut)

    def interrupt(self, node, isCut):
        if isCut:
            self.cluster.links.cut(node.number, "up")
        else:
            node.process.send_signal(signal.SIGSTOP)

    def resume(self, node, isCut):
        if isCut:
            self.cluster.links.mend(node.number)
        else:
            node.process.send_signal(signal.SIGCONT)

    def sessions(self, _):
        self.cluster.postgres.end_sessions()

    def backend(self, _):
        self.cluster.postgres.kill_backend()

    def replication(self, _):
        number = self.chance.choice([0, 1])
        self.cluster.links.split(number, True)
        time.sleep(self.chance.choice([0.3, 1, 3]))
        self.cluster.links.split(number, False)

    def lull(self, node):
        self.lulls.happen(node)

    def clock(self, node):
        node.move_clock(self.chance.choice([0, 90, 1200, -45, -1200]))

    def release(self, _):
        """Rules that forbid writes are released; from then on no server may take a user's commit."""
        if not self.cluster.put_rules(SHUT_RULES):
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
        self.cluster.put_rules(OPEN_RULES)

    def fail_over(self, _):
        self.cluster.postgres.fail_over(isHidden=self.chance.choice([True, False]))


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--docsh", required=True)
    parser.add_argument("--postgres", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--faults", type=int, default=30)
    parser.add_argument("--kinds", type=lambda text: text.split(","), help="only these, and fail-overs: lull,kill")
    parser.add_argument("--clocks", action="store_true", help="move the servers' clocks, which slows them down")
    parser.add_argument("--relays", action="store_true", help="no network namespaces")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    said = parser.parse_args()
    if said.clocks and not FAKETIME:
        sys.exit("--clocks needs the package faketime (Debian: apt-get install faketime)")
    return said


def run(cluster, said):
    print(f"   seed {said.seed}, links of {cluster.links.name}", flush=True)
    cluster.start()
    if not cluster.put_rules(OPEN_RULES):
        raise SystemExit("rules cannot be released")
    load = Load(cluster, said.seed)
    load.commit(cluster.nodes[0].client(), [load.create(f"accounts/{n}", n=BALANCE) for n in range(ACCOUNTS)])
    if not cluster.hasClocks:
        latency(cluster, load)
    listeners = [Listener(cluster, number) for number in range(len(cluster.nodes))]
    load.begin()
    faults = Faults(cluster, load, said.seed, said.kinds)
    began = time.monotonic()
    faults.run(said.faults)
    load.end()
    seconds = time.monotonic() - began
    for node in cluster.nodes:
        node.move_clock(0)
    check(cluster, load, listeners)
    if faults.lulls.failures:
        raise SystemExit("\n".join(faults.lulls.failures[:20]))
    text = ", ".join(f"{count} {name}" for name, count in sorted(faults.counts.items()))
    print(f"   {sum(faults.counts.values())} faults in {seconds:.0f} s ({text}), links of {cluster.links.name}: "
          f"{load.attempts} attempts, {load.refused} refused or unknown, {load.transferred} transfers, {len(load.acknowledged)} counted commits, "
          f"none for {load.pause:.1f} s at most, "
          f"{sum(l.moves for l in listeners)} moves of listeners, {faults.lulls.text}; all of it holds")
    cluster.stop()


def main():
    said = arguments()
    # Ends with the script that has started it, and takes the servers with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    # Nothing of this is for a proxy.
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        del os.environ[name]
    cluster = Cluster(said)
    try:
        run(cluster, said)
    finally:
        cluster.kill()


main()
