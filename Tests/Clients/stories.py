"""What the stories of packs share: clients of signed-in users, for whom the rules apply, and waiting for triggers.

The server is the one in FIRESTORE_EMULATOR_HOST, with rules, seed and triggers of the pack: see Scripts/pack-stories.
"""
import os
import time

import grpc
from google.api_core import exceptions
from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore

from checks import unsigned_token

PROJECT = os.environ.get("GCLOUD_PROJECT", "demo")
# What triggers may take on the slowest machine.
PATIENCE = 60


class Bearer(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor, grpc.StreamStreamClientInterceptor):
    """Adds the token to each call. The library takes credentials for an emulator, but does not send them."""

    def __init__(self, token):
        self.header = ("authorization", f"Bearer {token}")

    def call(self, proceed, details, request):
        metadata = [*(details.metadata or ()), self.header]
        return proceed(details._replace(metadata=metadata), request)

    intercept_unary_unary = intercept_unary_stream = intercept_stream_stream = call


class UserClient(firestore.Client):
    """A client whose calls are one user's."""

    def __init__(self, token):
        super().__init__(project=PROJECT, credentials=AnonymousCredentials())
        self.bearer = Bearer(token)

    def _emulator_channel(self, transport):
        return grpc.intercept_channel(super()._emulator_channel(transport), self.bearer)


def client(uid, **claims):
    """A client of one user, with the claims of the token."""
    return UserClient(unsigned_token(uid, PROJECT, **claims))


def owner():
    """A client past the rules, as the app's own servers are."""
    return firestore.Client(project=PROJECT)


def eventually(what, condition):
    """Waits until triggers have made it so; returns what `condition` returned."""
    end = time.monotonic() + PATIENCE
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.02)


def denied(function, *arguments, **keywords):
    """The rules must say no."""
    try:
        function(*arguments, **keywords)
    except exceptions.PermissionDenied:
        return
    raise AssertionError("the rules allowed what they must deny")


def documents(query, at=None):
    """{id: fields} of what a query finds, now or at an earlier time."""
    return {found.id: found.to_dict() for found in query.stream(read_time=at)}
