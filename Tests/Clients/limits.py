#!/usr/bin/env python3
"""Every limit of a request, on both sides of it, over REST, as the profile of the server has it.

    limits.py PROFILE HOST:PORT        PROFILE is production or emulator

Needs a server that lets users do everything, or none but the owner; nothing else but Python. The answers of the
profile emulator are those of the official emulator (1.19), except in rows that say `newer`.
"""
import json
import sys
import urllib.error
import urllib.request

if len(sys.argv) != 3 or sys.argv[1] not in ("production", "emulator"):
    sys.exit(__doc__)
PROFILE, HOST = sys.argv[1:]
DATABASE = "projects/demo-limits/databases/(default)"
ROOT = f"{DATABASE}/documents"
OK = "OK"
passed, failed = 0, []


def post(path, body, raw=None):
    """The status name and the message of an answer; OK and the decoded body."""
    data = raw if raw is not None else json.dumps(body).encode()
    request = urllib.request.Request(f"http://{HOST}/v1/{path}", data=data, method="POST", headers={
        "authorization": "Bearer owner", "content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return OK, json.loads(response.read())
    except urllib.error.HTTPError as error:
        text = error.read()
        try:
            answer = json.loads(text)
        except ValueError:
            return str(error.code), text.decode(errors="replace")
        answer = answer[0] if isinstance(answer, list) else answer
        return answer["error"]["status"], answer["error"].get("message", "")
    except OSError as error:
        return "BROKEN", str(error)


def get(path):
    request = urllib.request.Request(f"http://{HOST}/v1/{path}", headers={"authorization": "Bearer owner"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.loads(response.read())


def write(path, fields, **more):
    return {"update": {"name": f"{ROOT}/{path}", "fields": fields}, **more}


def commit(*writes):
    return post(f"{ROOT}:commit", {"writes": list(writes)})


def query(where=None, order=(), **more):
    body = {"from": [{"collectionId": "q"}], "orderBy": [{"field": {"fieldPath": path}} for path in order], **more}
    if where is not None:
        body["where"] = where
    return post(f"{ROOT}:runQuery", {"structuredQuery": body})


def integer(number=1):
    return {"integerValue": str(number)}


def array(count):
    return {"arrayValue": {"values": [integer(n) for n in range(count)]}}


def test(path, operator, value):
    return {"fieldFilter": {"field": {"fieldPath": path}, "op": operator, "value": value}}


def group(operator, filters):
    return {"compositeFilter": {"op": operator, "filters": filters}}


def nested(levels):
    value = integer()
    for _ in range(levels):
        value = {"mapValue": {"fields": {"m": value}}}
    return value


def vector(count):
    return {"mapValue": {"fields": {"__type__": {"stringValue": "__vector__"}, "value": {
        "arrayValue": {"values": [{"doubleValue": 1.0}] * count}}}}}


def nearest(limit):
    return query(findNearest={"vectorField": {"fieldPath": "v"}, "queryVector": vector(2), "limit": limit,
                              "distanceMeasure": "EUCLIDEAN"})


def aggregate(count):
    return post(f"{ROOT}:runAggregationQuery", {"structuredAggregationQuery": {
        "structuredQuery": {"from": [{"collectionId": "q"}]},
        "aggregations": [{"alias": f"a{n}", "count": {}} for n in range(count)]}})


def text(count):
    return {"stringValue": "x" * count}


def sized(count):
    """A document c/a of so many bytes."""
    rest = count - 20 - 32 - 6
    return commit(write("c/a", {"a": text(rest // 2), "b": text(rest - rest // 2)}))


def padded(count):
    body = json.dumps({"writes": [write("c/a", {"a": integer()})]}).encode()
    return post(f"{ROOT}:commit", None, raw=body + b" " * (count - len(body)))


def check(name, below, above, status, message, emulator=None):
    """`below` must pass; `above` must be refused, or pass where the profile has no such limit."""
    global passed
    expected = (status, message) if PROFILE == "production" or emulator is None else emulator
    for side, call, wanted in (("at it", below, (OK, None)), ("above it", above, expected)):
        got = call()
        right = got[0] == wanted[0] and (wanted[1] is None or got[1] == wanted[1])
        passed += right
        if not right:
            failed.append(name)
            print(f"FAILED {name}, {side}: {got[0]} {str(got[1])[:300]!r}, expected {wanted[0]} {wanted[1]!r}")


INVALID = "INVALID_ARGUMENT"
check("document id", lambda: commit(write("c/" + "x" * 1500, {})), lambda: commit(write("c/" + "x" * 1501, {})),
      INVALID, "The key path element name is longer than 1500 bytes.")
check("collection id", lambda: commit(write("x" * 1500 + "/a", {})), lambda: commit(write("x" * 1501 + "/a", {})),
      INVALID, "The key path element kind is longer than 1500 bytes.")
check("pairs in a name", lambda: commit(write("/".join(["c/d"] * 100), {})),
      lambda: commit(write("/".join(["c/d"] * 101), {})),
      INVALID, "Key path is too long. Cannot exceed 100 elements.")
check("field name", lambda: commit(write("c/a", {"f" * 1500: integer()})),
      lambda: commit(write("c/a", {"f" * 1501: integer()})), INVALID, "The property.name is longer than 1500 bytes.")
check("path of a nested field", lambda: commit(write("c/a", {"f": {"mapValue": {"fields": {"g" * 1498: integer()}}}})),
      lambda: commit(write("c/a", {"f": {"mapValue": {"fields": {"g" * 1499: integer()}}}})),
      INVALID, "Property f contains an invalid nested entity.")
check("text", lambda: commit(write("c/a", {"f": text(1_048_487)})), lambda: commit(write("c/a", {"f": text(1_048_488)})),
      INVALID, 'The value of property "f" is longer than 1048487 bytes.')
check("nesting", lambda: commit(write("c/a", {"f": nested(20)})), lambda: commit(write("c/a", {"f": nested(21)})),
      INVALID, "Property f contains an invalid nested entity.")
check("vector", lambda: commit(write("c/a", {"v": vector(2048)})), lambda: commit(write("c/a", {"v": vector(2049)})),
      INVALID, "Vectors must be at most 2048 dimensions.")
# The official emulator counts its own encoding, some tens of bytes more.
check("document", lambda: sized(1_048_000), lambda: sized(1_048_577), INVALID,
      f"Document '{ROOT}/c/a' cannot be written because its size (1,048,577 bytes) exceeds the maximum allowed size of "
      "1,048,576 bytes.", emulator=(INVALID, "maximum entity size is 1048576 bytes"))
check("index entries", lambda: commit(write("c/a", {"v": array(19_999)})), lambda: commit(write("c/a", {"v": array(20_000)})),
      INVALID, "too many index entries for entity /c/a", emulator=(OK, None))
deep = "c/" + "x" * 1500 + "/d/"
check("one index entry", lambda: commit(write(deep + "y" * 954, {"v": text(1600)})),
      lambda: commit(write(deep + "y" * 955, {"v": text(1600)})), INVALID, "Index entry is too large.", emulator=(OK, None))
long = "/".join(["c/" + "x" * 1500] * 3) + "/c/"
check("name", lambda: commit(write(long + "x" * 488, {})), lambda: commit(write(long + "x" * 489, {})),
      INVALID, "Index entry is too large.", emulator=(OK, None))
wide = "x" * 499 + "/" + "x" * 1500
check("charge of a commit", lambda: commit(write(wide, {"v": array(7_184)})), lambda: commit(write(wide, {"v": array(7_185)})),
      INVALID, "Transaction too big. Decrease transaction size.", emulator=(OK, None))
check("transforms of a document", lambda: commit(write("c/t", {}, updateTransforms=[{"fieldPath": "n", "increment": integer()}] * 500)),
      lambda: commit(write("c/t", {}, updateTransforms=[{"fieldPath": "n", "increment": integer()}] * 501)),
      INVALID, None, emulator=(OK, None))
check("writes of a commit", lambda: commit(*[write(f"w/{n}", {}) for n in range(500)]),
      lambda: commit(*[write(f"w/{n}", {}) for n in range(1200)]), OK, None)
check("in", lambda: query(test("a", "IN", array(30))), lambda: query(test("a", "IN", array(31))),
      INVALID, "'IN' supports up to 30 comparison values.")
check("array-contains-any", lambda: query(test("a", "ARRAY_CONTAINS_ANY", array(30))),
      lambda: query(test("a", "ARRAY_CONTAINS_ANY", array(31))),
      INVALID, "'ARRAY_CONTAINS_ANY' supports up to 30 comparison values.")
check("not-in", lambda: query(test("a", "NOT_IN", array(10))), lambda: query(test("a", "NOT_IN", array(11))),
      INVALID, "'NOT_IN' supports up to 10 comparison values.")
check("disjunctions", lambda: query(group("AND", [test("a", "IN", array(15)), test("b", "IN", array(2))])),
      lambda: query(group("AND", [test("a", "IN", array(16)), test("b", "IN", array(2))])), INVALID,
      "Too many disjunctions after normalization. Result had 32 disjunctions which is more than the maximum of 30")
check("inequality fields", lambda: query(group("AND", [test(f"f{n}", "GREATER_THAN", integer()) for n in range(10)])),
      lambda: query(group("AND", [test(f"f{n:02}", "GREATER_THAN", integer()) for n in range(11)])), INVALID,
      None)
check("filters and orders", lambda: query(group("AND", [test(f"f{n}", "EQUAL", integer()) for n in range(100)])),
      lambda: query(group("AND", [test(f"f{n}", "EQUAL", integer()) for n in range(101)])), INVALID,
      "The query may not have more than 100 filters + sort orders + ancestor total. Currently there are 101 filters, "
      "0 sort orders, and no ancestor filter.")
check("nearest", lambda: nearest(1000), lambda: nearest(1001), INVALID,
      "FindNearest.limit must be a positive integer of no more than 1000")
# The official emulator 1.19 answers UNKNOWN without a word; newer ones as production.
check("aggregations", lambda: aggregate(5), lambda: aggregate(6), INVALID,
      "The maximum number of aggregations allowed in an aggregation query is 5. Received: 6")
# Newer: 1.19 breaks the connection.
check("body", lambda: padded(11_534_336), lambda: padded(11_534_337), INVALID,
      "Request payload size exceeds the limit: 11534336 bytes.", emulator=(OK, None))
check("body of the emulator", lambda: padded(11_534_336), lambda: padded((16 << 20) + 1), INVALID,
      "Request payload size exceeds the limit: 11534336 bytes.", emulator=("413", ""))

# Newer: 1.19 has pages of 30 and of at most 150.
commit(*[write(f"l/{n:04}", {}) for n in range(400)])
pages = [len(get(f"{ROOT}/l{options}").get("documents", [])) for options in ("", "?pageSize=300", "?pageSize=350")]
if pages == ([100, 300, 300] if PROFILE == "production" else [400, 300, 350]):
    passed += 1
else:
    failed.append("pages of lists")
    print(f"FAILED pages of lists: {pages}")
print(f"{passed} passed, {len(failed)} failed")
sys.exit(1 if failed else 0)
