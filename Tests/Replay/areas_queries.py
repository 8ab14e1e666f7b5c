"""Queries of every operator, orders, cursors, groups, projections, vector search, aggregations."""
import itertools

from case import (NAN, NULL, ROOT, Area, array, both, cursor, double, either, flag, instant, integer, mapping, name,
                  order, reference, select_from, text, unary, update, vector, where)

COLLECTION = {
    "a": {"n": integer(1), "s": text("x"), "l": array(integer(1), integer(2)), "m": mapping(k=integer(1)), "f": flag(True)},
    "b": {"n": integer(2), "s": text("y"), "l": array(integer(2), NULL), "m": mapping(k=integer(2)), "f": flag(False)},
    "c": {"n": double(2.5), "s": text("x"), "l": array(text("x"))},
    "d": {"n": NAN, "s": NULL}, "e": {"n": NULL}, "f": {"n": text("2"), "m": mapping(k=text("1"))},
    "g": {"n": instant("2020-01-01T00:00:00Z"), "l": array()}, "h": {"n": reference("q/a")},
    "i": {"n": {"bytesValue": "AP8="}}, "j": {"n": {"geoPointValue": {"latitude": 1, "longitude": 2}}},
    "k": {"n": array(integer(1))}, "l": {"n": mapping(a=integer(1))}, "m": {"n": vector(1.0, 2.0)},
    "n": {"n": integer(2 ** 63 - 1)}, "o": {"n": double(9.3e18)}, "p": {"n": double(-0.5)}, "q": {"s": text("ä")},
}
OPERANDS = {
    "one": integer(1), "two": double(2.0), "large": integer(2 ** 63 - 1), "null": NULL, "nan": NAN, "text": text("2"),
    "time": instant("2020-01-01T00:00:00Z"), "reference": reference("q/a"), "bytes": {"bytesValue": "AA=="},
    "point": {"geoPointValue": {"latitude": 1, "longitude": 2}}, "array": array(integer(1)),
    "map": mapping(a=integer(1)), "vector": vector(1.0, 2.0),
}
Q = "q"

filters = Area("filters")
filters.commit(*[update(f"q/{key}", fields) for key, fields in COLLECTION.items()])
for operator in ("EQUAL", "NOT_EQUAL", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL"):
    for operand in OPERANDS.values():
        filters.query(select_from(Q, where=where("n", operator, operand)))
for operand in (integer(2), text("x"), NULL, NAN, array(integer(1))):
    filters.query(select_from(Q, where=where("l", "ARRAY_CONTAINS", operand)))
for operator in ("IN", "NOT_IN"):
    for operands in ((integer(1),), (integer(1), text("2")), (NULL, integer(1)), (NAN, integer(2)), (integer(1),) * 3):
        filters.query(select_from(Q, where=where("n", operator, array(*operands))))
for operands in ((integer(2), text("x")), (NULL,), (integer(1),)):
    filters.query(select_from(Q, where=where("l", "ARRAY_CONTAINS_ANY", array(*operands))))
for operator in ("IS_NAN", "IS_NULL", "IS_NOT_NAN", "IS_NOT_NULL"):
    for path in ("n", "s", "m.k", "none"):
        filters.query(select_from(Q, where=unary(path, operator)))
X, ONE, LESS = where("s", "EQUAL", text("x")), where("n", "EQUAL", integer(1)), where("n", "LESS_THAN", integer(9))
for tree in (both(X, ONE), either(X, ONE), both(X, LESS), either(X, LESS), both(), either(), both(X), either(X),
             both(either(X, ONE), LESS), either(both(X, ONE), unary("n", "IS_NULL")), both(X, unary("n", "IS_NOT_NULL")),
             both(LESS, where("n", "GREATER_THAN", integer(0))), both(LESS, where("m.k", "GREATER_THAN", integer(0))),
             both(LESS, where("n", "GREATER_THAN", integer(100))), both(where("l", "ARRAY_CONTAINS", integer(2)), X),
             both(where("n", "IN", array(integer(1), double(2.5))), where("l", "ARRAY_CONTAINS_ANY", array(integer(1), text("x")))),
             either(where("l", "ARRAY_CONTAINS", integer(1)), where("l", "ARRAY_CONTAINS", text("x"))),
             where("m.k", "EQUAL", integer(1)), where("m", "EQUAL", mapping(k=integer(1))),
             where("m", "GREATER_THAN", mapping(k=integer(1))), where("none", "EQUAL", integer(1)),
             where("`n`", "EQUAL", integer(1)), where("f", "EQUAL", flag(True)), where("f", "LESS_THAN", flag(True))):
    filters.query(select_from(Q, where=tree))

for operator in ("EQUAL", "LESS_THAN", "ARRAY_CONTAINS"):
    for operand in (array(array(integer(1))), array(vector(1.0)), mapping(a=array(array())), array(mapping(a=array(vector(1.0))))):
        filters.query(select_from(Q, where=where("l", operator, operand)))
        filters.query(select_from(Q, orderBy=[order("l")], startAt=cursor(operand)))

names = Area("filters by name")
for operator in ("EQUAL", "NOT_EQUAL", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL"):
    for path in ("q/c", "q/none", "a/a", "z/z", "q/c/d/e"):
        names.query(select_from(Q, where=where("__name__", operator, reference(path)), select={"fields": [{"fieldPath": "__name__"}]}))
names.query(select_from(Q, where=where("__name__", "IN", array(reference("q/c"), reference("q/a")))))
names.query(select_from(Q, where=where("__name__", "NOT_IN", array(*[reference(f"q/{key}") for key in "abcdefghij"]))))
names.query(select_from(Q, where=both(where("__name__", "GREATER_THAN", reference("q/b")), X)))

KEYS = [where("__name__", "EQUAL", reference("q/c")), where("__name__", "IN", array(reference("q/c"), reference("q/a"))),
        where("__name__", "GREATER_THAN", reference("q/b")), where("__name__", "NOT_EQUAL", reference("q/b"))]
OTHERS = [X, LESS, where("n", "NOT_EQUAL", integer(1)), where("n", "NOT_IN", array(integer(1))), unary("n", "IS_NOT_NULL"),
          unary("n", "IS_NAN"), where("n", "IN", array(integer(1), integer(2))), where("l", "ARRAY_CONTAINS", integer(2))]
for key, other in itertools.product(KEYS, OTHERS):
    for tree in (both(key, other), either(key, other), both(X, either(key, other)), either(X, both(key, other)), either(key), both(either(other), key),
                 both(key, either(X, other)), both(key, KEYS[2], other)):
        names.query(select_from(Q, where=tree))
    names.query(select_from(Q, where=both(key, other), orderBy=[order("n"), order("__name__", "DESCENDING")]))
    names.aggregate(select_from(Q, where=both(key, other)), {"alias": "c", "count": {}})
    for ordering in ([], [order("n")], [order("__name__")], [order("s"), order("__name__")], [order("n"), order("__name__")]):
        for tree in (key, other, both(key, other), None):
            names.aggregate(select_from(Q, **({"where": tree} if tree else {}), orderBy=ordering),
                            {"alias": "x", "sum": {"field": {"fieldPath": "n"}}}, {"alias": "y", "avg": {"field": {"fieldPath": "s"}}})

orders = Area("orders and cursors")
for ordering in ([order("n")], [order("n", "DESCENDING")], [order("s"), order("n")], [order("s", "DESCENDING"), order("n")],
                 [order("__name__")], [order("s"), order("__name__", "DESCENDING")], [order("m.k")], [order("none")],
                 [order("n", "DIRECTION_UNSPECIFIED")], [order("l")], [order("m")]):
    orders.query(select_from(Q, orderBy=ordering))
    orders.query(select_from(Q, orderBy=ordering, limit=2, offset=1))
for value in OPERANDS.values():
    for side, before in (("startAt", True), ("startAt", False), ("endAt", True), ("endAt", False)):
        orders.query(select_from(Q, orderBy=[order("n")], **{side: cursor(value, before=before)}))
orders.query(select_from(Q, orderBy=[order("s"), order("n")], startAt=cursor(text("x"), integer(1))))
orders.query(select_from(Q, orderBy=[order("n", "DESCENDING")], startAt=cursor(integer(2), before=True), endAt=cursor(integer(1))))
orders.query(select_from(Q, orderBy=[order("n"), order("__name__")], startAt=cursor(integer(1), reference("q/a"))))
orders.query(select_from(Q, orderBy=[order("__name__")], startAt=cursor(reference("q/c")), limit=2))
orders.query(select_from(Q, startAt=cursor(before=True)))
for number in (0, 1, 3, 100):
    orders.query(select_from(Q, limit=number))
    orders.query(select_from(Q, offset=number))
    orders.query(select_from(Q, where=X, offset=number, limit=1))
for paths in ([], ["n"], ["m.k", "s"], ["__name__"], ["none"], ["m", "m.k"], ["`n`"]):
    orders.query(select_from(Q, select={"fields": [{"fieldPath": path} for path in paths]}, limit=3))

groups = Area("places")
groups.commit(*[update(path, {"n": integer(index)}) for index, path in enumerate(
    ("g/a", "g/a/g/b", "g/a/h/c", "g/ghost/g/d", "z/a/g/e", "z/a/g/e/g/f", "z-1/a/g/h"))])
for parent in ("", "g/a", "z/a", "z/none", "z/a/g/e"):
    groups.query(select_from("g"), parent=parent)
    groups.query(select_from("g", group=True), parent=parent)
    groups.query({}, parent=parent) if parent else None
    groups.query({"from": [{"collectionId": ""}]}, parent=parent) if parent else None
    groups.query({"from": [{"allDescendants": True}]}, parent=parent) if parent else None
groups.query(select_from("g", group=True, where=where("n", "GREATER_THAN", integer(1))))
groups.query(select_from("g", group=True, where=where("n", "GREATER_THAN", integer(1))), parent="z/a")
groups.query(select_from("g", group=True, orderBy=[order("n", "DESCENDING")]))
groups.query(select_from("g", group=True, where=where("__name__", "GREATER_THAN", reference("g/b"))))
groups.query(select_from("none"))
groups.query({"from": [{"allDescendants": True}], "where": both(
    where("__name__", "GREATER_THAN_OR_EQUAL", reference("g/__id-9223372036854775808__")),
    where("__name__", "LESS_THAN", reference("g\u0000/__id-9223372036854775808__")))})

nearest = Area("vector search")
nearest.commit(*[update(f"v/{key}", fields) for key, fields in {
    "a": {"v": vector(1.0, 0.0), "n": integer(1)}, "b": {"v": vector(0.0, 1.0), "n": integer(2)},
    "c": {"v": vector(0.0, 0.0), "n": integer(3)}, "d": {"v": vector(1.0, 2.0, 3.0)}, "e": {"n": integer(9)},
    "f": {"v": text("no")}, "g": {"v": vector(1.0, 0.0), "n": double(2.5), "dist": text("old")}}.items()])


def search(measure="EUCLIDEAN", vector_value=vector(1.0, 0.0), limit=10, field="v", more=None, **parts):
    found = {"vectorField": {"fieldPath": field}, "queryVector": vector_value, "distanceMeasure": measure, "limit": limit,
             **(more or {})}
    return select_from("v", findNearest={key: value for key, value in found.items() if value is not None}, **parts)


SHOWN = {"distanceResultField": "dist"}
for measure in ("EUCLIDEAN", "COSINE", "DOT_PRODUCT"):
    nearest.query(search(measure, more=SHOWN))
    for threshold in (0, 0.5, 1, -1):
        nearest.query(search(measure, more={**SHOWN, "distanceThreshold": threshold}))
    nearest.query(search(measure, limit=2, more=SHOWN, where=where("n", "LESS_THAN", integer(3))))
    nearest.query(search(measure, more=SHOWN, orderBy=[order("n", "DESCENDING")]))
for field in ("none", "__name__", "n", "`v`"):
    nearest.query(search(field=field))
nearest.query(search(vector_value=vector("NaN", 1.0)))
for paths in (["n"], ["dist"], ["__name__"]):
    nearest.query(search(more=SHOWN, select={"fields": [{"fieldPath": path} for path in paths]}))
for result in ("a.b", "a b", "n", "v"):
    nearest.query(search(more={"distanceResultField": result}))
for wrong in (dict(limit=0), dict(limit=None), dict(limit=1001), dict(limit=-1), dict(measure=None), dict(field=None),
              dict(field=""), dict(field="a..b"), dict(field="__x__"), dict(vector_value=None),
              dict(vector_value=integer(1)), dict(vector_value=array(double(1))), dict(vector_value=vector()),
              dict(vector_value=vector(*[0.0] * 2049)), dict(vector_value=mapping(__type__=text("x"))),
              dict(more={"distanceResultField": "__x__"}), dict(more={"distanceThreshold": "NaN"}),
              dict(more={"distanceResultField": "x" * 1501})):
    parts = {key: ({"fieldPath": value} if False else value) for key, value in wrong.items()}
    query = search(**{**parts, **({"field": "v"} if parts.get("field", "v") is None else {})})
    if "field" in parts and parts["field"] is None:
        del query["findNearest"]["vectorField"]
    nearest.query(query)
nearest.query({**search(), "limit": 1})
nearest.query({**search(), "offset": 1})
nearest.query({**search(), "startAt": cursor()})
nearest.aggregate(search(limit=2), {"count": {}})
nearest.aggregate(search(limit=3), {"sum": {"field": {"fieldPath": "n"}}}, {"count": {}})

aggregations = Area("aggregations")
COUNT = {"count": {}}


def total(path, **more):
    return {"sum": {"field": {"fieldPath": path}}, **more}


def mean(path, **more):
    return {"avg": {"field": {"fieldPath": path}}, **more}


aggregations.commit(*[update(f"agg/{key}", fields) for key, fields in {
    "a": {"n": integer(1), "d": double(0.5)}, "b": {"n": integer(5), "s": text("x")}, "c": {"n": double(2.25), "d": NAN},
    "e": {"n": NULL}, "g": {"m": mapping(k=integer(3))}, "h": {"m": mapping(k=integer(2 ** 63 - 1))},
    "i": {"big": integer(2 ** 63 - 1)}, "j": {"big": integer(2 ** 63 - 1)}, "k": {"big": integer(-3)}}.items()])
A = select_from("agg")
for wanted in ([COUNT], [COUNT, COUNT], [total("n"), mean("n"), COUNT], [total("d")], [mean("d")], [mean("s")], [total("s")],
               [total("m.k")], [mean("m.k")], [total("none"), COUNT], [mean("none")], [total("big")], [mean("big")],
               [{"count": {"upTo": "2"}}], [{"count": {"upTo": "0"}}], [{"count": {"upTo": "100"}}],
               [{**COUNT, "alias": "a b.c"}], [{**COUNT, "alias": "field_1"}, COUNT], [total("n", alias="x")] + [COUNT] * 4):
    aggregations.aggregate(A, *wanted)
for query in (select_from("agg", limit=2), select_from("agg", offset=2), select_from("agg", limit=2, offset=1),
              select_from("agg", where=where("n", "GREATER_THAN", integer(1))), select_from("agg", limit=0),
              select_from("agg", orderBy=[order("n", "DESCENDING")], limit=1), select_from("agg", group=True),
              select_from("agg", where=either(where("n", "EQUAL", integer(1)), where("s", "EQUAL", text("x")))), {}):
    aggregations.aggregate(query, COUNT, total("n"), parent="" if query else "agg/a")
aggregations.aggregate(A, COUNT, newTransaction={"readOnly": {}})
for wrong in ([], [{}], [{"count": {"upTo": "-1"}}], [{**COUNT, "alias": "a"}] * 2, [{**COUNT, "alias": "__x__"}],
              [total("")], [total("a..b")], [total("__name__")], [COUNT] * 6, [{"sum": {}}], [{"avg": {}}],
              [{"alias": "x"}], [total("__x__")], [total("a.__x__")]):
    aggregations.aggregate(A, *wrong)
aggregations.aggregate({"from": [{"collectionId": "__x__"}]}, COUNT)
aggregations.aggregate({"from": [{"collectionId": "__x__"}]}, {})
aggregations("RunAggregationQuery", {"parent": ROOT})
aggregations("RunAggregationQuery", {"parent": ROOT, "structuredAggregationQuery": {}})
aggregations("RunAggregationQuery", {"parent": name("agg"), "structuredAggregationQuery": {}}, only="grpc")

AREAS = [filters, names, orders, groups, nearest, aggregations]
