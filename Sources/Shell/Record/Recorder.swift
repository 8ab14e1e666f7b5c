/// What a session did, as a rules test suite: who asked for what, on which documents, and what the rules said.
///
/// Documents as they were when recording began are the suite's fixtures, those that were changed since are `given` to the
/// cases that saw them; so every case stands for itself. Each case is run before it is kept, and all of them beside each
/// other at the end: what is in the file passes.

import Client
import Conditions
import DocModel
import DocStore
import Platform
import Rules

/// Owner: the session's thread.
final class Recorder {
  /// LIMIT: cases and documents of one suite, documents of one result, writes of one commit.
  static let casesMax = 1_000
  static let documentsMax = 2_000
  static let returnedMax = 50
  static let writesMax = 20

  /// Why a case is one to do, without the places that a report has: they change with the file.
  private static let todo = "the rules decide otherwise"
  private static let suffix = ".rules-test.yaml"

  let path: String
  let database: DatabaseID
  let rules: Ruleset
  let suites: ShellSuites
  let source: [UInt8]
  /// What stands behind `rules:`, or the rules themselves.
  private let rulesLines: [String]
  /// Microseconds; documents that were updated later are no fixtures.
  private let startedAt: Int64
  private var fixtures: [ResourcePath: Fields] = [:]
  /// Documents that were not there when they were first looked for.
  private var absent: Set<ResourcePath> = []
  private var personas: [(name: String, facts: Value)] = []
  private var cases: [RecordedCase] = []

  var caseCount: Int { cases.count }
  /// `1 case`
  var caseText: String { "\(cases.count) \(cases.count == 1 ? "case" : "cases")" }

  /// - Parameter rules: those that guard the database, as the store gave them.
  init(
    _ path: String, _ rules: Ruleset, named name: String, source: [UInt8], database: DatabaseID, now: Int64,
    suites: ShellSuites
  ) throws(ShellError) {
    guard path.hasSuffix(Self.suffix), path.utf8.count > Self.suffix.utf8.count else {
      throw .usage("the name of a suite ends in `\(Self.suffix)`")
    }
    self.path = path
    self.database = database
    self.rules = rules
    self.suites = suites
    self.source = source
    startedAt = now
    rulesLines = Self.lines(rules: name, source, suite: path)
    try checkWritable()
  }

  /// The path of the rules where the file is at hand and says the same, otherwise the rules in full.
  private static func lines(rules name: String, _ source: [UInt8], suite: String) -> [String] {
    if let contents = try? ScriptFile.contents(name), contents == source,
      let relative = Folders.relative(name, from: suite)
    {
      return ["rules: \(SuiteText.scalar(relative))"]
    }
    let text = String(decoding: source, as: UTF8.self)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    while lines.last?.isEmpty == true { lines.removeLast() }
    return ["rules: |2"] + lines.map { $0.isEmpty ? "" : "  " + $0 }
  }

  // MARK: cases

  /// The name under which the suite has who asked.
  func persona(_ caller: Caller) -> String {
    if let known = personas.first(where: { $0.facts == caller.facts }) { return known.name }
    let wanted = caller.name == Caller.administrator.name ? "user admin" : caller.name
    var name = wanted
    var number = 2
    while personas.contains(where: { $0.name.hasSameBytes(as: name) }) {
      name = "\(wanted) \(number)"
      number += 1
    }
    personas.append((name, caller.facts))
    personas.sort { $0.name.precedesInBytes($1.name) }
    return name
  }

  /// Documents of the suite that a query may have to do with.
  func knownDocuments(of query: StructuredQuery) -> [ResourcePath] {
    guard let from = query.from.first else { return [] }
    return fixtures.keys.filter { path in
      path.parent.lastSegment.hasSameBytes(as: from.collectionID)
        && (from.includesDescendants || path.parent.parent == query.parent)
    }
  }

  /// Makes documents fixtures that were so from the beginning.
  func learn(_ documents: [ResourcePath: ShellDocument?]) throws(Unrecordable) {
    for (path, document) in documents where fixtures[path] == nil {
      guard let document else {
        absent.insert(path)
        continue
      }
      if absent.contains(path) || document.updateTime > startedAt { continue }
      guard fixtures.count < Self.documentsMax else {
        throw Unrecordable(reason: "the suite has \(Self.documentsMax) documents already")
      }
      fixtures[path] = document.fields
    }
  }

  /// Keeps a case that passes: with the first of the expectations that does, at the suite's time or at its own.
  ///
  /// - Returns: why the case is kept as one to do; nil when it passes, or is there already.
  func add(
    _ wanted: RecordedCase, expectations: [String], time: Int64
  ) throws(ShellError) -> String? {
    guard cases.count < Self.casesMax else { throw .failed("the suite has \(Self.casesMax) cases already") }
    var candidate = wanted
    if cases.contains(where: { expectations.contains($0.expectation) && $0.isAsked(as: wanted) }) {
      return nil
    }
    candidate.name = freeName(wanted.name)
    let milliseconds = time / 1_000 * 1_000
    var reason: String?
    search: for (index, expectation) in expectations.enumerated() {
      candidate.looser = Array(expectations[(index + 1)...])
      for time in [nil, milliseconds] {
        (candidate.expectation, candidate.time) = (expectation, time)
        do throws(ShellError) {
          let failure = try failure(of: candidate)
          if failure == nil { break search }
          reason = reason ?? failure
        } catch {
          // What was quoted cannot be read back; without it the case can still be said.
          if expectation.hasSameBytes(as: expectations[expectations.count - 1]) { throw error }
        }
      }
      if expectation.hasSameBytes(as: expectations[expectations.count - 1]) {
        candidate.time = nil
        candidate.todo = Self.todo
      }
    }
    cases.append(candidate)
    try save()
    return candidate.todo == nil ? nil : reason
  }

  private func freeName(_ wanted: String) -> String {
    var name = wanted
    var number = 2
    while cases.contains(where: { $0.name.hasSameBytes(as: name) }) {
      name = "\(wanted) (\(number))"
      number += 1
    }
    return name
  }

  /// Why a case fails; nil when it passes.
  private func failure(of candidate: RecordedCase) throws(ShellError) -> String? {
    do throws(ShellToolFailure) { return try suites.failures(text([candidate]), path).first?.reason } catch {
      throw .failed("a suite cannot say it: \(error.message)")
    }
  }

  /// Runs all cases beside each other. Those that fail say less, until they pass; what fails whatever it says becomes
  /// one to do.
  ///
  /// - Returns: names of cases that have become ones to do.
  func settle() throws(ShellError) -> [String] {
    var toDo: [String] = []
    var failing = try failures()
    // Each time one of them says less or is to do, so this ends.
    while !failing.isEmpty {
      var isChanged = false
      for name in failing {
        guard let index = cases.firstIndex(where: { $0.name.hasSameBytes(as: name) }),
          cases[index].todo == nil
        else { continue }
        isChanged = true
        if cases[index].looser.isEmpty {
          cases[index].todo = Self.todo
          toDo.append(name)
        } else {
          cases[index].expectation = cases[index].looser.removeFirst()
        }
      }
      guard isChanged else { return toDo + failing }
      try save()
      failing = try failures()
    }
    return toDo
  }

  /// Names of cases that do not pass beside the others.
  private func failures() throws(ShellError) -> [String] {
    do throws(ShellToolFailure) { return try suites.failures(text(cases), path).map(\.name) } catch {
      throw .failed(error.message)
    }
  }

  // MARK: the file

  private func text(_ cases: [RecordedCase]) -> String {
    var lines = [
      "# Recorded by docsh. `docsh test` runs it; docs/rules-tests.md has the format.", "version: 1",
    ]
    let file = path.split(separator: "/").last.map(String.init) ?? path
    lines.append("name: \(SuiteText.scalar(String(file.dropLast(Self.suffix.count))))")
    lines += rulesLines
    if !database.database.hasSameBytes(as: "(default)") {
      lines.append("database: \(SuiteText.scalar(database.database))")
    }
    // Without it the suite does not differ from one recording to the next.
    if String(decoding: source, as: UTF8.self).range(ofBytes: "request.time") != nil {
      lines.append("clock: \(Timestamp(seconds: startedAt / 1_000_000, nanoseconds: 0).rfc3339)")
    }
    lines +=
      ["", "personas:"] + personas.map { "  \(SuiteText.scalar($0.name)): \(SuiteText.value($0.facts))" }
    if personas.isEmpty { lines[lines.count - 1] += " {}" }
    lines += ["", "fixtures:" + (fixtures.isEmpty ? " {}" : "")]
    for path in fixtures.keys.sorted(by: { $0.text.precedesInBytes($1.text) }) {
      let fields = fixtures[path] ?? Fields()
      lines.append("  \(SuiteText.scalar(path.text)):" + (fields.isEmpty ? " {}" : ""))
      lines += fields.entries.map { "    \(SuiteText.key($0.name)): \(SuiteText.value($0.value))" }
    }
    lines += ["", "cases:" + (cases.isEmpty ? " []" : "")]
    for (index, recorded) in cases.enumerated() {
      lines += (index == 0 ? [] : [""]) + recorded.lines(fixtures)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Fails where the file could not be written; what is there stays until there is a case.
  private func checkWritable() throws(ShellError) {
    do throws(FileReplacement.Failure) { try FileReplacement(of: path).discard() } catch {
      throw .failed(error.description)
    }
  }

  /// Puts all of it in the place of the file, so that nobody reads a half.
  func save() throws(ShellError) {
    do throws(FileReplacement.Failure) {
      try FileReplacement.replace(path, with: Array(text(cases).utf8))
    } catch {
      throw .failed(error.description)
    }
  }
}

extension RecordedCase {
  /// Whether both are about the same request on the same documents.
  fileprivate func isAsked(as other: RecordedCase) -> Bool {
    var other = other
    (other.expectation, other.time, other.todo) = (expectation, time, todo)
    return isSame(as: other)
  }
}
