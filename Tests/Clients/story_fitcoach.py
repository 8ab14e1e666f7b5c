"""A story of the FitCoach pack: a swap, a quota that is used up, a booking, an account that is deleted.

Needs a server with rules, seed and triggers of the pack (Scripts/pack-stories).
"""
import datetime
import random

from google.cloud import firestore

from checks import Checks, close, fresh
from stories import client, denied, documents, eventually, owner

checks = Checks()
MONTH = "2026-03"  # of the seed, whose month does not end


def counting(db, uid, month, counter, last, document, fields):
    """The app's transaction, as mobile clients make it: a user may begin none, so the commit asks that the counters are as
    they were read. The document that is counted comes with them."""
    usage = db.document(f"users/{uid}/usage/{month}").get()
    batch = db.batch()
    batch.update(usage.reference, {counter: usage.get(counter) + 1, last: document.id},
                 option=db.write_option(last_update_time=usage.update_time))
    batch.set(document, fields)
    batch.commit()


def send(db, uid, coach, month, text):
    message = db.collection(f"chats/{uid}_{coach}/messages").document()
    counting(db, uid, month, "chatUsed", "lastMessageId", message, {
        "senderId": uid, "text": text, "sentAt": firestore.SERVER_TIMESTAMP, "month": month})


def book(db, uid, coach, month, slot):
    counting(db, uid, month, "sessionsUsed", "lastBookingId", db.document(f"bookings/{slot.id}"), {
        "userId": uid, "coachId": coach, "month": month, "startsAt": slot.get("startsAt"), "status": "pending",
        "createdAt": firestore.SERVER_TIMESTAMP})


def sign_up(uid, admin):
    """A user with a coach, from the first document to the counters that a trigger gives."""
    db = client(uid, role="user")
    db.document(f"users/{uid}").create({
        "language": "en", "onboardingSeen": True, "coachId": None, "timeZone": "Asia/Riyadh", "tutorialsSeen": {},
        "displayName": "Nour"})
    usage = eventually("the counters of a new user", lambda: documents(db.collection(f"users/{uid}/usage")))
    admin.document(f"users/{uid}").update({"coachId": "sara"})
    (month, counters), = usage.items()
    return db, month, counters


@checks("mina swaps an exercise for one of its category, and takes it back")
def swap(_):
    mina = client("mina", role="user")
    day = mina.document("users/mina/plan/2026-03-02")
    before = day.get().to_dict()
    entry = before["exercises"]["e1"]
    others = documents(mina.collection("exercises").where(
        filter=firestore.FieldFilter("categoryId", "==", entry["categoryId"])))
    other = next(id for id in others if id != entry["exerciseId"])
    swapped = {**entry, "exerciseId": other, "isSwapped": True, "swappedFromExerciseId": entry["exerciseId"]}
    plank = {**swapped, "exerciseId": "plank" if entry["categoryId"] != "core_bodyweight" else "squat"}
    denied(day.update, {"exercises.e1": plank})
    day.update({"exercises.e1": swapped})
    assert day.get().to_dict()["exercises"] == {**before["exercises"], "e1": swapped}
    day.update({"exercises.e1": entry})
    assert day.get().to_dict() == before


@checks("a new user gets the free plan and its five messages; a plan that is paid gives more at once")
def quota(_):
    admin = client("ada", role="admin")
    uid = fresh("user")
    db, month, counters = sign_up(uid, admin)
    assert counters["chatUsed"] == counters["sessionsUsed"] == 0
    # Midnight of the first, where she lives.
    end = counters["resetsAt"].astimezone(datetime.timezone(datetime.timedelta(hours=3)))
    assert (end.day, end.hour, end.minute) == (1, 0, 0), end
    assert db.document(f"subscriptions/{uid}").get().to_dict() == {"planId": "freemium"}
    db.document(f"chats/{uid}_sara").set({"userId": uid, "coachId": "sara", "createdAt": firestore.SERVER_TIMESTAMP})
    for number in range(5):
        send(db, uid, "sara", month, f"question {number}")
    denied(send, db, uid, "sara", month, "one too many")
    owner().document(f"subscriptions/{uid}").set({"planId": "premium"})
    send(db, uid, "sara", month, "now it may")
    assert len(documents(client("sara", role="coach").collection(f"chats/{uid}_sara/messages"))) == 6
    # What the admin did is in the log.
    log = eventually("the event of the assignment", lambda: documents(admin.collection("auditLog").where(
        filter=firestore.FieldFilter("target", "==", f"users/{uid}"))))
    assert [(event["who"], event["what"]) for event in log.values()] == [("ada", "users.assign")], log


def offer(coach):
    """A half hour of the coach in some year to come, and its id."""
    start = 4102444800000 + random.randrange(1_000_000) * 1_800_000
    time = datetime.datetime.fromtimestamp(start / 1000, datetime.timezone.utc)
    slot = coach.document(f"coaches/sara/slots/sara_{start}")
    slot.create({"startsAt": time, "endsAt": time + datetime.timedelta(minutes=30), "isAvailable": True})
    return slot.get()


@checks("mina books a free slot, sara approves, both are told, and the slot is free no more")
def booking(_):
    mina, sara, server = client("mina", role="user"), client("sara", role="coach"), owner()
    free = mina.collection("coaches/sara/slots").where(filter=firestore.FieldFilter("isAvailable", "==", True))
    slot, other = offer(sara), offer(sara)
    book(mina, "mina", "sara", MONTH, slot)
    eventually("the slot is taken", lambda: slot.id not in documents(free))
    denied(book, client("omar", role="user"), "omar", "sara", MONTH, slot)
    denied(mina.document(f"bookings/{slot.id}").update, {"status": "approved"})
    sara.document(f"bookings/{slot.id}").update({"status": "approved"})
    for person in ("users/mina", "coaches/sara"):
        def told():
            notices = documents(server.collection(f"{person}/notifications").where(
                filter=firestore.FieldFilter("bookingId", "==", slot.id)))
            return sorted(notice["status"] for notice in notices.values()) == ["approved", "pending"]
        eventually(f"{person} is told twice", told)
    # The session of the month is used up: premium has two, and the seed's booking was one.
    denied(book, mina, "mina", "sara", MONTH, other)


@checks("an account is deleted on request: everything is in the export, nothing is left, and she may come again")
def deletion(_):
    admin, server = client("ada", role="admin"), owner()
    uid = fresh("user")
    db, month, _ = sign_up(uid, admin)
    db.document(f"chats/{uid}_sara").set({"userId": uid, "coachId": "sara", "createdAt": firestore.SERVER_TIMESTAMP})
    send(db, uid, "sara", month, "bye")
    now = datetime.datetime.now(datetime.timezone.utc)
    for number in range(12):
        db.document(f"users/{uid}/workoutLogs/log{number}").set({
            "exerciseId": "squat", "sets": [{"reps": 5, "weight": 20.5}], "weight": 20.5, "reps": 5, "duration": 60,
            "caloriesEstimate": 9, "startedAt": now, "finishedAt": now})
    request = db.document(f"deletionRequests/{uid}")
    request.create({"requestedAt": firestore.SERVER_TIMESTAMP})
    denied(client("omar", role="user").document(f"deletionRequests/{uid}").get)
    eventually("the request is done", lambda: not request.get().exists)
    exports = list(server.collection("accountExports").where(
        filter=firestore.FieldFilter("userId", "==", uid)).stream())
    assert len(exports) == 1
    export = exports[0].reference
    assert len(documents(export.collection("users").document(uid).collection("workoutLogs"))) == 12
    assert export.collection("users").document(uid).get().get("displayName") == "Nour"
    assert len(documents(export.collection("chats").document(f"{uid}_sara").collection("messages"))) == 1
    assert not list(server.document(f"users/{uid}").collections())
    for path in (f"users/{uid}", f"subscriptions/{uid}", f"chats/{uid}_sara"):
        assert not server.document(path).get().exists, path
    sign_up(uid, admin)


if __name__ == "__main__":
    close([checks.run(None)])
