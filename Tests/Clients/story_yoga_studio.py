"""A story of the Yoga Studio pack: booking, waiting, cancelling, being promoted, and a class that moves.

Needs a server with rules, seed and triggers of the pack: see Scripts/pack-stories. Members and admins come with tokens of
their own, so the rules judge all that they do; what the studio's own servers would write is written past the rules.
"""
import datetime
import threading

from google.cloud import firestore

from checks import Checks, close, fresh
from stories import client, denied, documents, eventually, owner

checks = Checks()
START = datetime.datetime(2099, 4, 1, 18, 0, tzinfo=datetime.timezone.utc)
PERIOD = datetime.datetime(2026, 2, 15, tzinfo=datetime.timezone.utc)
END = datetime.datetime(2099, 12, 31, tzinfo=datetime.timezone.utc)


class Member:
    """A member with a plan, and what an app does for them: docs/packs/yoga-studio.md, "In a client"."""

    def __init__(self, plan="unlimited", limit=0):
        self.uid = fresh("member")
        self.db = client(self.uid)
        self.subscription = self.db.document(f"users/{self.uid}/subscription/current")
        owner().document(self.subscription.path).set({
            "id": f"sub_{self.uid}", "userId": self.uid, "plan": plan, "startDate": PERIOD,
            "endDate": None if plan == "dropIn" else END, "isActive": True, "classesUsed": 0, "classesLimit": limit,
            "lastClassId": None, "autoRenew": True, "pendingPlan": None})

    def booking(self, id):
        return self.db.document(f"classes/{id}/bookings/{self.uid}")

    def status(self, id):
        return (self.booking(id).get().to_dict() or {}).get("status")

    def used(self):
        return self.subscription.get().get("classesUsed")

    def messages(self):
        return sorted(one["type"] for one in documents(self.db.collection(f"users/{self.uid}/notifications")).values())

    def book(self, id, payment=None):
        terms = self.subscription.get().to_dict()
        is_counted = terms["plan"] in ("basic", "premium")
        batch = self.db.batch()
        batch.set(self.booking(id), {
            "id": self.uid, "userId": self.uid, "classId": id, "bookingDate": firestore.SERVER_TIMESTAMP,
            "status": "confirmed", "paymentId": payment, "period": terms["startDate"] if is_counted else None})
        batch.update(self.db.document(f"classes/{id}"), {"bookedCount": firestore.Increment(1)})
        if is_counted:
            batch.update(self.subscription, {"classesUsed": firestore.Increment(1), "lastClassId": id})
        batch.commit()

    def cancel(self, id):
        held, terms = self.booking(id).get().to_dict(), self.subscription.get().to_dict()
        batch = self.db.batch()
        batch.update(self.booking(id), {"status": "cancelled"})
        batch.update(self.db.document(f"classes/{id}"), {"bookedCount": firestore.Increment(-1)})
        if held["period"] is not None and held["period"] == terms["startDate"]:
            batch.update(self.subscription, {"classesUsed": firestore.Increment(-1), "lastClassId": id})
        batch.commit()

    def wait(self, id):
        batch = self.db.batch()
        batch.set(self.db.document(f"classes/{id}/waitlist/{self.uid}"), {
            "userId": self.uid, "joinedAt": firestore.SERVER_TIMESTAMP})
        batch.update(self.db.document(f"classes/{id}"), {"waitlistCount": firestore.Increment(1)})
        batch.commit()


def admin():
    return client("olga", role="admin")


def new_class(capacity):
    """A class that the studio's admin has made; its id."""
    id = fresh("class")
    admin().document(f"classes/{id}").set({
        "id": id, "title": "Evening Flow", "description": "", "instructorName": "Asha Rao", "category": "vinyasa",
        "startTime": START, "duration": 3600, "capacity": capacity, "price": 18.5, "isActive": True,
        "bookedCount": 0, "waitlistCount": 0})
    return id


def counters(id):
    """(bookedCount, waitlistCount), which must be what is stored below the class."""
    db = owner()
    snapshot = db.document(f"classes/{id}").get()
    # All at one time: triggers promote meanwhile.
    fields, at = snapshot.to_dict(), snapshot.read_time
    booked = documents(db.collection(f"classes/{id}/bookings"), at).values()
    taken = sum(1 for booking in booked if booking["status"] != "cancelled")
    waiting = len(documents(db.collection(f"classes/{id}/waitlist"), at))
    counted = fields["bookedCount"], fields["waitlistCount"]
    assert counted == (taken, waiting), f"counted {counted}, stored {(taken, waiting)}"
    assert taken <= fields["capacity"]
    return counted


@checks("who waits first gets the place that a cancellation frees, and is told")
def promoted():
    id = new_class(1)
    mia, ben, wim = Member("basic", 4), Member("basic", 4), Member()
    mia.book(id)
    denied(ben.book, id)
    ben.wait(id)
    wim.wait(id)
    assert counters(id) == (1, 2)
    mia.cancel(id)
    eventually("ben is promoted", lambda: ben.status(id) == "confirmed")
    assert counters(id) == (1, 1)
    assert ben.booking(id).get().get("period") == PERIOD
    assert (mia.used(), ben.used()) == (0, 1)
    assert ben.messages() == ["waitlistPromoted"] and wim.messages() == []
    denied(mia.book, id)
    # Who was promoted cancels as everybody does, and the next one gets the place.
    ben.cancel(id)
    eventually("wim is promoted", lambda: wim.status(id) == "confirmed")
    assert counters(id) == (1, 0) and ben.used() == 0


@checks("who cannot pay for a place that came free is passed over, and told")
def passed_over():
    id = new_class(1)
    mia, used_up, wim = Member(), Member("basic", 0), Member()
    mia.book(id)
    used_up.wait(id)
    wim.wait(id)
    mia.cancel(id)
    eventually("wim is promoted", lambda: wim.status(id) == "confirmed")
    assert used_up.messages() == ["waitlistPassedOver"] and used_up.status(id) is None
    assert counters(id) == (1, 0)


@checks("twenty wait for a class of four: whoever leaves, its places are taken by those who came first")
def queue():
    id = new_class(4)
    booked, waiting = [Member() for _ in range(4)], [Member() for _ in range(20)]
    for member in booked:
        member.book(id)
    for member in waiting:
        member.wait(id)
    threads = [threading.Thread(target=member.cancel, args=(id,)) for member in booked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    eventually("four are promoted", lambda: counters(id) == (4, 16))
    assert [member.status(id) for member in waiting] == ["confirmed"] * 4 + [None] * 16
    admin().document(f"classes/{id}").update({"capacity": 24})
    eventually("all are promoted", lambda: counters(id) == (20, 0))


@checks("members are told when their class moves; when it is switched off, their uses come back")
def moved():
    id = new_class(1)
    mia, wim = Member("premium", 8), Member()
    mia.book(id)
    wim.wait(id)
    admin().document(f"classes/{id}").update({"startTime": START + datetime.timedelta(hours=1)})
    eventually("mia is told", lambda: mia.messages() == ["classMoved"])
    told = list(documents(mia.db.collection(f"users/{mia.uid}/notifications")).values())[0]
    assert told["message"] == "It begins on 2099-04-01 at 19:00 UTC now.", told
    admin().document(f"classes/{id}").update({"isActive": False})
    eventually("mia's booking is cancelled", lambda: mia.status(id) == "cancelled")
    eventually("nobody waits", lambda: counters(id) == (0, 0))
    assert mia.used() == 0
    assert mia.messages() == ["classCancelled", "classMoved"] and wim.messages() == ["classCancelled"]


@checks("a drop-in pays, books, cancels, and has the payment back; the report of the month follows")
def drop_in():
    id = new_class(2)
    dora, server = Member("dropIn"), owner()
    denied(dora.book, id)
    # A month of its own, in which no other check earns anything.
    month = f"{1900 + int(dora.uid[-6:], 16) % 90}-07"
    payment = server.document(f"payments/{fresh('pay')}")
    payment.set({
        "id": payment.id, "userId": dora.uid, "classId": id, "amount": 18.5, "currency": "GBP", "type": "dropIn",
        "status": "completed", "description": "Evening Flow",
        "createdAt": datetime.datetime(int(month[:4]), 7, 1, tzinfo=datetime.timezone.utc)})
    report = admin().document(f"reports/{month}")
    before = eventually("the revenue is counted", lambda: report.get().to_dict())["revenue"]
    dora.book(id, payment.id)
    dora.cancel(id)
    eventually("the payment goes back", lambda: payment.get().get("status") == "refunded")
    eventually("the report follows", lambda: report.get().get("revenue") == round(before - 18.5, 2))
    denied(dora.book, id, payment.id)
    denied(dora.db.document(f"reports/{month}").get)


@checks("a first payment makes the subscription with which a new member books")
def first_payment():
    gus, server = Member(), owner()
    server.document(gus.subscription.path).delete()
    id = new_class(2)
    payment = server.document(f"payments/{fresh('pay')}")
    paid_at = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    payment.set({
        "id": payment.id, "userId": gus.uid, "classId": None, "amount": 49, "currency": "GBP", "type": "subscription",
        "status": "pending", "description": "Basic", "createdAt": paid_at})
    payment.update({"status": "completed"})
    terms = eventually("the period begins", lambda: gus.subscription.get().to_dict())
    assert (terms["plan"], terms["classesLimit"], terms["classesUsed"]) == ("basic", 4, 0), terms
    assert terms["startDate"] == paid_at and terms["isActive"] is True, terms
    gus.book(id)
    assert gus.used() == 1


if __name__ == "__main__":
    close([checks.run()])
