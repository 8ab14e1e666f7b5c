"""Queries: every operator, composite filters, orders, cursors, limits, projections, collection groups."""
import math
from datetime import datetime, timezone

from google.api_core import exceptions
from google.cloud import firestore
from google.cloud.firestore_v1.base_query import And, Or
from google.cloud.firestore_v1.field_path import FieldPath

from checks import Checks, fresh, raises

checks = Checks()
F = firestore.FieldFilter
DESCENDING = firestore.Query.DESCENDING

CITIES = {
    "ber": {"name": "Berlin", "country": "DE", "size": 3.6, "tags": ["capital", "river"], "mayor": None},
    "ham": {"name": "Hamburg", "country": "DE", "size": 1.9, "tags": ["port", "river"]},
    "lon": {"name": "London", "country": "UK", "size": 9, "tags": ["capital", "river"], "stats": {"rank": 1}},
    "man": {"name": "Manchester", "country": "UK", "size": 0.6, "tags": [], "stats": {"rank": 2}},
    "osl": {"name": "Oslo", "country": "NO", "size": math.nan, "tags": ["capital", "port"]},
    "par": {"name": "Paris", "country": "FR", "size": 2, "tags": ["capital", "river"], "stats": {"rank": 3}},
    "rei": {"name": "Reims", "country": "FR", "tags": ["wine"]},
}


def cities(db):
    collection = db.collection(fresh("city"))
    batch = db.batch()
    for name, fields in CITIES.items():
        batch.set(collection.document(name), fields)
    batch.commit()
    return collection


def ids(query):
    return [snapshot.id for snapshot in query.stream()]


def where(collection, *conditions):
    for condition in conditions:
        collection = collection.where(filter=condition)
    return collection


@checks("a whole collection comes in order of ids")
def whole_collection(db):
    assert ids(cities(db)) == sorted(CITIES)
    assert ids(db.collection(fresh("empty"))) == []


@checks("== != < <= > >=")
def comparisons(db):
    c = cities(db)
    assert ids(where(c, F("country", "==", "DE"))) == ["ber", "ham"]
    assert ids(where(c, F("country", "!=", "DE"))) == ["par", "rei", "osl", "lon", "man"]
    assert ids(where(c, F("size", "<", 2))) == ["man", "ham"]
    assert ids(where(c, F("size", "<=", 2))) == ["man", "ham", "par"]
    assert ids(where(c, F("size", ">", 2))) == ["ber", "lon"]
    assert ids(where(c, F("size", ">=", 2.0))) == ["par", "ber", "lon"]
    assert ids(where(c, F("name", ">=", "L"), F("name", "<", "N"))) == ["lon", "man"]


@checks("comparisons stay within one kind of value")
def one_kind(db):
    c = cities(db)
    assert ids(where(c, F("name", ">", 0))) == []
    assert ids(where(c, F("size", ">", ""))) == []
    assert ids(where(c, F("size", "<", datetime(2026, 1, 1, tzinfo=timezone.utc)))) == []


@checks("in and not-in")
def membership(db):
    c = cities(db)
    assert ids(where(c, F("country", "in", ["FR", "NO", "XX"]))) == ["osl", "par", "rei"]
    assert ids(where(c, F("country", "not-in", ["FR", "DE"]))) == ["osl", "lon", "man"]
    assert ids(where(c, F("size", "in", [2.0, 9]))) == ["lon", "par"]


@checks("array-contains and array-contains-any")
def arrays(db):
    c = cities(db)
    assert ids(where(c, F("tags", "array_contains", "port"))) == ["ham", "osl"]
    assert ids(where(c, F("tags", "array_contains_any", ["wine", "port"]))) == ["ham", "osl", "rei"]
    assert ids(where(c, F("tags", "array_contains", "capital"), F("country", "==", "FR"))) == ["par"]
    assert ids(where(c, F("tags", "==", ["capital", "river"]))) == ["ber", "lon", "par"]


@checks("null and NaN")
def null_and_nan(db):
    c = cities(db)
    assert ids(where(c, F("mayor", "==", None))) == ["ber"]
    assert ids(where(c, F("mayor", "!=", None))) == []
    assert ids(where(c, F("size", "==", math.nan))) == ["osl"]
    assert ids(where(c, F("size", "!=", math.nan))) == ["man", "ham", "par", "ber", "lon"]
    assert ids(where(c, F("size", "!=", None))) == ["osl", "man", "ham", "par", "ber", "lon"]


@checks("fields inside maps")
def nested_fields(db):
    c = cities(db)
    assert ids(where(c, F("stats.rank", ">=", 2))) == ["man", "par"]
    assert ids(where(c, F("stats", "==", {"rank": 1}))) == ["lon"]
    assert ids(c.order_by("stats.rank", direction=DESCENDING)) == ["par", "man", "lon"]


@checks("or and and")
def composite(db):
    c = cities(db)
    assert ids(where(c, Or([F("country", "==", "NO"), F("size", "==", 9)]))) == ["lon", "osl"]
    assert ids(where(c, And([F("country", "==", "UK"), Or([F("size", ">", 5), F("name", "==", "Manchester")])]))) == \
        ["man", "lon"]
    assert ids(where(c, Or([And([F("country", "==", "DE"), F("name", "==", "Berlin")]),
                            And([F("country", "==", "FR"), F("name", "==", "Reims")])]))) == ["ber", "rei"]
    assert ids(where(c, Or([F("tags", "array_contains", "wine"), F("tags", "array_contains", "port")]))) == \
        ["ham", "osl", "rei"]
    assert ids(where(c, Or([F("country", "in", ["DE", "NO"]), F("country", "==", "DE")]))) == ["ber", "ham", "osl"]


@checks("inequalities on two fields")
def two_inequalities(db):
    c = cities(db)
    assert ids(where(c, F("size", ">", 1), F("name", "<", "M"))) == ["ber", "ham", "lon"]
    assert ids(where(c, F("size", ">", 1), F("name", "<", "M")).order_by("name")) == ["ber", "ham", "lon"]


@checks("orders, with documents that lack the field left out")
def orders(db):
    c = cities(db)
    assert ids(c.order_by("name")) == ["ber", "ham", "lon", "man", "osl", "par", "rei"]
    assert ids(c.order_by("size")) == ["osl", "man", "ham", "par", "ber", "lon"]
    assert ids(c.order_by("size", direction=DESCENDING)) == ["lon", "ber", "par", "ham", "man", "osl"]
    assert ids(c.order_by("country").order_by("name", direction=DESCENDING)) == \
        ["ham", "ber", "rei", "par", "osl", "man", "lon"]
    assert ids(c.order_by("country", direction=DESCENDING)) == ["man", "lon", "osl", "rei", "par", "ham", "ber"]


@checks("limit, offset, limit to last")
def limits(db):
    c = cities(db)
    assert ids(c.order_by("name").limit(2)) == ["ber", "ham"]
    assert ids(c.order_by("name").offset(5)) == ["par", "rei"]
    assert ids(c.order_by("name").offset(1).limit(2)) == ["ham", "lon"]
    assert ids(c.order_by("name").offset(50)) == []
    assert [s.id for s in c.order_by("name").limit_to_last(2).get()] == ["par", "rei"]
    assert [s.id for s in where(c, F("country", "==", "UK")).order_by("name").limit_to_last(1).get()] == ["man"]


@checks("cursors of values")
def value_cursors(db):
    q = cities(db).order_by("name")
    assert ids(q.start_at({"name": "Oslo"})) == ["osl", "par", "rei"]
    assert ids(q.start_after({"name": "Oslo"})) == ["par", "rei"]
    assert ids(q.end_at({"name": "Hamburg"})) == ["ber", "ham"]
    assert ids(q.end_before({"name": "Hamburg"})) == ["ber"]
    assert ids(q.start_at(["L"]).end_before(["O"])) == ["lon", "man"]
    assert ids(q.start_after(["Z"])) == []


@checks("cursors of values for the first of two orders")
def prefix_cursors(db):
    q = cities(db).order_by("country").order_by("name", direction=DESCENDING)
    assert ids(q.start_at(["FR"]).end_at(["NO"])) == ["rei", "par", "osl"]
    assert ids(q.start_after(["FR"])) == ["osl", "man", "lon"]
    assert ids(q.start_after(["FR", "Reims"])) == ["par", "osl", "man", "lon"]
    assert ids(q.end_before(["FR"])) == ["ham", "ber"]


@checks("cursors of snapshots, also among equal values")
def snapshot_cursors(db):
    c = cities(db)
    q = c.order_by("country")
    everything = ids(q)
    assert everything == ["ber", "ham", "par", "rei", "osl", "lon", "man"]
    for place, name in enumerate(everything):
        snapshot = c.document(name).get()
        assert ids(q.start_at(snapshot)) == everything[place:]
        assert ids(q.start_after(snapshot)) == everything[place + 1:]
        assert ids(q.end_at(snapshot)) == everything[:place + 1]
        assert ids(q.end_before(snapshot)) == everything[:place]
    berlin = c.document("ham").get()
    assert ids(where(c, F("size", ">", 1)).start_after(berlin)) == ["par", "ber", "lon"]


@checks("paging through a collection")
def paging(db):
    c = cities(db)
    query, seen = c.order_by("country", direction=DESCENDING).limit(2), []
    while page := list(query.stream()):
        seen += [s.id for s in page]
        query = c.order_by("country", direction=DESCENDING).limit(2).start_after(page[-1])
    assert seen == ["man", "lon", "osl", "rei", "par", "ham", "ber"]


@checks("select")
def select(db):
    c = cities(db)
    assert [s.to_dict() for s in where(c, F("name", "==", "London")).select(["size", "stats.rank"]).stream()] == \
        [{"size": 9, "stats": {"rank": 1}}]
    assert [s.to_dict() for s in c.select([]).limit(1).stream()] == [{}]
    assert [s.id for s in c.select(["mayor"]).stream()] == sorted(CITIES)


@checks("filters on __name__")
def by_name(db):
    c = cities(db)
    name = FieldPath.document_id()
    assert ids(where(c, F(name, "==", c.document("lon")))) == ["lon"]
    assert ids(where(c, F(name, "in", [c.document("par"), c.document("ber"), c.document("none")]))) == ["ber", "par"]
    assert ids(where(c, F(name, ">", c.document("man")))) == ["osl", "par", "rei"]
    assert ids(where(c, F(name, ">=", c.document("lon")), F(name, "<", c.document("osl")))) == ["lon", "man"]
    assert ids(where(c, F("country", "==", "DE"), F(name, ">", c.document("ber")))) == ["ham"]
    assert ids(c.order_by(name).start_after({name: c.document("osl")})) == ["par", "rei"]


@checks("collection groups")
def collection_group(db):
    root, group = fresh("group"), fresh("parts")
    for parent in ("a", "b"):
        for number in (1, 2):
            db.document(f"{root}/{parent}/{group}/p{number}").set({"n": number, "of": parent})
    db.document(f"{group}/top").set({"n": 2, "of": "root"})
    db.document(f"{root}/a/{group}/p1/deep/x/{group}/p9").set({"n": 9, "of": "deep"})
    db.document(f"{root}/a/{group}x/other").set({"n": 2, "of": "other"})
    everything = db.collection_group(group)
    assert len(ids(everything)) == 6
    assert sorted(s.get("of") for s in where(everything, F("n", "==", 2)).stream()) == ["a", "b", "root"]
    assert [s.get("n") for s in everything.order_by("n", direction=DESCENDING).limit(2).stream()] == [9, 2]
    assert ids(db.collection(f"{root}/a/{group}")) == ["p1", "p2"]
    low, high = db.document(f"{root}/a"), db.document(f"{root}/b")
    name = FieldPath.document_id()
    assert len(ids(where(everything, F(name, ">=", low), F(name, "<", high)))) == 3


@checks("a query sees writes at once, and only its collection")
def consistency(db):
    c = cities(db)
    q = where(c, F("country", "==", "DE"))
    c.document("mun").set({"country": "DE"})
    c.document("ber").update({"country": "XX"})
    c.document("sub").collection("inner").document("x").set({"country": "DE"})
    assert ids(q) == ["ham", "mun"]
    c.document("ham").delete()
    assert ids(q) == ["mun"]


@checks("queries that are refused say InvalidArgument")
def refused(db):
    c = cities(db)
    name = FieldPath.document_id()
    for query in (
        where(c, F("country", "in", [])),
        where(c, F("country", "in", [str(n) for n in range(31)])),
        where(c, F("country", "not-in", ["a"]), F("country", "!=", "b")),
        where(c, F("tags", "array_contains", "a"), F("tags", "array_contains", "b")),
        where(c, F(name, "==", "text")),
        c.order_by("name").start_at(["a", "b", "c"]),
    ):
        raises((exceptions.InvalidArgument, ValueError), ids, query)
    assert len(ids(c)) == len(CITIES)
