internal import DocModel
internal import Platform
internal import Rules

/// What the linter says about places that always fail or never vary. The official compiler is silent
/// about all of these.
enum LintMessages {
  static func warning(
    _ id: DiagnosticID, _ span: Span, _ message: String, label: String? = nil,
    notes: [Diagnostic.Note] = [], fix: Diagnostic.Fix? = nil
  ) -> Diagnostic {
    Diagnostic(
      id: id, severity: .warning, span: span, message: message, label: label, notes: notes, fix: fix)
  }

  static func remark(
    _ id: DiagnosticID, _ span: Span, _ message: String, notes: [Diagnostic.Note] = [],
    fix: Diagnostic.Fix? = nil
  ) -> Diagnostic {
    Diagnostic(id: id, severity: .remark, span: span, message: message, notes: notes, fix: fix)
  }

  // MARK: Members

  static func unknownField(_ shape: Shape, written: String?, name: String, at span: Span, whole: Span)
    -> Diagnostic
  {
    let base = written ?? shape.spelling
    let replacement: String? =
      switch (shape, name) {
      case (.request, "data"): "\(base).resource.data"
      case (.request, "user"): "\(base).auth"
      case (.request, "uid"), (.request, "userId"): "\(base).auth.uid"
      case (.auth, "id"), (.auth, "userId"), (.auth, "user_id"): "\(base).uid"
      case (.request, "id"): "\(base).resource.id"
      case (.request, "now"), (.request, "timestamp"): "\(base).time"
      case (.query, _): nil
      case (.auth, _): "\(base).token.\(name)"
      case (.newDocument, _), (.document, _), (.otherDocument, _): "\(base).data.\(name)"
      default: Spelling.nearest(to: name, among: Array(KnownFields.request)).map { "\(base).\($0)" }
      }
    var notes: [Diagnostic.Note] = []
    if shape == .query {
      notes.append(
        Diagnostic.Note(
          "of a query rules see `limit`, `offset` and `orderBy`; its filters are seen as fields of `resource.data`"
        )
      )
    }
    return warning(
      .unknownField, span, "`\(base)` has no field `\(name)`; reading it fails", notes: notes,
      fix: written == nil
        ? replacement.map { Diagnostic.Fix("write `\($0)`") }
        : replacement.map {
          Diagnostic.Fix("write `\($0)`", edits: [Diagnostic.Edit(replace: whole, with: $0)])
        })
  }

  static func memberOfNull(_ written: String?, name: String, method: AllowMethod?, at span: Span)
    -> Diagnostic
  {
    let base = written.map { "`\($0)`" } ?? "this"
    let advice: String? =
      switch method {
      case .create: "while a document is created, its fields are in `request.resource.data`"
      case .delete: "while a document is deleted, its fields are in `resource.data`"
      default: nil
      }
    let when = method.map { " when the method is `\($0.rawValue)`" } ?? ""
    return warning(
      .nullAccess, span, "\(base) is null\(when); reading `\(name)` of it fails",
      fix: advice.map { Diagnostic.Fix($0) })
  }

  static func noNewDocument(at span: Span) -> Diagnostic {
    warning(
      .requestResourceOnRead, span,
      "`request.resource` does not exist when documents are read; reading it fails",
      fix: Diagnostic.Fix(
        "write `resource`, the stored document", edits: [Diagnostic.Edit(replace: span, with: "resource")]))
  }

  static func noQuery(at span: Span) -> Diagnostic {
    warning(
      .queryOutsideList, span, "`request.query` exists only when the method is `list`; reading it fails",
      fix: Diagnostic.Fix("judge queries in an `allow list` of their own"))
  }

  static func memberOf(_ types: StaticType, name: String, at span: Span) -> Diagnostic {
    let isMethod = Library.methods[name]?.parameters.isEmpty == true
    let replacement = isMethod ? "\(name)()" : (name == "length" || name == "count" ? "size()" : nil)
    return warning(
      .noSuchMember, span, "a \(types.prose) has no fields; reading `\(name)` of it fails",
      fix: replacement.map {
        Diagnostic.Fix("write `.\($0)`", edits: [Diagnostic.Edit(replace: span, with: $0)])
      })
  }

  static func lengthMember(_ name: String, at span: Span) -> Diagnostic {
    warning(
      .lengthMember, span, "`.\(name)` reads a field of a map; it is not the size of a string or list",
      fix: Diagnostic.Fix("write `.size()`", edits: [Diagnostic.Edit(replace: span, with: "size()")]))
  }

  static func noSuchMethod(_ name: String, on types: StaticType, _ receiver: StaticType, at span: Span)
    -> Diagnostic
  {
    let advice: String? =
      switch name {
      case "difference", "intersection", "union": types == .list ? "write `.toSet()` on both sides" : nil
      case "concat" where types == .set: "write `.union(other)`"
      case "toSet" where types == .set: "leave `.toSet()` out"
      case "keys" where types == .mapDiff: "write `.affectedKeys()`"
      case "hasOnly", "hasAll", "hasAny": types == .map ? "write `.keys().\(name)(…)`" : nil
      case "size" where !types.isDisjoint(with: .number): "compare the number itself"
      default: nil
      }
    return warning(
      .noSuchMethod, span, "a \(types.prose) has no method `\(name)`; calling it fails",
      notes: [Diagnostic.Note("`\(name)` is a method of \(receiver.prose)")],
      fix: advice.map { Diagnostic.Fix($0) })
  }

  static func wrongType(_ types: StaticType, needed: StaticType, _ use: String, at span: Span) -> Diagnostic {
    warning(
      .wrongType, span,
      "this is \(types.prose), but what is \(use) must be \(needed.prose); evaluating it fails")
  }

  // MARK: Paths

  /// What is wrong with the path of a document; nil if nothing is.
  static func documentPath(_ path: ExpressionNode, _ segments: [PathSegmentSyntax], insertsPath: Bool)
    -> Diagnostic?
  {
    for segment in segments {
      if case .variable(let name) = segment.kind { return placeholder(name, at: segment.span) }
    }
    guard case .literal(let first)? = segments.first?.kind else { return nil }
    if first != "databases" {
      return warning(
        .relativePath, path.span,
        "the path of a document begins with `/databases/$(database)/documents`; the call fails",
        fix: Diagnostic.Fix(
          "write the beginning",
          edits: [Diagnostic.Edit(replace: path.span.atStart, with: "/databases/$(database)/documents")]))
    }
    guard segments.count < 5 || segments.count % 2 == 0, !insertsPath, segments.allSatisfy(\.isOneSegment)
    else { return nil }
    return warning(
      .pathNamesCollection, path.span,
      "the path names a collection; a document's path has an even number of segments after `documents`")
  }

  private static func placeholder(_ name: String, at span: Span) -> Diagnostic {
    warning(
      .placeholderInPath, span, "`{\(name)}` in a path value is a placeholder without value; the call fails",
      fix: Diagnostic.Fix("write `$(\(name))`", edits: [Diagnostic.Edit(replace: span, with: "/$(\(name))")]))
  }

  // MARK: Operators

  static func noOperator(
    _ operation: String, _ left: StaticType, _ right: StaticType, at span: Span, of whole: Span
  )
    -> Diagnostic
  {
    warning(
      .noOperator, span, "there is no `\(left.prose) \(operation) \(right.prose)`; evaluating it fails")
  }

  static func neverEqual(
    _ left: StaticType, _ right: StaticType, isEqual: Bool, at span: Span, of whole: Span
  )
    -> Diagnostic
  {
    warning(.notComparable, span, "\(left.prose) never equals \(right.prose): this is always \(!isEqual)")
  }

  static func noSuchRequestMethod(_ text: String, isEqual: Bool, at span: Span) -> Diagnostic {
    let near: String? =
      switch text {
      case "read": "request.method in ['get', 'list']"
      case "write": "request.method in ['create', 'update', 'delete']"
      default: nil
      }
    return warning(
      .requestMethod, span, "`request.method` is never `'\(text)'`: this is always \(!isEqual)",
      notes: [Diagnostic.Note("it is get, list, create, update or delete")],
      fix: near.map { Diagnostic.Fix("write `\($0)`") })
  }

  static func comparisonChain(
    _ inner: String, _ outer: String, middle: Span, last: Span, at span: Span, of whole: Span
  ) -> Diagnostic {
    warning(
      .comparisonChain, span,
      "comparisons do not chain: this compares the result of `\(inner)`, which is bool",
      fix: Diagnostic.Fix("write `a \(inner) b && b \(outer) c`"))
  }

  static func notAContainer(_ types: StaticType, isSwapped: Bool, left: Span, right: Span) -> Diagnostic {
    if isSwapped {
      return warning(
        .swappedIn, left.joined(with: right),
        "the list or map stands right of `in`; a \(types.prose) contains nothing, so evaluating it fails",
        fix: Diagnostic.Fix("swap the two sides"))
    }
    return warning(
      .wrongType, right, "this is \(types.prose), but `in` looks into list, set or map; evaluating it fails")
  }

  static func listInField(left: Span, right: Span, at span: Span) -> Diagnostic {
    warning(
      .swappedIn, span, "this asks whether the field contains the whole list as one element",
      fix: Diagnostic.Fix("swap the two sides, or write `field.hasAny([…])`"))
  }

  static func neverOfType(_ types: StaticType, _ tested: String, at span: Span, of whole: Span) -> Diagnostic
  {
    warning(.neverOfType, span, "this is \(types.prose), never \(tested): the test is always false")
  }
}

extension PathSegmentSyntax {
  /// An inserted path may be several segments; a name or text is one. What is inserted is not known
  /// here, so only written segments and plain names count.
  fileprivate var isOneSegment: Bool {
    guard case .interpolation(let value) = kind else { return true }
    switch value.kind {
    case .identifier, .member, .literal: return true
    default: return false
    }
  }
}
