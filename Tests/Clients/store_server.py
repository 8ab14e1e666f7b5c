"""A server process on a data folder, with calls over REST, for scripts that need no SDK."""
import http.client
import json
import os
import subprocess
import tempfile

PROJECT = "demo-attack"
BASE = f"/v1/projects/{PROJECT}/databases/(default)/documents"
DAMAGED = 65  # exit status of a process whose data folder is damaged
PATIENCE = 60


class Refused(Exception):
    """An answer that is an error."""

    def __init__(self, code, status, message):
        super().__init__(f"{code} {status}: {message}")
        self.code, self.status, self.message = code, status, message


class Time(str):
    """A time, as RFC 3339 text."""


def json_value(of):
    """A value in the JSON form of the API."""
    if isinstance(of, bool):
        return {"booleanValue": of}
    if isinstance(of, int):
        return {"integerValue": str(of)}
    if isinstance(of, Time):
        return {"timestampValue": str(of)}
    if isinstance(of, list):
        return {"arrayValue": {"values": [json_value(one) for one in of]}}
    if isinstance(of, dict):
        return {"mapValue": {"fields": {name: json_value(one) for name, one in of.items()}}}
    return {"stringValue": of}


def plain_value(value):
    """What `json_value` was made of."""
    (kind, of), = value.items()
    if kind == "integerValue":
        return int(of)
    if kind == "timestampValue":
        return Time(of)
    if kind == "arrayValue":
        return [plain_value(one) for one in of.get("values", [])]
    if kind == "mapValue":
        return {name: plain_value(one) for name, one in of.get("fields", {}).items()}
    return of


class Server:
    """`docsh serve` on a folder, from the open port to its end; killed at the end of a `with`."""

    class DidNotStart(Exception):
        def __init__(self, status, text):
            super().__init__(f"ended with {status}: {text[-300:]}")
            self.status, self.text = status, text

    def __init__(self, docsh, folder, *more):
        self.folder = folder
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [docsh, "serve", "--open", "--port", "0", "--project", PROJECT, "--data-dir", folder, *more],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        for line in self.process.stdout:
            if line.startswith("docsh: serving http://"):
                self.address = line.split()[2].removeprefix("http://")
                self.connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
                return
        status = self.process.wait(PATIENCE)
        raise Server.DidNotStart(status, self.errors())

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        self.connection.close()
        self.process.stdout.close()
        self.log.close()

    def errors(self):
        """What the process has said on standard error."""
        return os.pread(self.log.fileno(), 1 << 20, 0).decode(errors="replace")

    def ask(self, method, path, body=None):
        """(status, body) of any answer."""
        data = None if body is None else json.dumps(body)
        self.connection.request(method, path, data, {"Authorization": "Bearer owner"})
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def call(self, method, path, body=None):
        status, text = self.ask(method, path, body)
        if status == 200:
            return json.loads(text)
        try:
            error = json.loads(text)
            error = (error[0] if isinstance(error, list) else error)["error"]
        except (ValueError, KeyError, TypeError):
            raise Refused(status, "", text.decode(errors="replace")[:300]) from None
        raise Refused(status, error.get("status", ""), error.get("message", ""))

    def rows(self, answer):
        """The rows of a stream, which may end in an error."""
        for row in answer:
            if "error" in row:
                raise Refused(row["error"].get("code"), row["error"].get("status", ""), row["error"].get("message", ""))
            yield row

    @staticmethod
    def write(path, fields):
        return {"update": {"name": BASE.removeprefix("/v1/") + "/" + path,
                           "fields": {name: json_value(of) for name, of in fields.items()}}}

    @staticmethod
    def delete(path):
        return {"delete": BASE.removeprefix("/v1/") + "/" + path}

    def commit(self, writes):
        return self.call("POST", BASE + ":commit", {"writes": writes})


COLLECTIONS = ["users", "posts", "large", "tags/t0/items", "tags/t1/items"]


def fill(server):
    """Documents of all sizes in some collections, each changed or deleted and made again: history, free pages."""
    for round in range(3):
        for collection in COLLECTIONS[:2] + COLLECTIONS[3:]:
            for start in range(0, 400, 200):
                server.commit([
                    server.write(f"{collection}/{collection[0]}-{number:05}", {
                        "n": number, "round": round, "text": "word " * (number % 40)})
                    for number in range(start, start + 200) if (number + round) % 3 or round == 0])
        server.commit([server.write(f"large/{number}", {"n": round, "text": f"{round}" * (3_000 * (number + 1))})
                       for number in range(12)])
        server.commit([server.delete(f"posts/p-{number:05}") for number in range(round * 50, round * 50 + 40)])


def read_all(server, expected):
    """{path: fields} of all documents, read by lists, counted, and then those of `expected` by name."""
    found = {}
    for collection in COLLECTIONS:
        parent, _, name = collection.rpartition("/")
        place = BASE + ("/" + parent if parent else "")
        query = {"from": [{"collectionId": name}]}
        count = 0
        for row in server.rows(server.call("POST", place + ":runQuery", {"structuredQuery": query})):
            if "document" in row:
                found[row["document"]["name"].split("/documents/")[1]] = row["document"]["fields"]
                count += 1
        rows = list(server.rows(server.call("POST", place + ":runAggregationQuery", {
            "structuredAggregationQuery": {"structuredQuery": query, "aggregations": [{"alias": "n", "count": {}}]}})))
        counted = int(rows[0]["result"]["aggregateFields"]["n"]["integerValue"])
        assert counted == count, f"{collection}: counted {counted}, listed {count}"
    names = [BASE.removeprefix("/v1/") + "/" + path for path in expected]
    for start in range(0, len(names), 500):
        for row in server.rows(server.call("POST", BASE + ":batchGet", {"documents": names[start:start + 500]})):
            assert "missing" not in row, f"silently: a get says that {row['missing']} is missing"
    return found
