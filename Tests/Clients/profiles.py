#!/usr/bin/env python3
"""The Python SDK as end users against a server of either profile: what the profile decides, seen by a client.

    profiles.py PROFILE HOST:PORT        PROFILE is production or emulator

Needs the packages of requirements.txt, and a server that was started without rules.
"""
import base64
import json
import os
import sys
import time
import urllib.error
import urllib.request

if len(sys.argv) != 3 or sys.argv[1] not in ("production", "emulator"):
    sys.exit(__doc__)
PROFILE, HOST = sys.argv[1:]
os.environ["FIRESTORE_EMULATOR_HOST"] = HOST

from google.api_core import exceptions  # noqa: E402  (reads the variable that was set above)
from google.auth.credentials import AnonymousCredentials  # noqa: E402
from google.cloud import firestore  # noqa: E402
from google.cloud.firestore_v1.services.firestore import FirestoreClient  # noqa: E402
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport  # noqa: E402
import grpc  # noqa: E402

PROJECT = "demo-profiles"
RULES = """rules_version = '2';
service cloud.firestore {{ match /databases/{{d}}/documents {{ match /own/{{id}} {{ allow read: if {0}; }} }} }}
"""
failures = []


def check(name, got, production, emulator=None):
    expected = production if PROFILE == "production" or emulator is None else emulator
    if got != expected:
        failures.append(name)
        print(f"FAILED {name}: {got!r}, expected {expected!r}")


def token(**claims):
    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
    return f"{part({'alg': 'none'})}.{part(claims)}."


def api(bearer):
    """The generated client, with somebody's token on every call."""
    channel = grpc.insecure_channel(HOST)
    client = FirestoreClient(transport=FirestoreGrpcTransport(channel=channel, host=HOST))
    metadata = [("authorization", f"Bearer {bearer}")] if bearer else []
    return client, metadata


def outcome(call):
    try:
        call()
        return "OK"
    except exceptions.GoogleAPICallError as error:
        return error.grpc_status_code.name


def get(path, bearer, database="(default)"):
    client, metadata = api(bearer)
    name = f"projects/{PROJECT}/databases/{database}/documents/{path}"
    return outcome(lambda: client.get_document({"name": name}, metadata=metadata))


def begin(bearer, options):
    client, metadata = api(bearer)
    request = {"database": f"projects/{PROJECT}/databases/(default)", "options": options}
    return outcome(lambda: client.begin_transaction(request, metadata=metadata))


def put_rules(where, condition):
    body = json.dumps({"rules": {"files": [{"content": RULES.format(condition)}]}}).encode()
    request = urllib.request.Request(
        f"http://{HOST}/emulator/v1/projects/{PROJECT}{where}:securityRules", data=body, method="PUT")
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.status


def message(path, bearer):
    client, metadata = api(bearer)
    name = f"projects/{PROJECT}/databases/(default)/documents/{path}"
    try:
        client.get_document({"name": name}, metadata=metadata)
    except exceptions.GoogleAPICallError as error:
        return error.message
    return ""


def main():
    admin = firestore.Client(project=PROJECT, credentials=AnonymousCredentials())
    admin.document("own/alice").set({"n": 1})
    now = int(time.time())
    alice = token(sub="alice", iat=0)

    check("no rules", get("own/alice", alice), "PERMISSION_DENIED", "OK")
    check("PUT for the first database", put_rules("", "request.auth.uid == id"), 200)
    check("own document", get("own/alice", alice), "OK")
    check("foreign document", get("own/bob", alice), "PERMISSION_DENIED")
    check("another database keeps having no rules", get("own/alice", alice, "audit"), "PERMISSION_DENIED",
          "NOT_FOUND")
    check("PUT for another database", put_rules("/databases/audit", "true"), 200)
    check("… holds there", get("own/alice", None, "audit"), "NOT_FOUND")
    check("… and only there", get("own/alice", None), "PERMISSION_DENIED")

    check("expired token", get("own/alice", token(sub="alice", iat=now - 9000, exp=now - 5400)),
          "UNAUTHENTICATED", "OK")
    check("token of another project", get("own/alice", token(
        sub="alice", iat=now, exp=now + 3600, aud="other", iss="https://securetoken.google.com/other")),
        "UNAUTHENTICATED", "OK")
    check("token of this project", get("own/alice", token(
        sub="alice", iat=now, exp=now + 3600, aud=PROJECT, iss="https://securetoken.google.com/" + PROJECT)), "OK")
    check("no token", get("own/alice", "nonsense"), "UNAUTHENTICATED", "INVALID_ARGUMENT")
    check("user_id gives no uid", get("own/alice", token(user_id="alice")), "PERMISSION_DENIED")

    check("transaction that writes", begin(alice, {"read_write": {}}), "PERMISSION_DENIED", "OK")
    check("transaction that reads", begin(alice, {"read_only": {}}), "OK")
    check("a server's transaction", begin("owner", {"read_write": {}}), "OK")

    words = "\nfalse for 'get' @ L2"
    reason = "\n  /own/{id} read (line 2): `request.auth.uid == id` is false"
    check("message of a denial", message("own/bob", alice).strip(),
          "Missing or insufficient permissions." + words + reason, words.strip())

    print(f"profile {PROFILE}: " + (f"{len(failures)} failed" if failures else "all as expected"))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
