"""Reading documents: by name, in batches, as lists; the ids of collections."""
from case import (DATABASE, NULL, ROOT, Area, array, double, flag, instant, integer, mapping, name, place, reference,
                  text, vector)

values = Area("values")
VALUES = {
    "null": NULL, "true": flag(True), "false": flag(False), "zero": integer(0), "max": integer(2 ** 63 - 1),
    "min": integer(-2 ** 63), "half": double(0.5), "nan": double("NaN"), "infinite": double("Infinity"),
    "less": double("-Infinity"), "large": double(1e300), "small": double(5e-324), "whole": double(3.0),
    "instant": instant("2020-02-29T12:30:00.123456Z"), "nanos": instant("2020-02-29T12:30:00.123456789Z"),
    "first": instant("0001-01-01T00:00:00Z"), "last": instant("9999-12-31T23:59:59.999999Z"),
    "seconds": instant("2001-01-01T00:00:00Z"), "millis": instant("2001-01-01T00:00:00.5Z"),
    "empty": text(""), "text": text("ä\u0000\U0001F600\"\\/"), "bytes": {"bytesValue": "AP8="},
    "nothing": {"bytesValue": ""}, "reference": reference("c/d"), "root": {"referenceValue": DATABASE},
    "point": {"geoPointValue": {"latitude": -90, "longitude": 180}}, "origin": {"geoPointValue": {}},
    "list": array(integer(1), text("x"), NULL), "nolist": {"arrayValue": {}}, "map": mapping(a=integer(1)),
    "nomap": {"mapValue": {}}, "deep": mapping(a=mapping(b=array(mapping(c=array(integer(1)))))),
    "vector": vector(1.0, -2.5), "other": {"referenceValue": "projects/x/databases/y/documents/c/d"},
}
for key, value in VALUES.items():
    values.put(f"values/{key}", {"v": value})
    values.get(f"values/{key}")
for key in ("a.b", "a b", "ä", "`", "\\", "0", "__a", "a__", "_", "\u0000"):
    values.put("values/names", {key: integer(1)})
    values.get("values/names")

gets = Area("get")
gets.put("get/a", {"n": integer(1), "m": mapping(x=integer(1), y=mapping(z=text("deep"))), "a.b": text("dots")})
gets.put("get/a/sub/b", {})
gets.put("get/phantom/sub/b", {"n": integer(2)})
for path in ("get/a", "get/none", "get/phantom", "get/a/sub/b", "get/a/sub/none", "no/thing/at/all"):
    gets.get(path)
for mask in (["n"], ["m"], ["m.x"], ["m.y.z"], ["m.y", "n"], ["none"], ["m.none"], ["`a.b`"], ["n", "n"],
             ["__name__"], ["n.x"], ["m.x", "m"], ["`m`.x"]):
    gets.get("get/a", mask={"fieldPaths": mask})
for mask in ([""], ["a..b"], ["."], ["a."], ["a-b"], ["`a"], ["1a"], ["a b"]):
    gets.get("get/a", mask={"fieldPaths": mask})
gets("GetDocument", {"name": name("get/a"), "mask": {}}, only="grpc")
for wrong in ("", "projects", "projects/{project}", DATABASE, ROOT, name("get"), name("get/a/sub"), name("get//a"),
              name("/get/a"), name("get/a/"), name("get/__x__"), name("__get__/a"), name("get/."), name("get/.."),
              name("get/__id5__"), name("get/__id05__"), name("get/__idx__"), name("get/" + "x" * 1501),
              name("x" * 1501 + "/a"), "projects//databases/(default)/documents/c/d",
              "projects/{project}/databases//documents/c/d", "x/{project}/databases/(default)/documents/c/d"):
    gets("GetDocument", {"name": wrong}, only="grpc")
    gets("DeleteDocument", {"name": wrong}, only="grpc")

for moment in ("2100-01-01T00:00:00Z", "2100-01-01T00:00:00.123456Z", "1969-01-01T00:00:00Z"):
    gets("GetDocument", {"name": name("get/a"), "readTime": moment}, only="grpc")
    gets("ListDocuments", {"parent": ROOT, "collectionId": "get", "readTime": moment}, only="grpc")
    gets("RunQuery", {"parent": ROOT, "structuredQuery": {"from": [{"collectionId": "get"}]}, "readTime": moment})
    gets("BeginTransaction", {"database": DATABASE, "options": {"readOnly": {"readTime": moment}}})

batch = Area("batchGet")
batch.put("batch/a", {"n": integer(1), "m": mapping(x=integer(1))})
batch.put("batch/b", {"n": integer(2)})
for paths in ([], ["batch/a"], ["batch/b", "batch/a"], ["batch/none"], ["batch/a", "batch/none", "batch/b"],
              ["batch/a", "batch/a"]):
    batch("BatchGetDocuments", {"database": DATABASE, "documents": [name(path) for path in paths]}, unordered=True)
for mask in (["n"], ["m.x"], ["none"], []):
    batch("BatchGetDocuments", {"database": DATABASE, "documents": [name("batch/a")], "mask": {"fieldPaths": mask}})
batch("BatchGetDocuments", {"database": DATABASE, "documents": [name("batch/a")], "newTransaction": {"readOnly": {}}})
batch("BatchGetDocuments", {"database": DATABASE, "documents": [name("batch/a")], "newTransaction": {}})
for wrong in (["x"], [name("batch")], [ROOT], [name("batch/__x__")], [""], [name("batch/a"), "x"]):
    batch("BatchGetDocuments", {"database": DATABASE, "documents": wrong})
for mask in (["a..b"], [""], ["`"]):
    batch("BatchGetDocuments", {"database": DATABASE, "documents": [name("batch/a")], "mask": {"fieldPaths": mask}})

lists = Area("list")
for index in range(5):
    lists.put(f"list/d{index}", {"n": integer(index % 3), "m": mapping(x=integer(index))})
lists.put("list/phantom/sub/d", {})
lists.put("list/d0/sub/d", {"n": integer(7)})
lists.put("list/x", {})
LIST = {"parent": ROOT, "collectionId": "list"}
for more in ({}, {"pageSize": 2}, {"pageSize": 100}, {"orderBy": "n"}, {"orderBy": "n desc"}, {"orderBy": "n asc"},
             {"orderBy": "n desc, m.x"}, {"orderBy": "__name__"}, {"orderBy": "n, __name__ desc"},
             {"mask": {"fieldPaths": ["n"]}}, {"mask": {"fieldPaths": ["m.x", "none"]}}, {"showMissing": True},
             {"showMissing": True, "pageSize": 3}, {"orderBy": "none"}, {"pageSize": 2, "orderBy": "n desc"},
             {"pageSize": -1}, {"orderBy": "n n"}, {"orderBy": "a..b"}, {"orderBy": ","}, {"orderBy": "n down"},
             {"orderBy": "n,n"}, {"orderBy": "__name__, n"}, {"showMissing": True, "orderBy": "n"},
             {"pageSize": 2 ** 31 - 1}, {"orderBy": "n DESC"}, {"orderBy": " n  desc "}):
    lists("ListDocuments", {**LIST, **more})
lists("ListDocuments", {**LIST, "pageSize": 2}, save={"page": lambda body: body["nextPageToken"]})
lists("ListDocuments", {**LIST, "pageSize": 2, "pageToken": "{page}"},
      save={"page": lambda body: body["nextPageToken"]})
lists("ListDocuments", {**LIST, "pageSize": 20, "pageToken": "{page}"})
lists("ListDocuments", {**LIST, "pageSize": 2, "orderBy": "n desc"}, save={"page": lambda body: body["nextPageToken"]})
lists("ListDocuments", {**LIST, "pageSize": 20, "orderBy": "n desc", "pageToken": "{page}"})
lists("ListDocuments", {"parent": name("list/d0"), "collectionId": "sub"})
lists("ListDocuments", {"parent": name("list/phantom"), "collectionId": "sub"})
lists("ListDocuments", {"parent": ROOT, "collectionId": "nothing"})
lists("ListDocuments", {"parent": name("list/d0"), "collectionId": ""})
for more in ({"collectionId": "__x__"}, {"collectionId": "a/b", "only": "grpc"}, {"parent": "x", "only": "grpc"},
             {"parent": name("list"), "only": "grpc"}, {"collectionId": "", "orderBy": "n"},
             {"collectionId": "", "showMissing": True}):
    only = more.pop("only", "")
    lists("ListDocuments", {**LIST, **more}, only=only)

ids = Area("listCollectionIds")
for path in ("ids/a", "ids/a/x/b", "ids/a/y/c/z/d", "ids/ghost/w/e", "ids2/a"):
    ids.put(path, {})
for parent in ("ids/a", "ids/ghost", "ids/none", "ids/a/y/c", "ids/a/y/none"):
    ids("ListCollectionIds", {"parent": place(parent)})
ids("ListCollectionIds", {"parent": place("ids/a"), "pageSize": 1}, save={"page": lambda body: body["nextPageToken"]})
ids("ListCollectionIds", {"parent": place("ids/a"), "pageSize": 1, "pageToken": "{page}"})
ids("ListCollectionIds", {"parent": place("ids/a"), "pageSize": -1})
ids("ListCollectionIds", {"parent": place("ids/a"), "pageSize": 10})
for wrong in ("ids", "x"):
    ids("ListCollectionIds", {"parent": place(wrong)}, only="grpc")

AREAS = [values, gets, batch, lists, ids]
