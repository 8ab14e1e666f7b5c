/// What ends the program rather than going on with what nobody may rely on. Each of these costs a process.

import DocModel
import DocStore
import TestSupport
import Testing

@testable import Triggers

@Suite("preconditions of triggers")
struct TriggerPreconditionTests {
  private static func said(_ result: ExitTest.Result?, _ words: String) -> Bool {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(words)
  }

  @Test("a runner runs once at a time")
  func runsTwice() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = try DocumentStore(engine: NaiveEngine(), environment: .system)
      let runner = try TriggerRunner(store, [])
      async let first: Void = runner.run()
      async let second: Void = runner.run()
      _ = await (first, second)
    }
    #expect(Self.said(result, "a trigger runner runs once at a time"))
  }

  @Test("events that are under way are not forgotten")
  func forgetsUnderWay() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var queue = DeliveryQueue()
      let document = DocumentName(database: DatabaseID(project: "p"), path: ResourcePath(unchecked: "c/d"))
      queue.append(PendingEvent(version: 1, cause: .none, author: .system), to: document)
      _ = queue.takeReady(1, bound: 1)
      queue.removeAll()
    }
    #expect(Self.said(result, "cannot be forgotten"))
  }
}
