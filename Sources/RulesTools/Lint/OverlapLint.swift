internal import Rules

/// Statements that another one makes pointless: it is on the same documents, for the same method, and
/// grants whenever they do. Statements only ever add, so a stricter one beside a wider one refuses
/// nothing, which is the most common way in which rules are weaker than their author thinks.
struct OverlapLint {
  /// LIMIT: statements compared with each other; beyond, nothing is said.
  private static let statementsMax = 1_500

  private let statements: [LintStatement]
  private let terms: [ConditionTerms]
  private let open: [Int: Set<AllowMethod>]
  private let languageVersion: Int

  init(
    _ statements: [LintStatement], _ resolution: Resolution, _ languageVersion: Int,
    _ open: [Int: Set<AllowMethod>]
  ) {
    self.statements = statements.count <= Self.statementsMax ? statements : []
    self.open = open
    self.languageVersion = languageVersion
    terms = self.statements.map { ConditionTerms($0, resolution) }
  }

  func diagnostics() -> [Diagnostic] {
    var found: [Diagnostic] = []
    for stricter in statements.indices {
      var rest = Set(statements[stricter].methods)
      guard !rest.isEmpty else { continue }
      for wider in statements.indices where wider != stricter {
        let shared = rest.filter { overrules(wider, stricter, $0) }
        guard !shared.isEmpty else { continue }
        found.append(message(stricter, wider, shared))
        rest.subtract(shared)
        break
      }
    }
    return found
  }

  /// Whether one statement grants a method wherever and whenever another does.
  private func overrules(_ wider: Int, _ stricter: Int, _ method: AllowMethod) -> Bool {
    let (a, b) = (statements[wider], statements[stricter])
    guard a.isFirestore == b.isFirestore, a.methods.contains(method), let wide = a.whole?.steps,
      let narrow = b.whole?.steps, PatternCover.covers(wide[...], narrow[...], languageVersion)
    else { return false }
    if terms[wider].isFalse { return false }
    let grants = open[a.allow.number]?.contains(method) == true || terms[stricter].imply(terms[wider])
    guard grants else { return false }
    // Two that say the same: only the later one is told.
    let isMutual =
      PatternCover.covers(narrow[...], wide[...], languageVersion)
      && (terms[wider].imply(terms[stricter]) || open[b.allow.number]?.contains(method) == true)
      && b.methods.contains(method) && !terms[stricter].isFalse
    return !isMutual || wider < stricter
  }

  private func message(_ stricter: Int, _ wider: Int, _ methods: Set<AllowMethod>) -> Diagnostic {
    let allow = statements[stricter].allow
    let isAll = methods.count == statements[stricter].methods.count
    let names = Estimator.granular.filter(methods.contains).map { "`\($0.rawValue)`" }.joined(separator: ", ")
    let what = terms[stricter].isFalse ? "refuses nothing" : "changes nothing"
    return LintMessages.remark(
      .overruled, Span(start: allow.span.start, end: allow.span.start + 5),
      "this `allow` \(what)\(isAll ? "" : " for \(names)"): another one grants these documents already",
      notes: [
        Diagnostic.Note("this one, whenever the other would", at: statements[wider].allow.span),
        Diagnostic.Note("one `allow` that is true grants; there is nothing that refuses"),
      ])
  }
}

/// Whether every path that one pattern fits is fitted by another.
enum PatternCover {
  static func covers(
    _ wide: ArraySlice<PatternStep>, _ narrow: ArraySlice<PatternStep>, _ version: Int
  ) -> Bool {
    guard let first = wide.first else { return narrow.isEmpty }
    switch first {
    case .glob:
      let least = version < 2 ? 1 : 0
      let fixed = wide.dropFirst().count { $0 != .glob }
      // What is taken by the glob leaves enough for what comes after it.
      let most = narrow.count - fixed
      guard least <= most else { return false }
      return (least...most).contains { covers(wide.dropFirst(), narrow.dropFirst($0), version) }
    case .capture:
      guard let other = narrow.first, other != .glob else { return false }
      return covers(wide.dropFirst(), narrow.dropFirst(), version)
    case .literal:
      guard narrow.first == first else { return false }
      return covers(wide.dropFirst(), narrow.dropFirst(), version)
    }
  }
}
