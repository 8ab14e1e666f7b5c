"""Writing: single documents, commits with masks, preconditions and transforms, batches, transactions."""
import itertools

from case import (DATABASE, NAN, NULL, ROOT, Area, array, delete, double, instant, integer, mapping, name, reference,
                  select_from, text, update, vector, where)

single = Area("single writes")


def create(collection, document_id="", fields=None, parent=ROOT, **more):
    body = {"parent": parent, "collectionId": collection, "document": {"fields": fields or {}}}
    if document_id:
        body["documentId"] = document_id
    single("CreateDocument", {**body, **more})


create("create", "a", {"n": integer(1)})
create("create", "a", {"n": integer(2)})
create("create", "", {"n": integer(2)})
create("create", "m", {"n": integer(1), "m": integer(2)}, mask={"fieldPaths": ["n"]})
create("sub", "b", {}, parent=name("create/a"))
create("sub", "b", {}, parent=name("create/ghost"))
for document_id in (".", "..", "__x__", "__id7__", "__idx__", "a b", "ä", "x" * 1500, "x" * 1501, "a:b", "%2F"):
    create("create", document_id)
for collection in ("__x__", ".", "..", "__id5__", "a b", "ä", "x" * 1501):
    create(collection, "a")
create("create", "v", {"__x__": integer(1)})
single("CreateDocument", {"parent": ROOT, "collectionId": "create", "documentId": "w", "document": {"name": name("create/w")}})
single("UpdateDocument", {"document": {"name": name("single/a"), "fields": {"n": integer(1), "m": mapping(x=integer(1))}}})
for mask, fields in ((["n"], {"n": integer(2)}), (["m.y"], {"m": mapping(y=integer(3))}), (["n"], {}),
                     (["none"], {"other": integer(1)}), (["m"], {"m": integer(5)}), (["m.z"], {"m": mapping(z=NULL)}),
                     (["`a b`"], {"a b": integer(1)}), (["x.y.z"], {}), (["n", "n"], {"n": integer(4)})):
    single("UpdateDocument", {"document": {"name": name("single/a"), "fields": fields},
                              "updateMask": {"fieldPaths": mask}})
    single.get("single/a")
for mask in ([""], ["a..b"], ["__x__"], ["a.__x__"], ["`"]):
    single("UpdateDocument", {"document": {"name": name("single/a")}, "updateMask": {"fieldPaths": mask}})
single("UpdateDocument", {"document": {"name": name("single/a"), "fields": {"n": integer(9)}},
                          "mask": {"fieldPaths": ["m"]}})
for condition in ({"exists": True}, {"exists": False}, {"updateTime": "2020-01-01T00:00:00Z"}):
    for path in ("single/a", "single/none"):
        single("UpdateDocument", {"document": {"name": name(path), "fields": {}}, "currentDocument": condition})
        single("DeleteDocument", {"name": name(path), "currentDocument": condition})
single("DeleteDocument", {"name": name("single/a")})
single("DeleteDocument", {"name": name("single/a")})

commits = Area("commit")
commits.commit()
commits.commit(update("commit/a", {"n": integer(1)}))
commits.commit(update("commit/a", {"n": integer(1)}))
commits.commit(update("commit/a", {"n": integer(2)}), update("commit/b", {}), delete("commit/c"))
commits.commit(update("commit/a", {"n": integer(3)}), update("commit/a", {"m": integer(4)}, mask=["m"]))
commits.get("commit/a")
commits.commit(update("commit/x", {}, condition={"exists": False}), update("commit/x", {"a": integer(1)},
                                                                            condition={"exists": True}))
for condition in ({"exists": True}, {"exists": False}, {"updateTime": "2020-01-01T00:00:00Z"}, {}):
    commits.commit(update("commit/cond", {}, condition=condition))
    commits.commit(delete("commit/cond", condition))
    commits.commit(delete("commit/cond", condition))
commits.commit(update("commit/first", {}), update("commit/none", {}, condition={"exists": True}))
commits.get("commit/first")
commits.commit(update("commit/mask", {"a": integer(1), "b": integer(2)}, mask=[]))
commits.get("commit/mask")
commits.commit(update("commit/mask", {"a": mapping(x=integer(1)), "b": integer(2)}, mask=["a.x", "c"]))
commits.get("commit/mask")
commits.commit({"verify": name("commit/a"), "currentDocument": {"exists": True}})
commits.commit({"verify": name("commit/none"), "currentDocument": {"exists": True}})
commits.commit({"verify": name("commit/a")})
commits.commit({"verify": name("commit/a"), "currentDocument": {"exists": True}}, update("commit/a"))
commits.commit(update("commit/a"), {"verify": name("commit/a"), "currentDocument": {"exists": True}})
commits.requests = [r for r in commits.requests if "verify" not in str(r.body)] + [
    r for r in commits.requests if "verify" in str(r.body)]
for request in commits.requests:
    if "verify" in str(request.body):
        request.only = "rest"  # the published messages of gRPC clients have no such field
for moment in ("2020-01-01T00:00:00.1234567Z", "2020-01-01T00:00:00.123456Z", "2020-01-01T00:00:00.123456000Z", "1970-01-01T00:00:00Z",
               "1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.9999999Z", "0001-01-01T00:00:00Z"):
    for kind in (update, delete):
        commits.commit(kind("commit/timed", condition={"updateTime": moment}))
    commits.commit(update("commit/timed", {"__x__": NULL}, condition={"updateTime": moment}))
for value in (vector(1.0), array(vector(1.0)), mapping(a=vector(1.0)), array(mapping(a=vector(1.0))), mapping(a=array(vector(1.0))),
              array(integer(1), vector(1.0)), array(mapping(a=array(vector(1.0)))), array(vector()), array(vector("NaN")),
              array(array(), vector(1.0)), array(vector(1.0), array())):
    commits.commit(update("commit/vectors", {"f": value}))
for wrong in ({}, {"update": {"name": "x"}}, {"update": {"name": name("commit")}}, {"delete": "x"},
              {"delete": name("commit")}, delete("commit/a", updateMask={"fieldPaths": ["a"]}),
              delete("commit/a", updateTransforms=[{"fieldPath": "a", "increment": integer(1)}]),
              update("commit/a", mask=["a..b"]), update("commit/a", mask=["__x__"]),
              update("commit/a", {"__x__": integer(1)}), update("commit/a", {"": integer(1)}),
              update("commit/a", {"m": mapping(__x__=integer(1))}), update("commit/a", {"a": array(array())}),
              update("commit/a", {"a": {}}), update("commit/a", {"r": {"referenceValue": "x"}}),
              update("commit/a", {"r": reference("c")}), update("commit/a", {"r": {"referenceValue": ""}}),
              update("commit/a", {"r": {"referenceValue": ROOT}}),
              update("commit/a", {"m": mapping(__type__=integer(1))}),
              update("commit/a", {"m": mapping(__type__=text("x"))}), update("commit/a", {"v": vector()}),
              update("commit/a", {"v": vector(*[0.0] * 2049)}), update("commit/a", {"v": vector("NaN")}),
              update("commit/a", {"v": mapping(__type__=text("__vector__"))}),
              update("commit/a", {"v": mapping(__type__=text("__vector__"), value=integer(1))}),
              update("commit/a", {"v": mapping(__type__=text("__vector__"), value=array(integer(1)))}),
              update("commit/a", {"v": mapping(__type__=text("__vector__"), value=array(double(1)), x=NULL)}),
              update("commit/a", {"g": {"geoPointValue": {"latitude": 91}}}),
              update("commit/a", {"g": {"geoPointValue": {"longitude": -181}}}),
              update("commit/a", {"s": text("x" * 1048488)}), update("commit/a", {"x" * 1501: integer(1)}),
              update("commit/" + "x" * 1501), update("commit/a", {"x": mapping(**{"y" * 1500: integer(1)})})):
    commits.commit(wrong)
nested = integer(1)
for level in range(21):
    nested = mapping(a=nested)
    if level in (18, 19, 20):
        commits.commit(update("commit/deep", {"a": nested}))
commits("Commit", {"database": "x", "writes": []}, only="grpc")
commits("Commit", {"database": ROOT, "writes": []}, only="grpc")

# Several writes to one document: every pair of preconditions, on a document that is there and on one that is not.
together = Area("writes together")
STAMP = {"stamp": lambda body: body["commitTime"]}
CONDITIONS = (None, {"exists": True}, {"exists": False}, {"updateTime": "{stamp}"}, {"updateTime": "2020-01-01T00:00:00Z"})


def steps(path):
    for condition in CONDITIONS:
        yield update(path, {"n": integer(1)}, condition=condition)
        yield delete(path, condition)


# Each on a document of its own: the official emulator knows when a missing document was deleted, and takes it for its version.
for number, (kind, other) in enumerate(itertools.product(range(10), range(10))):
    for stored in (True, False):
        path = f"together/{number}-{stored}"
        together.commit(update(path if stored else "together/z", {"z": integer(number)}), save=STAMP)
        together.commit(list(steps(path))[kind], list(steps(path))[other])
        together.get(path)
for number, third in enumerate(range(10)):
    for stored, first, second in itertools.product((True, False), (update, delete), (update, delete)):
        path = f"together/{number}-{stored}-{first.__name__}-{second.__name__}"
        together.commit(update(path if stored else "together/z", {"y": integer(number)}), save=STAMP)
        together.commit(first(path), second(path), list(steps(path))[third])
        together.get(path)
# A document that ends as it began, and one that was gone in between.
for between in (update("together/same", {"n": integer(2)}), delete("together/same")):
    together.put("together/same", {"n": integer(1)})
    together.commit(between, update("together/same", {"n": integer(1)}))
    together.get("together/same")
together.put("together/m", {"m": mapping(a=integer(1), b=mapping(c=integer(2))), "z": NULL})
for mask in itertools.permutations(("m", "m.a", "m.b.c", "`m`", "z"), 3):
    for fields in ({}, {"m": integer(1)}, {"m": mapping(a=integer(7), b=mapping(c=integer(8), d=NULL))}):
        together.commit(update("together/m", fields, mask=list(mask)))
        together.get("together/m")
together.commit(update("together/c"), update("together/d"), update("together/d", condition={"exists": False}),
                update("together/c", condition={"updateTime": "2020-01-01T00:00:00Z"}))
together.commit(update("together/none", condition={"exists": True}), update("together/c"),
                update("together/c", condition={"exists": False}))

transforms = Area("transforms")


def transform(*operations, fields=None, mask=None):
    transforms.commit(update("transform/a", fields, mask if mask is not None or fields else [],
                             [{"fieldPath": path, **operation} for path, operation in operations]))
    transforms.get("transform/a")


for value in (integer(5), double(0.5), integer(2 ** 63 - 1), integer(-2 ** 63), NAN, double("Infinity")):
    for kind in ("increment", "maximum", "minimum"):
        transform(("n", {kind: value}))
    transform(fields={"n": integer(4)})
transform(fields={"n": text("x"), "l": array(integer(1), integer(2), NULL)})
transform(("n", {"increment": integer(1)}))
for values in ((integer(1), integer(3)), (double(1.0), text("x"), text("x")), (NULL,), (), (NAN, NAN)):
    transform(("l", {"appendMissingElements": {"values": list(values)}}))
    transform(("l", {"removeAllFromArray": {"values": list(values)}}))
transform(("a.b", {"increment": integer(1)}), ("a.b", {"increment": integer(2)}))
transform(("`x y`", {"increment": integer(1)}))
transform(("n", {"increment": integer(1)}), fields={"n": integer(10), "m": integer(1)}, mask=["n"])
transforms.commit({"transform": {"document": name("transform/new"), "fieldTransforms": [
    {"fieldPath": "n", "increment": integer(1)}]}})
transforms.commit({"transform": {"document": name("transform/new"), "fieldTransforms": []}})
for wrong in ({"fieldPath": "n"}, {"fieldPath": "", "increment": integer(1)}, {"fieldPath": "a..b", "increment": integer(1)},
              {"fieldPath": "n", "increment": text("x")}, {"fieldPath": "n", "maximum": NULL},
              {"fieldPath": "n", "increment": {}}, {"fieldPath": "__x__", "increment": integer(1)},
              {"fieldPath": "__name__", "increment": integer(1)},
              {"fieldPath": "n", "setToServerValue": "SERVER_VALUE_UNSPECIFIED"}):
    transforms.commit(update("transform/a", {}, [], [wrong]))
transforms.commit(update("transform/a", {}, [], [{"fieldPath": "m", "increment": integer(1)},
                                                 {"fieldPath": "m.x", "increment": integer(1)}]))

batches = Area("batchWrite")


def batch(*writes, **more):
    batches("BatchWrite", {"database": DATABASE, "writes": list(writes), **more})


batch()
batch(update("bw/a", {"n": integer(1)}), delete("bw/none"), update("bw/b", {}, condition={"exists": True}),
      update("bw/c", {}, condition={"exists": False}))
batch(update("bw/a"), update("bw/a"))
batch(update("bw/a"), {})
batch(update("bw/d"), {"delete": "x"})
batch(update("bw/a", {"n": integer(2)}), labels={"a": "b"})
batches.get("bw/a")
batches.get("bw/d")

transactions = Area("transactions")
TOKEN = {"tx": lambda body: body["transaction"]}
BEGIN = {"database": DATABASE}
transactions.put("tx/a", {"n": integer(1)})
for options in (None, {"readWrite": {}}, {"readOnly": {}}, {}):
    transactions("BeginTransaction", {**BEGIN, **({"options": options} if options is not None else {})}, save=TOKEN)
    transactions("Rollback", {**BEGIN, "transaction": "{tx}"})
transactions("BeginTransaction", BEGIN, save=TOKEN)
transactions("BatchGetDocuments", {**BEGIN, "documents": [name("tx/a")], "transaction": "{tx}"})
transactions.query(select_from("tx"), transaction="{tx}")
transactions.commit(update("tx/a", {"n": integer(2)}), transaction="{tx}")
transactions.get("tx/a")
transactions("BeginTransaction", {**BEGIN, "options": {"readOnly": {}}}, save=TOKEN)
transactions.query(select_from("tx", where=where("n", "EQUAL", integer(2))), transaction="{tx}")
transactions.commit(update("tx/a", {"n": integer(3)}), transaction="{tx}")
transactions("Rollback", {**BEGIN, "transaction": "{tx}"})
transactions("BeginTransaction", BEGIN, save=TOKEN)
transactions.commit(transaction="{tx}")
transactions.query(select_from("tx"), newTransaction={"readOnly": {}})
transactions.query(select_from("tx"), newTransaction={})
for token in ("", "AAAA", "EQEAAAAAAAAA"):
    transactions("Rollback", {**BEGIN, "transaction": token})
transactions("BeginTransaction", {**BEGIN, "options": {"readWrite": {"retryTransaction": "AAAA"}}})
transactions("BeginTransaction", {"database": "x"}, only="grpc")
transactions("BeginTransaction", {**BEGIN, "options": {"readOnly": {"readTime": "2100-01-01T00:00:00Z"}}})

AREAS = [single, commits, together, transforms, batches, transactions]
