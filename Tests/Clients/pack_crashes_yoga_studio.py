"""What pack_crashes.py does with Yoga Studio: which documents it writes, and what must hold at the end."""
from store_server import Time

PERIOD = Time("2026-02-15T00:00:00Z")


def subscription(uid):
    return {"userId": uid, "plan": "basic", "startDate": PERIOD, "endDate": Time("2099-12-31T00:00:00Z"),
            "isActive": True, "classesUsed": 1, "classesLimit": 4}


def payment(uid, id, status):
    return {"id": id, "userId": uid, "classId": "-", "amount": 10, "type": "dropIn", "status": status,
            "createdAt": Time("2026-02-20T10:00:00Z")}


def commits(draw, round):
    """Lists of (path, fields or None to delete) that are committed one after the other; classes are the round's own.

    A class of four is full and six wait for it; two leave it, or it is switched off, or its capacity grows. Bookings are of
    the members' own period, so the uses must be exact as well.
    """
    for number in range(draw.randint(2, 4)):
        id = f"c{round}_{number}"
        members, waiting = [f"{id}_m{one}" for one in range(4)], [f"{id}_w{one}" for one in range(6)]
        state = {"id": id, "title": "Yin", "startTime": Time("2099-03-05T19:00:00Z"), "capacity": 4, "isActive": True,
                 "bookedCount": 4, "waitlistCount": 6}
        booked = [(f"classes/{id}/bookings/{uid}", {
            "id": uid, "userId": uid, "classId": id, "status": "confirmed", "period": PERIOD}) for uid in members]
        yield [(f"classes/{id}", state), *booked,
               *[(f"users/{uid}/subscription/current", subscription(uid)) for uid in members],
               *[(f"users/{uid}/subscription/current", {**subscription(uid), "classesUsed": 0}) for uid in waiting],
               *[(f"classes/{id}/waitlist/{uid}", {
                   "userId": uid, "joinedAt": Time(f"2026-02-24T18:30:{place:02}Z")})
                 for place, uid in enumerate(waiting)]]
        what = draw.choice(["off", "larger", "moved"])
        change = {"off": {"isActive": False}, "larger": {"capacity": 7},
                  "moved": {"startTime": Time("2099-03-06T19:00:00Z")}}[what]
        # The counters are those of a class that no trigger has touched: nothing was due before.
        yield [(f"classes/{id}", {**state, **change})]
        pay = f"p_{id}"
        yield [(f"payments/{pay}", payment(members[0], pay, "completed"))]
        if draw.random() < 0.3:
            yield [(f"payments/{pay}", payment(members[0], pay, "refunded"))]


def check(written, read):
    """`written`: {path: last fields}; `read(collection)`: {id: fields} of what is stored."""
    classes = read("classes")
    counts = {"classes": 0, "promoted": 0, "cancelled": 0}
    for id, fields in classes.items():
        bookings, waiting = read(f"classes/{id}/bookings"), read(f"classes/{id}/waitlist")
        taken = [uid for uid, booking in bookings.items() if booking["status"] != "cancelled"]
        assert (fields["bookedCount"], fields["waitlistCount"]) == (len(taken), len(waiting)), f"{id}: {fields}"
        members, queue = [f"{id}_m{one}" for one in range(4)], [f"{id}_w{one}" for one in range(6)]
        promoted = queue[:fields["capacity"] - 4]
        if not fields["isActive"]:
            assert taken == [] and not waiting, f"{id}: {taken}, {waiting}"
            expected = {uid: ["classCancelled"] for uid in members + queue}
            counts["cancelled"] += len(members)
        else:
            assert sorted(taken) == sorted(members + promoted), f"{id}: {taken}"
            assert sorted(waiting) == queue[len(promoted):], f"{id}: {waiting}"
            has_moved = fields["startTime"].startswith("2099-03-06")
            expected = {uid: ["classMoved"] if has_moved and uid in members else [] for uid in members + queue}
            expected.update({uid: ["waitlistPromoted"] for uid in promoted})
            counts["promoted"] += len(promoted)
        for uid, types in expected.items():
            told = [one["type"] for one in read(f"users/{uid}/notifications").values()]
            assert told == types, f"{uid}: told {told}, not {types}"
            used = read(f"users/{uid}/subscription")["current"]["classesUsed"]
            assert used == (1 if uid in taken else 0), f"{uid}: used {used}"
        counts["classes"] += 1
    kept = sum(fields["amount"] for path, fields in written.items()
               if path.startswith("payments/") and fields["status"] == "completed")
    report = read("reports").get("2026-02", {"revenue": 0})
    assert report["revenue"] == kept, f"{report}, not {kept}"
    return ", ".join(f"{number} {name}" for name, number in counts.items())
