/// One case of a recorded suite.

import Conditions
import DocModel

/// As what a request is recorded: several kinds of requests are one to the rules.
enum RecordedForm: Equatable {
  case get, list, count, listen, write
}

extension RulesEvaluator.Request {
  /// The form of a request that is asked for as it is.
  var form: RecordedForm {
    switch self {
    case .get: .get
    case .list: .list
    case .writes: .write
    }
  }
}

struct RecordedCase {
  var name: String
  let persona: String
  /// Lines of the request.
  let request: [String]
  /// What stands behind `expect: `.
  var expectation: String
  /// What may stand there instead, each saying less than the one before.
  var looser: [String] = []
  /// `request.time` in microseconds, where the suite's clock gives another verdict.
  var time: Int64?
  var todo: String?
  /// The documents that the decision saw, with their fields; nil for those that were missing.
  let seen: [(path: ResourcePath, fields: Fields?)]

  /// Lines of YAML below `cases:`; documents that differ from the fixtures are given.
  func lines(_ fixtures: [ResourcePath: Fields]) -> [String] {
    var lines = ["name: \(SuiteText.scalar(name))", "as: \(SuiteText.scalar(persona))"]
    let given = seen.compactMap { Self.change(of: $0.path, to: $0.fields, from: fixtures[$0.path]) }
    if !given.isEmpty { lines += ["given:"] + given.map { "  " + $0 } }
    lines += request
    lines.append("expect: \(expectation)")
    if let time { lines.append("at: \(Timestamp(microseconds: time).rfc3339)") }
    if let todo { lines.append("todo: \(SuiteText.scalar(todo))") }
    return lines.enumerated().map { ($0.offset == 0 ? "  - " : "    ") + $0.element }
  }

  /// Whether both say the same, whatever they are called.
  func isSame(as other: RecordedCase) -> Bool {
    persona == other.persona && request == other.request && expectation == other.expectation
      && lines([:]).dropFirst() == other.lines([:]).dropFirst()
  }

  private static func change(of path: ResourcePath, to fields: Fields?, from fixture: Fields?) -> String? {
    let key = SuiteText.scalar(path.text)
    guard let fields else { return fixture == nil ? nil : "\(key): \(SuiteText.absent)" }
    if let fixture, fixture == fields { return nil }
    let old = fixture ?? Fields()
    let names = Set(fields.entries.map(\.name) + old.entries.map(\.name))
    let changes = names.sorted { $0.precedesInBytes($1) }.compactMap { name -> String? in
      guard fields[name] != old[name], let path = FieldPath.field(name) else { return nil }
      return SuiteText.pathKey(path) + ": " + (fields[name].map { SuiteText.value($0) } ?? SuiteText.absent)
    }
    return "\(key): {" + changes.joined(separator: ", ") + "}"
  }
}
