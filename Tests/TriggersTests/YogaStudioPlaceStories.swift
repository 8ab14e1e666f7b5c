/// Stories of places in classes: who is promoted from a waiting list, and who loses a place.

import DocModel
import DocStore
import Testing

@testable import Packs
@testable import Triggers

private typealias Studio = YogaStudio
private let period = Value.timestamp(YogaStudio.period)

extension YogaStudioTriggersTests {
  static var promotions: [Story] {
    [
      Story(
        "who waits first gets the place that came free, and a use of the plan is taken",
        [
          Studio.aClass(booked: ["mia", "uma"], waiting: ["ben", "wim"]),
          Studio.subscription("ben", "basic", used: 3, limit: 4),
          Studio.subscription("wim", "unlimited"),
        ]
      ) {
        try await $0.cancel("mia")
      } then: { studio in
        let first = try studio.waiting()
        #expect(first == ["wim"])
        let booking = try #require(try studio.store.fields("classes/yin/bookings/ben"))
        #expect(booking == Studio.booking("ben", period: period)[0].fields.settingDate(booking))
        #expect(try studio.store.integer("users/ben/subscription/current", "classesUsed") == 4)
        #expect(try studio.text("users/ben/subscription/current", "lastClassId") == "yin")
        #expect(try studio.messages("ben") == ["waitlistPromoted"])
        #expect(try studio.messages("wim") == [])
        try studio.expectExactCounters()
      },
      Story(
        "who cannot pay is passed over and told; the next one gets the place",
        [
          Studio.aClass(
            booked: ["mia", "uma"],
            waiting: ["none", "used", "ended", "off", "unpaid", "odd", "wim", "late"]),
          Studio.subscription("used", "basic", used: 4, limit: 4),
          Studio.subscription("ended", "unlimited", end: "2026-03-01T12:00:00Z"),
          Studio.subscription("off", "unlimited").with("isActive", .boolean(false)),
          Studio.subscription("unpaid", "dropIn"),
          Studio.payment("p1", of: "unpaid", classID: "other"),
          Studio.payment("p2", of: "unpaid", classID: "yin", status: "pending"),
          Studio.subscription("odd", "premium").with("classesUsed", .double(1)),
          Studio.subscription("wim", "unlimited"), Studio.subscription("late", "unlimited"),
        ]
      ) {
        try await $0.cancel("mia")
      } then: { studio in
        let first = try studio.waiting()
        #expect(first == ["late"])
        for uid in ["none", "used", "ended", "off", "unpaid", "odd"] {
          #expect(try studio.messages(uid) == ["waitlistPassedOver"])
          #expect(try studio.store.fields("classes/yin/bookings/\(uid)") == nil)
        }
        #expect(try studio.messages("wim") == ["waitlistPromoted"])
        try studio.expectExactCounters()
      },
      Story(
        "a payment for the class pays for the place of a drop-in",
        [
          Studio.aClass(capacity: 1, booked: ["mia"], waiting: ["dora"]),
          Studio.subscription("dora", "dropIn"),
          Studio.payment("p1", of: "dora", classID: "yin"),
        ]
      ) {
        try await $0.cancel("mia")
      } then: { studio in
        let first = try studio.text("classes/yin/bookings/dora", "paymentId")
        #expect(first == "p1")
        #expect(try studio.text("payments/p1", "status") == "completed")
        try studio.expectExactCounters()
      },
      Story(
        "a raised capacity promotes as many as there are places",
        [
          Studio.aClass(capacity: 1, booked: ["mia"], waiting: ["a", "b", "c", "d"]),
          ["a", "b", "c", "d"].flatMap { Studio.subscription($0, "unlimited") },
        ]
      ) {
        try await $0.change("classes/yin", ["capacity": .integer(4)])
      } then: { studio in
        let first = try studio.waiting()
        #expect(first == ["d"])
        try studio.expectExactCounters()
      },
      Story(
        "two places that come free at once go to two",
        [
          Studio.aClass(booked: ["mia", "uma"], waiting: ["a", "b", "c"]),
          ["a", "b", "c"].flatMap { Studio.subscription($0, "unlimited") },
        ]
      ) {
        try await $0.cancel("mia")
        try await $0.cancel("uma")
      } then: { studio in
        let first = try studio.waiting()
        #expect(first == ["c"])
        try studio.expectExactCounters()
      },
      Story(
        "a booking that was cancelled earlier is confirmed again",
        [
          Studio.aClass(capacity: 1, booked: ["mia"], waiting: ["ben"]),
          Studio.subscription("ben", "unlimited"),
          Studio.booking("ben", status: "cancelled", period: period),
        ]
      ) {
        try await $0.cancel("mia")
      } then: { studio in
        let first = try studio.text("classes/yin/bookings/ben", "status")
        #expect(first == "confirmed")
        #expect(try studio.store.fields("classes/yin/bookings/ben")?["period"] == .null)
        try studio.expectExactCounters()
      },
      Story(
        "nobody is promoted to a class that has begun or is switched off",
        [
          Studio.aClass(
            "past", capacity: 2, booked: ["mia"], waiting: ["a"], start: "2026-03-01T11:00:00Z"),
          Studio.subscription("a", "unlimited"),
        ]
      ) {
        try await $0.change("classes/past", ["capacity": .integer(3)])
      } then: { studio in
        let first = try studio.waiting("past")
        #expect(first == ["a"])
      },
      Story(
        "a count of people who are not there is mended",
        [
          Studio.aClass(booked: ["mia"]).map {
            Studio.Given(
              $0.path,
              $0.path == "classes/yin" ? $0.fields.with("waitlistCount", .integer(3)) : $0.fields)
          }
        ]
      ) {
        try await $0.change("classes/yin", ["title": .string("Yin II")])
      } then: { studio in
        try studio.expectExactCounters()
      },
      Story(
        "everybody who is booked is told when a class moves, and nobody else",
        [
          Studio.aClass(booked: ["mia", "uma"], waiting: ["wim"]),
          Studio.booking("ben", status: "cancelled"),
        ]
      ) {
        try await $0.change(
          "classes/yin", ["startTime": .timestamp(Studio.time("2026-03-06T18:30:00Z"))])
        try await $0.change("classes/yin", ["title": .string("Yin II")])
      } then: { studio in
        #expect(
          try ["mia", "uma", "ben", "wim"].map(studio.messages) == [
            ["classMoved"], ["classMoved"], [], [],
          ])
        let notification = try #require(
          try studio.store.documents(
            StructuredQuery(database: database, collection: path("users/mia/notifications"))
          ).first?.fields)
        #expect(notification["message"] == .string("It begins on 2026-03-06 at 18:30 UTC now."))
        #expect(
          notification.entries.map(\.name) == [
            "classId", "createdAt", "id", "message", "read", "title", "type",
          ])
      },
    ]
  }

  static var cancellations: [Story] {
    [
      Story(
        "a class that is switched off cancels all bookings, gives back uses and payments, and ends its list",
        [
          Studio.aClass(booked: ["mia", "old"], waiting: ["wim", "paid"], period: period),
          Studio.subscription("mia", "premium", used: 3, limit: 8),
          Studio.subscription("old", "premium", used: 3, limit: 8).with(
            "startDate", .timestamp(Studio.now)),
          Studio.payment("p1", of: "paid", classID: "yin"),
          Studio.payment("p2", of: "dora", classID: "yin"),
          Studio.booking("came", status: "completed"),
          Studio.booking("dora", paymentID: "p2"),
        ]
      ) {
        // The two bookings that the fixture does not count.
        try await $0.change("classes/yin", ["bookedCount": .integer(4), "capacity": .integer(4)])
        try await $0.change("classes/yin", ["isActive": .boolean(false)])
      } then: { studio in
        try studio.expectExactCounters()
        #expect(try studio.store.integer("classes/yin", "bookedCount") == 1)
        #expect(try studio.waiting() == [])
        #expect(try studio.store.integer("users/mia/subscription/current", "classesUsed") == 2)
        #expect(try studio.store.integer("users/old/subscription/current", "classesUsed") == 3)
        #expect(
          try ["p1", "p2"].map { try studio.text("payments/\($0)", "status") } == [
            "refunded", "refunded",
          ])
        for uid in ["mia", "old", "wim", "paid", "dora"] {
          #expect(try studio.messages(uid) == ["classCancelled"])
        }
        #expect(try studio.messages("came") == [])
      },
      Story(
        "120 members of a class that is called off",
        [
          Studio.aClass(
            capacity: 120, booked: (0..<120).map { "m\($0)" }, waiting: (0..<60).map { "w\($0)" })
        ]
      ) {
        try await $0.change("classes/yin", ["isActive": .boolean(false)])
      } then: { studio in
        try studio.expectExactCounters()
        #expect(try studio.store.integer("classes/yin", "bookedCount") == 0)
      },
      Story(
        "a class that was held and is switched off afterwards stays as it was",
        [
          Studio.aClass(booked: ["mia"], start: "2026-03-01T11:00:00Z", period: period),
          Studio.subscription("mia", "premium", used: 3, limit: 8),
        ]
      ) {
        try await $0.change("classes/yin", ["isActive": .boolean(false)])
      } then: { studio in
        let first = try studio.text("classes/yin/bookings/mia", "status")
        #expect(first == "confirmed")
        #expect(try studio.store.integer("users/mia/subscription/current", "classesUsed") == 3)
      },
      Story(
        "the studio cancels one member: the use goes back, and who waits is promoted",
        [
          Studio.aClass(
            booked: ["mia", "uma"], waiting: ["wim"], start: "2026-03-01T13:00:00Z", period: period),
          Studio.subscription("mia", "premium", used: 3, limit: 8),
          Studio.subscription("wim", "unlimited"),
        ]
      ) { studio in
        for _ in 0..<2 { try await studio.triggers.cancelBooking(of: "mia", in: "yin", database) }
        try await studio.triggers.cancelBooking(of: "nobody", in: "yin", database)
        for id in ["", "a/b", ".."] {
          try await studio.triggers.cancelBooking(of: id, in: "yin", database)
          try await studio.triggers.cancelBooking(of: "mia", in: id, database)
        }
      } then: { studio in
        let first = try studio.store.integer("users/mia/subscription/current", "classesUsed")
        #expect(first == 2)
        #expect(try studio.messages("mia") == ["bookingCancelled"])
        #expect(try studio.messages("wim") == ["waitlistPromoted"])
        try studio.expectExactCounters()
      },
      Story(
        "a deleted class takes its bookings along; of the next class with its id nothing is lost",
        [
          Studio.aClass(booked: ["mia", "dora"], waiting: ["wim"], period: period),
          Studio.subscription("mia", "premium", used: 3, limit: 8),
          Studio.booking("dora", paymentID: "p1"),
          Studio.payment("p1", of: "dora", classID: "yin"),
        ]
      ) { studio in
        try await studio.store.delete("classes/yin")
        try await studio.put([Studio.aClass(booked: ["new"])])
      } then: { studio in
        let left = try studio.store.documents(
          StructuredQuery(database: database, collection: path("classes/yin/bookings")))
        #expect(left.map(\.path.lastSegment) == ["new"])
        #expect(try studio.waiting() == [])
        #expect(try studio.store.integer("users/mia/subscription/current", "classesUsed") == 2)
        #expect(try studio.text("payments/p1", "status") == "refunded")
        #expect(try ["mia", "wim"].map(studio.messages) == [["classCancelled"], ["classCancelled"]])
        try studio.expectExactCounters()
      },
    ]
  }
}
