#!/usr/bin/env python3
"""The security cases of the Inspired pack over the wire: gRPC calls with unsigned end-user tokens.

    mandatory_cases.py HOST:PORT [--rules rules/inspired.rules] [--project PROJECT]

The server must run with rules/inspired.rules; --rules loads the file into it first. The script writes people of its own as
`owner`, under ids that nobody else uses, so the server may be empty or seeded, and it takes them away at the end.
"""
import argparse
import json
import sys
import urllib.request

import grpc
from google.api_core import exceptions
from google.cloud.firestore_v1 import _helpers
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport
from google.cloud.firestore_v1.types import Document, DocumentTransform, StructuredQuery, Value, Write

from checks import Checks, close, fresh, raises, unsigned_token

checks = Checks()
EQUAL = StructuredQuery.FieldFilter.Operator.EQUAL


class Server:
    """Calls as a persona: a uid, None for nobody, or 'owner' for the administrator."""

    def __init__(self, address, project):
        self.project = project
        self.database = f"projects/{project}/databases/(default)"
        self.root = f"{self.database}/documents"
        self.client = FirestoreClient(transport=FirestoreGrpcTransport(channel=grpc.insecure_channel(address)))
        self.suffix = fresh("").strip("_")
        self.written = []

    def uid(self, name):
        return f"{name}-{self.suffix}"

    def call(self, function, request, persona):
        metadata = [("google-cloud-resource-prefix", self.database)]
        if persona == "owner":
            metadata.append(("authorization", "Bearer owner"))
        elif persona is not None:
            metadata.append(("authorization", "Bearer " + unsigned_token(self.uid(persona), self.project)))
        return function(request, metadata=metadata, retry=None, timeout=20)

    def get(self, path, persona):
        return self.call(self.client.get_document, {"name": f"{self.root}/{path}"}, persona)

    def get_all(self, paths, persona):
        request = {"database": self.database, "documents": [f"{self.root}/{path}" for path in paths]}
        return list(self.call(self.client.batch_get_documents, request, persona))

    def query(self, collection, conditions, persona, everywhere=False):
        filters = [StructuredQuery.Filter(field_filter=StructuredQuery.FieldFilter(
            field=StructuredQuery.FieldReference(field_path=field), op=EQUAL, value=Value(string_value=value)))
            for field, value in conditions]
        structured = StructuredQuery(from_=[StructuredQuery.CollectionSelector(
            collection_id=collection, all_descendants=everywhere)])
        if filters:
            structured.where = filters[0]
        answers = self.call(self.client.run_query, {"parent": self.root, "structured_query": structured}, persona)
        return [answer.document.name.split("/")[-1] for answer in answers if answer.document.name]

    def commit(self, writes, persona):
        return self.call(self.client.commit, {"database": self.database, "writes": writes}, persona)

    def document(self, path, fields):
        return Document(name=f"{self.root}/{path}", fields=_helpers.encode_dict(fields))

    def put(self, path, fields):
        self.commit([Write(update=self.document(path, fields))], "owner")
        self.written.append(path)

    def clean(self):
        self.commit([Write(delete=f"{self.root}/{path}") for path in self.written], "owner")

    def profile(self, name, communities, avatar="groups-only"):
        """Writes the profile of a persona; mandatory cases differ in its communities and privacy."""
        self.put(f"users/{self.uid(name)}", {
            "id": self.uid(name), "username": f"{name}#1234", "displayName": name,
            "profilePictureUrl": f"https://img.example/{name}.jpg", "thumbnailUrl": None,
            "privacySettings": {"isProfilePublic": False, "avatarPrivacy": avatar, "showJoinedGroups": "members-only"},
            "joinedCommunities": communities,
        })


def picture(document):
    return document.fields["profilePictureUrl"].string_value


@checks("case 1: a public avatar is readable by any signed-in user")
def public_avatar(server):
    server.profile("author", ["area_askew"], avatar="public")
    server.profile("stranger", ["area_chelsea"])
    path = f"users/{server.uid('author')}"
    for reader in ("stranger", "newcomer", "author"):
        assert picture(server.get(path, reader)) == "https://img.example/author.jpg"


@checks("case 2: groups-only, both in area_askew: readable through the overlap")
def overlap(server):
    server.profile("author", ["area_askew"])
    server.profile("neighbour", ["area_askew"])
    path = f"users/{server.uid('author')}"
    assert picture(server.get(path, "neighbour")) == "https://img.example/author.jpg"
    assert len(server.get_all([path, f"users/{server.uid('neighbour')}"], "neighbour")) == 2


@checks("case 3: groups-only, area_askew against area_chelsea: PERMISSION_DENIED")
def no_overlap(server):
    server.profile("author", ["area_askew"])
    server.profile("stranger", ["area_chelsea"])
    path = f"users/{server.uid('author')}"
    raises(exceptions.PermissionDenied, server.get, path, "stranger")
    raises(exceptions.PermissionDenied, server.get, path, "newcomer")
    raises(exceptions.PermissionDenied, server.get_all, [path], "stranger")
    assert picture(server.get(path, "author")) == "https://img.example/author.jpg"


@checks("case 4: not signed in: PERMISSION_DENIED on any profile")
def signed_out(server):
    for name, avatar in (("author", "groups-only"), ("open", "public")):
        server.profile(name, ["area_askew"], avatar=avatar)
        raises(exceptions.PermissionDenied, server.get, f"users/{server.uid(name)}", None)
    raises(exceptions.PermissionDenied, server.get, f"users/{server.uid('missing')}", None)


@checks("the verdict follows the profile: public, private, public")
def follows(server):
    server.profile("stranger", ["area_chelsea"])
    path = f"users/{server.uid('author')}"
    for avatar, readable in (("public", True), ("groups-only", False), ("public", True)):
        server.profile("author", ["area_askew"], avatar=avatar)
        if readable:
            server.get(path, "stranger")
        else:
            raises(exceptions.PermissionDenied, server.get, path, "stranger")


@checks("the verdict follows the communities: joining opens, leaving closes")
def joining(server):
    server.profile("author", ["area_askew"])
    path = f"users/{server.uid('author')}"
    for communities, readable in ((["area_chelsea"], False), (["area_chelsea", "area_askew"], True), ([], False)):
        server.profile("stranger", communities)
        if readable:
            server.get(path, "stranger")
        else:
            raises(exceptions.PermissionDenied, server.get, path, "stranger")


@checks("listing public profiles is allowed, and finds only those")
def list_public(server):
    server.profile("open", [], avatar="public")
    server.profile("author", ["area_askew"])
    found = server.query("users", [("privacySettings.avatarPrivacy", "public")], "stranger")
    assert server.uid("open") in found and server.uid("author") not in found


@checks("listing all profiles, or none but private ones, is denied")
def list_all(server):
    raises(exceptions.PermissionDenied, server.query, "users", [], "author")
    raises(exceptions.PermissionDenied, server.query, "users", [("privacySettings.avatarPrivacy", "groups-only")], "author")
    raises(exceptions.PermissionDenied, server.query, "users", [("privacySettings.avatarPrivacy", "public")], None)


@checks("one's own likes are found across posts, other people's are not")
def likes(server):
    post = f"post-{server.suffix}"
    server.put(f"posts/{post}/likes/{server.uid('author')}", {"userId": server.uid("author")})
    assert server.query("likes", [("userId", server.uid("author"))], "author", everywhere=True) == [server.uid("author")]
    raises(exceptions.PermissionDenied, server.query, "likes", [("userId", server.uid("author"))], "stranger", True)
    raises(exceptions.PermissionDenied, server.query, "likes", [], "author", True)


@checks("a like counts only together with its document")
def like_commit(server):
    post = f"posts/liked-{server.suffix}"
    server.put(post, {"content": "x", "author": {"id": "x"}, "stats": {"likeCount": 7, "commentCount": 0}})
    counter = Write(update=server.document(post, {"stats": {"likeCount": 8}}), update_mask={"field_paths": ["stats.likeCount"]})
    like = Write(
        update=server.document(f"{post}/likes/{server.uid('fan')}", {"userId": server.uid("fan")}),
        update_transforms=[DocumentTransform.FieldTransform(
            field_path="createdAt", set_to_server_value=DocumentTransform.FieldTransform.ServerValue.REQUEST_TIME)],
        current_document={"exists": False})
    server.written.append(f"{post}/likes/{server.uid('fan')}")
    raises(exceptions.PermissionDenied, server.commit, [counter], "fan")
    raises(exceptions.PermissionDenied, server.commit, [like], "fan")
    raises(exceptions.PermissionDenied, server.commit, [counter, like], "stranger")
    raises(exceptions.PermissionDenied, server.commit, [counter, like], None)
    assert server.get(post, "fan").fields["stats"].map_value.fields["likeCount"].integer_value == 7
    server.commit([counter, like], "fan")
    assert server.get(post, "fan").fields["stats"].map_value.fields["likeCount"].integer_value == 8


@checks("the registry of usernames is closed to everybody but the server")
def usernames(server):
    path = f"usernames/{server.uid('name')}"
    server.put(path, {"uid": server.uid("author")})
    for persona in ("author", None):
        raises(exceptions.PermissionDenied, server.get, path, persona)
        raises(exceptions.PermissionDenied, server.commit, [Write(delete=f"{server.root}/{path}")], persona)
    server.get(path, "owner")


@checks("a token that is no token is refused, and the next call works")
def broken_token(server):
    metadata = [("google-cloud-resource-prefix", server.database), ("authorization", "Bearer nonsense")]
    raises((exceptions.InvalidArgument, exceptions.Unauthenticated, exceptions.PermissionDenied),
           server.client.get_document, {"name": f"{server.root}/users/x"}, metadata=metadata, retry=None, timeout=20)
    server.get(f"users/{server.uid('author')}", "author")


def load_rules(address, project, path):
    with open(path, encoding="utf-8") as file:
        body = {"rules": {"files": [{"name": path.rsplit("/", 1)[-1], "content": file.read()}]}}
    request = urllib.request.Request(
        f"http://{address}/emulator/v1/projects/{project}:securityRules", method="PUT",
        data=json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=20) as response:
        issues = json.loads(response.read() or b"{}").get("issues", [])
    if issues:
        sys.exit(f"{path} does not compile cleanly: {issues}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", metavar="HOST:PORT")
    parser.add_argument("--rules")
    parser.add_argument("--project", default="demo-inspired")
    options = parser.parse_args()
    if options.rules:
        load_rules(options.address, options.project, options.rules)
    server = Server(options.address, options.project)
    result = checks.run(server)
    server.clean()
    close([result])


if __name__ == "__main__":
    main()
