/// Which documents of a seed the app's own rules would refuse: `docsh seed FILE --check --rules FILE`.
///
/// Each document is judged once, as its creation in a commit of its own, in a database that holds all others.

import DocModel
import Rules
import RulesTools
import Seeder

/// What rules say of the documents of a seed.
struct SeedRulesReport {
  /// Denials of one collection for the same reasons.
  struct Denial {
    /// `users/*/bookings`
    let collection: String
    /// The rules that were tried, and what decided.
    let reasons: [String]
    let example: ResourcePath
    /// Who asked in the example; nil where the document does not say who would.
    let user: String?
    /// The example with the value of every expression, when it was asked for.
    let explanation: DetailedExplanation?
    var count = 1
  }

  /// In order of first appearance.
  fileprivate(set) var denials: [Denial] = []
  fileprivate(set) var judged = 0
  /// Documents by collection, judged or not.
  fileprivate(set) var counts: [String: Int] = [:]
  /// Collections with documents that no `--as` is about, in order of first appearance.
  fileprivate(set) var skipped: [(collection: String, documents: Int)] = []
  /// Patterns of `--as` that no document had.
  fileprivate(set) var unusedPatterns: [String] = []

  var denied: Int { denials.reduce(0) { $0 + $1.count } }
}

/// Judges the documents of a seed, one after the other.
struct SeedRulesCheck {
  private let ruleset: Ruleset
  private let database: DatabaseID
  private let explains: Bool
  private var authors: SeedAuthors
  private var times: SeedTimes
  private var report = SeedRulesReport()
  /// Where in `report.denials` those of a collection for some reasons are.
  private var places: [String: Int] = [:]

  /// - Parameter explains: whether examples are wanted with the value of every expression.
  init(
    _ ruleset: Ruleset, _ database: DatabaseID, as authors: SeedAuthors, at times: SeedTimes, explains: Bool
  ) {
    self.ruleset = ruleset
    self.database = database
    self.authors = authors
    self.times = times
    self.explains = explains
  }

  mutating func run(_ writes: [SeedWrite]) -> SeedRulesReport {
    let documents = SeedDocuments(writes, time: times.present)
    for write in writes {
      let collection = write.path.collectionPattern(joinedBy: "/*/")
      report.counts[collection, default: 0] += 1
      judge(write, collection, documents)
    }
    report.unusedPatterns = authors.unusedPatterns
    return report
  }

  private mutating func judge(_ write: SeedWrite, _ collection: String, _ documents: SeedDocuments) {
    guard let stored = documents.fields(write.path) else { return }
    do throws(InvalidArgument) {
      switch try authors.author(write.path, stored) {
      case .unknown: skip(collection)
      case .user(let auth, let name):
        report.judged += 1
        let time = times.time(stored)
        let bytes = write.serverTimes.isEmpty ? [] : write.fields(at: time)
        bytes.withUnsafeBytes { bytes in
          let fields = write.serverTimes.isEmpty ? stored : FieldsView(document: bytes)
          let paths = write.serverTimes.isEmpty ? nil : WrittenPaths(mask: nil, transforms: write.serverTimes)
          let request = RuleRequest(
            method: .create, database: database.database, path: write.path, auth: auth, time: time,
            newResource: fields, writtenPaths: paths)
          judge(request, as: name, collection, documents)
        }
      }
    } catch {
      report.judged += 1
      deny(write.path, collection, ["  nobody can be asked: \(error.message)"], user: nil, explanation: nil)
    }
  }

  private mutating func judge(
    _ request: RuleRequest, as user: String, _ collection: String, _ documents: SeedDocuments
  ) {
    documents.begin(creating: request.path)
    if ruleset.decide(request, documents: documents).isAllowed { return }
    let explanation = ruleset.explain(request, documents: documents)
    let reasons = reasons(explanation)
    let isKnown = places[Self.key(collection, reasons)] != nil
    let detailed =
      explains && !isKnown ? ruleset.explainInDetail(request, documents: documents) : nil
    deny(request.path, collection, reasons, user: user, explanation: detailed)
  }

  /// One line for each rule that was tried, then the limits that were crossed.
  ///
  /// INVARIANT: no value is in them, so that documents denied for the same reason have the same lines.
  private func reasons(_ explanation: Explanation) -> [String] {
    guard !explanation.allows.isEmpty else { return ["  no `allow` is about this path and method"] }
    var lines: [String] = []
    for trace in explanation.allows {
      let reason = DenialReason.text(trace)
      var line = "  \(trace.id) (line \(trace.position.line)): \(reason)"
      if let (text, number) = innermost(trace), !reason.contains("`\(text)`") {
        line += ", for `\(text)` in line \(number)"
      }
      if !lines.contains(line) { lines.append(line) }
    }
    return lines + explanation.limits.map { "  \($0.description)" }
  }

  /// LIMIT: characters of a piece of source in a reason.
  private static let textMax = 120

  /// What decided inside of functions: the last false expression, or the one without value.
  private func innermost(_ trace: AllowTrace) -> (text: String, line: Int)? {
    let span: Span
    switch trace.outcome {
    case .granted: return nil
    case .refused:
      guard let last = trace.deciding.last else { return nil }
      span = last.span
    case .fault(let fault): span = fault.span
    }
    let text = OneLine.text(ruleset.source.text(of: span), most: Self.textMax)
    return (text, ruleset.source.lineNumber(of: span.start))
  }

  private static func key(_ collection: String, _ reasons: [String]) -> String {
    ([collection] + reasons).joined(separator: "\n")
  }

  private mutating func deny(
    _ path: ResourcePath, _ collection: String, _ reasons: [String], user: String?,
    explanation: DetailedExplanation?
  ) {
    let key = Self.key(collection, reasons)
    if let place = places[key] {
      report.denials[place].count += 1
      return
    }
    places[key] = report.denials.count
    report.denials.append(
      SeedRulesReport.Denial(
        collection: collection, reasons: reasons, example: path, user: user, explanation: explanation))
  }

  private mutating func skip(_ collection: String) {
    if let index = report.skipped.firstIndex(where: { $0.collection == collection }) {
      report.skipped[index].documents += 1
    } else {
      report.skipped.append((collection, 1))
    }
  }
}

extension SeedRulesReport {
  /// For people: one paragraph for each kind of denial, then what was asked.
  func text(width: Int, isColored: Bool) -> String {
    var lines: [String] = []
    for denial in denials {
      let total = counts[denial.collection] ?? denial.count
      lines.append(
        "\(denial.collection): \(denial.count) of \(Plural.text(total, "document")) denied, such as "
          + denial.example.text + (denial.user.map { " as \($0)" } ?? ""))
      lines += denial.reasons
      if let explanation = denial.explanation {
        lines.append(ExplainText.text(explanation, width: width, isColored: isColored))
      } else {
        lines.append("")
      }
    }
    for pattern in unusedPatterns { lines.append("no document fits --as \(pattern)") }
    if !skipped.isEmpty {
      let list = skipped.map { "\($0.collection) (\($0.documents))" }.joined(separator: ", ")
      lines.append("no --as is about \(list)")
    }
    lines.append("\(Plural.text(judged, "document")) asked about, \(denied) denied")
    return lines.joined(separator: "\n")
  }
}
