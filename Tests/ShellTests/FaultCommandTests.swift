/// `:fault`, in this process and on a server.

import DocModel
import Testing

@testable import Shell

@Suite("Faults on purpose", .serialized)
struct FaultCommandTests {
  @Test("A fault is set, takes effect, is listed and cleared", arguments: Placement.allCases)
  func life(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      #expect(talk.run(":fault").results == [])
      #expect(talk.run(":fault RESOURCE_EXHAUSTED on get 2 of alice under users/**").status == 0)
      #expect(talk.run(":fault aborted on commit").status == 0)
      #expect(talk.run("users/bob | ids").results == ["bob"])
      #expect(talk.run(":as alice", "users/bob | ids").results == ["bob"])
      let struck = talk.run("users/bob | ids")
      #expect(struck.status == 1)
      #expect(
        struck.messages == [
          "RESOURCE_EXHAUSTED: injected by fault 1: RESOURCE_EXHAUSTED on get 2 of alice under users"
        ])
      #expect(talk.run("users/bob | ids").results == ["bob"])
      #expect(talk.run(":admin", "create users/new {}").messages.first?.hasPrefix("ABORTED: ") == true)
      #expect(
        talk.run(":mode csv", ":fault list").results == [
          "number,fault,matched,injected,state",
          "1,RESOURCE_EXHAUSTED on get 2 of alice under users,2,1,over", "2,ABORTED on commit,1,1,set",
        ])
      #expect(talk.run(":fault clear 2", "create users/new {}").status == 0)
      #expect(talk.run(":fault clear 2").status == 1)
      #expect(talk.run(":fault clear", ":mode table", ":fault").results == [])
    }
  }

  @Test("Each kind of call is affected as on a server", arguments: Placement.allCases)
  func kinds(_ placement: Placement) async throws {
    for (call, statement) in [
      ("get", "users/bob"), ("query", "users where age > 3"), ("count", "users | count"),
      ("commit", "update users/bob age = 4"), ("begin", ":begin"), ("collections", ":ls"),
      ("listen", ":watch users until current"),
    ] {
      try await SessionKit.talk(placement) { talk in
        _ = talk.run(":fault INTERNAL on \(call)")
        let struck = talk.run(statement)
        #expect(struck.status == 1, "\(call)")
        #expect(struck.messages.first?.hasPrefix("INTERNAL: injected by fault 1") == true, "\(struck)")
        #expect(talk.run(":fault clear", statement).status == 0, "\(call)")
      }
    }
  }

  @Test("What the shell looks at for its advice uses up no fault")
  func advice() async throws {
    try await SessionKit.talk(.embedded) { talk in
      #expect(talk.run(":fault ABORTED on get 1", "update users/bob age += 1").status == 0)
      #expect(talk.run("users/bob").messages.first?.hasPrefix("ABORTED: injected by fault 1") == true)
    }
  }

  @Test("A transaction that is aborted is over", arguments: Placement.allCases)
  func aborted(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      _ = talk.run(":fault ABORTED on commit 1", ":begin", "update users/bob age = 4")
      #expect(talk.run(":commit").messages.first?.hasPrefix("ABORTED: injected by fault 1") == true)
      let bob = talk.run(":rollback", "users/bob | jsonl").results
      #expect(bob.first?.range(ofBytes: "\"age\":40") != nil, "\(bob)")
      #expect(talk.run("update users/bob age = 5").status == 0)
    }
  }

  @Test("A live query loses its connection", arguments: Placement.allCases)
  func dropped(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      _ = talk.run(":fault drop listen after 2 messages under users")
      let lost = talk.run(":watch users until 4")
      #expect(lost.status == 5)
      #expect(
        lost.messages.contains {
          $0.range(ofBytes: "injected by fault 1: drop listen after 2 messages") != nil
        }, "\(lost)")
      #expect(talk.run(":watch users until current").status == 0)
    }
  }

  @Test("A delay is waited for", arguments: Placement.allCases)
  func delayed(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      _ = talk.run(":fault delay 20ms on get")
      let start = ContinuousClock.now
      #expect(talk.run("users/bob | ids").results == ["bob"])
      #expect(ContinuousClock.now - start >= .milliseconds(20))
    }
  }

  @Test(
    "What is wrong has its column and a caret below it", arguments: Placement.allCases)
  func refused(_ placement: Placement) async throws {
    try await SessionKit.talk(placement) { talk in
      let wrong = talk.run(":fault ABORTED on comit")
      #expect(wrong.status == 2)
      #expect(
        wrong.messages == [
          "syntax: column 19: there is no call `comit`; did you mean `commit`?", "  :fault ABORTED on comit",
          "                    ^",
        ])
      for usage in [":fault clear x", ":fault clear 1 2", ":fault list 3"] {
        #expect(talk.run(usage).messages.first?.hasPrefix("usage: :fault") == true, "\(usage)")
      }
      #expect(talk.run(":fault").results == [])
      #expect(talk.run(":help faults").results.contains { $0.hasPrefix("such as   :fault UNAVAILABLE") })
    }
  }

  @Test(
    "Words are completed",
    arguments: [
      (":fault UNAV", ["UNAVAILABLE "]), (":fault dr", ["drop listen ", "drop every listen "]),
      (":fault cl", ["clear "]), (":fault ABORTED o", ["on ", "of "]), (":fault ABORTED on com", ["commit"]),
      (":fault ABORTED on get, qu", ["query"]), (":fault ABORTED on get of al", ["alice"]),
      (":fault ABORTED on get of alice u", ["under "]), (":fault ABORTED on get of alice o", []),
      (":fault ABORTED under us", ["users"]), (":fault ABORTED under users/b", ["users/bob"]),
      (":fault drop listen a", ["after "]), (":fault drop listen after 3 m", ["messages "]),
      (":fault drop listen after 3 messages o", ["of "]), (":fault delay 800ms o", ["on ", "of "]),
      (":fault delay o", []),
    ])
  func completion(text: String, completions: [String]) async throws {
    try await SessionKit.talk(.embedded) { talk in
      #expect(Completer(talk.session).completions(text).texts == completions)
    }
  }
}
