"""Functions as an app has them, for functions-framework: each writes what it was given as a line of JSON.

`python -m functions_framework` loads this file once for each target; SEEN names the file of lines. `greet` writes to
the store, as a function does, and passes the cause of its event on so that circles are found.
"""
import json
import os

import firebase_admin
import functions_framework
from firebase_functions import firestore_fn, scheduler_fn

# As a function's file should: firebase_functions makes the app at the first event when there is none, unguarded, so of two
# first events at a time one is answered 500 before the function is called.
firebase_admin.initialize_app()

SEEN = os.environ["SEEN"]


def note(**what):
    with open(SEEN, "a") as file:
        file.write(json.dumps(what, default=str) + "\n")


def fields(snapshot):
    return snapshot.to_dict() if snapshot is not None and snapshot.exists else None


@firestore_fn.on_document_created(document="users/{uid}")
def created(event):
    note(kind="created", id=event.id, params=event.params, after=fields(event.data), document=event.document)


@firestore_fn.on_document_updated(document="users/{uid}")
def updated(event):
    note(kind="updated", id=event.id, params=event.params,
         before=fields(event.data.before), after=fields(event.data.after))


@firestore_fn.on_document_written(document="{collection}/{id}")
def written(event):
    note(kind="written", id=event.id, params=event.params,
         before=fields(event.data.before), after=fields(event.data.after))


@firestore_fn.on_document_deleted(document="users/{uid}")
def deleted(event):
    note(kind="deleted", id=event.id, params=event.params, before=fields(event.data))


@firestore_fn.on_document_written_with_auth_context(document="users/{uid}")
def with_author(event):
    note(kind="with_author", id=event.id, auth_type=event.auth_type, auth_id=event.auth_id)


@scheduler_fn.on_schedule(schedule="every day 00:00")
def scheduled(event):
    note(kind="scheduled", job=event.job_name, time=event.schedule_time.isoformat())


@firestore_fn.on_document_written(document="poison/{id}")
def poisoned(event):
    note(kind="poisoned", id=event.id)
    raise RuntimeError("cannot digest this")


@functions_framework.cloud_event
def plain(event):
    note(kind="plain", id=event["id"], type=event["type"], subject=event["subject"], data=event.data)
