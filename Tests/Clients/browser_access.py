#!/usr/bin/env python3
"""Requests as browsers send them: which pages may ask for what, under which names, and what they get to read.

    browser_access.py HOST:PORT [--official HOST:PORT]

HOST:PORT is a server of ours with `--profile emulator --open --allow-origin https://app.example --allow-host '*.svc.example'`
(Scripts/browser-access starts one). With `--official`, the official emulator is asked what any page may ask, and has to
answer with the same status and, but for what ours adds, the same headers of CORS.
"""
import argparse
import http.client
import json

from checks import Checks, close, unsigned_token

ROOT = "/v1/projects/p1/databases/(default)/documents"
RULES = "/emulator/v1/projects/p1:securityRules"
CLEAR = "/emulator" + ROOT
OPEN_RULES = json.dumps({"rules": {"files": [{"name": "a.rules", "content":
    "rules_version = '2'; service cloud.firestore { match /databases/{d}/documents { match /{x=**} { allow read, write; } } }"}]}})
DOCUMENT = json.dumps({"fields": {"a": {"integerValue": "1"}}})
QUERY = json.dumps({"structuredQuery": {"from": [{"collectionId": "c"}]}})
FOREIGN = ["https://evil.example", "http://192.168.1.5:4000", "null", "http://localhost.evil.example",
           "chrome-extension://abcdefghijklmnop"]
OURS = [None, "http://localhost:3000", "http://127.0.0.1:4000", "http://[::1]:5173", "https://app.localhost", "https://app.example"]
OWNER = {"authorization": "Bearer owner"}
ADMINISTRATION = [("PUT", RULES, OPEN_RULES), ("GET", RULES, None), ("GET", "/emulator/v1/projects/p1:ruleCoverage", None),
                  ("DELETE", CLEAR, None), ("POST", "/reset", None), ("GET", "/metrics", None)]
CALLS = [("PATCH", ROOT + "/c/a", DOCUMENT), ("GET", ROOT + "/c/a", None), ("POST", ROOT + ":runQuery", QUERY),
         ("POST", ROOT + ":listCollectionIds", None)]
PREFLIGHT = {"access-control-request-method": "POST",
             "access-control-request-headers": "content-type,x-goog-api-client,authorization",
             "access-control-request-private-network": "true"}
PATHS = [ROOT + ":runQuery", RULES, CLEAR, "/reset", "/nothing", "/", "/google.firestore.v1.Firestore/Listen/channel?VER=8&RID=1"]

check = Checks()


def ask(place, method, path, body=None, origin=None, host=None, **more):
    """Status, body, and headers by name."""
    name, _, port = place.rpartition(":")
    connection = http.client.HTTPConnection(name, int(port), timeout=20)
    try:
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("host", place if host is None else host)
        headers = dict(more.pop("headers", {}), **{key.replace("_", "-"): value for key, value in more.items()})
        if origin is not None:
            headers["origin"] = origin
        if body is not None:
            headers.update({"content-type": "text/plain", "content-length": str(len(body))})
        for key, value in headers.items():
            connection.putheader(key, value)
        connection.endheaders(body.encode() if body is not None else None)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), {key.lower(): value for key, value in answer.getheaders()}
    finally:
        connection.close()


def assert_refused(answer, option, origin):
    status, body, headers = answer
    assert status == 403, answer
    error = json.loads(body)["error"]
    assert error["status"] == "PERMISSION_DENIED" and option in error["message"], answer
    if origin is not None:
        assert headers.get("access-control-allow-origin") == origin, answer


@check("pages of this machine and allowed ones administrate, and so do programs")
def _(ours, _official):
    for origin in OURS:
        for method, path, body in ADMINISTRATION:
            answer = ask(ours, method, path, body, origin)
            assert answer[0] == 200, (origin, method, path, answer)


@check("other pages do not, and can read why not")
def _(ours, _official):
    ask(ours, "PATCH", ROOT + "/c/kept", DOCUMENT, headers=OWNER)
    for origin in FOREIGN:
        for method, path, body in ADMINISTRATION + [("POST", "/shutdown", None)]:
            assert_refused(ask(ours, method, path, body, origin), f"--allow-origin {origin}", origin)
            assert_refused(ask(ours, method, path, body, origin, headers=OWNER), f"--allow-origin {origin}", origin)
    assert ask(ours, "GET", ROOT + "/c/kept")[0] == 200


@check("an administrator's token counts from pages of this machine and allowed ones")
def _(ours, _official):
    for token in ("Bearer owner", "bearer OWNER", "Bearer ya29.abc"):
        for method, path, body in CALLS:
            for origin in OURS:
                assert ask(ours, method, path, body, origin, authorization=token)[0] == 200, (origin, path)
            for origin in FOREIGN:
                answer = ask(ours, method, path, body, origin, authorization=token)
                assert_refused(answer, f"--allow-origin {origin}", origin)


@check("with a user's token or none any page may ask, as with the official emulator")
def _(ours, official):
    user = {"authorization": "Bearer " + unsigned_token("alice", "p1")}
    for place in filter(None, (ours, official)):
        ask(place, "PUT", RULES, OPEN_RULES)
        for headers in ({}, user):
            for origin in FOREIGN + OURS:
                for method, path, body in CALLS[:3]:
                    status, text, got = ask(place, method, path, body, origin, headers=headers)
                    assert status == 200, (place, origin, path, text)
                    assert got.get("access-control-allow-origin") == origin, got


@check("preflights are granted on every path, and real answers are readable, errors among them")
def _(ours, official):
    requests = [("OPTIONS", path, PREFLIGHT) for path in PATHS]
    requests += [("GET", "/nothing", {}), ("GET", "/", {}), ("GET", ROOT + "/c/none", {}), ("POST", "/v1/x", {}),
                 ("GET", ROOT + "/c/a", {"authorization": "Bearer xx"})]
    for method, path, headers in requests:
        status, _, got = ask(ours, method, path, None, "https://evil.example", headers=headers)
        cors = {key: value for key, value in got.items() if key.startswith("access-control-")}
        assert cors["access-control-allow-origin"] == "https://evil.example", (path, got)
        assert cors["access-control-allow-credentials"] == "true" and got["vary"] == "origin", (path, got)
        if method == "OPTIONS":
            assert status == 200 and cors.pop("access-control-max-age") == "600", (path, got)
            assert cors["access-control-allow-private-network"] == "true", (path, got)
            assert cors["access-control-allow-headers"] == PREFLIGHT["access-control-request-headers"], (path, got)
        if official:
            theirs = ask(official, method, path, None, "https://evil.example", headers=headers)
            expected = {key: value for key, value in theirs[2].items() if key.startswith("access-control-")}
            assert (status, cors) == (theirs[0], expected), (method, path, status, cors, theirs)


@check("what a page fetches without naming itself reaches no administrative endpoint")
def _(ours, _official):
    for site in ("cross-site", "same-site"):
        picture = {"sec-fetch-site": site, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
        assert ask(ours, "GET", RULES, headers=picture)[0] == 403
        link = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
        assert ask(ours, "GET", "/emulator/v1/projects/p1:ruleCoverage.html", headers=link)[0] == 200
        assert ask(ours, "POST", "/reset", headers=link)[0] == 403
    for site in ("none", "same-origin"):
        assert ask(ours, "GET", RULES, sec_fetch_site=site)[0] == 200


@check("only under its own names does the server answer")
def _(ours, _official):
    port = ours.rpartition(":")[2]
    for host in ("127.0.0.1", "localhost", "LOCALHOST", "x.localhost", "[::1]", "192.168.1.5", "firestore", "db.svc.example"):
        for path in ("/", ROOT + "/c/none", RULES):
            for suffix in ("", ":" + port):
                assert ask(ours, "GET", path, host=host + suffix)[0] in (200, 404), (host, path)
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "svc.example"):
        for path in ("/", "/metrics", ROOT + "/c/none", RULES):
            assert_refused(ask(ours, "GET", path, host=f"{host}:{port}"), f"--allow-host {host}", None)
            assert_refused(ask(ours, "GET", path, host=host, origin="http://" + host), f"--allow-host {host}", "http://" + host)
    for host in ("", "a b", "localhost, evil.example", "a" * 5_000):
        assert_refused(ask(ours, "GET", "/", host=host), "--allow-host NAME", None)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument("--official")
    options = parser.parse_args()
    close([check.run(options.server, options.official)])
