/// A ruleset, some documents, and one request: what the evaluator's tests are made of.

import DocModel
import RulesTools
import Testing

@testable import Rules

/// Documents in memory. Bytes are kept alive as long as the object.
final class MemoryDocuments: DocumentAccess {
  private var before: [String: [UInt8]] = [:]
  private var after: [String: [UInt8]] = [:]
  private var written: Set<String> = []
  private var held: [UnsafeMutableRawBufferPointer] = []
  private(set) var fetches = 0
  /// As official emulators before 1.22 have it.
  var failsAtMissing = false

  init(_ documents: [String: Fields] = [:]) {
    super.init()
    for (path, fields) in documents { before[path] = fields.encoded }
    after = before
  }

  deinit { for buffer in held { buffer.deallocate() } }

  /// What a commit leaves behind; nil deletes.
  func setAfter(_ path: String, _ fields: Fields?) {
    after[path] = fields?.encoded
    written.insert(path)
  }

  override var failsAtMissingDocuments: Bool { failsAtMissing }

  override func isWritten(_ path: UnsafeRawBufferPointer) -> Bool {
    written.contains(String(decoding: path, as: UTF8.self))
  }

  func hold(_ fields: Fields) -> FieldsView {
    let bytes = fields.encoded
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
    buffer.copyBytes(from: bytes)
    held.append(buffer)
    return FieldsView(document: UnsafeRawBufferPointer(rebasing: buffer[0..<bytes.count]))
  }

  override func document(at path: UnsafeRawBufferPointer, afterCommit: Bool) -> FieldsView? {
    fetches += 1
    let name = String(decoding: path, as: UTF8.self)
    guard let bytes = (afterCommit ? after : before)[name] else { return nil }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 8)
    buffer.copyBytes(from: bytes)
    held.append(buffer)
    return FieldsView(document: UnsafeRawBufferPointer(rebasing: buffer[0..<bytes.count]))
  }
}

/// What a condition came to.
enum Verdict: Equatable, CustomTestStringConvertible {
  case yes, no, fault, refused

  var testDescription: String { "\(self)" }
}

/// The usual signed-in user of docs/spec/rules-language.md section 10.
let alice = AuthFacts(
  uid: "alice",
  claims: Fields([
    ("sub", .string("alice")), ("user_id", .string("alice")), ("email", .string("alice@example.com")),
    ("email_verified", .boolean(true)), ("role", .string("editor")),
    ("firebase", .map(["sign_in_provider": .string("password"), "identities": .map([:])])),
  ]))

let testTime = Timestamp(seconds: 1_772_355_600, nanoseconds: 0)  // 2026-03-01T09:00:00Z

/// A ruleset around one condition.
func rules(
  _ condition: String, method: RuleMethod = .get, pattern: String = "/t/{id}", functions: String = "",
  version: Int = 2
) -> String {
  """
  rules_version = '\(version)';
  service cloud.firestore {
    match /databases/{database}/documents { match \(pattern) {
      \(functions)
      allow \(method.name): if \(condition); } }
  }
  """
}

/// Compiles; a compile error is the test's own.
func compiled(_ source: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Ruleset {
  let compilation = RulesCompiler.compile(source: source, name: "test.rules")
  return try #require(
    compilation.ruleset, "\(compilation.diagnostics.map(\.message))", sourceLocation: sourceLocation)
}

/// One expression in the circumstances of a test.
struct Circumstances {
  var method = RuleMethod.get
  var auth: AuthFacts?
  var data: Fields? = [:]
  var new: Fields?
  var documents: [String: Fields] = [:]
  var functions = ""
  var path = "t/x"
  var pattern = "/t/{id}"
  var query: QueryShape?

  /// The request for it.
  func request(_ documents: MemoryDocuments) -> RuleRequest {
    if method == .list {
      let shape = query ?? QueryShape(parent: .root, collectionID: "t")
      return RuleRequest(list: shape, auth: auth, time: testTime)
    }
    return RuleRequest(
      method: method, path: ResourcePath(unchecked: path), auth: auth, time: testTime,
      resource: data.map { documents.hold($0) },
      newResource: (new ?? (method == .create || method == .update ? [:] : nil)).map { documents.hold($0) })
  }

  /// True, false or a fault, told apart as a black box would: by the condition and by its negation.
  func verdict(_ expression: String) -> Verdict {
    let source = rules("(\(expression))", method: method, pattern: pattern, functions: functions)
    guard let ruleset = RulesCompiler.compile(source: source, name: "case.rules").ruleset else {
      return .refused
    }
    let access = MemoryDocuments(documents)
    let decision = ruleset.decide(request(access), documents: access)
    if decision.isAllowed { return .yes }
    let negated = rules("!(\(expression))", method: method, pattern: pattern, functions: functions)
    guard let opposite = RulesCompiler.compile(source: negated, name: "case.rules").ruleset else {
      return .refused
    }
    let other = MemoryDocuments(documents)
    return opposite.decide(request(other), documents: other).isAllowed ? .no : .fault
  }

  /// The message of the fault, or the verdict's name.
  func outcome(_ expression: String) -> String {
    let source = rules(expression, method: method, pattern: pattern, functions: functions)
    guard let ruleset = RulesCompiler.compile(source: source, name: "case.rules").ruleset else {
      return "refused"
    }
    let access = MemoryDocuments(documents)
    let explanation = ruleset.explain(request(access), documents: access)
    guard let last = explanation.allows.last else { return "unmatched" }
    switch last.outcome {
    case .granted: return "true"
    case .refused: return "false"
    case .fault(let fault): return fault.message
    }
  }
}
