"""Documents: set, get, update, delete, merge, preconditions, batches, transforms, listing."""
from datetime import datetime, timedelta, timezone

from google.api_core import exceptions
from google.cloud import firestore

from checks import Checks, fresh, raises

checks = Checks()


@checks("set and get")
def set_and_get(db):
    document = db.document(f"{fresh('doc')}/one")
    result = document.set({"name": "Ada", "age": 36})
    snapshot = document.get()
    assert snapshot.exists and snapshot.to_dict() == {"name": "Ada", "age": 36}
    assert snapshot.id == "one" and snapshot.reference == document
    assert snapshot.update_time == result.update_time and snapshot.create_time == result.update_time
    assert abs(datetime.now(timezone.utc) - snapshot.read_time) < timedelta(minutes=5)


@checks("set replaces the whole document and keeps the create time")
def set_replaces(db):
    document = db.document(f"{fresh('doc')}/one")
    first = document.set({"a": 1, "b": 2})
    second = document.set({"a": 3})
    snapshot = document.get()
    assert snapshot.to_dict() == {"a": 3}
    assert snapshot.create_time == first.update_time and snapshot.update_time == second.update_time
    assert second.update_time > first.update_time


@checks("a missing document")
def missing_document(db):
    snapshot = db.document(f"{fresh('doc')}/none").get()
    assert not snapshot.exists and snapshot.to_dict() is None
    assert snapshot.create_time is None and snapshot.update_time is None


@checks("an empty document exists")
def empty_document(db):
    document = db.document(f"{fresh('doc')}/empty")
    document.set({})
    assert document.get().exists and document.get().to_dict() == {}


@checks("a subcollection does not need its parent document")
def orphan_subcollection(db):
    parent = db.document(f"{fresh('doc')}/absent")
    child = parent.collection("children").document("c")
    child.set({"n": 1})
    assert child.get().exists and not parent.get().exists
    assert child.parent.parent == parent


@checks("create, and create again is AlreadyExists")
def create_twice(db):
    document = db.document(f"{fresh('doc')}/one")
    document.create({"n": 1})
    raises(exceptions.AlreadyExists, document.create, {"n": 2})
    assert document.get().to_dict() == {"n": 1}


@checks("add gives an id of twenty characters")
def add_document(db):
    time, document = db.collection(fresh("doc")).add({"n": 1})
    assert len(document.id) == 20 and document.get().update_time == time


@checks("update with field paths")
def update_field_paths(db):
    document = db.document(f"{fresh('doc')}/one")
    document.set({"a": {"b": 1, "c": 2}, "d": 3, "odd.name": 1, "ü-ber": {"x": 0}})
    path = firestore.Client.field_path("odd.name")
    document.update({"a.b": 10, "a.new.deep": True, "d": firestore.DELETE_FIELD, path: 2, "`ü-ber`.x": 9})
    assert document.get().to_dict() == {
        "a": {"b": 10, "c": 2, "new": {"deep": True}}, "odd.name": 2, "ü-ber": {"x": 9}}


@checks("update of a map replaces the map")
def update_map(db):
    document = db.document(f"{fresh('doc')}/one")
    document.set({"a": {"b": 1, "c": 2}, "d": 3})
    document.update({"a": {"z": 1}})
    assert document.get().to_dict() == {"a": {"z": 1}, "d": 3}


@checks("update of a missing document is NotFound")
def update_missing(db):
    document = db.document(f"{fresh('doc')}/none")
    raises(exceptions.NotFound, document.update, {"n": 1})
    assert not document.get().exists


@checks("delete, and delete again")
def delete_document(db):
    document = db.document(f"{fresh('doc')}/one")
    document.set({"n": 1})
    document.delete()
    assert not document.get().exists
    document.delete()


@checks("delete leaves subcollections")
def delete_leaves_children(db):
    document = db.document(f"{fresh('doc')}/one")
    document.set({"n": 1})
    child = document.collection("sub").document("c")
    child.set({"n": 2})
    document.delete()
    assert child.get().exists


@checks("merge sets what is named and keeps the rest")
def merge_set(db):
    document = db.document(f"{fresh('doc')}/one")
    document.set({"a": {"b": 1, "c": 2}, "d": 3})
    document.set({"a": {"b": 10}, "e": 5}, merge=True)
    assert document.get().to_dict() == {"a": {"b": 10, "c": 2}, "d": 3, "e": 5}
    document.set({"a": {"c": 99, "z": 1}, "d": 0}, merge=["a.c"])
    assert document.get().to_dict()["a"] == {"b": 10, "c": 99}
    assert document.get().to_dict()["d"] == 3


@checks("merge creates a missing document")
def merge_creates(db):
    document = db.document(f"{fresh('doc')}/one")
    document.set({"n": {"m": 1}}, merge=True)
    assert document.get().to_dict() == {"n": {"m": 1}}


@checks("precondition: last update time")
def last_update_time(db):
    document = db.document(f"{fresh('doc')}/one")
    stale = document.set({"n": 1}).update_time
    current = document.update({"n": 2}).update_time
    raises(exceptions.FailedPrecondition, document.update, {"n": 3}, option=db.write_option(last_update_time=stale))
    raises(exceptions.FailedPrecondition, document.delete, option=db.write_option(last_update_time=stale))
    document.update({"n": 4}, option=db.write_option(last_update_time=current))
    assert document.get().to_dict() == {"n": 4}


@checks("precondition: exists")
def exists_precondition(db):
    document = db.document(f"{fresh('doc')}/one")
    raises(exceptions.NotFound, document.delete, option=db.write_option(exists=True))
    document.set({"n": 1})
    document.delete(option=db.write_option(exists=True))
    assert not document.get().exists


@checks("array union and remove")
def array_transforms(db):
    document = db.document(f"{fresh('doc')}/one")
    document.set({"tags": ["a", "b"], "text": "x", "deep": {"list": [1]}})
    document.update({"tags": firestore.ArrayUnion(["b", "c", "c"]), "deep.list": firestore.ArrayUnion([{"k": 1}])})
    assert document.get().to_dict()["tags"] == ["a", "b", "c"]
    document.update({"tags": firestore.ArrayRemove(["a", "zz"]), "deep.list": firestore.ArrayRemove([1]),
                     "text": firestore.ArrayUnion(["first"]), "fresh": firestore.ArrayRemove(["x"])})
    assert document.get().to_dict() == {"tags": ["b", "c"], "deep": {"list": [{"k": 1}]}, "text": ["first"], "fresh": []}


@checks("increment")
def increment(db):
    document = db.document(f"{fresh('doc')}/one")
    document.set({"n": 1, "f": 1.5, "s": "text"})
    document.update({"n": firestore.Increment(4), "f": firestore.Increment(1), "s": firestore.Increment(7),
                     "new.deep": firestore.Increment(-2), "mixed": firestore.Increment(0.5)})
    found = document.get().to_dict()
    assert found == {"n": 5, "f": 2.5, "s": 7, "new": {"deep": -2}, "mixed": 0.5}
    assert isinstance(found["n"], int) and isinstance(found["f"], float)
    document.set({"n": 9223372036854775800})
    document.update({"n": firestore.Increment(100)})
    assert document.get().get("n") == 9223372036854775807


@checks("maximum and minimum")
def maximum_minimum(db):
    document = db.document(f"{fresh('doc')}/one")
    document.set({"low": 5, "high": 5, "keep": 5})
    document.update({"low": firestore.Minimum(3), "high": firestore.Maximum(8.5), "keep": firestore.Maximum(1),
                     "new": firestore.Minimum(2)})
    assert document.get().to_dict() == {"low": 3, "high": 8.5, "keep": 5, "new": 2}


@checks("server timestamps: one moment, that of the commit")
def server_timestamp(db):
    document = db.document(f"{fresh('doc')}/one")
    result = document.set({"at": firestore.SERVER_TIMESTAMP, "deep": {"at": firestore.SERVER_TIMESTAMP}, "n": 1})
    snapshot = document.get()
    assert snapshot.get("at") == snapshot.get("deep.at")
    assert abs(snapshot.get("at") - result.update_time) < timedelta(seconds=1) and snapshot.get("n") == 1


@checks("a batch applies all of its writes")
def batch_all(db):
    collection = db.collection(fresh("doc"))
    collection.document("gone").set({"n": 1})
    collection.document("changed").set({"n": 1})
    batch = db.batch()
    batch.set(collection.document("new"), {"n": 1})
    batch.create(collection.document("created"), {"n": 2})
    batch.update(collection.document("changed"), {"n": firestore.Increment(1)})
    batch.delete(collection.document("gone"))
    results = batch.commit()
    assert len(results) == 4
    assert {s.id: s.get("n") for s in collection.stream()} == {"new": 1, "created": 2, "changed": 2}
    assert {s.update_time for s in collection.stream()} == {results[0].update_time}


@checks("a batch with one refused write applies none")
def batch_none(db):
    collection = db.collection(fresh("doc"))
    batch = db.batch()
    batch.set(collection.document("new"), {"n": 1})
    batch.update(collection.document("none"), {"n": 1})
    raises(exceptions.NotFound, batch.commit)
    assert list(collection.stream()) == []


@checks("a batch of 500 writes")
def batch_500(db):
    collection = db.collection(fresh("doc"))
    batch = db.batch()
    for number in range(500):
        batch.set(collection.document(f"d{number:03}"), {"n": number})
    assert len(batch.commit()) == 500
    assert [s.get("n") for s in collection.stream()] == list(range(500))


@checks("bulk writer")
def bulk_writer(db):
    collection = db.collection(fresh("doc"))
    writer = db.bulk_writer()
    for number in range(45):
        writer.create(collection.document(f"d{number:02}"), {"n": number})
    writer.close()
    assert len(list(collection.stream())) == 45


@checks("recursive delete")
def recursive_delete(db):
    collection = db.collection(fresh("doc"))
    collection.document("a").set({"n": 1})
    collection.document("a").collection("sub").document("b").set({"n": 2})
    db.recursive_delete(collection)
    assert list(collection.list_documents()) == []


@checks("get_all, missing ones included, with a projection")
def get_all(db):
    collection = db.collection(fresh("doc"))
    for name in "abc":
        collection.document(name).set({"n": name, "m": 1})
    found = {s.id: s for s in db.get_all([collection.document(name) for name in "abcx"])}
    assert {name: s.exists for name, s in found.items()} == {"a": True, "b": True, "c": True, "x": False}
    assert [s.to_dict() for s in db.get_all([collection.document("a")], field_paths=["m"])] == [{"m": 1}]
    assert collection.document("a").get(field_paths=["n"]).to_dict() == {"n": "a"}


@checks("collections of the root and of a document")
def list_collections(db):
    name = fresh("doc")
    db.document(f"{name}/one").set({"n": 1})
    for child in ("beta", "alpha"):
        db.document(f"{name}/one/{child}/x").set({"n": 1})
    assert name in [c.id for c in db.collections()]
    assert [c.id for c in db.document(f"{name}/one").collections()] == ["alpha", "beta"]
    assert list(db.document(f"{name}/none").collections()) == []


@checks("list_documents, with parents that only have children")
def list_documents(db):
    collection = db.collection(fresh("doc"))
    for number in range(7):
        collection.document(f"d{number}").set({"n": number})
    collection.document("phantom").collection("sub").document("c").set({"n": 1})
    assert sorted(d.id for d in collection.list_documents(page_size=3)) == [f"d{n}" for n in range(7)] + ["phantom"]


@checks("reading at an earlier time")
def read_time(db):
    document = db.document(f"{fresh('doc')}/one")
    first = document.set({"n": 1})
    document.set({"n": 2})
    assert document.get(read_time=first.update_time).to_dict() == {"n": 1}
    assert [s.to_dict() for s in document.parent.stream(read_time=first.update_time)] == [{"n": 1}]
    assert [s.to_dict() for s in db.get_all([document], read_time=first.update_time)] == [{"n": 1}]
    assert document.get().to_dict() == {"n": 2}


@checks("refused input is InvalidArgument, and the next request works")
def invalid_input(db):
    collection = db.collection(fresh("doc"))
    raises(exceptions.InvalidArgument, collection.document("__reserved__").set, {"n": 1})
    raises(exceptions.InvalidArgument, collection.document("a").set, {"__name__x__": 1})
    raises(exceptions.InvalidArgument, collection.document("x" * 1501).set, {"n": 1})
    collection.document("x" * 1500).set({"n": 1})
    assert len(list(collection.stream())) == 1
