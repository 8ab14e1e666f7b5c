internal import Rules

/// What the caller is asked for: too little for a whole database, or not again for what an update leaves behind.
enum CallerLint {
  static func diagnostics(_ statements: [LintStatement], _ resolution: Resolution) -> [Diagnostic] {
    statements.filter(\.isFirestore).flatMap { statement in
      [signedInDatabase(statement, resolution), ownerHandover(statement, resolution)].compactMap { $0 }
    }
  }

  /// `match /{document=**} { allow …: if request.auth != null; }`
  private static func signedInDatabase(_ statement: LintStatement, _ resolution: Resolution) -> Diagnostic? {
    let below = statement.pattern.dropFirst(3)
    guard below.count == 1, below.first?.isGlob == true, let condition = statement.allow.condition,
      ConditionTerms(statement, resolution).isOnlySignedIn
    else { return nil }
    let isWrite = statement.methods.contains { AllowMethod.write.covers($0) }
    return LintMessages.warning(
      .signedInDatabase, condition.span,
      "whoever is signed in may \(isWrite ? "change" : "read") every document of the database",
      notes: [Diagnostic.Note("anybody can sign in where an app lets users register, also without a name")],
      fix: Diagnostic.Fix("write a block for each collection that says whose documents they are"))
  }

  /// An update by the owner that does not look at who the owner is afterwards.
  private static func ownerHandover(_ statement: LintStatement, _ resolution: Resolution) -> Diagnostic? {
    guard statement.methods.contains(.update), let condition = statement.allow.condition else { return nil }
    var reader = FactReader(statement, resolution)
    let owners = reader.facts().compactMap { fact -> [String]? in
      guard case .stored(let field) = fact.place, fact.operand == .caller else { return nil }
      return field
    }
    guard !owners.isEmpty else { return nil }
    reader.findSentFields()
    let isChecked = { (field: [String]) in reader.sentFields.contains { field.starts(with: $0) } }
    guard let field = owners.first(where: { !isChecked($0) }) else { return nil }
    let name = field.joined(separator: ".")
    return LintMessages.warning(
      .ownerHandover, condition.span,
      "an update may give the document to somebody else: nothing looks at `request.resource.data.\(name)`",
      fix: Diagnostic.Fix("add `&& request.resource.data.\(name) == resource.data.\(name)` for updates"))
  }
}
