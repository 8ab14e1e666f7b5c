"""Why an answer of ours may differ from the other server's: rows, each with its reason, and the test that knows one.

Rows of `official` compare our server of profile emulator with the official emulator 1.19, rows of `profiles` our two
profiles. A row's letter and number is that of the project's list of differences between production and the official
emulator. docs/replay.md has the table.
"""
import re

from areas_rest import VALUE_OF
from case import Raw

PAYLOAD = "Payload isn't valid for request."


def official(request, way, ours, theirs):
    """The row that explains the pair, or None."""
    for name, explains in OFFICIAL:
        if explains(Pair(request, way, ours, theirs)):
            return name
    return None


def profiles(request, way, ours, theirs):
    """The same for profile production (ours) and profile emulator (theirs)."""
    for name, explains in PROFILES:
        if explains(Pair(request, way, ours, theirs)):
            return name
    return None


class Pair:
    def __init__(self, request, way, ours, theirs):
        self.request, self.way = request, way
        self.status, self.body = ours
        self.their_status, self.their_body = theirs
        self.text = self.body.get("message", "") if isinstance(self.body, dict) else ""
        self.their_text = self.their_body.get("message", "") if isinstance(self.their_body, dict) else ""
        self.code = self.body.get("status") if isinstance(self.body, dict) else None
        self.their_code = self.their_body.get("status") if isinstance(self.their_body, dict) else None
        self.rpc = getattr(request, "rpc", "")
        self.asked = str(request.body) if request.body is not None else ""
        self.path = getattr(request, "path", "")
        self.is_same_code = self.status == self.their_status and self.code == self.their_code

    def texts(self, ours, theirs):
        """Whether only the text differs, and these patterns know both."""
        return bool(self.is_same_code and re.search(ours, self.text) and re.search(theirs, self.their_text))

    @property
    def is_raw(self):
        return isinstance(self.request, Raw)


def without_skipped(body):
    """The stream without anything about skipped results."""
    shown = [{key: value for key, value in element.items() if key != "skippedResults"} for element in body]
    return [element for element in shown if "document" in element]


def reasons(text):
    return {part.strip() for part in re.split(r"(?<=@ L\d), |(?<=@ L\d\d), |\n", text) if part.strip()}


def is_denial_of_same_rules(pair):
    """Whether each of our reasons is word for word, with its rule's line, among theirs."""
    if not (pair.status == pair.their_status == 403):
        return False
    mine = reasons(pair.text)
    return bool(mine) and mine <= reasons(pair.their_text)


def is_list_of(body):
    return isinstance(body, list) and all(isinstance(element, dict) for element in body)


def same_but(body, other, key):
    return isinstance(body, dict) and isinstance(other, dict) and {
        name: value for name, value in body.items() if name != key} == {
        name: value for name, value in other.items() if name != key}


def counters(pair):
    """batchWrite: the same apart from texts."""
    def shown(body):
        return [status.get("code") for status in body.get("status", [])], body.get("writeResults")
    return isinstance(pair.body, dict) and pair.status == 200 == pair.their_status and shown(pair.body) == shown(pair.their_body)


# What only the official emulator's reader of JSON takes, as values of a document.
SLOPPY = ["/*c*/{\"stringValue\":\"x\"}", "{\"stringValue\"=\"x\"}", "{\"integerValue\":01}", "{\"stringValue\":abc}", "{\"doubleValue\":NaN}",
          "{\"doubleValue\":.5}"]
# Times that the official emulator carries over into the next year, or cuts.
OVERFLOWING = ["{\"timestampValue\":\"2020-13-01T00:00:00Z\"}", "{\"timestampValue\":\"2020-01-01T00:00:00.1234567891Z\"}"]
# What the service takes and the official emulator does not: words for truths, an object for a list, commas before brackets.
LENIENT = ["{\"booleanValue\":1}", "null", "{\"booleanValue\":\"yes\"}", "{\"booleanValue\":\"TRUE\"}", "{\"nullValue\":\"null_value\"}",
           "{\"timestampValue\":{\"seconds\":1}}", "{\"arrayValue\":{\"values\":{\"stringValue\":\"x\"}}}", "{\"arrayValue\":{\"values\":[null]}}",
           "{\"arrayValue\":{\"values\":[[{\"stringValue\":\"x\"}]]}}", "{\"mapValue\":{\"fields\":{\"a\":null}}}", "{\"stringValue\":\"\\q\"}",
           "{\"stringValue\":\"x\",}", "{\"arrayValue\":{\"values\":[{\"stringValue\":\"x\"},]}}", "{\"booleanValue\":0}"]
# What the official emulator takes and the service does not: other kinds for texts and bytes, decimals in texts, one name twice.
STRICT = ["{\"stringValue\":1}", "{\"integerValue\":\"1.0\"}", "{\"integerValue\":\"1e3\"}", "{\"bytesValue\":1234}", "{\"stringValue\":1.50}",
          "{\"stringValue\":true}", "{\"mapValue\":{\"fields\":{\"a\":{\"stringValue\":\"x\"},\"a\":{\"stringValue\":\"y\"}}}}",
          "{\"integerValue\":\"1\",\"integerValue\":\"2\"}"]
# Queries of which the same is true.
LENIENT_QUERIES = ("\"from\":{}", "\"collectionId\":\"rest\"}],}", "\"allDescendants\":\"yes\"", "\"limit\":{\"value\":1}")
STRICT_QUERIES = ("\"collectionId\":1}", "}} trailing", "\"a\":{\"nullValue\":null},\"a\":")


def is_about(pair, values):
    """Whether the request writes one of these values, or reads the document that it was written to."""
    if not pair.is_raw or pair.request.area != "bodies":
        return False
    value = VALUE_OF.get(pair.path.split("/")[-1])
    return value in values


def has_body(pair, parts):
    return pair.is_raw and pair.request.area == "bodies" and isinstance(pair.request.body, bytes) and any(
        part.encode() in pair.request.body for part in parts)


TRANSCODER = r"^(Invalid JSON payload received\. |Invalid value )"

OFFICIAL = [
    ("W2 production's text for what exists already", lambda p: p.texts(r"^Document already exists: ", r"^entity already exists")),
    ("W3 production's text for what is missing", lambda p: p.texts(r"^No document to update: ", r"^no entity to update")),
    ("W3 production's text for what is missing", lambda p: p.rpc == "BatchWrite" and counters(p)),
    ("an empty commit has a commit time", lambda p: ("Commit" in p.rpc or ":commit" in p.path) and p.body == {"commitTime": "time"} and p.their_body == {}),
    ("Q15 a token only where a page follows", lambda p: p.status == 200 == p.their_status and same_but(p.body, p.their_body, "nextPageToken")),
    ("Q15 tokens of ordered lists, and foreign ones, end in an internal error", lambda p: p.their_code == "UNKNOWN" and "pageToken" in p.asked + p.path),
    ("Q2 skipped results come first, and past the end", lambda p: p.rpc == "RunQuery" and is_list_of(p.body) and is_list_of(p.their_body)
        and without_skipped(p.body) == without_skipped(p.their_body)),
    ("L14 production's answer to six aggregations", lambda p: "aggregations allowed" in p.text and p.their_code == "UNKNOWN"),
    ("Q5 scans by descending name are served", lambda p: "does not support descending key scans" in p.their_text and p.status == 200),
    ("Q6 a reference may break ties of a cursor", lambda p: p.their_text == "Cursor has too many values." and p.status in (200, 403)),
    ("Q7 production's text for reserved names", lambda p: p.texts(r"^invalid reserved name in field path|is reserved$", r"^Invalid (reserved name|property path)|^the name ")),
    ("5.2 orders are judged before projections", lambda p: p.texts(r'^Invalid property path "a\.\.b"', r'^Invalid property path "c\.\.d"')),
    ("5.2 limits are judged before filters", lambda p: p.texts(r"^limit is negative", r"^Invalid property path")),
    ("Q7 paths that production refuses", lambda p: p.status == 400 and p.their_status == 200 and re.search(
        r"reserved|longer than 1500|member name|not supported for the property", p.text)),
    ("L13 fields of inequalities in no order", lambda p: p.texts(r"distinct inequality fields", r"distinct inequality fields")),
    ("production's text for cursors of other databases", lambda p: p.texts(r"different partition", r"different database")),
    ("1.22 names of numeric form", lambda p: p.texts(r"^A long document ID string", r"is invalid because it is reserved")),
    ("1.22 texts of vectors and types", lambda p: p.texts(r"^(Field __type__ must be|Vector value)", r"^(Field __type__ is not|Vector Value)")),
    ("1.22 unary filters without a field", lambda p: p.texts(r"^Unknown UnaryFilter operator", r"^Unsupported UnaryFilter operand")),
    ("1.22 an OR of nothing", lambda p: p.their_text == "Composite filter must have at least one sub-filter." and p.status in (200, 403)),
    ("equal filters are not made one", lambda p: p.their_status in (200, 403) and re.search(r"^(A maximum of 1 'ARRAY|Too many disjunctions)", p.text)),
    ("L15 sizes of pages", lambda p: p.is_raw and p.path.endswith("/documents/") and p.status == 200 == p.their_status),
    ("L6 lengths of ids are judged on reads and deletes too", lambda p: "is longer than 1500 bytes" in p.text and p.their_status in (200, 404)),
    ("1.10 tokens that nobody was given", lambda p: p.rpc == "Rollback" and p.text == "Transaction is invalid or expired."),
    ("C7 headers that are no bearer", lambda p: p.request.area == "authorization" and p.their_code == "UNKNOWN"),
    ("Q10 pipelines are refused in words", lambda p: p.rpc == "ExecutePipeline" and p.their_code == "UNKNOWN"),
    ("Q8 partitions are served", lambda p: p.rpc == "PartitionQuery" and p.their_code == "UNIMPLEMENTED"),
    ("nested paths lead a vector search into maps", lambda p: "findNearest" in p.asked and "m.v" in p.asked),
    ("times of REST parameters are read", lambda p: "updateTime" in p.asked + p.path and ("(0)" in p.their_text or p.their_status == 200)),
    ("times of REST parameters are read", lambda p: p.way == "rest" and p.rpc == "UpdateDocument" and "updateTime" in p.asked and p.status == 403 == p.their_status),
    ("names that are refused are refused before rules", lambda p: p.their_status == 403 and re.search(r"^(The key path element|field name __name__ is reserved)", p.text)),
    ("F4 reasons of a denial come once", is_denial_of_same_rules),
    ("F4 which refused write of a commit is told", lambda p: p.rpc == "Commit" and len(p.request.body["writes"]) > 1 and p.code == p.their_code == "PERMISSION_DENIED"
        and p.text.strip() == "No matching allow statements" and " @ L" in p.their_text),
    ("our compiler's words", lambda p: p.is_raw and ":securityRules" in p.path),
    ("+ in a query string is a blank", lambda p: "+" in p.path or "%2B" in p.path),
    ("blanks around an order", lambda p: p.rpc == "ListDocuments" and "'orderBy': ' n  desc '" in p.asked),
    ("Q17 parameters are read as production reads them", lambda p: p.is_raw and ("showMissing=maybe" in p.path or "pageSize=1&" in p.path)),
    ("empty segments of a path", lambda p: p.is_raw and "//" in p.path),
    ("W16 months and fractions that there are not", lambda p: p.their_status == 200 and is_about(p, OVERFLOWING)),
    ("JSON: comments, `=`, bare words and bare fractions", lambda p: p.their_status == 200 and is_about(p, SLOPPY)),
    ("every content type is read as JSON", lambda p: p.is_raw and "Content-Type" in p.request.headers and p.their_status == 404),
]

PROFILES = [
    ("our compiler's words", lambda p: p.is_raw and ":securityRules" in p.path and p.texts(r"\[rules-", r"^Error compiling rules")),
    ("L15 sizes of pages", lambda p: p.is_raw and p.path.endswith("/documents/") and p.status == 200 == p.their_status and p.request.method == "GET"),
    ("W1 text of a missing document", lambda p: p.texts(r'^Document "', r"^Document \(")),
    ("C6 C7 headers that are no token", lambda p: p.request.area == "authorization" and p.their_text == "invalid jwt"),
    ("C4 C5 tokens that are over, or of others", lambda p: p.code == "UNAUTHENTICATED" and p.request.area == "authorization"),
    ("C10 users and what servers alone may ask", lambda p: p.texts(r"^Missing or insufficient permissions", r"admin authentication")),
    ("T13 production's text for retries", lambda p: p.texts(r"^Invalid retry transaction", r"^Invalid transaction")),
    ("T14 users' transactions", lambda p: p.rpc == "BeginTransaction" and p.status == 403),
    ("Q10 pipelines", lambda p: p.rpc == "ExecutePipeline"),
    ("Q12 cosine of nothing", lambda p: "magnitude of zero" in p.text),
    ("Q16 unknown parameters", lambda p: "Cannot bind query parameter" in p.text),
    ("F4 words of a denial", lambda p: p.status == 403 == p.their_status and p.text.startswith("Missing or insufficient")),
    ("Q18 the service's words for bodies", lambda p: p.is_same_code and re.search(TRANSCODER, p.text) and p.their_text == PAYLOAD),
    ("Q18 bodies that only the service reads", lambda p: p.status == 200 and p.their_text == PAYLOAD and (is_about(p, LENIENT) or has_body(p, LENIENT_QUERIES))),
    ("Q18 bodies that only the service reads", lambda p: p.request.method == "GET" and p.status == 200 and p.their_status == 404 and is_about(p, LENIENT)),
    ("Q18 bodies that only the emulator reads", lambda p: re.search(TRANSCODER, p.text) and p.their_status in (200, 409) and (is_about(p, STRICT) or has_body(p, STRICT_QUERIES))),
    ("Q18 bodies that only the emulator reads", lambda p: p.request.method == "GET" and p.status == 404 and p.their_status == 200 and is_about(p, STRICT)),
    ("Q18 halves of surrogate pairs", lambda p: p.status == 200 == p.their_status and is_about(p, ["{\"stringValue\":\"\\ud800\"}"])),
    ("R2 without rules users are denied", lambda p: p.status == 403 and p.their_status in (200, 404)),
]
