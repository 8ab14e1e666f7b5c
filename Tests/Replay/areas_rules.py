"""The same operations as end users, under rules."""
import base64
import dataclasses
import json
import re
import time

from case import (DATABASE, ROOT, Area, Request, array, delete, either, flag, integer, name, order, select_from, text, unary, update, where)

RULES = """rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /own/{id} {
      allow read: if request.auth != null && resource.data.owner == request.auth.uid;
      allow create: if request.resource.data.owner == request.auth.uid;
      allow update: if resource.data.owner == request.auth.uid && request.resource.data.owner == resource.data.owner;
      allow delete: if resource.data.owner == request.auth.uid;
    }
    match /public/{id} { allow read: if true; allow write: if request.auth.token.admin == true; }
    match /pages/{id} { allow list: if request.query.limit <= 2; }
    match /members/{id} { allow get: if exists(/databases/$(database)/documents/public/$(request.auth.uid)); }
    match /{path=**}/deep/{id} { allow read; }
  }
}
"""


def tokens(project):
    """Bearer tokens as test libraries make them, by name."""
    now = int(time.time())

    def token(**claims):
        def part(value):
            return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")
        return f"{part({'alg': 'none', 'type': 'JWT'})}.{part(claims)}."

    mine = {"iss": f"https://securetoken.google.com/{project}", "aud": project, "iat": now, "exp": now + 3600}
    return {
        "alice": token(**mine, sub="alice", user_id="alice"), "bob": token(**mine, sub="bob", admin=True),
        "nobody": token(**mine), "expired": token(**{**mine, "iat": now - 9000, "exp": now - 5400}, sub="alice"),
        "foreign": token(**{**mine, "aud": "other", "iss": "https://securetoken.google.com/other"}, sub="alice"),
    }


rules = Area("rules")
rules.commit(*[update(path, fields) for path, fields in {
    "own/a": {"owner": text("alice"), "n": integer(1)}, "own/b": {"owner": text("bob"), "n": integer(2)},
    "public/alice": {}, "pages/a": {}, "pages/b": {}, "pages/c": {}, "members/x": {}, "x/y/deep/z": {},
    "closed/a": {}}.items()])
rules.raw("PUT", "/emulator/v1/projects/{project}:securityRules",
          {"rules": {"files": [{"name": "replay.rules", "content": RULES}]}}, only="")
for who in ("", "{alice}", "{bob}", "{nobody}"):
    for path in ("own/a", "own/b", "own/none", "public/alice", "public/none", "closed/a", "members/x", "members/none", "pages/a",
                 "x/y/deep/z", "x/y/deep/none"):
        rules.get(path, auth=who)
    for query in (select_from("own"), select_from("own", where=where("owner", "EQUAL", text("alice"))),
                  select_from("own", where=where("owner", "IN", array(text("alice")))),
                  select_from("own", where=either(where("owner", "EQUAL", text("alice")), where("owner", "EQUAL", text("bob")))),
                  select_from("own", where=where("n", "EQUAL", integer(1))), select_from("public"), select_from("public", limit=1),
                  select_from("pages"), select_from("pages", limit=2), select_from("pages", limit=3), select_from("closed"),
                  select_from("deep", group=True), select_from("own", group=True), {}):
        rules.query(query, auth=who)
    rules.aggregate(select_from("own", where=where("owner", "EQUAL", text("alice"))), {"count": {}}, auth=who)
    rules.aggregate(select_from("own"), {"count": {}}, auth=who)
    rules("BatchGetDocuments", {"database": DATABASE, "documents": [name("own/a"), name("public/alice")]}, auth=who, unordered=True)
    rules("BatchGetDocuments", {"database": DATABASE, "documents": [name("own/a"), name("own/b")]}, auth=who)
    rules("ListDocuments", {"parent": ROOT, "collectionId": "public"}, auth=who)
    rules("ListDocuments", {"parent": ROOT, "collectionId": "pages", "pageSize": 2}, auth=who)
    rules("ListDocuments", {"parent": ROOT, "collectionId": "own"}, auth=who)
    for write in (update("own/new", {"owner": text("alice")}), update("own/a", {"owner": text("alice"), "n": integer(5)}),
                  update("own/a", {"owner": text("bob")}), update("public/new", {}), delete("own/b"), delete("own/none"),
                  update("closed/a", {})):
        rules.commit(write, auth=who)
    rules.commit(update("own/c", {"owner": text("alice")}), update("closed/a", {}), auth=who)
    rules("CreateDocument", {"parent": ROOT, "collectionId": "own", "documentId": "made", "document": {"fields": {"owner": text("bob")}}}, auth=who)
    rules("DeleteDocument", {"name": name("own/made")}, auth=who)
rules.raw("PUT", "/emulator/v1/projects/{project}:securityRules",
          {"rules": {"files": [{"name": "replay.rules", "content": "service cloud.firestore { match /databases/{d}/documents { match /{p=**} { allow read, write; } } }"}]}}, only="")
rules.get("closed/a", auth="")
rules.raw("PUT", "/emulator/v1/projects/{project}:securityRules", {"rules": {"files": [{"name": "r", "content": "nonsense"}]}})
rules.raw("PUT", "/emulator/v1/projects/{project}:securityRules", {})

DENYING = """rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents/{path=**} { allow read, write: if false; }
}
"""


def denied(areas):
    """Requests of other areas by somebody who is granted nothing: what is wrong with them may be told first, or not."""
    area = Area("denied")
    area.raw("PUT", "/emulator/v1/projects/{project}:securityRules",
             {"rules": {"files": [{"name": "replay.rules", "content": DENYING}]}}, only="")
    area.requests += [
        dataclasses.replace(request, area=area.name, auth="", save={}, only="grpc")
        for other in areas for request in other.requests
        # What names something that an earlier answer gave has been told it as an administrator.
        if isinstance(request, Request) and request.only != "rest"
        and set(re.findall(r"\{(\w+)\}", str(request.body))) <= {"project"}
    ]
    return area


AREAS = [rules]
