"""Transactions: reading then writing, contention, read-only, errors and roll-back."""
import threading

from google.api_core import exceptions
from google.cloud import firestore

from checks import Checks, fresh, raises

checks = Checks()


@firestore.transactional
def add_one(transaction, document):
    number = document.get(transaction=transaction).get("n")
    transaction.update(document, {"n": number + 1})
    return number + 1


@checks("a transaction moves a counter")
def counter(db):
    document = db.document(f"{fresh('tx')}/counter")
    document.set({"n": 41})
    assert add_one(db.transaction(), document) == 42
    assert document.get().get("n") == 42


@checks("four threads move one counter, and no step is lost")
def contended_counter(db):
    document = db.document(f"{fresh('tx')}/counter")
    document.set({"n": 0})
    errors = []

    def worker():
        try:
            for _ in range(3):
                add_one(db.transaction(max_attempts=40), document)
        except Exception as error:  # carried over to the checking thread
            errors.append(error)

    threads = [threading.Thread(target=worker) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]
    assert document.get().get("n") == 12


@checks("a transaction reads one state")
def one_state(db):
    collection = db.collection(fresh("tx"))
    collection.document("a").set({"n": 1})
    collection.document("b").set({"n": 2})

    @firestore.transactional
    def total(transaction):
        single = collection.document("a").get(transaction=transaction).get("n")
        queried = [s.get("n") for s in collection.order_by("n").stream(transaction=transaction)]
        several = [s.get("n") for s in transaction.get_all([collection.document("b")])]
        transaction.set(collection.document("sum"), {"n": sum(queried)})
        return single, queried, several

    assert total(db.transaction()) == (1, [1, 2], [2])
    assert collection.document("sum").get().get("n") == 3


@checks("a read-only transaction reads and cannot write")
def read_only(db):
    document = db.document(f"{fresh('tx')}/one")
    document.set({"n": 1})

    @firestore.transactional
    def read(transaction):
        return document.get(transaction=transaction).get("n")

    assert read(db.transaction(read_only=True)) == 1

    @firestore.transactional
    def write(transaction):
        transaction.set(document, {"n": 2})

    raises((exceptions.GoogleAPICallError, ValueError), write, db.transaction(read_only=True))
    assert document.get().get("n") == 1


@checks("an error inside rolls everything back and frees the documents")
def rolled_back(db):
    document = db.document(f"{fresh('tx')}/one")
    document.set({"n": 1})

    class Stop(Exception):
        pass

    @firestore.transactional
    def stop(transaction):
        document.get(transaction=transaction)
        transaction.update(document, {"n": 99})
        raise Stop

    raises(Stop, stop, db.transaction())
    document.update({"n": 2})
    assert document.get().get("n") == 2


@checks("a transaction with a refused write applies none")
def refused_write(db):
    collection = db.collection(fresh("tx"))

    @firestore.transactional
    def write(transaction):
        transaction.create(collection.document("new"), {"n": 1})
        transaction.update(collection.document("none"), {"n": 1})

    raises(exceptions.NotFound, write, db.transaction())
    assert list(collection.stream()) == []


@checks("a create-if-missing race has one winner")
def one_winner(db):
    document = db.document(f"{fresh('tx')}/claim")
    winners = []

    def worker(name):
        @firestore.transactional
        def claim(transaction):
            if document.get(transaction=transaction).exists:
                return False
            transaction.create(document, {"owner": name})
            return True
        if claim(db.transaction(max_attempts=40)):
            winners.append(name)

    threads = [threading.Thread(target=worker, args=(f"w{n}",)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(winners) == 1 and document.get().get("owner") == winners[0]
