"""Many documents at once, as back ends do it: bulk writers and recursive deletes."""
import threading

from google.api_core import exceptions
from google.cloud.firestore_v1.bulk_writer import BulkRetry, BulkWriterOptions, SendMode

from checks import Checks, fresh

checks = Checks()


def count(query):
    return query.count().get()[0][0].value


@checks("a bulk writer creates, sets, updates and deletes hundreds of documents")
def kinds(db):
    collection = db.collection(fresh("bulk"))
    for number in range(10):
        collection.document(f"old{number}").set({"n": number, "keep": True})
    writer = db.bulk_writer()
    for number in range(500):
        writer.create(collection.document(f"new{number:03}"), {"n": number})
    for number in range(3):
        writer.set(collection.document(f"old{number}"), {"n": -1}, merge=True)
    for number in range(3, 6):
        writer.update(collection.document(f"old{number}"), {"n": -2})
    for number in range(6, 10):
        writer.delete(collection.document(f"old{number}"))
    writer.close()
    assert count(collection) == 506, count(collection)
    assert collection.document("old0").get().to_dict() == {"n": -1, "keep": True}
    assert collection.document("old5").get().to_dict() == {"n": -2, "keep": True}
    assert not collection.document("old9").get().exists


@checks("one failure among many is told for its own document, and the others stand")
def one_failure(db):
    collection = db.collection(fresh("bulk"))
    collection.document("d7").set({"taken": True})
    failed, written = [], []
    writer = db.bulk_writer(options=BulkWriterOptions(retry=BulkRetry.immediate))
    writer.on_write_result(lambda reference, result, _: written.append(reference.id))

    def on_error(failure, _):
        failed.append((failure.operation.reference.id, failure.code))
        return False

    writer.on_write_error(on_error)
    for number in range(40):
        writer.create(collection.document(f"d{number}"), {"n": number})
    writer.close()
    assert failed == [("d7", 6)], failed
    assert len(written) == 39 and count(collection) == 40
    assert collection.document("d7").get().to_dict() == {"taken": True}


@checks("a failure that is tried again succeeds when its reason is gone")
def retried(db):
    collection = db.collection(fresh("bulk"))
    attempts = []
    writer = db.bulk_writer(options=BulkWriterOptions(retry=BulkRetry.immediate, mode=SendMode.serial))

    def on_error(failure, _):
        attempts.append(failure.attempts)
        failure.operation.reference.set({"n": 0})
        return len(attempts) < 5

    writer.on_write_error(on_error)
    writer.update(collection.document("late"), {"n": 1})
    # A writer that is closed tries nothing again.
    writer.flush()
    writer.close()
    assert attempts and collection.document("late").get().to_dict() == {"n": 1}, attempts


def tree(db, root):
    """Documents at three depths, one of them below a document that is none."""
    references = [root]
    for child in range(5):
        reference = root.collection("children").document(f"c{child}")
        references.append(reference)
        references += [reference.collection("grand").document(f"g{number}") for number in range(20)]
    references.append(root.collection("orphans").document("absent").collection("deep").document("d"))
    writer = db.bulk_writer()
    for reference in references:
        writer.create(reference, {"at": reference.path})
    writer.close()
    return references


@checks("a recursive delete takes a document and everything below it, and nothing beside")
def recursive_document(db):
    collection = db.collection(fresh("tree"))
    references = tree(db, collection.document("a"))
    beside = tree(db, collection.document("a1"))
    assert db.recursive_delete(collection.document("a")) == len(references)
    assert not [each for each in db.get_all(references) if each.exists]
    assert len([each for each in db.get_all(beside) if each.exists]) == len(beside)
    assert list(collection.document("a").collections()) == []


@checks("a recursive delete takes a collection, in more than one page")
def recursive_collection(db):
    collection = db.collection(fresh("tree"))
    references = [each for name in ("x", "y", "z") for each in tree(db, collection.document(name))]
    assert db.recursive_delete(collection, chunk_size=50) == len(references)
    assert count(collection) == 0
    assert not [each for each in db.get_all(references) if each.exists]


@checks("a recursive delete of nothing deletes nothing")
def recursive_nothing(db):
    assert db.recursive_delete(db.collection(fresh("tree"))) == 0


@checks("two recursive deletes of one tree at once leave nothing and fail nobody")
def recursive_twice(db):
    collection = db.collection(fresh("tree"))
    references = tree(db, collection.document("a"))
    errors = []

    def delete():
        try:
            db.recursive_delete(collection.document("a"))
        except exceptions.GoogleAPICallError as error:
            errors.append(error)

    threads = [threading.Thread(target=delete) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors
    assert not [each for each in db.get_all(references) if each.exists]
