"""What pack_crashes.py does with FitCoach: which documents it writes, and what must hold at the end."""


def commits(draw, round):
    """Lists of (path, fields or None to delete) that are committed one after the other; users and slots are the round's own."""
    yield [("coaches/sara", {"displayName": "Coach Sara"})]
    for number in range(draw.randint(4, 10)):
        uid, slot = f"u{round}_{number}", f"sara_{round}_{number}"
        yield [(f"users/{uid}", {"coachId": "sara", "timeZone": draw.choice(["Asia/Riyadh", "Europe/Berlin", "none"])})]
        yield [(f"coaches/sara/slots/{slot}", {"isAvailable": True})]
        for status in ["pending", "approved", "canceled"][:draw.randint(1, 3)]:
            yield [(f"bookings/{slot}", {"userId": uid, "coachId": "sara", "status": status})]
        if draw.random() < 0.4:
            yield [(f"users/{uid}/workoutLogs/l{log}", {"exerciseId": "squat"}) for log in range(12)]
            yield [(f"deletionRequests/{uid}", {"reason": "test"})]


def check(written, read):
    """`written`: {path: last fields}; `read(collection)`: {id: fields} of what is stored."""
    requests, users = read("deletionRequests"), read("users")
    assert not requests, f"requests that are not done: {sorted(requests)}"
    subscriptions, bookings, slots = read("subscriptions"), read("bookings"), read("coaches/sara/slots")
    deleted = {path.split("/")[1] for path in written if path.startswith("deletionRequests/")}
    exports = [export["userId"] for export in read("accountExports").values()]
    assert sorted(exports) == sorted(deleted), "one export for each deleted account"
    told = read("coaches/sara/notifications").values()
    for path, fields in written.items():
        kind, _, rest = path.partition("/")
        if kind == "users" and "/" not in rest:
            assert (rest in users, rest in subscriptions) == ((rest not in deleted,) * 2), path
            months = read(f"users/{rest}/usage")
            assert len(months) == (0 if rest in deleted else 1), f"{path}: {months}"
        elif kind == "bookings":
            assert (rest in bookings) == (fields["userId"] not in deleted), path
            assert slots[rest]["isAvailable"] == (rest not in bookings), path
            statuses = [notice["status"] for notice in told if notice["bookingId"] == rest]
            assert statuses and len(statuses) == len(set(statuses)) and fields["status"] in statuses, f"{path}: {statuses}"
    return f"{len(users)} users, {len(deleted)} deleted"
