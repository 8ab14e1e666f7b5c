/// Queries that leak are told once for each shape.

import Access
import DocModel
import DocStore
import Rules
import RulesTools
import Synchronization
import TestSupport
import Testing

@Suite("the watch for leaks")
struct LeakWatchTests {
  final class Told: Sendable {
    private let list = Mutex<[ListLeak]>([])
    func add(_ leak: ListLeak) { list.withLock { $0.append(leak) } }
    var all: [ListLeak] { list.withLock { $0 } }
  }

  /// The service grants lists of `notes` although a note with `hidden` is refused.
  static let rules = """
    rules_version = '2';
    service cloud.firestore { match /databases/{db}/documents {
      match /notes/{id} { allow read: if !('hidden' in resource.data); }
      match /open/{id} { allow read: if true; }
      match /own/{id} { allow read: if resource.data.owner == request.auth.uid; }
    }}
    """

  static func store(_ told: Told) throws -> GuardedStore<NaiveEngine> {
    let registry = RulesetRegistry()
    registry.setStandard(try #require(RulesCompiler.compile(source: rules, name: "leaks.rules").ruleset))
    return GuardedStore(
      try DocumentStore(engine: NaiveEngine()), rulesets: registry, detail: .terse,
      leaks: LeakWatch { told.add($0) })
  }

  static func query(_ collection: String) -> StructuredQuery {
    StructuredQuery(database: testDatabase, collection: ResourcePath(unchecked: collection))
  }

  @Test("a query that leaks is told once, whoever of the same kind asks again")
  func once() throws {
    let told = Told()
    let store = try Self.store(told)
    for uid in ["ann", "bob"] { _ = try store.paths(Self.query("notes"), as: user(uid)) }
    #expect(told.all.map(\.collection) == ["notes"])
    #expect(told.all.first?.database == testDatabase)
    #expect(told.all.first?.message.contains("rule L3 refuses") == true)
  }

  @Test("a query of an administrator, one that is safe, and one that is refused are not told")
  func quiet() throws {
    let told = Told()
    let store = try Self.store(told)
    _ = try store.paths(Self.query("notes"), as: .admin)
    _ = try store.paths(Self.query("open"), as: user("ann"))
    #expect(throws: (any Error).self) { try store.paths(Self.query("own"), as: user("ann")) }
    #expect(told.all.isEmpty)
  }

  @Test("the metrics count judgements, refusals and documents")
  func metrics() throws {
    let store = try Self.store(Told())
    try store.commitAndWait(testDatabase, [set("open/a", [:]), set("open/b", [:])], as: .admin)
    _ = try store.paths(Self.query("open"), as: user("ann"))
    _ = try store.fields("open/a", as: user("ann"))
    _ = try? store.fields("own/x", as: user("ann"))
    #expect(store.metrics.evaluations == 3)
    #expect(store.metrics.denials == 1)
    #expect(store.metrics.documentsRead == 4)
    #expect(store.store.metrics.commits == 1 && store.store.metrics.writes == 2)
  }

  @Test("rules that do not compile refuse users with the compiler's words, and administrators not at all")
  func broken() throws {
    let registry = RulesetRegistry()
    let source = SourceText(name: "x", bytes: [])
    registry.setStandard(.broken("Error compiling rules:\nL1:1 no", source), ofDatabase: nil)
    let store = GuardedStore(try DocumentStore(engine: NaiveEngine()), rulesets: registry)
    #expect(throws: StoreError.invalid(InvalidArgument("Error compiling rules:\nL1:1 no"))) {
      try store.fields("a/b", as: user("ann"))
    }
    #expect(try store.fields("a/b", as: .admin) == nil)
  }
}
