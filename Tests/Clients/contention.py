"""Contention with the real Python client: counters, likes, and circles of transactions.

    contention.py [--rounds N] [--clients N] [--likers N] [--circles N]

The server is the one in FIRESTORE_EMULATOR_HOST; it must run with rules/inspired.rules. Sums are checked exactly; times are printed, and only a time that no
machine is slow enough for fails.
"""
import argparse
import statistics
import threading
import time

from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1.types import DocumentTransform, Value, Write

from checks import Checks, close, fresh, unsigned_token

checks = Checks()
# What a deadlock may take on the slowest machine: far below any wait for a lock (2 s in the emulator's profile).
CIRCLE_SECONDS_MAX = 1.5


def increment():
    """A transaction of its own for each client, with the SDK's own loop of five attempts."""
    @firestore.transactional
    def add_one(transaction, document):
        number = document.get(transaction=transaction).get("n")
        transaction.update(document, {"n": number + 1})
    return add_one


def like():
    """Like a post as apps do: the like document and the count in one transaction."""
    @firestore.transactional
    def like_once(transaction, post, user):
        mine = post.collection("likes").document(user)
        if mine.get(transaction=transaction).exists:
            return
        count = post.get(transaction=transaction).get("stats.likeCount")
        transaction.set(mine, {"userId": user, "createdAt": firestore.SERVER_TIMESTAMP})
        transaction.update(post, {"stats.likeCount": count + 1})
    return like_once


def crowd(count, work):
    """Runs work(index) on that many threads at once; returns (seconds, errors)."""
    gate = threading.Barrier(count + 1)
    errors = []

    def run(index):
        gate.wait()
        try:
            work(index)
        except Exception as error:  # told by the caller, all together
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    gate.wait()
    start = time.monotonic()
    for thread in threads:
        thread.join()
    return time.monotonic() - start, errors


def count_up(db, options, name, function):
    times = []
    for _ in range(options.rounds):
        document = db.document(f"{fresh('contention')}/counter")
        document.set({"n": 0})
        seconds, errors = crowd(options.clients, lambda _: function()(db.transaction(), document))
        assert not errors, f"{len(errors)} of {options.clients} failed, first: {errors[0]}"
        number = document.get().get("n")
        assert number == options.clients, f"the counter is {number}, not {options.clients}"
        times.append(seconds)
    print(f"        {name}: {options.clients} of {options.clients} in each of {options.rounds} rounds, "
          f"median {statistics.median(times):.2f} s, longest {max(times):.2f} s", flush=True)


@checks("clients with a transaction of their own each add one, and all succeed")
def own_functions(db, options):
    count_up(db, options, "own functions", increment)


@checks("clients that share one decorated function each add one, and all succeed")
def shared_function(db, options):
    # The SDK keeps the id to retry in the function, so clients name each other's transactions.
    function = increment()
    count_up(db, options, "one function", lambda: function)


@checks("likers like one post at once, and it has as many likes as it counts")
def likers(db, options):
    times = []
    for _ in range(options.rounds):
        post = db.collection("posts").document(fresh("contention"))
        post.set({"content": "hello", "stats": {"likeCount": 0, "commentCount": 0}})
        seconds, errors = crowd(
            options.likers, lambda index: like()(db.transaction(), post, f"user{index}"))
        assert not errors, f"{len(errors)} of {options.likers} failed, first: {errors[0]}"
        counted = post.get().get("stats.likeCount")
        documents = post.collection("likes").count().get()[0][0].value
        assert counted == documents == options.likers, f"counted {counted}, documents {documents}"
        times.append(seconds)
    print(f"        likes: {options.likers} of {options.likers} in each of {options.rounds} rounds, "
          f"median {statistics.median(times):.2f} s, longest {max(times):.2f} s", flush=True)


@checks("end users like one post at once, by the rules of the pack")
def user_likers(db, options):
    api, name = db._firestore_api, f"projects/{db.project}/databases/(default)"
    times = []
    for _ in range(options.rounds):
        post = db.collection("posts").document(fresh("contention"))
        post.set({"content": "hello", "stats": {"likeCount": 0, "commentCount": 0}})
        path = f"{name}/documents/posts/{post.id}"
        transform = DocumentTransform.FieldTransform
        one_more = transform(field_path="stats.likeCount", increment=Value(integer_value=1))
        now = transform(field_path="createdAt", set_to_server_value=transform.ServerValue.REQUEST_TIME)
        tokens = [unsigned_token(f"user{index}", db.project) for index in range(options.likers)]

        def like_as_user(index):
            mine = {"name": f"{path}/likes/user{index}", "fields": {"userId": Value(string_value=f"user{index}")}}
            writes = [
                Write(transform=DocumentTransform(document=path, field_transforms=[one_more])),
                Write(update=mine, update_transforms=[now], current_document={"exists": False}),
            ]
            metadata = [("google-cloud-resource-prefix", name), ("authorization", f"Bearer {tokens[index]}")]
            api.commit(request={"database": name, "writes": writes}, metadata=metadata, retry=None, timeout=60)

        seconds, errors = crowd(options.likers, like_as_user)
        assert not errors, f"{len(errors)} of {options.likers} failed, first: {errors[0]}"
        counted = post.get().get("stats.likeCount")
        documents = post.collection("likes").count().get()[0][0].value
        assert counted == documents == options.likers, f"counted {counted}, documents {documents}"
        times.append(seconds)
    print(f"        end users' likes: {options.likers} of {options.likers} in each of {options.rounds} rounds, "
          f"median {statistics.median(times):.2f} s, longest {max(times):.2f} s", flush=True)


@checks("two transactions that wait for each other are decided at once")
def circles(db, options):
    # The same two commits without a circle show what the machine and the client take by themselves.
    free = [pair_of_commits(db, 0, ["committed", "committed"]) for _ in range(options.circles)]
    times = [pair_of_commits(db, 1, ["aborted", "committed"]) for _ in range(options.circles)]
    skipped = min(3, len(times) - 1)  # the first ones open connections and load code
    free, times = free[skipped:], times[skipped:]
    print(f"        circles: {len(times)} decided, median {statistics.median(times) * 1000:.1f} ms, longest "
          f"{max(times) * 1000:.1f} ms; two commits that do not meet: median {statistics.median(free) * 1000:.1f} ms, "
          f"longest {max(free) * 1000:.1f} ms", flush=True)
    assert max(times) < CIRCLE_SECONDS_MAX, "a deadlock was waited out, not decided"


def pair_of_commits(db, offset, expected):
    """Two transactions, each having read one document, write the one that is `offset` further; returns the seconds
    from the first commit to the last answer."""
    api, metadata = db._firestore_api, db._rpc_metadata
    name = f"projects/{db.project}/databases/(default)"
    documents = [f"{name}/documents/{fresh('circle')}/{side}" for side in "ab"]

    def attempt(index):
        token = api.begin_transaction(request={"database": name}, metadata=metadata).transaction
        reads = {"database": name, "documents": [documents[index]], "transaction": token}
        list(api.batch_get_documents(request=reads, metadata=metadata))
        written = documents[(index + offset) % 2]
        return {"database": name, "transaction": token, "writes": [{"update": {"name": written}}]}

    commits = [attempt(0), attempt(1)]
    outcomes = [None, None]

    def commit(index):
        try:
            api.commit(request=commits[index], metadata=metadata, retry=None)
            outcomes[index] = "committed"
        except exceptions.Aborted:
            outcomes[index] = "aborted"

    threads = [threading.Thread(target=commit, args=(index,)) for index in (0, 1)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - start
    assert sorted(filter(None, outcomes)) == expected, outcomes
    return seconds


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clients", type=int, default=40)
    parser.add_argument("--likers", type=int, default=200)
    parser.add_argument("--circles", type=int, default=23)
    chosen = parser.parse_args()
    close([checks.run(firestore.Client(project="demo-contention"), chosen)])
