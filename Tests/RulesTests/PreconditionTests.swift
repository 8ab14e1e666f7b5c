/// What ends the program rather than going on with what nobody may rely on. Each of these costs a process.

import Testing

@testable import Rules

@Suite("preconditions of evaluations")
struct EvaluationPreconditionTests {
  private static func said(_ result: ExitTest.Result?, _ words: String) -> Bool {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(words)
  }

  @Test("a list of memory has room from the beginning, and nothing is read behind its end")
  func lists() async {
    let none = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RawList<Int>(capacity: 0)
    }
    #expect(Self.said(none, "a list grows by doubling"))
    let beyond = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let list = RawList<Int>(capacity: 4)
      list.append(1)
      _ = list[1]
    }
    #expect(Self.said(beyond, "and no others"))
  }
}
