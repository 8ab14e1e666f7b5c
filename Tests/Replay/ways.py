"""The two ways to send a request, and the answer in a form that both ways share."""
import http.client
import json
import urllib.parse

from google.cloud.firestore_v1.types import firestore
from google.protobuf import empty_pb2, json_format
from google.cloud.firestore_v1.types import document
import grpc

TIMEOUT = 20
# method: is it a stream, the message it answers
METHODS = {
    "GetDocument": (False, document.Document), "ListDocuments": (False, firestore.ListDocumentsResponse),
    "CreateDocument": (False, document.Document), "UpdateDocument": (False, document.Document),
    "DeleteDocument": (False, None), "BatchGetDocuments": (True, firestore.BatchGetDocumentsResponse),
    "BeginTransaction": (False, firestore.BeginTransactionResponse), "Commit": (False, firestore.CommitResponse),
    "Rollback": (False, None), "RunQuery": (True, firestore.RunQueryResponse),
    "RunAggregationQuery": (True, firestore.RunAggregationQueryResponse),
    "ListCollectionIds": (False, firestore.ListCollectionIdsResponse),
    "BatchWrite": (False, firestore.BatchWriteResponse), "PartitionQuery": (False, firestore.PartitionQueryResponse),
    "ExecutePipeline": (True, firestore.ExecutePipelineResponse),
}
# method: HTTP method, the field that names the place, the verb, and the field that is the body
FORMS = {
    "GetDocument": ("GET", "name", "", ""), "ListDocuments": ("GET", "parent", "", ""),
    "CreateDocument": ("POST", "parent", "", "document"), "UpdateDocument": ("PATCH", "document.name", "", "document"),
    "DeleteDocument": ("DELETE", "name", "", ""), "BatchGetDocuments": ("POST", "database", "batchGet", "*"),
    "BeginTransaction": ("POST", "database", "beginTransaction", "*"), "Commit": ("POST", "database", "commit", "*"),
    "Rollback": ("POST", "database", "rollback", "*"), "BatchWrite": ("POST", "database", "batchWrite", "*"),
    "RunQuery": ("POST", "parent", "runQuery", "*"),
    "RunAggregationQuery": ("POST", "parent", "runAggregationQuery", "*"),
    "ListCollectionIds": ("POST", "parent", "listCollectionIds", "*"),
    "PartitionQuery": ("POST", "parent", "partitionQuery", "*"),
    "ExecutePipeline": ("POST", "database", "executePipeline", "*"),
}
HTTP_OF = {"OK": 200, "INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "NOT_FOUND": 404, "ALREADY_EXISTS": 409,
           "ABORTED": 409, "PERMISSION_DENIED": 403, "UNAUTHENTICATED": 401, "RESOURCE_EXHAUSTED": 429,
           "UNIMPLEMENTED": 501, "UNKNOWN": 500, "INTERNAL": 500, "DEADLINE_EXCEEDED": 504}


class Answer:
    """A status (a number of HTTP, or a word where there was no answer) and a body."""

    def __init__(self, status, body, headers=None):
        self.status, self.body, self.headers = status, body, headers or {}


class REST:
    name = "rest"

    def __init__(self, address):
        self.host, port = address.rsplit(":", 1)
        self.port = int(port)
        self.connection = None

    def send(self, method, path, body=None, headers=None, wants_headers=(), timeout=TIMEOUT):
        """One exchange; a connection that was closed meanwhile is opened again."""
        for attempt in (0, 1):
            if self.connection is None:
                self.connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
            try:
                self.connection.request(method, path, body=body, headers=headers or {})
                response = self.connection.getresponse()
                content = response.read()
                found = {key: response.headers.get(key) for key in wants_headers}
                return Answer(response.status, parsed(content), found)
            except (http.client.HTTPException, ConnectionError) as error:
                self.connection = None
                if attempt:
                    return Answer(type(error).__name__, None)
            except TimeoutError:
                self.connection = None
                return Answer("no answer", None)

    def call(self, rpc, body, auth):
        method, field, verb, content = FORMS[rpc]
        body = dict(body)
        if field == "document.name":
            place = body["document"].get("name", "")
        else:
            place = body.pop(field, "")
        if field == "database":
            place += "/documents"
        path = "/v1/" + urllib.parse.quote(place, safe="/()")
        if rpc in ("ListDocuments", "CreateDocument"):
            path += "/" + urllib.parse.quote(body.pop("collectionId", ""), safe="")
        if verb:
            path += ":" + verb
        payload = None
        if content == "*":
            payload = json.dumps(body)
        elif content:
            payload = json.dumps(body.pop(content, {}))
        if content != "*" and (query := urllib.parse.urlencode(flattened(body), quote_via=urllib.parse.quote)):
            path += "?" + query
        headers = {"Authorization": auth} if auth else {}
        return self.send(method, path, payload, headers)


def flattened(body, prefix=""):
    """The parameters of a query string for the fields of a message."""
    pairs = []
    for key, value in body.items():
        if isinstance(value, dict):
            pairs += flattened(value, prefix + key + ".")
        elif isinstance(value, list):
            pairs += [(prefix + key, element) for element in value]
        else:
            pairs.append((prefix + key, {True: "true", False: "false"}.get(value, value) if value in (True, False) and
                          isinstance(value, bool) else value))
    return pairs


def parsed(content):
    text = content.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text


class GRPC:
    name = "grpc"

    def __init__(self, address, service="google.firestore.v1.Firestore"):
        self.channel = grpc.insecure_channel(address, options=[("grpc.max_receive_message_length", -1)])
        self.service = service

    def call(self, rpc, body, auth):
        is_stream, answer = METHODS[rpc]
        message = getattr(firestore, rpc + "Request").pb()()
        json_format.ParseDict(body, message)
        path = f"/{self.service}/{rpc}"
        metadata = [("authorization", auth)] if auth else []
        kind = (answer.pb() if answer else empty_pb2.Empty)
        try:
            if is_stream:
                stub = self.channel.unary_stream(path)
                messages = [shown(kind, found) for found in stub(
                    message.SerializeToString(), timeout=TIMEOUT, metadata=metadata)]
                return Answer(200, messages)
            stub = self.channel.unary_unary(path)
            return Answer(200, shown(kind, stub(message.SerializeToString(), timeout=TIMEOUT, metadata=metadata)))
        except grpc.RpcError as error:
            code = error.code().name
            if code == "DEADLINE_EXCEEDED":
                return Answer("no answer", None)
            return Answer(HTTP_OF.get(code, 500), {"error": {"status": code, "message": error.details()}})


def shown(kind, content):
    return json_format.MessageToDict(kind.FromString(content))
