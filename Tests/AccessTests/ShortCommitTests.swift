/// Commits that an event loop judges, and those whose rules are too much work for it.

import Access
import DocModel
import DocStore
import Platform
import Rules
import RulesTools
import Synchronization
import TestSupport
import Testing

@Suite("rules of commits on event loops")
struct ShortCommitTests {
  private static let twice = "(request.auth.uid + request.auth.uid).size() > 0"

  private static let rules = """
    rules_version = '2';
    service cloud.firestore { match /databases/{db}/documents {
      function many() { return \(Array(repeating: twice, count: 30).joined(separator: " && ")); }
      function all() { return many() && many() && many() && many() && many() && many() && many(); }
      match /small/{id} { allow write: if true; }
      match /many/{id} { allow write: if many(); }
      match /all/{id} { allow write: if all(); }
      match /pattern/{id} { allow write: if request.resource.data.text.matches(request.resource.data.pattern); }
      match /looked/{id} { allow write: if get(/databases/$(db)/documents/large/a).data.size() >= 0; }
      match /denied/{id} { allow write: if false; }
    }}
    """

  /// - Parameter judged: how often the rules are asked: once more where the event loop has given up.
  @Test(
    "a commit is judged once where the rules are short work, else once more, and its answer is the same",
    arguments: [
      ("small/a", 1, nil), ("many/a", 1, nil), ("all/a", 2, "permission"), ("pattern/a", 2, nil),
      ("looked/a", 2, nil), ("denied/a", 1, "permission"),
    ] as [(String, Int, String?)])
  func judged(path: String, judged: Int, refusal: String?) throws {
    let registry = RulesetRegistry(isOpen: false)
    let ruleset = try #require(RulesCompiler.compile(source: Self.rules, name: "test.rules").ruleset)
    registry.setStandard(ruleset)
    var options = StoreOptions()
    options.commitsOnCaller = true
    let store = GuardedStore(
      try DocumentStore(engine: NaiveEngine(), options: options), rulesets: registry, detail: .terse)
    defer { store.store.close() }
    try store.commitAndWait(
      testDatabase, [set("large/a", ["text": .string(String(repeating: "x", count: 100_000))])], as: .admin)
    let write = set(
      path,
      [
        "text": .string(String(repeating: "x", count: 20_000)),
        "pattern": .string(String(repeating: "(x?y?z?){1,20}", count: 4) + "w|.*"),
      ])
    // The thread that writes has first to find that nothing is to be tidied.
    try eventually("a commit on this thread") { try outcome(of: set("small/b", [:]), in: store).isHere }
    let before = store.metrics.evaluations
    let (result, isHere) = try outcome(of: write, in: store)
    #expect(store.metrics.evaluations == before + judged)
    #expect(isHere == (judged == 1))
    switch result {
    case .success: #expect(refusal == nil)
    case .failure(let error): #expect(error.message.lowercased().contains(refusal ?? "nothing"), "\(error)")
    }
    let isStored = try store.store.read(testDatabase) { (view) throws(StoreError) in
      try view.document(ResourcePath(unchecked: path)) != nil
    }
    #expect(isStored == (refusal == nil))
  }

  /// What a commit of one turn comes to, and whether it was answered on this thread.
  private func outcome(
    of write: Write, in store: GuardedStore<NaiveEngine>
  ) throws -> (result: Result<CommitResult, StoreError>, isHere: Bool) {
    let tasks = Mutex<[@Sendable () -> Void]>([])
    let answer = Mutex<(result: Result<CommitResult, StoreError>, thread: PlatformThread.ID)?>(nil)
    let later = { (task: @escaping @Sendable () -> Void) in tasks.withLock { $0.append(task) } }
    store.submit(testDatabase, [write], as: user("alice"), later: later) { result in
      answer.withLock { $0 = (result, PlatformThread.current) }
    }
    for task in tasks.withLock({ $0 }) { task() }
    try eventually("an answer") { answer.withLock { $0 } != nil }
    let (result, thread) = try #require(answer.withLock { $0 })
    return (result, thread == PlatformThread.current)
  }
}
