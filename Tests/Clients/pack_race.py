"""Members of the Yoga Studio pack race for places, each in a transaction of the real Python client.

    pack_race.py [--members N] [--classes N] [--as users|server] [--processes N] [--within SECONDS] [--idle SECONDS]

The server is the one in FIRESTORE_EMULATOR_HOST; it must run with rules/yoga-studio.rules and seeds/yoga-studio.yaml, and let
users begin transactions. Each member reads the class, their own booking and their own subscription, and then books, or joins
the waiting list when the class is full: counts are written as read, plus one. Who is out of attempts calls again.

With one class the members race for classes/race. With more, they race for classes of their own: `--classes` of them, which are
made here. With --idle another client has read them in a transaction and does nothing for so long. Every place must be taken,
nobody may be there twice, and who waits must wait in the order of their commits.
"""
import argparse
import collections
import multiprocessing
import statistics
import sys
import threading
import time

from google.cloud import firestore

from checks import unsigned_token

# The project that a server seeds when none is named.
PROJECT = "demo"
# Calls of one member before the race is given up: contention that never ends must fail, not hang.
CALLS_MAX = 40
# How the SDK says that its five attempts were used up.
OUT_OF_ATTEMPTS = "Failed to commit transaction in"

Outcome = collections.namedtuple("Outcome", "member booked attempts calls seconds")


def client_of(member, shared):
    """A client that carries a member's token on every call, over a connection that it shares; without member the server's."""
    client = firestore.Client(project=PROJECT)
    client._firestore_api_internal = shared._firestore_api
    if member is not None:
        own = [pair for pair in client._rpc_metadata if pair[0] != "authorization"]
        token = unsigned_token(member, PROJECT, email=f"{member}@example.org")
        client._rpc_metadata_internal = [*own, ("authorization", f"Bearer {token}")]
    return client


def booking_transaction(attempts):
    """The transaction of one member as apps write it; `attempts` gets an entry each time the SDK runs it."""

    @firestore.transactional
    def book(transaction, studio, subscription, member):
        attempts.append(time.monotonic())
        mine, waiting = studio.collection("bookings").document(member), studio.collection("waitlist").document(member)
        yoga = studio.get(transaction=transaction)
        assert not mine.get(transaction=transaction).exists, f"{member} is booked already"
        assert subscription.get(transaction=transaction).get("isActive"), f"{member} has no subscription"
        booked, waits = yoga.get("bookedCount"), yoga.get("waitlistCount")
        if booked < yoga.get("capacity") and waits == 0:
            transaction.create(mine, {
                "id": member, "userId": member, "classId": studio.id, "bookingDate": firestore.SERVER_TIMESTAMP,
                "status": "confirmed", "paymentId": None, "period": None})
            transaction.update(studio, {"bookedCount": booked + 1})
            return True
        transaction.create(waiting, {"userId": member, "joinedAt": firestore.SERVER_TIMESTAMP})
        transaction.update(studio, {"waitlistCount": waits + 1})
        return False

    return book


def race(db, member, studio):
    """Books for one member, again and again until a call succeeds."""
    attempts, begin = [], time.monotonic()
    subscription = db.document(f"users/{member}/subscription/current")
    for call in range(1, CALLS_MAX + 1):
        try:
            booked = booking_transaction(attempts)(db.transaction(), db.document(studio), subscription, member)
        except ValueError as error:
            if OUT_OF_ATTEMPTS not in str(error):
                raise
        else:
            return Outcome(member, booked, len(attempts), call, time.monotonic() - begin)
    raise AssertionError(f"{member} had no luck in {CALLS_MAX} calls of {len(attempts)} attempts")


def runner(entries, as_users, gate, answers):
    """One process: a thread for each member, over one connection. Answers its outcomes, its errors and its CPU seconds."""
    shared = firestore.Client(project=PROJECT)
    shared.document("classes/race").get()
    outcomes, errors = [], []

    def run(member, studio):
        try:
            db = client_of(member if as_users else None, shared)
            gate.wait()
            outcomes.append(race(db, member, studio))
        except Exception as error:  # told by the parent, all together
            errors.append(f"{member}: {type(error).__name__}: {error}")

    threads = [threading.Thread(target=run, args=entry) for entry in entries]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    answers.put((outcomes, errors, time.process_time()))


def run_race(entries, options):
    """All members at once; returns (seconds, CPU seconds of all clients, outcomes)."""
    context = multiprocessing.get_context("spawn")  # gRPC does not survive a fork
    gate, answers = context.Barrier(len(entries) + 1), context.Queue()
    as_users = options.caller == "users"
    processes = [
        context.Process(target=runner, args=(entries[index::options.processes], as_users, gate, answers))
        for index in range(options.processes)]
    for process in processes:
        process.start()
    gate.wait(timeout=120)
    begin = time.monotonic()
    results = [answers.get(timeout=300) for _ in processes]
    seconds = time.monotonic() - begin
    for process in processes:
        process.join()
    outcomes = [outcome for result in results for outcome in result[0]]
    errors = [error for result in results for error in result[1]]
    assert not errors, f"{len(errors)} of {len(entries)} failed, first: {errors[0][:400]}"
    return seconds, sum(result[2] for result in results), outcomes


def open_classes(db, options):
    """The classes that are raced for, as paths."""
    if options.classes == 1:
        return ["classes/race"]
    like = db.document("classes/race").get().to_dict()
    names = [f"race_{index}" for index in range(options.classes)]
    for name in names:
        db.document(f"classes/{name}").set({**like, "id": name, "bookedCount": 0, "waitlistCount": 0})
    return [f"classes/{name}" for name in names]


def sit_idle(db, paths, seconds):
    """Reads the classes in a transaction now, and gives it up after so many seconds."""
    transaction = db.transaction()
    transaction._begin()
    for path in paths:
        db.document(path).get(transaction=transaction)
    threading.Timer(seconds, transaction._rollback).start()


def check_class(db, path, outcomes):
    """What is stored of a class is what its members were told, with nobody twice and the waiting list in order."""
    studio = db.document(path)
    yoga = studio.get().to_dict()
    booked = {entry.id for entry in studio.collection("bookings").stream()}
    waiting = list(studio.collection("waitlist").order_by("joinedAt").stream())
    members = {outcome.member for outcome in outcomes}
    places = min(yoga["capacity"], len(members))
    assert len(booked) == yoga["bookedCount"] == places, f"{path}: {len(booked)} booked, counted {yoga['bookedCount']}"
    assert len(waiting) == yoga["waitlistCount"] == len(members) - places, (
        f"{path}: {len(waiting)} wait, counted {yoga['waitlistCount']}")
    assert booked == {outcome.member for outcome in outcomes if outcome.booked}, f"{path}: others are booked"
    assert booked | {entry.id for entry in waiting} == members, f"{path}: not everybody is booked or waits"
    times = [entry.get("joinedAt") for entry in waiting]
    assert all(a < b for a, b in zip(times, times[1:])), f"{path}: two joined the waiting list at one time"
    committed = [entry.create_time for entry in waiting]
    assert committed == sorted(committed), f"{path}: the waiting list is not in the order of its commits"


def report(options, seconds, cpu, outcomes):
    attempts = [outcome.attempts for outcome in outcomes]
    calls = sum(outcome.calls - 1 for outcome in outcomes)
    waits = [outcome.seconds for outcome in outcomes]
    print(f"        {options.members} members, {options.classes} class(es), as {options.caller}: {seconds:.1f} s, of which "
          f"the clients computed {cpu:.1f} s (with their start); attempts: median {statistics.median(attempts):g}, most "
          f"{max(attempts)}, {attempts.count(1)} needed one; {calls} calls were out of attempts; a member waited "
          f"{statistics.median(waits):.1f} s, at most {max(waits):.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--members", type=int, default=1000)
    parser.add_argument("--classes", type=int, default=1)
    parser.add_argument("--as", dest="caller", choices=["users", "server"], default="users")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--idle", type=float, default=0)
    parser.add_argument("--within", type=float, default=60)
    options = parser.parse_args()
    db = firestore.Client(project=PROJECT)
    paths = open_classes(db, options)
    entries = [(f"member_{index + 1}", paths[index % len(paths)]) for index in range(options.members)]
    if options.idle:
        sit_idle(firestore.Client(project=PROJECT), paths, options.idle)
    seconds, cpu, outcomes = run_race(entries, options)
    report(options, seconds, cpu, outcomes)
    studio_of = dict(entries)
    for path in paths:
        check_class(db, path, [outcome for outcome in outcomes if studio_of[outcome.member] == path])
    ones = sum(outcome.attempts == 1 for outcome in outcomes)
    assert ones * 2 > len(outcomes), f"only {ones} of {len(outcomes)} needed one attempt"
    assert seconds <= options.within, f"the race took {seconds:.1f} s, more than {options.within:g}"
    print(f"ok      {options.members} members race for {options.classes} class(es)")


if __name__ == "__main__":
    try:
        main()
    except AssertionError as error:
        sys.exit(f"FAILED  {error}")
