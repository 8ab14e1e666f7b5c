/// Messages of our own remarks (Check/Remarks.swift). The official compiler is silent about these.
extension CheckMessages {
  private static func remark(_ id: String, _ span: Span, _ message: String, fix: Diagnostic.Fix?)
    -> Diagnostic
  {
    Diagnostic(id: id, severity: .warning, span: span, message: message, fix: fix)
  }

  static func unknownField(chain: String, name: String, at span: Span, whole: Span) -> Diagnostic {
    let replacement: String? =
      switch (chain, name) {
      case ("request", "data"): "request.resource.data"
      case ("request", "user"): "request.auth"
      case ("request", "uid"), ("request", "userId"), ("request.auth", "id"), ("request.auth", "userId"):
        "request.auth.uid"
      case ("request", "id"): "request.resource.id"
      case ("request", "now"): "request.time"
      case ("request.query", _): nil
      case ("request.auth", _): "request.auth.token.\(name)"
      case ("request.resource", _), ("resource", _): "\(chain).data.\(name)"
      default: nil
      }
    return remark(
      "rules-unknown-field", span, "`\(chain)` has no field `\(name)`; reading it fails",
      fix: replacement.map {
        Diagnostic.Fix("write `\($0)`", edits: [Diagnostic.Edit(replace: whole, with: $0)])
      })
  }

  static func lengthMember(_ name: String, at span: Span) -> Diagnostic {
    remark(
      "rules-length-member", span,
      "`.\(name)` reads a field of a map; it is not the size of a string or list",
      fix: Diagnostic.Fix("write `.size()`", edits: [Diagnostic.Edit(replace: span, with: "size()")]))
  }

  static func placeholderInPath(_ name: String, at span: Span) -> Diagnostic {
    remark(
      "rules-placeholder-in-path", span,
      "`{\(name)}` in a path value is a placeholder without value; the call fails",
      fix: Diagnostic.Fix("write `$(\(name))`", edits: [Diagnostic.Edit(replace: span, with: "/$(\(name))")]))
  }

  static func pathWithoutDatabase(_ span: Span) -> Diagnostic {
    remark(
      "rules-relative-path", span,
      "the path of a document begins with `/databases/$(database)/documents`; the call fails",
      fix: Diagnostic.Fix(
        "write the beginning",
        edits: [Diagnostic.Edit(replace: span.atStart, with: "/databases/$(database)/documents")]))
  }

  static func pathNamesNoDocument(_ span: Span) -> Diagnostic {
    remark(
      "rules-path-names-collection", span,
      "the path names a collection; a document's path has an even number of segments after `documents`",
      fix: nil)
  }
}
