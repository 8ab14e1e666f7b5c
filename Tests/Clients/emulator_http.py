#!/usr/bin/env python3
"""What an emulator's port answers beside the service itself: health, clearing, rules, coverage, reset, export.

    emulator_http.py HOST:PORT [--official HOST:PORT]

HOST:PORT is a server of ours with `--profile emulator --open`. Every row says the status and what the body holds, as the
official emulator answered when it was asked; with `--official` it is asked again, and rows where both may differ
say why.
"""
import argparse
import http.client
import json
import re
import sys
import tempfile

PROJECT = "projects/p1"
DATABASE = PROJECT + "/databases/(default)"
ROOT = DATABASE + "/documents"
OWNER = {"Authorization": "Bearer owner"}
ALICE = {"Authorization": "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9."}
NOT_FOUND = "Not Found\n"
GOOD = """rules_version = '2';
service cloud.firestore {
  match /databases/{d}/documents {
    match /c/{id} { allow read: if request.auth.uid == 'alice'; }
  }
}
"""
BROKEN = "rules_version = '2';\nservice cloud.firestore { match /a { allow read: iff true; } }"
WARNED = """service cloud.firestore {
  match /databases/{d}/documents {
    function unused() { return true; }
    match /a/{b} { allow read: if true; }
  }
}"""


def rules(text, **more):
    return json.dumps({**more, "rules": {"files": [{"name": "security.rules", "content": text}]}})


DOCUMENT = json.dumps({"fields": {"a": {"integerValue": "1"}}})
RULES = f"/emulator/v1/{PROJECT}:securityRules"
CLEAR = f"/emulator/v1/{ROOT}"


# (method, path, body, headers, status, what the body holds, why the official one may differ)
ROWS = [
    ("GET", "/", None, {}, 200, "Ok\n"),
    ("GET", "/?x=1", None, {"Authorization": "nonsense"}, 200, "Ok\n"),
    ("HEAD", "/", None, {}, 200, "", "officially 404; health checks use it"),
    ("POST", "/", None, {}, 404, NOT_FOUND),
    ("PUT", "/", None, {}, 404, NOT_FOUND),
    ("DELETE", "/", None, {}, 404, NOT_FOUND),
    ("GET", "/nothing", None, {}, 404, NOT_FOUND),
    ("GET", "/reset", None, {}, 404, NOT_FOUND),
    ("POST", "/reset/", None, {}, 404, NOT_FOUND),
    ("POST", "/Reset", None, {}, 404, NOT_FOUND),
    ("GET", "/shutdown", None, {}, 404, NOT_FOUND),
    ("GET", f"/emulator/v1/{PROJECT}", None, {}, 404, NOT_FOUND),
    ("GET", "/emulator/v1/", None, {}, 404, NOT_FOUND),
    # Clearing.
    ("PATCH", f"/v1/{ROOT}/c/a", DOCUMENT, OWNER, 200, "createTime"),
    ("PATCH", f"/v1/{ROOT}/c/a/s/x", DOCUMENT, OWNER, 200, "createTime"),
    ("PATCH", f"/v1/{ROOT}/c/ab", DOCUMENT, OWNER, 200, "createTime"),
    ("PATCH", f"/v1/{ROOT}/d/z", DOCUMENT, OWNER, 200, "createTime"),
    ("PATCH", "/v1/projects/p1/databases/other/documents/c/a", DOCUMENT, OWNER, 200, "createTime"),
    ("PATCH", "/v1/projects/p2/databases/(default)/documents/c/a", DOCUMENT, OWNER, 200, "createTime"),
    ("DELETE", f"{CLEAR}/c/a", None, {}, 200, "{"),
    ("GET", f"/v1/{ROOT}/c/a", None, OWNER, 404, "NOT_FOUND", "words"),
    ("GET", f"/v1/{ROOT}/c/a/s/x", None, OWNER, 404, "NOT_FOUND", "words"),
    ("GET", f"/v1/{ROOT}/c/ab", None, OWNER, 200, "createTime"),
    ("DELETE", f"{CLEAR}/c", None, {}, 200, "{"),
    ("GET", f"/v1/{ROOT}/c/ab", None, OWNER, 404, "NOT_FOUND", "words"),
    ("GET", f"/v1/{ROOT}/d/z", None, OWNER, 200, "createTime"),
    ("DELETE", f"{CLEAR}/c/nothing", None, {}, 200, "{"),
    ("DELETE", f"{CLEAR}/", None, {}, 200, "{"),
    ("GET", f"/v1/{ROOT}/d/z", None, OWNER, 404, "NOT_FOUND", "words"),
    ("DELETE", CLEAR, None, {}, 200, "{"),
    ("DELETE", CLEAR, None, OWNER, 200, "{"),
    ("GET", "/v1/projects/p1/databases/other/documents/c/a", None, OWNER, 200, "createTime"),
    ("GET", "/v1/projects/p2/databases/(default)/documents/c/a", None, OWNER, 200, "createTime"),
    ("DELETE", "/emulator/v1/projects/p1/databases/other/documents", None, {}, 200, "{"),
    ("GET", "/v1/projects/p1/databases/other/documents/c/a", None, OWNER, 404, "NOT_FOUND", "words"),
    ("DELETE", "/emulator/v1/projects/p1/databases/%28default%29/documents", None, {}, 200, "{"),
    ("DELETE", f"{CLEAR}/c/", None, {}, 400, f'Document parent name "{ROOT}/c/" has invalid trailing "/".'),
    ("DELETE", f"{CLEAR}//", None, {}, 400, f'Document parent name "{ROOT}//" lacks a collection id at index 42.'),
    ("DELETE", f"{CLEAR}/c//d", None, {}, 400, f'Document parent name "{ROOT}/c/" has invalid trailing "/".'),
    ("DELETE", f"{CLEAR}/c/__x__", None, {}, 400, 'Resource id "__x__" is invalid because it is reserved.'),
    ("DELETE", f"{CLEAR}/c/..", None, {}, 400, 'contains a resource id ".." at index 44.'),
    ("DELETE", CLEAR, None, {"Authorization": "Bearer xx"}, 400, "invalid jwt"),
    ("DELETE", CLEAR, None, {"Authorization": "Basic xx"}, 400, "invalid jwt", "officially 500 without words"),
    ("DELETE", f"/emulator/v1/{DATABASE}", None, {}, 404, NOT_FOUND),
    ("DELETE", "/emulator/v1/projects/p1/databases//documents", None, {}, 400, "lacks a database id at index 22."),
    ("DELETE", "/emulator/v1/projects//databases/(default)/documents", None, {}, 400,
     "lacks a project id at index 9."),
    ("GET", CLEAR, None, {}, 404, NOT_FOUND),
    ("POST", CLEAR, None, {}, 404, NOT_FOUND),
    ("PUT", CLEAR, None, {}, 404, NOT_FOUND),
    # Rules.
    ("PUT", RULES, rules(GOOD), {}, 200, "{"),
    ("GET", RULES, None, {}, 200, "security.rules"),
    ("GET", f"/emulator/v1/{DATABASE}:securityRules", None, {}, 200, "security.rules"),
    ("PUT", RULES, rules(GOOD), {"Authorization": "Bearer xx"}, 400, "invalid jwt"),
    ("PUT", RULES, rules(BROKEN), {}, 400, "Error compiling rules:\\nL2:50 Missing 'if' before conditional expression.",
     "officially it goes on with what follows from the first mistake"),
    ("GET", f"/v1/{ROOT}/c/a", None, ALICE, 404, "NOT_FOUND", "words"),
    ("PUT", RULES, rules(WARNED), {}, 200, "Unused function: unused.", "columns of tabs"),
    ("PUT", RULES, rules(GOOD), {}, 200, "{"),
    ("GET", f"/v1/{ROOT}/c/a", None, {}, 403, "PERMISSION_DENIED", "an error of the language is told twice"),
    ("GET", f"/v1/{ROOT}/c/a", None, ALICE, 404, "NOT_FOUND", "words"),
    ("PUT", RULES, None, {}, 400, "Payload isn't valid for request.", "officially 500 without words"),
    ("PUT", RULES, "{}", {}, 400, "Payload isn't valid for request.", "officially 500 without words"),
    ("PUT", RULES, "[", {}, 400, "Payload isn't valid for request."),
    ("PUT", RULES, '{"rules":{"files":[{"content":""}]}}', {}, 400, "Rules content empty. Compilation aborted"),
    ("POST", RULES, rules(GOOD), {}, 404, NOT_FOUND),
    ("DELETE", RULES, None, {}, 404, NOT_FOUND),
    ("PUT", RULES + "/", rules(GOOD), {}, 404, NOT_FOUND),
    ("PUT", "/emulator/v1/projects/p1/databases/db2:securityRules", rules(GOOD), {}, 200, "{"),
    # Coverage.
    ("GET", f"/emulator/v1/{PROJECT}:ruleCoverage", None, {}, 200, '"report"', "counts: once for each request"),
    ("GET", f"/emulator/v1/{DATABASE}:ruleCoverage", None, {}, 200, '"report"', "counts: once for each request"),
    ("GET", f"/emulator/v1/{PROJECT}:ruleCoverage.html", None, {}, 200, "<title>", "a page of our own"),
    ("POST", f"/emulator/v1/{PROJECT}:ruleCoverage", None, {}, 404, NOT_FOUND),
    ("GET", f"/emulator/v1/{PROJECT}:ruleCoverage.txt", None, {}, 404, NOT_FOUND),
    ("GET", f"/emulator/v1/{PROJECT}:nothing", None, {}, 404, NOT_FOUND),
    # Export.
    ("POST", f"/emulator/v1/{PROJECT}:export", "{}", {}, 400, 'Database name "" lacks "projects" at index 0.'),
    ("POST", f"/emulator/v1/{PROJECT}:export", '{"x": 1}', {}, 400, "Payload isn't valid for request."),
    ("POST", f"/emulator/v1/{PROJECT}:export",
     json.dumps({"database": DATABASE, "export_directory": "/nonexistent"}), {}, 400,
     "export_directory must be a directory"),
    ("POST", f"/emulator/v1/{PROJECT}:import",
     json.dumps({"database": DATABASE, "export_directory": "/nonexistent"}), {}, 400,
     "Failed to parse overall export metadata file"),
    ("GET", f"/emulator/v1/{PROJECT}:export", None, {}, 404, NOT_FOUND),
    # All of it at once.
    ("PATCH", f"/v1/{ROOT}/c/a", DOCUMENT, OWNER, 200, "createTime"),
    ("POST", "/reset", None, {}, 200, "Resetting...\n"),
    ("GET", f"/v1/{ROOT}/c/a", None, OWNER, 404, "NOT_FOUND", "words"),
    # Browsers.
    ("OPTIONS", RULES, None, {"Origin": "http://x", "Access-Control-Request-Headers": "a,b"}, 200, ""),
]
# Of ours alone.
OWN_ROWS = [
    ("GET", "/healthz", None, {}, 200, "ok\n"),
    ("GET", "/readyz", None, {}, 200, "ready\n"),
    ("GET", "/metrics", None, {}, 200, "docstore_requests_total{"),
    ("POST", "/metrics", None, {}, 404, NOT_FOUND),
]


def ask(place, row):
    host, _, port = place.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    try:
        connection.request(row[0], row[1], row[2].encode() if row[2] is not None else None, row[3])
        answer = connection.getresponse()
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, answer.read().decode().replace("\\/", "/"), headers
    finally:
        connection.close()


def plain(body):
    """Bodies without blanks, times, and the order in which JSON has its members."""
    body = re.sub(r'"(create|update)Time": ?"[^"]*"', '"time":0', body)
    try:
        return json.dumps(json.loads(body), sort_keys=True)
    except ValueError:
        return body


class Run:
    def __init__(self):
        self.passed = 0
        self.failed = 0

    def check(self, holds, name, saw):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print(f"FAILED  {name}: {saw}")

    def rows(self, ours, official, rows):
        for row in rows:
            name = f"{row[0]} {row[1]} {(row[2] or '')[:40]}"
            status, body, headers = ask(ours, row)
            text = body.replace('\\"', '"')
            self.check(status == row[4] and row[5] in text, name, f"{status} {body[:300]!r}")
            origin = row[3].get("Origin")
            if origin:
                self.check(headers.get("access-control-allow-origin") == origin, name, headers)
            if not official:
                continue
            theirs = ask(official, row)
            if len(row) > 6:
                continue
            self.check((status, plain(body)) == (theirs[0], plain(theirs[1])), "official " + name,
                       f"{theirs[0]} {theirs[1][:300]!r}, ours {status} {body[:300]!r}")

    def exchange(self, place):
        """An export is written, and brings the documents back after a clearing."""
        ask(place, ("PATCH", f"/v1/{ROOT}/c/kept", DOCUMENT, OWNER))
        with tempfile.TemporaryDirectory() as folder:
            order = {"database": DATABASE, "export_directory": folder, "export_name": "e"}
            row = ("POST", f"/emulator/v1/{PROJECT}:export", json.dumps(order), {})
            self.check(ask(place, row)[0] == 200, "export", ask(place, row))
            ask(place, ("DELETE", CLEAR, None, {}))
            order = {"database": DATABASE, "export_directory": f"{folder}/e/e.overall_export_metadata"}
            row = ("POST", f"/emulator/v1/{PROJECT}:import", json.dumps(order), {})
            self.check(ask(place, row)[0] == 200, "import", ask(place, row))
            answer = ask(place, ("GET", f"/v1/{ROOT}/c/kept", None, OWNER))
            self.check(answer[0] == 200 and '"1"' in answer[1], "the document is back", answer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("--official")
    options = parser.parse_args()
    run = Run()
    run.rows(options.server, options.official, ROWS)
    run.rows(options.server, None, OWN_ROWS)
    run.exchange(options.server)
    print(f"{run.passed} passed, {run.failed} failed")
    sys.exit(1 if run.failed else 0)


if __name__ == "__main__":
    main()
