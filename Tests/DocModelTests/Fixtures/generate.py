#!/usr/bin/env python3
"""Write google-documents.tsv: documents as Google's own protobuf classes encode them.

Needs google-cloud-firestore. One row a document, three columns:

1. the wire bytes in hex: field order, map order and timestamps as a client might send them;
2. the canonical `fields` entries in hex: sorted by key bytes, timestamps truncated to microseconds, one
   NaN. Scalars are Google's bytes; the frames around them are written here, because the deterministic
   encoder of these classes puts a key behind the longer keys that begin with it;
3. the fields in the notation of `Value.notation` in GoogleEncodingTests.swift.

Run it again after adding a document and review the difference.
"""
import math, pathlib, random, struct

from google.cloud.firestore_v1.types import document as types

Document = types.Document.pb()
Value = types.Value.pb()
NAN_ODD = struct.unpack("<d", struct.pack("<Q", 0xFFF8_0000_0000_BEEF))[0]
ROOT = "projects/p/databases/(default)/documents"


def null(): return Value(null_value=0)
def boolean(x): return Value(boolean_value=x)
def integer(x): return Value(integer_value=x)
def double(x): return Value(double_value=x)
def string(x): return Value(string_value=x)
def blob(x): return Value(bytes_value=x)
def reference(x): return Value(reference_value=x)


def timestamp(seconds, nanos=0):
    value = Value()
    value.timestamp_value.seconds = seconds
    value.timestamp_value.nanos = nanos
    return value


def geo(latitude, longitude):
    value = Value()
    value.geo_point_value.SetInParent()
    value.geo_point_value.latitude = latitude
    value.geo_point_value.longitude = longitude
    return value


def array(*elements):
    value = Value()
    value.array_value.SetInParent()
    value.array_value.values.extend(elements)
    return value


def mapping(fields):
    value = Value()
    value.map_value.SetInParent()
    for key, inner in fields.items():
        value.map_value.fields[key].CopyFrom(inner)
    return value


def vector(*elements):
    return mapping({"__type__": string("__vector__"), "value": array(*map(double, elements))})


def nested(levels, leaf):
    for _ in range(levels):
        leaf = mapping({"m": leaf})
    return leaf


INTEGERS = [0, 1, -1, 127, 128, 300, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)]
DOUBLES = [0.0, -0.0, 1.0, -1.5, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, math.nan, NAN_ODD]
TEXTS = ["", "a", "a\0b", "é", "e\u0301", "～", "𐀀", "\U0010ffff", "x" * 127, "x" * 128, "漢" * 600]
BLOBS = [b"", b"\0", bytes(range(256)), b"\xff" * 2000]
INSTANTS = [(0, 0), (1, 0), (0, 1), (0, 999), (0, 1000), (-1, 999_999_999), (-1, 1), (-62135596800, 0),
            (253402300799, 999_999_999), (1700000000, 123_456_789)]
POINTS = [(0, 0), (-0.0, -0.0), (90, 180), (-90, -180), (0, 1.5), (1.5, 0), (52.52, 13.405)]
NAMES = ["a", "b", "aa", "a.b", "a b", "`", "\\", "é", "e\u0301", "～", "𐀀", "_", "__", "0", "Z", "x" * 200, "\0"]


def documents():
    for value in [null(), boolean(True), boolean(False)]:
        yield {"f": value}
    for values in [map(integer, INTEGERS), map(double, DOUBLES), map(string, TEXTS), map(blob, BLOBS)]:
        yield {"f%d" % number: value for number, value in enumerate(values)}
    yield {"t%d" % n: timestamp(*instant) for n, instant in enumerate(INSTANTS)}
    yield {"g%d" % n: geo(*point) for n, point in enumerate(POINTS)}
    yield {name: integer(n) for n, name in enumerate(NAMES)}
    yield {"m": mapping({name: integer(n) for n, name in enumerate(NAMES)})}
    yield {}
    yield {"r": reference(ROOT + "/c/d"), "s": reference("projects/q/databases/z/documents/c/d/e/__id-7__")}
    yield {"e": array(), "m": mapping({}), "ae": array(mapping({})), "me": mapping({"x": array()})}
    yield {"v": vector(1.0), "w": vector(-0.0, math.inf, 1e-300), "a": vector(1, 2), "m": mapping({"v": vector(3)})}
    yield {"v": vector(*range(2048))}
    yield {"deep": nested(20, integer(1)), "wide": array(*map(integer, range(300)))}
    yield {"deep": nested(19, array(timestamp(-5, 999_999_999), double(NAN_ODD)))}
    chooser = random.Random(20_240_229)
    for _ in range(34):
        yield {chooser.choice(NAMES): anything(chooser, 3) for _ in range(chooser.randrange(1, 7))}


def anything(chooser, depth, in_array=False):
    kind = chooser.randrange(11 if depth else 9)
    if kind == 9 and in_array:
        kind = 10
    if kind == 0: return null()
    if kind == 1: return boolean(chooser.random() < 0.5)
    if kind == 2: return integer(chooser.choice(INTEGERS))
    if kind == 3: return double(chooser.choice(DOUBLES))
    if kind == 4: return timestamp(*chooser.choice(INSTANTS))
    if kind == 5: return string(chooser.choice(TEXTS[:10]))
    if kind == 6: return blob(chooser.choice(BLOBS[:2]))
    if kind == 7: return geo(*chooser.choice(POINTS))
    if kind == 8: return reference(ROOT + "/c/" + chooser.choice(["d", "é", "__id7__"]))
    if kind == 9: return array(*(anything(chooser, depth - 1, True) for _ in range(chooser.randrange(4))))
    return mapping({chooser.choice(NAMES): anything(chooser, depth - 1) for _ in range(chooser.randrange(4))})


def canonical(value):
    """A copy as the service keeps it."""
    copy = Value()
    copy.CopyFrom(value)
    kind = copy.WhichOneof("value_type")
    if kind == "timestamp_value":
        copy.timestamp_value.nanos -= copy.timestamp_value.nanos % 1000
    elif kind == "double_value" and math.isnan(copy.double_value):
        copy.double_value = math.nan
    elif kind == "array_value":
        return array(*map(canonical, copy.array_value.values))
    elif kind == "map_value":
        return mapping({key: canonical(inner) for key, inner in copy.map_value.fields.items()})
    return copy


def framed(tag, content):
    length, rest = b"", len(content)
    while rest >= 0x80:
        length, rest = length + bytes([rest & 0x7F | 0x80]), rest >> 7
    return bytes([tag]) + length + bytes([rest]) + content


def encoded(value):
    kind = value.WhichOneof("value_type")
    if kind == "array_value":
        return framed(0x4A, b"".join(framed(0x0A, encoded(element)) for element in value.array_value.values))
    if kind == "map_value":
        return framed(0x32, entries(value.map_value.fields, 0x0A))
    return value.SerializeToString()


def entries(fields, tag):
    return b"".join(
        framed(tag, framed(0x0A, key) + framed(0x12, encoded(value))) for key, value in by_key(fields))


def by_key(fields):
    return sorted(((key.encode(), value) for key, value in fields.items()), key=lambda pair: pair[0])


def quoted(content):
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./() -"
    return '"' + "".join(chr(b) if b in plain else "\\x%02x" % b for b in content) + '"'


def bits(number):
    return "%016x" % struct.unpack("<Q", struct.pack("<d", number))[0]


def notation(value):
    kind = value.WhichOneof("value_type")
    if kind == "null_value": return "null"
    if kind == "boolean_value": return "true" if value.boolean_value else "false"
    if kind == "integer_value": return str(value.integer_value)
    if kind == "double_value": return "double " + bits(value.double_value)
    if kind == "string_value": return quoted(value.string_value.encode())
    if kind == "bytes_value": return "bytes " + quoted(value.bytes_value)
    if kind == "reference_value": return "reference " + quoted(value.reference_value.encode())
    if kind == "timestamp_value": return "timestamp %d.%09d" % (value.timestamp_value.seconds, value.timestamp_value.nanos)
    if kind == "geo_point_value":
        return "geo %s %s" % (bits(value.geo_point_value.latitude), bits(value.geo_point_value.longitude))
    if kind == "array_value": return "[" + ", ".join(map(notation, value.array_value.values)) + "]"
    fields = value.map_value.fields
    if "__type__" in fields:
        return "vector [" + ", ".join(bits(e.double_value) for e in fields["value"].array_value.values) + "]"
    return "{" + notations(fields) + "}"


def notations(fields):
    return ", ".join(quoted(key) + ": " + notation(value) for key, value in by_key(fields))


def main():
    rows = []
    for fields in documents():
        sent = Document(name=ROOT + "/c/d")
        kept = Document()
        for key, value in fields.items():
            sent.fields[key].CopyFrom(value)
            kept.fields[key].CopyFrom(canonical(value))
        sent.create_time.seconds = 1
        wire = sent.SerializeToString()
        row = [wire.hex(), entries(kept.fields, 0x12).hex(), notations(kept.fields)]
        rows.append("\t".join(row))
    path = pathlib.Path(__file__).with_name("google-documents.tsv")
    path.write_text("\n".join(rows) + "\n")
    print("%d documents, %d bytes" % (len(rows), path.stat().st_size))


main()
