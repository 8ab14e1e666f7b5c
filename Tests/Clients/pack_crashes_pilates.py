"""What pack_crashes.py does with Pilates: which documents it writes, and what must hold at the end."""
import datetime

from store_server import Time

MONDAY = datetime.datetime(2026, 2, 23, tzinfo=datetime.timezone.utc)


def profile(friends):
    return {"displayName": "N", "settings": {"timeZone": "UTC"}, "friends": friends}


def commits(draw, round):
    """Lists of (path, fields or None to delete) that are committed one after the other; users are the round's own."""
    if round == 0:
        yield [("workouts/flow", {"title": "Flow", "tags": ["Posture"]}),
               ("workouts/core", {"title": "Core", "tags": ["Core"]})]
    for number in range(draw.randint(2, 5)):
        uid, friend = f"u{round}_{number}", f"f{round}_{number}"
        yield [(f"users/{uid}", profile([friend])), (f"users/{friend}", profile([uid]))]
        for session in draw.sample(range(14), draw.randint(1, 14)):
            start = MONDAY + datetime.timedelta(days=session, hours=draw.choice([7, 16]))
            yield [(f"users/{uid}/sessions/s{session}", {
                "workoutId": draw.choice(["core", "core", "core", "flow"]), "minutes": draw.randint(1, 180),
                "startedAt": Time(f"{start:%FT%TZ}"), "createdAt": Time(f"{start:%FT%TZ}")})]
        yield [(f"activity/{friend}:x", {"uid": friend}), (f"activity/{friend}:x/highFives/{uid}", {"uid": uid}),
               (f"friendRequests/{uid}_other", {"from": uid, "to": "other"}),
               (f"friendRequests/other_{uid}", {"from": "other", "to": uid})]
        if draw.random() < 0.4:
            yield [(f"users/{uid}", None)]


def weeks(sessions):
    """What `progress` must hold: {week: fields}."""
    weeks, streak, total, last = {}, 0, 0, None
    for fields in sorted(sessions, key=lambda one: one["startedAt"]):
        start = datetime.datetime.fromisoformat(fields["startedAt"])
        streak = streak + 1 if last == start.date() - datetime.timedelta(days=1) else 1
        last, total = start.date(), total + 1
        year, week, day = start.isocalendar()
        bars = weeks.get(f"{year}-W{week:02}", {"bars": [0] * 7})["bars"]
        bars[day - 1] += fields["minutes"]
        score = "B" if streak < 3 else "A" if streak < 7 else "A+"
        weeks[f"{year}-W{week:02}"] = {
            "bars": bars, "streak": streak, "totalWorkouts": total, "postureScore": score}
    return weeks


def badges(sessions):
    in_order = sorted(sessions, key=lambda one: one["createdAt"])
    early = [one for one in in_order if "T07" in one["startedAt"]]
    core = [one for one in in_order if one["workoutId"] == "core"]
    earned = {}
    if early:
        earned["early_bird"] = {"awardedAt": early[0]["createdAt"]}
    if len(core) >= 10:
        earned["plank_master"] = {"awardedAt": core[9]["createdAt"]}
    return earned


def check(written, read):
    """`written`: {path: last fields}; `read(collection)`: {id: fields} of what is stored."""
    users, activity, requests = read("users"), read("activity"), read("friendRequests")
    counts = {"users": 0, "sessions": 0, "deleted": 0}
    for path, fields in written.items():
        if not path.startswith("users/u") or path.count("/") != 1:
            continue
        uid = path.split("/")[1]
        friend = "f" + uid[1:]
        sessions = {other.rsplit("/", 1)[1]: fields for other, fields in written.items()
                    if other.startswith(f"{path}/sessions/")}
        told = {id for id, one in activity.items() if one["uid"] == uid}
        asked = {f"{uid}_other", f"other_{uid}"} & set(requests)
        clapped = read(f"activity/{friend}:x/highFives")
        if fields is None:
            assert uid not in users and users[friend]["friends"] == [], f"{path}: {users[friend]}"
            assert not told and not asked and not clapped, f"{path}: {told} {asked} {clapped}"
            for collection in ("sessions", "progress", "badges"):
                assert read(f"{path}/{collection}") == {}, f"{path}/{collection}"
            counts["deleted"] += 1
            continue
        assert users[uid]["friends"] == [friend] and users[friend]["friends"] == [uid], path
        assert len(asked) == 2 and list(clapped) == [uid], f"{path}: {asked} {clapped}"
        assert told == {f"{uid}:{id}" for id in sessions}, f"{path}: {told}"
        found = read(f"{path}/progress")
        assert found == weeks(sessions.values()), f"{path}: {found}, not {weeks(sessions.values())}"
        earned = read(f"{path}/badges")
        # Which session was the first or the tenth depends on which were stored when the trigger ran; that it is one does not.
        assert set(earned) == set(badges(sessions.values())), f"{path}: {earned}"
        counts["users"] += 1
        counts["sessions"] += len(sessions)
    return ", ".join(f"{number} {name}" for name, number in counts.items())
