/// Several writes to one document in one commit, beside what the official emulator answers.
///
/// Its answers to all pairs of writes with every precondition, to an anonymous user whose rules allow one method at a
/// time: the method that decided, or why the commit was refused.

import DocModel
import DocStore
import Synchronization
import Testing

@Suite struct MergedWritesTests {
  /// The writes, in the order of a row's cells. Behind the operation: `+` that the document exists, `-` that it does not, `@` its
  /// update time.
  static let operations = ["set", "set+", "set-", "set@", "delete", "delete+", "delete-", "delete@"]

  struct Row: Sendable, CustomTestStringConvertible {
    let isStored: Bool
    let first: String
    /// The first write alone, then followed by each of the operations.
    let answers: [String]

    var testDescription: String { "\(first) of a document that is \(isStored ? "" : "not ")there" }

    init(_ isStored: Bool, _ first: String, _ answers: String) {
      self.isStored = isStored
      self.first = first
      self.answers = answers.split(separator: " ").map(String.init)
    }
  }

  static let rows = [
    Row(false, "set", "C C C upsert>insert versions D D upsert>delete versions"),
    Row(false, "set+", "U404 U404 U404 update>insert versions D404 D404 update>delete versions"),
    Row(false, "set-", "C C C insert>insert versions D D insert>delete versions"),
    Row(false, "set@", "Ustale Ustale Ustale update>insert Ustale Dstale Dstale update>delete Dstale"),
    Row(false, "delete", "D C delete>update C delete>update D delete>delete D versions"),
    Row(false, "delete+", "D404 U404 delete>update U404 delete>update D404 delete>delete D404 versions"),
    Row(false, "delete-", "D C delete>update C delete>update D delete>delete D versions"),
    Row(
      false, "delete@", "Dstale Cstale delete>update Cstale delete>update Dstale delete>delete Dstale Dstale"),
    Row(true, "set", "U U U upsert>insert versions D D upsert>delete versions"),
    Row(true, "set+", "U U U update>insert versions D D update>delete versions"),
    Row(true, "set-", "C409 C409 C409 insert>insert versions D409 D409 insert>delete versions"),
    Row(true, "set@", "U U U update>insert U D D update>delete D"),
    Row(true, "delete", "D U delete>update U delete>update D delete>delete D versions"),
    Row(true, "delete+", "D U delete>update U delete>update D delete>delete D versions"),
    Row(true, "delete-", "D409 C409 delete>update C409 delete>update D409 delete>delete D409 versions"),
    Row(true, "delete@", "D U delete>update U delete>update D delete>delete D D"),
  ]

  @Test(arguments: rows)
  func pairs(_ row: Row) throws {
    let test = try TestStore()
    for (second, expected) in zip([nil] + Self.operations, row.answers) {
      let writes = [row.first] + (second.map { [$0] } ?? [])
      #expect(
        try answer(to: writes, isStored: row.isStored, in: test) == expected, "then \(second ?? "nothing")")
    }
  }

  /// What a change is called that begins with a delete is the delete's precondition to say.
  static let triples: [(isStored: Bool, writes: [String], answer: String)] = [
    (false, ["delete", "set-", "set-"], "upsert>insert"),
    (true, ["delete@", "set-", "delete-"], "upsert>delete"),
    (false, ["delete+", "set", "set-"], "update>insert"),
    (true, ["delete+", "set-", "delete-"], "update>delete"),
    (false, ["delete-", "set", "set-"], "insert>insert"),
    (true, ["delete-", "set-", "delete-"], "insert>delete"),
    (true, ["set@", "set", "set@"], "U"),
    (true, ["set@", "delete", "delete@"], "D"),
    (true, ["delete@", "set", "set@"], "U"),
    (true, ["set", "delete", "set@"], "delete>update"),
  ]

  @Test(arguments: triples)
  func threeWrites(_ isStored: Bool, _ writes: [String], _ expected: String) throws {
    #expect(try answer(to: writes, isStored: isStored, in: TestStore()) == expected)
  }

  /// Fields that are masked, of the whole document with a star, and transformed; then what rules see of all of them.
  static let paths: [(writes: [String], mask: [String]?, transforms: [String])] = [
    (["b:", "c:"], ["c", "b"], []), (["*:", "c:"], nil, []), (["b:", "*:"], nil, []),
    (["b:", "c:t"], ["c", "b"], ["t"]), (["a:t", "*:"], nil, ["t"]), (["a:t", "t:"], ["t", "a"], ["t"]),
    (["a:", "delete", "b:"], nil, []), (["a:t", "delete", "b:u"], nil, ["u"]),
    ([":n", ":n"], [], ["n", "n"]),
    (["a:t", "delete"], nil, []),
  ]

  @Test("masks and transforms of several writes", arguments: paths)
  func writtenPaths(_ writes: [String], _ mask: [String]?, _ transforms: [String]) throws {
    let test = try TestStore()
    let path = ResourcePath(unchecked: "c/x")
    let made = try writes.map { text -> Write in
      guard text != "delete" else { return Write(path, .delete) }
      let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      let fields = parts[0].isEmpty ? [] : try [FieldPath.parse(parts[0] == "*" ? "a" : parts[0])]
      let changes = parts[1].isEmpty ? [] : try [FieldTransform(FieldPath.parse(parts[1]), .serverTime)]
      return Write(path, .update(fields: [], mask: parts[0] == "*" ? nil : fields), transforms: changes)
    }
    let judged = Mutex<([String]?, [String])?>(nil)
    let judge: CommitJudge = { commit throws(StoreError) in
      let write = commit.writes[0]
      judged.withLock { $0 = (write.mask?.map(\.text), write.transforms.map(\.path.text)) }
    }
    try test.store.commitAndWait(test.database, made, judge: judge)
    let seen = try #require(judged.withLock { $0 })
    #expect(seen.0 == mask && seen.1 == transforms)
  }

  private func answer(to operations: [String], isStored: Bool, in test: TestStore) throws -> String {
    let path = "c/\(operations.joined().utf8.count)-\(operations.joined(separator: ","))"
    let other = Int64(1_600_000_000_000_000)
    let version = isStored ? try test.set(path, ["z": .integer(0)]).commitTime : other
    let writes = operations.map { operation -> Write in
      let precondition: Precondition =
        switch operation.last {
        case "+": .exists(true)
        case "-": .exists(false)
        case "@": .updateTime(version)
        default: .none
        }
      return operation.hasPrefix("set")
        ? .set(path, ["a": .integer(1)], precondition: precondition)
        : .delete(path, precondition: precondition)
    }
    let judged = Mutex("")
    let judge: CommitJudge = { commit throws(StoreError) in
      let letters = commit.writes.map { write in
        switch write.kind {
        case .create: "C"
        case .update: "U"
        case .delete: "D"
        case .verify: "V"
        }
      }
      judged.withLock { $0 = letters.joined() }
    }
    let error = storeError { try test.store.commitAndWait(test.database, writes, judge: judge) }
    let kind = judged.withLock { $0 }
    switch error {
    case nil: return kind
    case .notFound: return kind + "404"
    case .alreadyExists: return kind + "409"
    case .failedPrecondition: return kind + "stale"
    case .invalid(let error):
      let words = error.message.split(separator: " ")
      #expect(kind == "", "refused before rules are asked")
      return words[1] == "collapse" ? "versions" : "\(words[1])>\(words[3])"
    case .some(let error): return "\(error)"
    }
  }

  @Test("a commit is refused for writes that cannot follow each other before what is stored is asked")
  func order() throws {
    let test = try TestStore()
    let error = storeError {
      try test.commit(
        .set("c/none", [:], precondition: .exists(true)), .set("c/a", [:]),
        .set("c/a", [:], precondition: .exists(false)))
    }
    #expect(error == .invalid(InvalidArgument("Cannot upsert then insert an entity in the same request.")))
  }

  @Test("the words for versions that differ")
  func versions() throws {
    let test = try TestStore()
    let error = storeError {
      try test.commit(.set("c/a", [:]), .set("c/a", [:], precondition: .updateTime(7)))
    }
    #expect(
      error
        == .invalid(
          InvalidArgument(
            "Cannot collapse mutations with different version preconditions (null and "
              + "VersionPrecondition{exactBaseVersion=7, maxBaseVersion=null})")))
  }

  @Test("the results of all writes to a document tell its end")
  func results() throws {
    let test = try TestStore()
    let gone = try test.commit(.set("c/a", ["n": .integer(1)]), .delete("c/a"))
    #expect(gone.results.map(\.updateTime) == [nil, nil])
    let made = try test.commit(.delete("c/a"), .set("c/a", ["n": .integer(1)]))
    #expect(made.results.map(\.updateTime) == [made.commitTime, made.commitTime])
    let back = try test.commit(.set("c/a", ["n": .integer(2)]), .set("c/a", ["n": .integer(1)]))
    #expect(back.results.map(\.updateTime) == [made.commitTime, made.commitTime])
    let anew = try test.commit(.delete("c/a"), .set("c/a", ["n": .integer(1)]))
    #expect(anew.results.map(\.updateTime) == [anew.commitTime, anew.commitTime])
    #expect(try test.times("c/a")?.created == anew.commitTime)
  }

  @Test("rules see the document before and after the commit, once")
  func judgedOnce() throws {
    let test = try TestStore()
    try test.set("c/a", ["n": .integer(1)])
    let seen = Mutex<[[Fields?]]>([])
    let judge: CommitJudge = { commit throws(StoreError) in
      seen.withLock { seen in
        seen = commit.writes.map {
          [$0.before.map { Fields($0.fields) }, $0.after.map { Fields($0.fields) }]
        }
      }
    }
    let bump = Write.transform("c/a", .increment(fieldPath("n"), by: .integer(1)))
    try test.store.commitAndWait(test.database, [bump, .set("c/b", [:]), bump], judge: judge)
    #expect(seen.withLock { $0 } == [[["n": .integer(1)], ["n": .integer(3)]], [nil, [:]]])
  }
}
