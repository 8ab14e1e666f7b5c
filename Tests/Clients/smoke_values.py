"""Values: every kind there and back, and the total order over kinds."""
import math
from datetime import datetime, timedelta, timezone

from google.api_core.datetime_helpers import DatetimeWithNanoseconds
from google.cloud import firestore
from google.cloud.firestore_v1.vector import Vector

from checks import Checks, fresh

checks = Checks()


def round_trip(db, value):
    document = db.document(f"{fresh('value')}/one")
    document.set({"v": value})
    return document.get().get("v")


@checks("all kinds of values in one document")
def all_kinds(db):
    other = db.document("somewhere/else")
    value = {
        "null": None, "true": True, "false": False, "integer": 42, "double": 3.25, "string": "grüße 🧘",
        "bytes": bytes(range(256)), "geo": firestore.GeoPoint(51.5074, -0.1278), "reference": other,
        "time": datetime(2026, 3, 1, 9, 0, 0, 123456, tzinfo=timezone.utc),
        "array": [1, "two", None, {"three": 3}, 4.5], "map": {"a": {"b": {"c": []}}, "": 0} | {"x.y": 1, "`": 2},
        "empty array": [], "empty map": {}, "empty string": "", "empty bytes": b"", "vector": Vector([1.0, 2.5, -3.0]),
    }
    value["map"].pop("")
    found = round_trip(db, value)
    for key, expected in value.items():
        assert found[key] == expected, (key, found[key])
    assert set(found) == set(value)
    assert type(found["integer"]) is int and type(found["double"]) is float and type(found["true"]) is bool
    assert found["reference"].path == "somewhere/else" and isinstance(found["vector"], Vector)


@checks("integers keep 64 bits, doubles keep their bits")
def numbers(db):
    for number in (0, -1, 2**53 + 1, 2**63 - 1, -2**63):
        assert round_trip(db, number) == number
    for number in (0.1, 1e308, 5e-324, 4.0, math.inf, -math.inf):
        found = round_trip(db, number)
        assert found == number and isinstance(found, float)
    assert math.copysign(1, round_trip(db, -0.0)) == -1
    assert math.isnan(round_trip(db, math.nan))


@checks("timestamps are cut to microseconds")
def nanoseconds(db):
    document = db.document(f"{fresh('value')}/one")
    document.set({"v": DatetimeWithNanoseconds(2026, 1, 2, 3, 4, 5, nanosecond=123456789, tzinfo=timezone.utc)})
    stored = db._firestore_api.get_document({"name": document._document_path}, metadata=db._rpc_metadata)
    assert type(stored).pb(stored).fields["v"].timestamp_value.nanos == 123456000  # the SDK itself drops nanoseconds
    for moment in (datetime(1, 1, 1, tzinfo=timezone.utc), datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=timezone.utc),
                   datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=timezone.utc)):
        assert round_trip(db, moment) == moment
    assert round_trip(db, datetime(2026, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))) == \
        datetime(2026, 1, 1, 10, tzinfo=timezone.utc)


@checks("strings are kept as they are, not normalised")
def strings(db):
    composed, decomposed = "é", "e\u0301"
    document = db.document(f"{fresh('value')}/one")
    document.set({composed: 1, decomposed: 2, "v": decomposed, "line": "a\r\n\tb\0c"})
    found = document.get().to_dict()
    assert found == {composed: 1, decomposed: 2, "v": decomposed, "line": "a\r\n\tb\0c"}
    assert len(found["v"]) == 2


@checks("document ids of any script")
def ids(db):
    collection = db.collection(fresh("value"))
    names = ["ä", "a b", "a.b", "100%", "日本", "🧘", "#tag", "a?b=c&d", "~", "é", "e\u0301"]
    for name in names:
        collection.document(name).set({"name": name})
    assert sorted(s.id for s in collection.stream()) == sorted(names)
    for name in names:
        assert collection.document(name).get().get("name") == name


@checks("order over all kinds")
def kinds_in_order(db):
    collection = db.collection(fresh("value"))
    ordered = [
        None, False, True, math.nan, -math.inf, -5, -0.5, 0, 0.5, 1, 1.5, 2**53, math.inf,
        datetime(2025, 1, 1, tzinfo=timezone.utc), datetime(2026, 1, 1, tzinfo=timezone.utc),
        "", "a", "aa", "b", "ä", "\uffee", "🧘", b"", b"\x00", b"\xff",
        db.document("a/b"), db.document("a/c"), db.document("b/a"),
        firestore.GeoPoint(-10, 5), firestore.GeoPoint(10, -5), firestore.GeoPoint(10, 5),
        [], [1], [1, 0], [2], Vector([9.0]), Vector([1.0, 2.0]), Vector([1.0, 3.0]),
        {}, {"a": 1}, {"a": 1, "b": 0}, {"a": 2}, {"b": 0},
    ]
    batch = db.batch()
    for number, value in enumerate(ordered):
        batch.set(collection.document(f"{(number * 37) % 101:03}"), {"v": value, "place": number})
    batch.commit()
    assert [s.get("place") for s in collection.order_by("v").stream()] == list(range(len(ordered)))
    assert [s.get("place") for s in collection.order_by("v", direction="DESCENDING").stream()] == \
        list(reversed(range(len(ordered))))


@checks("1 and 1.0 are one value for queries, two for storage")
def numeric_equality(db):
    collection = db.collection(fresh("value"))
    collection.document("i").set({"v": 1})
    collection.document("f").set({"v": 1.0})
    assert {s.id for s in collection.where(filter=firestore.FieldFilter("v", "==", 1)).stream()} == {"i", "f"}
    assert type(collection.document("i").get().get("v")) is int
    assert type(collection.document("f").get().get("v")) is float


@checks("a document near the limit of one mebibyte")
def large_document(db):
    document = db.document(f"{fresh('value')}/large")
    document.set({"data": "x" * 1_000_000})
    assert len(document.get().get("data")) == 1_000_000


@checks("twenty levels of nesting")
def nesting(db):
    value = {"leaf": 1}
    for _ in range(19):
        value = {"m": value}
    assert round_trip(db, value) == value
