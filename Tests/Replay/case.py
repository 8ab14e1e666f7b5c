"""What a replayed request is, and short ways to write one.

A request names a method of the service and carries its message as a dictionary in protobuf's JSON form. It can be sent
over REST and over gRPC alike; `Raw` is for what only one of the two can say.
"""
import dataclasses

ROOT = "projects/{project}/databases/(default)/documents"
DATABASE = "projects/{project}/databases/(default)"


@dataclasses.dataclass
class Request:
    """One call. `save` names what later requests may use as {name}: a function of the answer's body."""
    area: str
    rpc: str
    body: dict
    auth: str = "owner"
    save: dict = dataclasses.field(default_factory=dict)
    only: str = ""      # "rest" or "grpc" for what is sent one way only
    unordered: bool = False     # the answers of a stream may come in any order


@dataclasses.dataclass
class Raw:
    """One HTTP request as it is."""
    area: str
    method: str
    path: str
    body: object = None
    headers: dict = dataclasses.field(default_factory=dict)
    auth: str = "owner"
    save: dict = dataclasses.field(default_factory=dict)
    wants_headers: tuple = ()
    only: str = "rest"
    hangs: bool = False     # the official emulator never answers; we must


class Area:
    """Collects the requests of one area, in the order in which they are sent."""

    def __init__(self, name):
        self.name = name
        self.requests = []

    def __call__(self, rpc, body=None, **keywords):
        self.requests.append(Request(self.name, rpc, body or {}, **keywords))

    def raw(self, method, path, body=None, **keywords):
        self.requests.append(Raw(self.name, method, path, body, **keywords))

    # Shapes that come again and again

    def put(self, path, fields):
        self("UpdateDocument", {"document": {"name": name(path), "fields": fields}})

    def get(self, path, **more):
        keywords = {key: more.pop(key) for key in ("auth", "save") if key in more}
        self("GetDocument", {"name": name(path), **more}, **keywords)

    def commit(self, *writes, **more):
        keywords = {key: more.pop(key) for key in ("auth", "save") if key in more}
        self("Commit", {"database": DATABASE, "writes": list(writes), **more}, **keywords)

    def query(self, query, parent="", **more):
        keywords = {key: more.pop(key) for key in ("auth", "save", "unordered") if key in more}
        self("RunQuery", {"parent": place(parent), "structuredQuery": query, **more}, **keywords)

    def aggregate(self, query, *aggregations, parent="", **more):
        keywords = {key: more.pop(key) for key in ("auth", "save") if key in more}
        self("RunAggregationQuery", {
            "parent": place(parent),
            "structuredAggregationQuery": {"structuredQuery": query, "aggregations": list(aggregations)}, **more},
            **keywords)


def name(path):
    return f"{ROOT}/{path}"


def place(path):
    return name(path) if path else ROOT


def update(path, fields=None, mask=None, transforms=None, condition=None):
    write = {"update": {"name": name(path), "fields": fields or {}}}
    if mask is not None:
        write["updateMask"] = {"fieldPaths": mask}
    if transforms is not None:
        write["updateTransforms"] = transforms
    if condition is not None:
        write["currentDocument"] = condition
    return write


def delete(path, condition=None, **more):
    return {"delete": name(path), **({"currentDocument": condition} if condition else {}), **more}


# Values

def integer(number):
    return {"integerValue": str(number)}


def double(number):
    return {"doubleValue": number}


def text(value):
    return {"stringValue": value}


def flag(value):
    return {"booleanValue": value}


def array(*values):
    return {"arrayValue": {"values": list(values)}}


def mapping(**fields):
    return {"mapValue": {"fields": fields}}


def reference(path):
    return {"referenceValue": name(path)}


def instant(value):
    return {"timestampValue": value}


def vector(*numbers):
    return mapping(__type__=text("__vector__"), value=array(*[double(number) for number in numbers]))


NULL = {"nullValue": None}
NAN = double("NaN")


# Queries

def select_from(collection, group=False, **parts):
    selector = {"collectionId": collection}
    if group:
        selector["allDescendants"] = True
    return {"from": [selector], **parts}


def where(path, operator, value):
    return {"fieldFilter": {"field": {"fieldPath": path}, "op": operator, "value": value}}


def unary(path, operator):
    return {"unaryFilter": {"field": {"fieldPath": path}, "op": operator}}


def both(*filters):
    return {"compositeFilter": {"op": "AND", "filters": list(filters)}}


def either(*filters):
    return {"compositeFilter": {"op": "OR", "filters": list(filters)}}


def order(path, direction=None):
    return {"field": {"fieldPath": path}, **({"direction": direction} if direction else {})}


def cursor(*values, before=False):
    return {"values": list(values), **({"before": True} if before else {})}
