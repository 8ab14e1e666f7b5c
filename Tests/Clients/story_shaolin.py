"""A story of the Shaolin pack: a student whom the school's CRM knows, what a rank opens, and practice that counts.

Needs a server with rules, seed and triggers of the pack: FIRESTORE_EMULATOR_HOST says where.
"""
import datetime
import hashlib

from google.cloud import firestore

from checks import Checks, close, fresh
from stories import client, denied, documents, eventually, owner

checks = Checks()
ITEM = {"id": "item_1", "type": "technique", "contentId": "horse_stance", "order": 0, "estimatedDuration": 300,
        "rating": None}
RATING = {"difficulty": 3, "confidence": 4, "quality": 2, "repetitions": 10, "timeSpent": 95.5,
          "needsMorePractice": True, "notes": None}


def record_of(address):
    return "crmStudents/" + hashlib.sha256(address.lower().encode()).hexdigest()


def account(address, uid=None):
    """(uid, client) of somebody who has proven an address."""
    uid = uid or fresh("student")
    return uid, client(uid, email=address, email_verified=True)


def sign_up(db, uid, address):
    db.document(f"users/{uid}").create({
        "userType": "free", "email": address, "name": "Nina Park", "programs": [], "ranks": {}})


def techniques(db, rank, program="kungfu"):
    return documents(db.collection(f"programs/{program}/techniques").where(
        filter=firestore.FieldFilter("minRank", "<=", rank)).order_by("minRank"))


def enrolment(db, uid):
    profile = db.document(f"users/{uid}").get().to_dict()
    return profile["userType"], profile["programs"], profile["ranks"]


def train(db, uid, id, ended, needs_more):
    """A practice as the app has it: started, rated, ended."""
    session = db.document(f"users/{uid}/practiceSessions/{id}")
    session.set({"id": id, "userId": uid, "name": "Morning forms", "items": [ITEM],
                 "startTime": ended - datetime.timedelta(minutes=30), "endTime": None, "duration": 0, "notes": None})
    session.update({"items": [{**ITEM, "rating": {**RATING, "needsMorePractice": needs_more}}]})
    session.update({"endTime": ended, "duration": 1725.5})
    return session


@checks("nina, whom the seed's CRM knows, is enrolled when she adds her address")
def known(_):
    nina = client("nina", email="nina.park@example.org", email_verified=True)
    sign_up(nina, "nina", None)
    denied(techniques, nina, 1, "taichi")
    nina.document("users/nina").update({"email": "nina.park@example.org"})
    eventually("enrolled", lambda: enrolment(nina, "nina") == ("enrolled", ["taichi"], {"taichi": 1}))
    assert "cloud_hands" in techniques(nina, 1, "taichi")
    denied(techniques, nina, 2, "taichi")
    denied(techniques, nina, 1, "kungfu")


@checks("the school enrols, promotes and revokes; a wrong record changes nothing; all of it is logged and told")
def ranks(_):
    server, address = owner(), fresh("a") + "@example.org"
    uid, db = account(address)
    record = server.document(record_of(address))
    sign_up(db, uid, address)
    denied(techniques, db, 1)
    # The address is proven; the rank is the school's to say.
    denied(db.document(f"users/{uid}").update, {"programs": ["kungfu"], "ranks": {"kungfu": 6}})
    student = {"email": address, "name": "Nina Park", "programs": ["kungfu"], "ranks": {"kungfu": 3}}
    record.set(student)
    eventually("enrolled", lambda: enrolment(db, uid) == ("enrolled", ["kungfu"], {"kungfu": 3}))
    assert "tornado_kick" in techniques(db, 3) and "iron_palm" not in techniques(db, 3)
    denied(techniques, db, 4)
    record.set({**student, "ranks": {"kungfu": "black"}})
    record.set({**student, "ranks": {"kungfu": 4}})
    eventually("promoted", lambda: enrolment(db, uid) == ("enrolled", ["kungfu"], {"kungfu": 4}))
    assert "iron_palm" in techniques(db, 4)
    instructor = server.document("users/ida")
    instructor.update({"students": firestore.ArrayUnion([uid])})
    record.update({"programs": []})
    eventually("revoked", lambda: enrolment(db, uid) == ("free", [], {"kungfu": 4}))
    denied(techniques, db, 3)
    assert uid not in instructor.get().get("students"), "the instructor could go on reading"
    log = documents(server.collection("auditLog").where(filter=firestore.FieldFilter("uid", "==", uid)))
    told = documents(server.collection(f"users/{uid}/notifications"))
    assert log.keys() == told.keys(), (log, told)
    entries = sorted(log.values(), key=lambda entry: entry["at"])
    assert [entry["change"] for entry in entries] == ["enrolled", "changed", "revoked"], entries


@checks("an address enrols who has proven it, and not the next one who has it")
def heir(_):
    server, address = owner(), fresh("a") + "@example.org"
    uid, db = account(address)
    thief = client("thief", email="other@example.org", email_verified=True)
    denied(sign_up, thief, "thief", address)
    record = server.document(record_of(address))
    record.set({"email": address, "name": "N", "programs": ["kungfu"], "ranks": {"kungfu": 1}})
    sign_up(db, uid, address)
    eventually("enrolled", lambda: enrolment(db, uid)[0] == "enrolled")
    db.document(f"users/{uid}").delete()
    next, theirs = account(address)
    sign_up(theirs, next, address)
    # The first user comes back, and is the one.
    sign_up(db, uid, address)
    eventually("enrolled again", lambda: enrolment(db, uid)[0] == "enrolled")
    assert enrolment(theirs, next) == ("free", [], {})
    # The school says that the address is somebody else's now: the record ends, and is made again.
    db.document(f"users/{uid}").delete()
    student = record.get().to_dict()
    record.delete()
    released = server.document("enrolments/" + record.id)
    eventually("released", lambda: released.get().get("uid") is None)
    record.set(student)
    eventually("the next one is enrolled", lambda: enrolment(theirs, next)[0] == "enrolled")


@checks("a practice that ends is counted once, earns its achievement, and sets the next review")
def practice(_):
    uid, db = account(fresh("a") + "@example.org")
    end = datetime.datetime(2026, 3, 1, 6, 30, tzinfo=datetime.timezone.utc)
    achievements = db.collection(f"users/{uid}/achievements")
    first = train(db, uid, "one", end, True)
    found = eventually("counted", lambda: documents(achievements))
    assert found.keys() == {"statistics", "first_session", "review_horse_stance"}, found
    assert found["statistics"] == {"sessions": 1, "seconds": 1726, "repetitions": 10, "lastSessionAt": end}, found
    assert found["review_horse_stance"] == {
        "contentId": "horse_stance", "interval": 2, "dueAt": end + datetime.timedelta(days=2)}, found
    # The same session once more does not count; another one does.
    first.delete()
    train(db, uid, "one", end, True)
    later = end + datetime.timedelta(days=2)
    train(db, uid, "two", later, False)
    eventually("two are counted", lambda: documents(achievements)["statistics"] == {
        "sessions": 2, "seconds": 2 * 1726, "repetitions": 20, "lastSessionAt": later})
    review = documents(achievements)["review_horse_stance"]
    assert (review["interval"], review["dueAt"]) == (4, later + datetime.timedelta(days=4)), review
    denied(achievements.document("sessions_100").set, {"earnedAt": end})
    denied(db.collection(f"users/{uid}/countedSessions").document("one").delete)


if __name__ == "__main__":
    close([checks.run(None)])
