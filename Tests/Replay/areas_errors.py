"""Queries that are refused, and which of several faults is told."""
from case import (DATABASE, NULL, ROOT, Area, array, both, cursor, either, integer, name, order, reference, select_from, text,
                  unary, where)

faults = Area("refused queries")
OK = where("a", "EQUAL", integer(1))
LIST = array(integer(1))
for query in (
        {"from": [{"collectionId": "a"}, {"collectionId": "b"}]}, select_from("__x__"), select_from("a/b"),
        select_from("."), select_from("a", limit=-1), select_from("a", offset=-1),
        {"where": OK}, {"orderBy": [order("a")]}, {"orderBy": [order("__name__", "DESCENDING")]},
        {"from": [{"allDescendants": True}], "where": OK}):
    faults.query(query)
for path in ("", ".", "a..b", "a.", "1a", "`", "`a", "a b", "__x__", "a.__x__", "__name__.a", "a.__name__", "__key__", "__type__",
             "a.__type__", "x" * 1501, "a[0]", "a-b", "`a`b", "ä", "``"):
    faults.query(select_from("a", where=where(path, "EQUAL", integer(1))))
    faults.query(select_from("a", orderBy=[order(path)]))
    faults.query(select_from("a", select={"fields": [{"fieldPath": path}]}))
for operator in ("IN", "NOT_IN", "ARRAY_CONTAINS_ANY"):
    for operand in (integer(1), NULL, array(), array(*[integer(n) for n in range(31)]),
                    array(*[integer(n) for n in range(11)]), array(array(integer(1)))):
        faults.query(select_from("a", where=where("n", operator, operand)))
for operator in ("EQUAL", "LESS_THAN", "NOT_EQUAL", "ARRAY_CONTAINS", "IN", "NOT_IN", "ARRAY_CONTAINS_ANY"):
    for operand in (integer(1), text("x"), LIST, reference("a"), array(reference("a")), {"referenceValue": "x"}, NULL):
        faults.query(select_from("a", where=where("__name__", operator, operand)))
for operator in ("IS_NULL", "IS_NAN", "IS_NOT_NULL", "IS_NOT_NAN"):
    faults.query(select_from("a", where=unary("__name__", operator)))
NOT, NOT_IN, NULLS = where("a", "NOT_EQUAL", integer(1)), where("a", "NOT_IN", LIST), unary("a", "IS_NOT_NULL")
CONTAINS, ANY = where("l", "ARRAY_CONTAINS", integer(1)), where("l", "ARRAY_CONTAINS_ANY", LIST)
IN = where("b", "IN", array(*[integer(n) for n in range(30)]))
for tree in (both(NOT, NOT), both(NOT, NULLS), both(NOT_IN, NOT), both(NOT_IN, where("b", "IN", LIST)), both(NOT_IN, ANY),
             both(NOT_IN, either(OK, OK)), either(NOT, NOT_IN), both(CONTAINS, CONTAINS), both(CONTAINS, ANY),
             both(IN, either(OK, where("a", "EQUAL", integer(2)))), either(IN, OK), both(IN, ANY), either(IN, IN),
             both(*[where(f"f{n}", "LESS_THAN", integer(1)) for n in range(11)]),
             both(*[where(f"f{n}", "LESS_THAN", integer(1)) for n in range(10)]),
             both(*[where(f"f{n}", "EQUAL", integer(1)) for n in range(101)]),
             either(*[where("a", "EQUAL", integer(n)) for n in range(31)]),
             {"compositeFilter": {"filters": [OK]}}, {"compositeFilter": {"op": "OPERATOR_UNSPECIFIED"}},
             {"fieldFilter": {"field": {"fieldPath": "a"}, "value": integer(1)}},
             {"fieldFilter": {"field": {"fieldPath": "a"}, "op": "EQUAL"}}, {"fieldFilter": {}},
             {"fieldFilter": {"op": "EQUAL", "value": integer(1)}}, {"unaryFilter": {"op": "IS_NULL"}}, {"unaryFilter": {}},
             {"unaryFilter": {"field": {"fieldPath": "a"}}}, {}, {"compositeFilter": {"op": "AND", "filters": [{}]}},
             where("a", "EQUAL", {}), where("a", "IN", array({})), where("a", "EQUAL", {"referenceValue": "x"})):
    faults.query(select_from("a", where=tree))
for ordering in ([order("a"), order("a")], [order("__name__"), order("a")], [order("__name__"), order("__name__")],
                 [{}], [{"direction": "DESCENDING"}], [order("a"), order("a", "DESCENDING")]):
    faults.query(select_from("a", orderBy=ordering))
faults.query(select_from("a", where=where("b", "LESS_THAN", integer(1)), orderBy=[order("__name__")]))
for ordering, values in (([], [integer(1)]), ([order("a")], [integer(1), integer(2)]), ([order("__name__")], [integer(1)]),
                         ([order("__name__")], [reference("a")]), ([order("a")], [{}]), ([order("a")], [integer(1), reference("a/b")]),
                         ([order("__name__")], [{"referenceValue": "projects/x/databases/y/documents/a/b"}])):
    for side in ("startAt", "endAt"):
        faults.query(select_from("a", orderBy=ordering, **{side: cursor(*values)}))
faults.query(select_from("__x__", limit=-1, where=where("a..b", "EQUAL", integer(1))))
faults.query(select_from("a", limit=-1, offset=-1, where=where("a..b", "EQUAL", integer(1))))
faults.query(select_from("a", where=where("a..b", "EQUAL", integer(1)), orderBy=[order("a..b")]))
faults.query(select_from("a", orderBy=[order("a..b")], select={"fields": [{"fieldPath": "c..d"}]}, startAt=cursor(integer(1), integer(2))))
faults("RunQuery", {"parent": ROOT})
faults("RunQuery", {"parent": name("a"), "structuredQuery": select_from("b")}, only="grpc")
faults("RunQuery", {"parent": "x", "structuredQuery": select_from("b")}, only="grpc")

headers = Area("authorization")
headers.put("auth/a", {"n": integer(1)})
for header in ("Bearer owner", "bearer owner", "BEARER OWNER", "Bearer ya29.", "Bearer ya29.abc", "Bearer ya29", "Bearer nonsense",
               "Bearer  owner", "Bearer", "Bearer ", "Basic abc=", "owner", "Bearer a.b", "Bearer a.b.c.d", "Bearer e30.e30.",
               "Bearer e30.e30.x", "Bearer e30.e30.xx", "Bearer e30.W10.", "Bearer W10.e30.", "Bearer .e30.", "Bearer e30..", "Bearer e30.e30",
               "Bearer {alice}", "Bearer {expired}", "Bearer {foreign}", "Bearer {nobody}"):
    headers.get("auth/a", auth=header)
for auth in ("", "{alice}"):
    headers("BatchWrite", {"database": DATABASE, "writes": []}, auth=auth)
    headers("ListCollectionIds", {"parent": ROOT}, auth=auth)
    headers("ListDocuments", {"parent": ROOT, "collectionId": "auth", "showMissing": True}, auth=auth)
    headers("BeginTransaction", {"database": DATABASE, "options": {"readOnly": {}}}, auth=auth)
    headers("BeginTransaction", {"database": DATABASE}, auth=auth)

unserved = Area("what is not served")
unserved("ExecutePipeline", {"database": DATABASE})
unserved("PartitionQuery", {"parent": ROOT})
unserved("PartitionQuery", {"parent": ROOT, "structuredQuery": select_from("a", group=True), "partitionCount": "2"})

AREAS = [faults, headers, unserved]
