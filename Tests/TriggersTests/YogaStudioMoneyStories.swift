/// Stories of payments: what they bring, the periods that they begin, and what goes back.

import DocModel
import DocStore
import Testing

@testable import Triggers

private typealias Studio = YogaStudio

extension YogaStudioTriggersTests {
  private static func report(_ revenue: Value) -> Fields {
    [
      "month": .string("2026-02"), "revenue": revenue, "classes": .integer(0),
      "bookings": .integer(0),
    ]
  }

  static var payments: [Story] {
    [
      Story("payments are counted when they are completed, and not when they are refunded", []) {
        studio in
        try await studio.put([
          Studio.payment("p1", of: "a", amount: .integer(10), status: "pending"),
          Studio.payment("p2", of: "a", amount: .double(0.1)),
          Studio.payment("p3", of: "a", amount: .double(0.2)),
          Studio.payment("p4", of: "a", "refund", amount: .integer(3)),
          Studio.payment("p5", of: "a", amount: .double(.nan)),
          Studio.payment("p6", of: "a", amount: .string("9")),
        ])
        try await studio.change("payments/p1", ["status": .string("completed")])
        try await studio.change("payments/p1", ["description": .string("y")])
        try await studio.change("payments/p2", ["status": .string("refunded")])
      } then: { studio in
        let stored1 = try studio.store.fields("reports/2026-02")
        #expect(stored1 == report(.double(7.2)))
      },
      Story(
        "a payment that changes its month moves",
        [
          Studio.payment("p1", of: "a", amount: .integer(10)),
          [Studio.Given("reports/2026-02", report(.double(384.5)))],
        ]
      ) { studio in
        try await studio.change(
          "payments/p1", ["createdAt": .timestamp(Studio.time("2026-01-31T23:59:59Z"))])
      } then: { studio in
        let stored2 = try studio.store.fields("reports/2026-02")
        #expect(stored2 == report(.double(374.5)))
        let stored3 = try studio.store.fields("reports/2026-01")?["revenue"]
        #expect(stored3 == .double(10))
      },
      Story(
        "of two payments the later one begins the period, in either order; the price tells the plan",
        [Studio.plans]
      ) { studio in
        try await studio.put([
          Studio.payment(
            "p2", of: "gus", "upgrade", amount: .integer(79), created: "2026-03-01T11:00:00Z"),
          Studio.payment(
            "p1", of: "gus", "subscription", amount: .integer(49), created: "2026-01-31T11:00:00Z"),
          Studio.payment("p3", of: "gus", classID: "yin", created: "2026-03-01T11:30:00Z"),
        ])
      } then: { studio in
        let start = Studio.time("2026-03-01T11:00:00Z")
        var expected = Studio.subscription("gus", "premium", limit: 8, end: "2026-04-01T11:00:00Z")[0]
          .fields
        expected["startDate"] = .timestamp(start)
        let stored4 = try studio.store.fields("users/gus/subscription/current")
        #expect(stored4 == expected)
      },
      Story("a first payment for one class makes a subscription to single classes", []) { studio in
        try await studio.put([Studio.payment("p1", of: "gus", classID: "yin")])
      } then: { studio in
        var expected = Studio.subscription("gus", "dropIn", autoRenew: false)[0].fields
        expected["startDate"] = .timestamp(Studio.time("2026-02-20T09:58:00Z"))
        let stored5 = try studio.store.fields("users/gus/subscription/current")
        #expect(stored5 == expected)
      },
      Story(
        "a payment of the period that runs changes nothing",
        [
          Studio.subscription("ben", "basic", used: 2, limit: 4),
          Studio.payment(
            "p1", of: "ben", "subscription", amount: .integer(49), status: "pending",
            created: "2026-02-15T00:00:00Z"),
        ]
      ) { studio in
        try await studio.change("payments/p1", ["status": .string("completed")])
      } then: { studio in
        let stored = try studio.store.fields("users/ben/subscription/current")
        #expect(stored == Studio.subscription("ben", "basic", used: 2, limit: 4)[0].fields)
      },
      Story(
        "the payment of a cancelled drop-in goes back",
        [
          Studio.aClass(capacity: 1, booked: ["dora"]),
          Studio.payment("p1", of: "dora", classID: "yin"),
          Studio.booking("dora", paymentID: "p1"),
          [Studio.Given("reports/2026-02", report(.double(18.5)))],
        ]
      ) {
        try await $0.cancel("dora")
      } then: { studio in
        let stored6 = try studio.text("payments/p1", "status")
        #expect(stored6 == "refunded")
        let stored7 = try studio.store.fields("reports/2026-02")
        #expect(stored7 == report(.double(0)))
      },
      Story(
        "nobody's payment goes back but the member's own, for this class, of this kind",
        [
          Studio.aClass(capacity: 4, booked: ["a", "b", "c", "d"]),
          Studio.booking("a", paymentID: "other"), Studio.booking("b", paymentID: "wrong"),
          Studio.booking("c", paymentID: "plan"), Studio.booking("d", paymentID: "../p"),
          Studio.payment("other", of: "z", classID: "yin"),
          Studio.payment("wrong", of: "b", classID: "sunrise"),
          Studio.payment("plan", of: "c", "subscription", classID: "yin"),
        ]
      ) { studio in
        for uid in ["a", "b", "c", "d"] { try await studio.cancel(uid) }
      } then: { studio in
        for id in ["other", "wrong", "plan"] {
          let stored8 = try studio.text("payments/\(id)", "status")
          #expect(stored8 == "completed")
        }
      },
    ]
  }
}
