"""What pack_crashes.py does with Shaolin: which documents it writes, and what must hold at the end."""
import hashlib

from store_server import Time

SECONDS = 60
ITEM = {"contentId": "kick", "rating": {"repetitions": 5, "needsMorePractice": True}}


def commits(draw, round):
    """Lists of (path, fields) that are committed one after the other; users are the round's own."""
    for number in range(draw.randint(4, 10)):
        uid = f"u{round}_{number}"
        email = f"{uid}@example.org"
        record = "crmStudents/" + hashlib.sha256(email.encode()).hexdigest()
        student = {"email": email, "name": "N", "programs": ["kungfu"], "ranks": {"kungfu": draw.randint(1, 6)}}
        steps = [
            [(f"users/{uid}", {"userType": "free", "email": email, "name": "N", "programs": [], "ranks": {}})],
            [(record, student)],
        ]
        if draw.random() < 0.5:
            steps.reverse()
        yield from steps
        for session in range(draw.randint(0, 4)):
            yield [(f"users/{uid}/practiceSessions/s{session}", {
                "endTime": Time(f"2026-03-0{session + 1}T10:00:00Z"), "duration": SECONDS, "items": [ITEM]})]
        if draw.random() < 0.3:
            yield [(record, {**student, "programs": [], "ranks": {}})]


def check(written, read):
    """`written`: {path: last fields}; `read(collection)`: {id: fields} of what is stored."""
    users, enrolments, log = read("users"), read("enrolments"), read("auditLog")
    records = {path.split("/")[1]: fields for path, fields in written.items() if path.startswith("crmStudents/")}
    assert enrolments.keys() == records.keys(), enrolments.keys() ^ records.keys()
    sessions = 0
    for id, record in records.items():
        uid = record["email"].split("@")[0]
        assert enrolments[id]["uid"] == uid and enrolments[id]["programs"] == record["programs"], enrolments[id]
        user = users[uid]
        assert (user["programs"], user["ranks"]) == (record["programs"], record["ranks"]), f"{uid}: {user}"
        assert user["userType"] == ("enrolled" if record["programs"] else "free"), f"{uid}: {user}"
        # One entry and one notification for each change, and none for what came and went before anything ran.
        entries = {name: entry["change"] for name, entry in log.items() if entry["uid"] == uid}
        changes = [entries[f"{id}-{number + 1}"] for number in range(len(entries))]
        assert changes in (["enrolled"], ["enrolled", "revoked"], []), f"{uid}: {changes}"
        assert bool(record["programs"]) == (changes == ["enrolled"]), f"{uid}: {changes}, {record}"
        assert enrolments[id]["changes"] == len(changes), f"{uid}: {enrolments[id]}"
        told = read(f"users/{uid}/notifications")
        assert told.keys() == entries.keys(), f"{uid}: {told.keys()}, {entries.keys()}"
        ended = {path.rsplit("/", 1)[1]: fields["endTime"] for path, fields in written.items()
                 if path.startswith(f"users/{uid}/practiceSessions/")}
        assert read(f"users/{uid}/countedSessions").keys() == ended.keys(), uid
        achievements = read(f"users/{uid}/achievements")
        if not ended:
            assert achievements == {}, f"{uid}: {achievements}"
            continue
        assert achievements.keys() == {"statistics", "first_session", "review_kick"}, f"{uid}: {achievements}"
        assert achievements["statistics"] == {
            "sessions": len(ended), "seconds": SECONDS * len(ended), "repetitions": 5 * len(ended),
            "lastSessionAt": max(ended.values())}, f"{uid}: {achievements}"
        day = int(max(ended.values())[8:10]) + 2
        assert achievements["review_kick"] == {
            "contentId": "kick", "interval": 2, "dueAt": Time(f"2026-03-{day:02}T10:00:00Z")}, f"{uid}: {achievements}"
        sessions += len(ended)
    return f"{len(records)} students, {len(log)} changes, {sessions} sessions"
