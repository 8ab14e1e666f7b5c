"""A story of the Pilates pack: two minors become friends, train, see each other's week, and one of them leaves.

Needs a server with rules, seed and triggers of the pack (Scripts/pack-stories).
"""
import datetime

from google.cloud import firestore

from checks import Checks, close, fresh
from stories import client, denied, documents, eventually, owner

checks = Checks()
NOW = firestore.SERVER_TIMESTAMP
DAY = datetime.timedelta(days=1)


def profile(name, zone="Europe/London"):
    return {
        "displayName": name, "avatarRing": "#4ADE80", "plan": "Beginner Level 1",
        "reminders": {"enabled": True, "time": "19:00"},
        "settings": {"highContrast": False, "voiceDescriptions": False, "darkMode": False, "timeZone": zone},
        "friends": [],
    }


def newcomer(name, **more):
    """A user who has just signed up; (uid, client)."""
    uid = fresh(name)
    db = client(uid)
    db.document(f"users/{uid}").create(profile(name.capitalize(), **more))
    return uid, db


def ask(db, me, to):
    name = db.document(f"users/{me}").get().get("displayName")
    db.document(f"friendRequests/{me}_{to}").set({"from": me, "to": to, "fromName": name, "createdAt": NOW})


def accept(db, me, sender):
    batch = db.batch()
    batch.update(db.document(f"users/{me}"), {"friends": firestore.ArrayUnion([sender])})
    batch.update(db.document(f"users/{sender}"), {"friends": firestore.ArrayUnion([me])})
    batch.delete(db.document(f"friendRequests/{sender}_{me}"))
    batch.commit()


def befriend(first, second):
    ask(first[1], first[0], second[0])
    accept(second[1], second[0], first[0])


def hand_in(user, started, minutes=10, workout="morning_flow", id=None):
    uid, db = user
    db.document(f"users/{uid}/sessions/{id or fresh('s')}").create(
        {"workoutId": workout, "startedAt": started, "minutes": minutes, "createdAt": NOW})


def feed(db, friends):
    return [found.to_dict() for found in db.collection("activity").where(
        filter=firestore.FieldFilter("uid", "in", friends)).order_by("createdAt", "DESCENDING").limit(20).stream()]


def weeks_of(started, minutes):
    """What `progress` must hold: of sessions on days in a row that begin at these times, UTC."""
    weeks = {}
    for number, start in enumerate(started):
        year, week, day = start.isocalendar()
        id = f"{year:04}-W{week:02}"
        bars = weeks.get(id, {"bars": [0] * 7})["bars"]
        bars[day - 1] += minutes
        score = "B" if number < 2 else "A"
        weeks[id] = {"bars": bars, "streak": number + 1, "totalWorkouts": number + 1, "postureScore": score}
    return weeks


@checks("strangers see nothing of each other; a request and its answer make them friends")
def friendship(_):
    maya, alex = newcomer("maya"), newcomer("alex")
    for (_, db), (other, _) in ((maya, alex), (alex, maya)):
        denied(db.document(f"users/{other}").get)
        denied(documents, db.collection(f"users/{other}/progress"))
        denied(feed, db, [other])
    # Nobody adds a friend alone.
    denied(alex[1].document(f"users/{alex[0]}").update, {"friends": firestore.ArrayUnion([maya[0]])})
    denied(accept, alex[1], alex[0], maya[0])
    ask(maya[1], maya[0], alex[0])
    denied(accept, maya[1], maya[0], alex[0])
    accept(alex[1], alex[0], maya[0])
    for (_, db), (other, _) in ((maya, alex), (alex, maya)):
        assert db.document(f"users/{other}").get().exists
        assert feed(db, [other]) == []


@checks("sessions make a streak, badges and activity, which friends see and nobody else")
def training(_):
    maya, alex, liam = newcomer("maya", zone="UTC"), newcomer("alex"), newcomer("liam")
    befriend(maya, alex)
    today = datetime.datetime.now(datetime.timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
    started = [today - number * DAY + datetime.timedelta(hours=7, minutes=30) for number in (3, 2, 1)]
    # The one in the middle comes last and closes the gap.
    for start in (started[0], started[2], started[1]):
        hand_in(maya, start, minutes=20)
    progress = alex[1].collection(f"users/{maya[0]}/progress")
    expected = weeks_of(started, 20)
    eventually("the week", lambda: documents(progress) == expected)
    badges = alex[1].collection(f"users/{maya[0]}/badges")
    assert list(eventually("a badge", lambda: documents(badges))) == ["early_bird"]
    seen = eventually("the feed", lambda: (found := feed(alex[1], [maya[0]])) and len(found) == 3 and found)
    assert {(one["uid"], one["kind"], one["workoutTitle"]) for one in seen} == {
        (maya[0], "workout", "Morning Flow")}, seen
    for collection in ("progress", "badges"):
        denied(documents, liam[1].collection(f"users/{maya[0]}/{collection}"))
    denied(feed, liam[1], [maya[0]])
    # What was counted is the server's.
    denied(maya[1].document(f"users/{maya[0]}/badges/plank_master").set, {"awardedAt": NOW})
    week = next(iter(expected))
    denied(maya[1].document(f"users/{maya[0]}/progress/{week}").update, {"streak": 100})
    denied(maya[1].collection("activity").add, {
        "uid": maya[0], "kind": "workout", "workoutTitle": "x", "createdAt": NOW})


@checks("ten core workouts earn the plank badge; nine do not")
def planks(_):
    maya = newcomer("maya", zone="America/New_York")
    # Noon in New York, so that no early bird is earned.
    noon = datetime.datetime.now(datetime.timezone.utc).replace(hour=17, minute=0, second=0, microsecond=0) - DAY
    for number in range(9):
        hand_in(maya, noon + datetime.timedelta(minutes=number), minutes=1, workout="core_blaster_l1")
    total = lambda: sum(sum(week["bars"]) for week in documents(maya[1].collection(f"users/{maya[0]}/progress")).values())
    eventually("nine", lambda: total() == 9)
    assert documents(maya[1].collection(f"users/{maya[0]}/badges")) == {}
    hand_in(maya, noon, minutes=1, workout="core_blaster_l1")
    eventually("the badge", lambda: list(documents(maya[1].collection(f"users/{maya[0]}/badges"))) == ["plank_master"])


@checks("a high five is a friend's, once")
def high_five(_):
    maya, alex, liam = newcomer("maya"), newcomer("alex"), newcomer("liam")
    befriend(maya, alex)
    hand_in(maya, datetime.datetime.now(datetime.timezone.utc) - DAY, id="s1")
    activity = f"activity/{maya[0]}:s1"
    # Not hers to ask before it exists.
    eventually("the activity", lambda: owner().document(activity).get().exists)
    give = lambda user: user[1].document(f"{activity}/highFives/{user[0]}").create({"uid": user[0], "createdAt": NOW})
    denied(give, liam)
    give(alex)
    denied(alex[1].document(f"{activity}/highFives/{alex[0]}").set, {"uid": alex[0], "createdAt": NOW})
    assert list(documents(maya[1].collection(f"{activity}/highFives"))) == [alex[0]]


@checks("who deletes the account leaves no trace, and may sign up again")
def goodbye(_):
    server = owner()
    maya, alex, liam = newcomer("maya"), newcomer("alex"), newcomer("liam")
    befriend(maya, alex)
    ask(maya[1], maya[0], liam[0])
    yesterday = datetime.datetime.now(datetime.timezone.utc) - DAY
    hand_in(maya, yesterday, id="s1")
    hand_in(alex, yesterday, id="s1")
    mine, his = f"activity/{maya[0]}:s1", f"activity/{alex[0]}:s1"
    for path in (mine, his):
        eventually("the activity", lambda: server.document(path).get().exists)
    alex[1].document(f"{mine}/highFives/{alex[0]}").create({"uid": alex[0], "createdAt": NOW})
    maya[1].document(f"{his}/highFives/{maya[0]}").create({"uid": maya[0], "createdAt": NOW})
    eventually("the week", lambda: documents(server.collection(f"users/{maya[0]}/progress")))
    maya[1].document(f"users/{maya[0]}").delete()

    def traces():
        gone = [path for path in (mine, f"{mine}/highFives/{alex[0]}", f"{his}/highFives/{maya[0]}",
                                  f"friendRequests/{maya[0]}_{liam[0]}") if server.document(path).get().exists]
        below = [found.reference.path for collection in server.document(f"users/{maya[0]}").collections()
                 for found in collection.stream()]
        return gone + below + [one for one in server.document(f"users/{alex[0]}").get().get("friends") if one == maya[0]]

    eventually("all is gone", lambda: not traces())
    assert server.document(his).get().exists
    maya[1].document(f"users/{maya[0]}").create(profile("Maya"))
    denied(maya[1].document(f"users/{alex[0]}").get)


if __name__ == "__main__":
    close([checks.run(None)])
