internal import Rules

/// Patterns that no document's path fits.
enum PatternLint {
  static func diagnostics(_ syntax: RulesetSyntax, _ statements: [LintStatement]) -> [Diagnostic] {
    var found: [Diagnostic] = []
    for service in syntax.services where service.name.text == "cloud.firestore" {
      for match in service.matches where !isDocumentsRoot(match) {
        found.append(outsideDocuments(match))
      }
    }
    if syntax.languageVersion == 2 {
      for service in syntax.services {
        for match in service.matches { visit(match, inside: []) { found.append($0) } }
      }
    }
    var reported: Set<Int> = []
    for statement in statements where statement.isFirestore {
      // Nobody misses a denial that does not apply.
      if case .literal(.boolean(false))? = statement.allow.condition?.unwrapped.kind { continue }
      guard let block = statement.blocks.last, !reported.contains(block), begins(statement.pattern),
        !statement.pattern.contains(where: \.isGlob)
      else { continue }
      let below = statement.pattern.dropFirst(3)
      guard below.isEmpty || below.count % 2 == 1 else { continue }
      reported.insert(block)
      found.append(namesCollection(statement, isEmpty: below.isEmpty))
    }
    return found
  }

  /// Blocks inside one whose pattern goes on behind its glob; `BlockPattern` says what they mean.
  private static func visit(
    _ match: MatchSyntax, inside outer: [[PatternSegmentSyntax]], _ report: (Diagnostic) -> Void
  ) {
    let patterns = outer + [match.pattern]
    let glob = match.pattern.firstIndex(where: \.isGlob)
    let rest = glob.map { match.pattern[($0 + 1)...] } ?? []
    for inner in match.matches {
      if let glob, !rest.isEmpty {
        let fits = hasFitting(inner, inside: patterns)
        report(overlaps(inner, match.pattern[glob], rest, fits: fits))
      }
      visit(inner, inside: patterns, report)
    }
  }

  /// Whether an `allow` of a block or of those inside it can fit a path.
  private static func hasFitting(_ match: MatchSyntax, inside outer: [[PatternSegmentSyntax]]) -> Bool {
    let patterns = outer + [match.pattern]
    return !match.allows.isEmpty && BlockPattern(patterns, languageVersion: 2) != nil
      || match.matches.contains { hasFitting($0, inside: patterns) }
  }

  private static func overlaps(
    _ inner: MatchSyntax, _ glob: PatternSegmentSyntax, _ rest: ArraySlice<PatternSegmentSyntax>, fits: Bool
  ) -> Diagnostic {
    let what =
      "`\(glob.text)`, where `/\(rest.map(\.text).joined(separator: "/"))` of the block around it stands too"
    return LintMessages.warning(
      .blocksOverlap, inner.patternSpan,
      fits
        ? "this block begins right behind \(what)" : "no path fits: this block begins right behind \(what)",
      fix: Diagnostic.Fix("write the whole pattern in one `match`, beside the other block"))
  }

  /// Whether documents can be below: `/databases/{database}/documents` or a glob, whole or its
  /// beginning with the rest in the blocks inside.
  private static func isDocumentsRoot(_ match: MatchSyntax) -> Bool {
    let pattern = match.pattern
    if pattern.isEmpty || pattern.contains(where: \.isGlob) { return true }
    guard pattern.count < 3 else { return begins(pattern) }
    let isPrefix = zip(pattern, ["databases", nil, "documents"]).allSatisfy { fits($0, $1) }
    return isPrefix && match.allows.isEmpty
  }

  private static func begins(_ pattern: [PatternSegmentSyntax]) -> Bool {
    pattern.count >= 3 && zip(pattern, ["databases", nil, "documents"]).allSatisfy { fits($0, $1) }
  }

  private static func fits(_ segment: PatternSegmentSyntax, _ name: String?) -> Bool {
    guard case .literal(let literal) = segment.kind, let name else { return true }
    return literal == name
  }

  private static func outsideDocuments(_ match: MatchSyntax) -> Diagnostic {
    LintMessages.warning(
      .outsideDocuments, match.patternSpan,
      "no document is here: every path begins with `/databases/{database}/documents`",
      fix: Diagnostic.Fix("write `match /databases/{database}/documents { … }` around it"))
  }

  private static func namesCollection(_ statement: LintStatement, isEmpty: Bool) -> Diagnostic {
    let span = statement.allow.methods.first?.name.span ?? statement.allow.span
    let message =
      isEmpty
      ? "this path is the database itself, not a document; the `allow` never applies"
      : "this path names a collection, not a document; the `allow` never applies"
    return LintMessages.warning(
      .matchNamesCollection, span, message,
      fix: Diagnostic.Fix(
        "add a capture for the document, as in `match /users/{id}`; queries are judged there too"))
  }
}
