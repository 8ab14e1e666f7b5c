"""Requests with one repeated part each, for attack_growth.py: what to send for a size.

A request is a name, how large its size may be, what is sent once before it is measured, and a function from the size to what
is sent. Sizes are counts of the repeated part; where a protocol or a buffer of the server bounds them lower, `largest` says so.
"""
import json
import urllib.parse

from connections import DATABASE, ROOT, SERVICE, field

MESSAGE_BYTES_MAX = 10_000_000  # the server takes a little more


def repeated(number, contents):
    return b"".join(field(number, content) for content in contents)


def entry(key, value):
    return field(1, key) + field(2, value)


INTEGER = field(2, 1)
NULL = b"\x58\x00"


def text(value):
    return field(17, value)


def array(elements):
    return field(9, repeated(1, elements))


def a_map(entries):
    return field(6, repeated(1, entries))


def name(index, collection="none"):
    return f"{ROOT}/{collection}/d{index}"


def document(index, entries, collection="w"):
    return field(1, name(index, collection)) + repeated(2, entries)


def mask(paths):
    return repeated(1, paths)


def reference(path):
    return field(2, path)


def field_filter(path, operation, value):
    return field(2, field(1, reference(path)) + field(2, operation) + field(3, value))


def all_of(filters):
    return field(1, field(1, 1) + repeated(2, filters))


def query(*parts, collection="w"):
    return field(2, field(2, collection)) + b"".join(parts)


def keys(count):
    """Names whose order is not that of their numbers."""
    return [f"k{index * 7919 % count}_{index}" for index in range(count)]


def nested(count, inner, wrap):
    for _ in range(count):
        inner = wrap(inner)
    return inner


def commit(*writes, labels=b""):
    return field(1, DATABASE) + repeated(2, writes) + labels


def transform(path, number, content):
    return field(1, path) + field(number, content)


def elements(count):
    return repeated(1, (text(f"e{index}") for index in range(count)))


class Call:
    """A call over gRPC: the method, and its messages (several for streams)."""

    def __init__(self, method, *messages):
        self.method, self.messages = method, messages

    def __len__(self):
        return sum(len(message) for message in self.messages)


class Request:
    """A request over HTTP."""

    def __init__(self, method, path, body=b"", headers=()):
        self.method, self.path, self.headers = method, path, headers
        self.body = body.encode() if isinstance(body, str) else body

    def __len__(self):
        return len(self.body) + len(self.path)


GET = "GetDocument"
QUERY = "RunQuery"


def run_query(*parts):
    return Call(QUERY, field(1, ROOT) + field(2, query(*parts)))


def aggregate(inner, aggregations):
    return Call("RunAggregationQuery", field(1, ROOT) + field(2, field(1, inner) + repeated(3, aggregations)))


def partition(*parts):
    inner = field(2, field(2, "w") + field(3, 1)) + b"".join(parts)
    return Call("PartitionQuery", field(1, ROOT) + field(2, inner) + field(3, 3))


def target(selection, number=2):
    return field(1, DATABASE) + field(2, selection + field(5, number))


def grpc_reads():
    small = name(1, "small")
    yield "GetDocument, paths of the mask", lambda n: Call(GET, field(1, small) + field(2, mask(keys(n))))
    yield "GetDocument, names of one path", lambda n: Call(GET, field(1, small) + field(2, mask([".".join("a" * n)])))
    yield "GetDocument, paths that share names", lambda n: Call(
        GET, field(1, small) + field(2, mask([f"a.b{index % 100}.{key}" for index, key in enumerate(keys(n))])))
    yield "BatchGetDocuments, documents", lambda n: Call(
        "BatchGetDocuments", field(1, DATABASE) + repeated(2, (name(index) for index in range(n))))
    yield "BatchGetDocuments, one document again and again", lambda n: Call(
        "BatchGetDocuments", field(1, DATABASE) + repeated(2, [small] * n))
    yield "BatchGetDocuments, paths of the mask", lambda n: Call(
        "BatchGetDocuments", field(1, DATABASE) + field(2, small) + field(3, mask(keys(n))))
    yield "ListDocuments, paths of the mask", lambda n: Call(
        "ListDocuments", field(1, ROOT) + field(2, "small") + field(7, mask(keys(n))))
    yield "ListDocuments, orders", lambda n: Call(
        "ListDocuments", field(1, ROOT) + field(2, "small") + field(6, ",".join(keys(n))))
    yield "ListCollectionIds, fields nobody knows", lambda n: Call(
        "ListCollectionIds", field(1, ROOT) + repeated(15, ["x"] * n))
    yield "BeginTransaction, fields nobody knows", lambda n: Call(
        "BeginTransaction", field(1, DATABASE) + repeated(15, ["x"] * n))
    yield "ExecutePipeline, stages", lambda n: Call(
        "ExecutePipeline", field(1, DATABASE) + field(2, field(1, repeated(1, [field(1, "limit")] * n))))


def grpc_queries():
    yield "RunQuery, fields of the projection", lambda n: run_query(field(1, repeated(2, map(reference, keys(n)))))
    yield "RunQuery, collections", lambda n: run_query(repeated(2, [field(2, key) for key in keys(n)]))
    yield "RunQuery, filters", lambda n: run_query(
        field(3, all_of([field_filter(key, 5, INTEGER) for key in keys(n)])))
    yield "RunQuery, values of `in`", lambda n: run_query(
        field(3, field_filter("a", 8, array([text(key) for key in keys(n)]))))
    yield "RunQuery, elements compared with", lambda n: run_query(
        field(3, field_filter("a", 5, array([text(key) for key in keys(n)]))))
    yield "RunQuery, keys compared with", lambda n: run_query(
        field(3, field_filter("a", 5, a_map([entry(key, INTEGER) for key in keys(n)]))))
    yield "RunQuery, orders", lambda n: run_query(repeated(4, [field(1, reference(key)) for key in keys(n)]))
    yield "RunQuery, values of a cursor", lambda n: run_query(field(7, repeated(1, [INTEGER] * n)))
    yield "RunQuery, numbers of a vector", lambda n: run_query(field(9, field(1, reference("v")) + field(
        2, a_map([entry("__type__", text("__vector__")), entry("value", array([INTEGER] * n))]))
        + field(3, 1) + field(4, field(1, 5))))
    yield "RunAggregationQuery, aggregations", lambda n: aggregate(query(), [
        field(7, key) + field(1, b"") for key in keys(n)])
    yield "RunAggregationQuery, filters", lambda n: aggregate(
        query(field(3, all_of([field_filter(key, 5, INTEGER) for key in keys(n)]))), [field(1, b"")])
    yield "PartitionQuery, fields of the projection", lambda n: partition(
        field(1, repeated(2, map(reference, keys(n)))))
    yield "PartitionQuery, orders", lambda n: partition(repeated(4, [field(1, reference(key)) for key in keys(n)]))


def grpc_writes():
    def one(entries, *rest):
        return Call("Commit", commit(field(1, document(1, entries)) + b"".join(rest)))

    yield "Commit, paths of the mask", lambda n: one([], field(3, mask(keys(n))))
    yield "Commit, names of one path of the mask", lambda n: one([], field(3, mask([".".join("a" * n)])))
    yield "Commit, keys of a map", lambda n: one([entry("m", a_map([entry(key, NULL) for key in keys(n)]))])
    yield "Commit, fields", lambda n: one([entry(key, NULL) for key in keys(n)])
    yield "Commit, elements of an array", lambda n: one([entry("a", array([text(f"{i % 9}") for i in range(n)]))])
    yield "Commit, maps in an array", lambda n: one([entry("a", array([a_map([entry("k", NULL)])] * n))])
    yield "Commit, maps inside each other", lambda n: one([entry("m", nested(n, NULL, lambda v: a_map([entry("k", v)])))])
    yield "Commit, transforms", lambda n: one([], *[field(7, transform(key, 2, 1)) for key in keys(n)])
    yield "Commit, elements to append", lambda n: one([], field(7, transform("a", 6, elements(n))))
    yield "Commit, elements to remove", lambda n: one([], field(7, transform("a", 7, elements(n))))
    yield "Commit, writes", lambda n: Call("Commit", commit(*[
        field(1, document(index, [entry("a", INTEGER)])) for index in range(n)]))
    yield "Commit, writes of one document", lambda n: Call("Commit", commit(*[
        field(1, document(1, [entry("a", INTEGER)]))] * n))
    yield "Commit, deletes", lambda n: Call("Commit", commit(*[field(2, name(index)) for index in range(n)]))
    yield "Commit, verifications", lambda n: Call("Commit", commit(*[
        field(5, name(index)) + field(4, field(1, 0)) for index in range(n)]))
    yield "BatchWrite, labels", lambda n: Call("BatchWrite", commit(labels=repeated(3, [
        entry(key, "x") for key in keys(n)])))
    yield "CreateDocument, fields, shown by a mask", lambda n: Call("CreateDocument", field(1, ROOT) + field(
        2, "none") + field(3, "exists") + field(4, repeated(2, [entry(key, NULL) for key in keys(n)])) + field(
        5, mask(keys(n))))
    yield "UpdateDocument, paths of both masks", lambda n: Call("UpdateDocument", field(
        1, document(1, [])) + field(2, mask(keys(n))) + field(3, mask(keys(n))))


def grpc_streams():
    open_writes = field(1, DATABASE)
    yield "Listen, documents of a target", lambda n: Call("Listen", target(field(
        3, repeated(2, (name(index) for index in range(n))))))
    yield "Listen, filters of a target", lambda n: Call("Listen", target(field(2, field(1, ROOT) + field(2, query(
        field(3, all_of([field_filter(key, 5, INTEGER) for key in keys(n)])))))))
    yield "Listen, requests that end nothing", lambda n: Call("Listen", *[
        field(1, DATABASE) + field(3, index + 9) for index in range(n)], target(field(9, "")))
    yield "Write, writes of a batch", lambda n: Call("Write", open_writes, repeated(3, [
        field(2, name(index)) for index in range(n)]) + field(4, "1"), field(4, "2"))
    yield "Write, paths of a mask", lambda n: Call("Write", open_writes, field(3, field(
        1, document(1, [])) + field(3, mask(keys(n)))) + field(4, "1"), field(4, "2"))


def value_json(value):
    return {"fields": {"v": value}}


def patch(value):
    return Request("PATCH", f"/v1/{ROOT}/w/r1", json.dumps(value_json(value)))


def post(verb, body):
    return Request("POST", f"/v1/{ROOT}:{verb}", json.dumps(body))


def parameters(count, parameter):
    return "&".join(f"{parameter}=k{index}" for index in range(count))


def structured(**parts):
    return post("runQuery", {"structuredQuery": {"from": [{"collectionId": "w"}], **parts}})


def equal(path):
    return {"fieldFilter": {"field": {"fieldPath": path}, "op": "EQUAL", "value": {"integerValue": "1"}}}


def rest():
    path = f"/v1/{ROOT}/small/d1"
    null = {"nullValue": None}
    yield "REST, keys of a map", lambda n: patch({"mapValue": {"fields": {key: null for key in keys(n)}}})
    yield "REST, one key again and again", lambda n: Request(
        "PATCH", path, '{"fields":{"v":{"mapValue":{"fields":{' + ",".join(['"k":{"nullValue":null}'] * n) + "}}}}}")
    yield "REST, elements of an array", lambda n: patch({"arrayValue": {"values": [null] * n}})
    yield "REST, escapes of a text", lambda n: patch({"stringValue": "\n\u00e9" * n})
    yield "REST, digits of a number", lambda n: Request("PATCH", path, '{"fields":{"v":{"doubleValue":0.' + "1" * n + "}}}")
    yield "REST, brackets", lambda n: Request("PATCH", path, "[" * n)
    yield "REST, names nobody knows", lambda n: Request("PATCH", path, json.dumps({key: 1 for key in keys(n)}))
    yield "REST, blanks", lambda n: Request("PATCH", path, '{"fields":' + " " * n + "{}}")
    yield "REST, bytes that are no text", lambda n: Request("PATCH", path, b'{"fields":{"' + b"\xff\xc3a" * n + b'":1}}')
    yield "REST, writes of a commit", lambda n: post("commit", {"writes": [
        {"delete": name(index)} for index in range(n)]})
    yield "REST, paths of a commit's mask", lambda n: post("commit", {"writes": [
        {"update": {"name": name(1, "w")}, "updateMask": {"fieldPaths": keys(n)}}]})
    yield "REST, documents of a batchGet", lambda n: post("batchGet", {"documents": [name(i) for i in range(n)]})
    yield "REST, filters", lambda n: structured(where={"compositeFilter": {
        "op": "AND", "filters": [equal(key) for key in keys(n)]}})
    yield "REST, fields of the projection", lambda n: structured(select={"fields": [
        {"fieldPath": key} for key in keys(n)]})
    yield "REST, orders", lambda n: structured(orderBy=[{"field": {"fieldPath": key}} for key in keys(n)])
    yield "REST, query parameters of a mask", lambda n: Request("GET", f"{path}?{parameters(n, 'mask.fieldPaths')}"), 2_000
    yield "REST, query parameters nobody knows", lambda n: Request("GET", f"{path}?{parameters(n, 'x')}"), 4_000
    yield "REST, segments of a path", lambda n: Request("GET", f"/v1/{ROOT}" + "/a" * n), 20_000
    yield "REST, headers", lambda n: Request("GET", path, headers=[(f"x-{index}", "1") for index in range(n)]), 2_000


def web_channel():
    def form(messages, stream):
        fields = [("count", len(messages)), ("ofs", 0)]
        fields += [(f"req{index}___data__", json.dumps(message)) for index, message in enumerate(messages)]
        return Request("POST", f"{SERVICE}{stream}/channel?VER=8&RID=1&CVER=22", urllib.parse.urlencode(fields))

    first = {"database": DATABASE}
    yield "WebChannel, messages of a form", lambda n: form([
        {"database": DATABASE, "removeTarget": index + 9} for index in range(n)], "Listen"), 1_000
    yield "WebChannel, documents of a target", lambda n: form([{"database": DATABASE, "addTarget": {
        "targetId": 2, "documents": {"documents": [name(index) for index in range(n)]}}}], "Listen")
    yield "WebChannel, writes of a message", lambda n: form([first, {"streamToken": "MQ==", "writes": [
        {"delete": name(index)} for index in range(n)]}], "Write")
    yield "WebChannel, fields of a form", lambda n: Request(
        "POST", f"{SERVICE}Listen/channel?VER=8&RID=1&CVER=22", "&".join(f"x{index}=1" for index in range(n)))


def administration():
    base = f"/emulator/v1/{DATABASE}"

    def rules(blocks):
        text = ("rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { " + blocks + " } }")
        return json.dumps({"rules": {"files": [{"content": text}]}})

    spare = "/emulator/v1/projects/spare/databases/(default)"
    yield "rules, match blocks", lambda n: Request("PUT", f"{spare}:securityRules", rules("".join(
        f"match /c{index}/{{x}} {{ allow get; }} " for index in range(n)))), 4_000
    yield "rules, matches below globs", lambda n: Request("PUT", f"{spare}:securityRules", rules("".join(
        f"match /c{index}/{{x=**}} {{ match /d {{ allow get; }} }} " for index in range(n)))), 4_000
    yield "rules, operands of one condition", lambda n: Request("PUT", f"{spare}:securityRules", rules(
        "match /c/{x} { allow get: if " + " && ".join(["true"] * n) + "; }")), 4_000
    yield "rules, members of the body", lambda n: Request("PUT", f"{spare}:securityRules", json.dumps(
        {key: 1 for key in keys(n)}))
    yield "indexes, definitions", lambda n: Request("PUT", f"{spare}:indexes", json.dumps({"indexes": [
        {"collectionGroup": f"c{index}", "queryScope": "COLLECTION", "fields": [
            {"fieldPath": "a", "order": "ASCENDING"}, {"fieldPath": "b", "order": "ASCENDING"}]}
        for index in range(n)], "fieldOverrides": []})), 4_000
    yield "faults, bytes of a rule", lambda n: Request("POST", f"{base}:faults", json.dumps({"rule": "ABORTED " * n}))
    yield "import, members of the body", lambda n: Request("POST", "/emulator/v1/projects/demo:import", json.dumps(
        {key: "1" for key in keys(n)}))
    yield "explanation, match blocks", lambda n: Request("POST", f"{base}:explainRequest?id=0", rules("".join(
        f"match /c{index}/{{x}} {{ allow get; }} " for index in range(n)))), 4_000


def everything():
    """(name, size -> what is sent, largest size or None)."""
    for family in (grpc_reads, grpc_queries, grpc_writes, grpc_streams, rest, web_channel, administration):
        for row in family():
            yield row if len(row) == 3 else (*row, None)
