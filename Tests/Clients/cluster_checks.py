"""What must hold of a cluster whatever has happened to it, and how soon one server hears of another one's commit."""
import threading
import time

import grpc
from google.api_core import exceptions
from google.cloud.firestore_v1.types import Document, ListenRequest, StructuredQuery, Target, TransactionOptions, Value, Write

from cluster_load import DATABASE, OWNER, RETRIED, ROOT

ACCOUNTS, BALANCE = 10, 1000
COLLECTIONS = ("tokens", "counters", "accounts", "names", "asked", "forbidden")


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


def documents(client, collection, **options):
    query = StructuredQuery(from_=[StructuredQuery.CollectionSelector(collection_id=collection)])
    found = {}
    for answer in client.run_query(
            {"parent": ROOT, "structured_query": query, **options}, metadata=OWNER, retry=None, timeout=60):
        if answer.document.name:
            found[answer.document.name.rsplit("/", 1)[1]] = answer.document.fields
    return found


def state(node):
    """All collections at one time: what a client no longer waits for may still be committed."""
    client = node.client()
    begun = client.begin_transaction(
        {"database": DATABASE, "options": TransactionOptions(read_only=TransactionOptions.ReadOnly())},
        metadata=OWNER, retry=None, timeout=60).transaction
    return {name: documents(client, name, transaction=begun) for name in COLLECTIONS}


def until(what, isSo, seconds=60, *, said=lambda: ""):
    """Asks until it is so, three times at least: an answer may take longer than the time. `said` tells at the end what is so."""
    begun, tries, failure = time.monotonic(), 0, None
    while tries < 3 or time.monotonic() < begun + seconds:
        tries += 1
        try:
            if isSo():
                return
            failure = None
        except (*RETRIED, OSError) as error:
            failure = error
        time.sleep(0.2)
    raise SystemExit(
        f"it never came to be: {what}: {said()} (asked {tries} times in {time.monotonic() - begun:.0f} s, failed last with {failure!r})")


def differences(states):
    """How many documents of each collection a server has that the first one has not, or has otherwise, and some of them."""
    found = []
    for number, other in enumerate(states[1:], 1):
        for name in COLLECTIONS:
            one, two = states[0][name], other[name]
            ids = sorted(id for id in one.keys() | two.keys() if one.get(id) != two.get(id))
            if ids:
                found.append(f"server {number} differs in {len(ids)} of {len(one)} {name}: {ids[:3]}")
    return "; ".join(found)


def check(cluster, load, listeners):
    """Ends the test where something does not hold."""
    until("every server takes a commit", lambda: all(
        load.commit(node.client(), [Write(update=Document(name=f"{ROOT}/pings/{node.number}"))]) for node in cluster.nodes))
    problems, states = list(load.failures), []

    def areSame():
        states[:] = [state(node) for node in cluster.nodes]
        return all(other == states[0] for other in states)

    until("every server has the same documents", areSame, said=lambda: differences(states))
    problems += contradictions(load, states[0])
    for listener in listeners:
        until(f"listener {listener.number} sees all {len(states[0]['tokens'])} tokens",
              lambda listener=listener: listener.known == set(documents(cluster.nodes[0].client(), "tokens")),
              60 + len(states[0]["tokens"]) / 500,
              said=lambda listener=listener: f"it knows {len(listener.known)} and has moved {listener.moves} times")
        problems += listener.failures
        listener.isOver.set()
    called = lambda: {token for token in load.asked if any(token in name for name in list(cluster.answer.called))}  # noqa: E731
    until("every trigger is called", lambda: called() == load.asked)
    if problems:
        raise SystemExit("\n".join(problems[:20]))


def contradictions(load, stored):
    """Where what is stored is not what clients were told."""
    problems = []
    tokens = set(stored["tokens"])
    if lost := load.acknowledged - tokens:
        problems.append(f"{len(lost)} acknowledged commits are lost")
    if lost := load.asked - set(stored["asked"]):
        problems.append(f"{len(lost)} acknowledged documents that triggers answer are lost")
    counter = stored["counters"]["c"]["n"].integer_value
    if counter != len(tokens):
        problems.append(f"the counter is {counter}, and there are {len(tokens)} tokens")
    total = sum(fields["n"].integer_value for fields in stored["accounts"].values())
    if total != ACCOUNTS * BALANCE:
        problems.append(f"the accounts hold {total} in place of {ACCOUNTS * BALANCE}")
    for name, owners in load.names.items():
        found = stored["names"][name]["owner"].string_value if name in stored["names"] else "nobody"
        if owners != [found]:
            problems.append(f"{name} was given to {owners}, and belongs to {found}")
    if stored["forbidden"]:
        problems.append("a commit was made under rules that had been replaced")
    return problems
