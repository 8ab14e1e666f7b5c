/// What an emulator answered against what a suite expects.

internal import Access
internal import DocModel
internal import Rules
internal import YAML

/// What an emulator made of a request.
struct WireOutcome {
  private(set) var end = Outcome.End.allowed
  /// Its words, when it refused by rules.
  private(set) var words = ""
  /// Paths of the documents it sent.
  private(set) var returned: [String] = []
  private(set) var count: Int?

  mutating func add(_ answer: WireAnswer) {
    switch answer {
    case .denied(let words):
      end = .denied
      self.words = words
    case .failed(let words): end = .failed(words)
    case .allowed(let paths, let count):
      returned += paths
      if let count { self.count = count }
    }
  }

  var summary: String {
    switch end {
    case .allowed: "allow"
    case .denied: "deny: " + words.split(separator: "\n").joined(separator: " ")
    case .failed(let words): "neither: " + words
    }
  }
}

/// What an emulator's words say of a denial. Source: the official emulator.
struct WireReason {
  enum Kind: String {
    case unmatched, condition, error
  }

  let kind: Kind
  /// The lines of the rules that it names.
  let lines: [Int]

  /// Nil for words that give no reason, as those of the service.
  /// - Parameter method: what was judged. The official emulator tries a `set` as both `create` and `update`, and tells of
  ///   both; the one that the document's existence asks for decides.
  init?(_ words: String, of method: RuleMethod) {
    if words.contains("No matching allow statements") {
      kind = .unmatched
      lines = []
      return
    }
    // By line: whether it came to an error.
    var ends: [(line: Int, isError: Bool)] = []
    var isExplained = false
    // Our own server says the service's sentence first, and explains in the lines after the official words.
    let own = "Missing or insufficient permissions."
    var rest = words[...]
    if words.hasPrefix(own) { rest = words.dropFirst(own.count).prefix { $0 != "\n" } }
    // Each entry ends with `for 'get' @ L12`; what stands before it is `false`, or the error. The official
    // emulator tries a condition more than once where it needs documents: the last entry of a line is the end.
    while let sign = rest.range(of: " @ L") {
      let before = rest[..<sign.lowerBound]
      guard
        let end = before.range(of: " for '", backwards: true) ?? before.range(of: "for '", backwards: true)
      else { return nil }
      let reason = before[..<end.lowerBound].trimmed(of: "\n, ")
      let digits = rest[sign.upperBound...].prefix { $0.isNumber }
      isExplained = true
      if let line = Int(digits), before[end.upperBound...].hasPrefix("\(method.name)'") {
        ends.removeAll { $0.line == line }
        ends.append((line, reason != "false"))
      }
      rest = rest[sign.upperBound...].dropFirst(digits.count)
    }
    guard isExplained else { return nil }
    kind = ends.isEmpty ? .unmatched : ends.contains(where: \.isError) ? .error : .condition
    lines = ends.map(\.line)
  }
}

extension Substring {
  fileprivate func trimmed(of signs: String) -> Substring {
    var text = self
    while let first = text.first, signs.contains(first) { text = text.dropFirst() }
    while let last = text.last, signs.contains(last) { text = text.dropLast() }
    return text
  }

  /// Where a text stands in this one; nil when it does not.
  fileprivate func range(of text: String, backwards: Bool = false) -> Range<Index>? {
    let found = ranges(of: text)
    return backwards ? found.last : found.first
  }
}

/// What differs, and what could not be compared.
struct WireComparison {
  private(set) var lines: [FailureLine] = []
  private(set) var notCompared: [String] = []

  mutating func add(_ label: String, _ text: String) { lines.append(FailureLine(label: label, text: text)) }

  private mutating func leave(_ what: String) {
    if !notCompared.contains(what) { notCompared.append(what) }
  }

  /// - Parameter step: which step of a sequence it is, from 1.
  mutating func compare(
    _ request: Request, _ theirs: WireOutcome, _ ours: Outcome, _ texts: RuleTexts, step: Int?
  ) {
    let expectation = request.expectation
    let agrees: Bool =
      switch expectation.verdict {
      case .anything: true
      case .allow: theirs.end == .allowed
      case .deny: theirs.end == .denied
      }
    guard agrees else {
      if let step {
        add("step", "\(step), line \(request.mark.line): \(request.persona.name), \(request.title)")
      }
      add("expected", expectation.text)
      add("emulator", theirs.summary)
      return add("in process", OutcomeText(ours, texts).summary)
    }
    switch expectation.verdict {
    case .anything: break
    case .allow: compareAllowed(expectation, theirs)
    case .deny(let kinds):
      compareDenied(kinds, expectation, theirs, ours, texts, isSeveral: request.action.hasSeveralOperations)
    }
    if request.after != nil { leave("after") }
    if expectation.lookups != nil { leave("lookups") }
  }

  private mutating func compareAllowed(_ expectation: Expectation, _ theirs: WireOutcome) {
    if expectation.rule != nil { leave("by") }
    switch expectation.returned {
    case .none: break
    case .paths(let paths):
      if paths != theirs.returned {
        add("expected", "documents [\(paths.joined(separator: ", "))]")
        add("emulator", "documents [\(theirs.returned.joined(separator: ", "))]")
      }
    case .count(let count):
      if count != theirs.count ?? theirs.returned.count {
        add("expected", "\(count) documents")
        add("emulator", "\(theirs.count ?? theirs.returned.count) documents")
      }
    }
  }

  private mutating func compareDenied(
    _ kinds: [DenialKind], _ expectation: Expectation, _ theirs: WireOutcome, _ ours: Outcome,
    _ texts: RuleTexts, isSeveral: Bool
  ) {
    if expectation.because != nil { leave("because") }
    if expectation.error != nil { leave("error") }
    if expectation.write != nil { leave("write") }
    if expectation.missing != nil { leave("missing") }
    guard !kinds.isEmpty || expectation.rule != nil else { return }
    guard let last = ours.judgements.last, last.method != .list, !isSeveral,
      let reason = WireReason(theirs.words, of: last.method)
    else {
      // Of a query the emulator says how its own proof ended, of several operations what came of all of them.
      if !kinds.isEmpty { leave("the kind of denial") }
      if expectation.rule != nil { leave("at") }
      return
    }
    let denial = Denial(last.explanation, texts)
    let wanted: WireReason.Kind =
      switch denial.kind {
      case .unmatched: .unmatched
      case .condition, .unprovable: .condition
      case .error, .limit: .error
      }
    let line = expectation.rule.flatMap { denial.traces($0).first?.position.line }
    guard kinds.isEmpty || reason.kind == wanted, line.map(reason.lines.contains) ?? true else {
      add("expected", expectation.text)
      return add("emulator", theirs.summary)
    }
  }
}
