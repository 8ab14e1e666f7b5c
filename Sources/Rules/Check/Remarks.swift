/// Our own remarks: programs that compile and never do what was meant.
///
/// The official compiler says nothing about these. Each was seen in published rules.
extension ExpressionPass {
  /// `request.data`, `request.auth.email`, `resource.owner`, `name.length` …
  mutating func remarkOnMember(_ base: ExpressionNode, _ name: String, _ nameSpan: Span) {
    let chain = base.nameChain
    let whole = base.span.joined(with: nameSpan)
    if scope.isFirestore, let chain, let known = KnownFields.fields[chain], !isShadowed(chain),
      !known.contains(name)
    {
      diagnostics.append(CheckMessages.unknownField(chain: chain, name: name, at: nameSpan, whole: whole))
      return
    }
    if ["length", "count"].contains(name), !endsInData(base) {
      diagnostics.append(CheckMessages.lengthMember(name, at: nameSpan))
    }
  }

  private func isShadowed(_ chain: String) -> Bool {
    let root = String(chain.prefix { $0 != "." })
    return isLocal(root) || scope.capture(named: root) != nil
  }

  private func endsInData(_ base: ExpressionNode) -> Bool {
    switch base.kind {
    case .member(_, let name, _): name == "data"
    case .identifier: true
    default: false
    }
  }

  /// The argument of `get` and `exists`: a literal must begin with `/databases/<db>/documents` and
  /// name a document, and `{x}` in it is a placeholder, not a value.
  mutating func remarkOnDocumentPath(_ argument: ExpressionNode) {
    guard case .path(let segments) = argument.unwrapped.kind else { return }
    for segment in segments {
      if case .variable(let name) = segment.kind {
        diagnostics.append(CheckMessages.placeholderInPath(name, at: segment.span))
        return
      }
    }
    guard case .literal(let first)? = segments.first?.kind else { return }
    if first != "databases" {
      diagnostics.append(CheckMessages.pathWithoutDatabase(argument.span))
    } else if segments.count < 5 || segments.count % 2 == 0, segments.allSatisfy(\.isOneSegment) {
      diagnostics.append(CheckMessages.pathNamesNoDocument(argument.span))
    }
  }
}

/// The fields that request objects have.
enum KnownFields {
  static let fields: [String: Set<String>] = [
    "request": ["auth", "method", "path", "query", "resource", "time"],
    "request.auth": ["uid", "token"],
    "request.query": ["limit", "offset", "orderBy"],
    "request.resource": ["data", "id", "__name__"],
    "resource": ["data", "id", "__name__"],
  ]
}

extension ExpressionNode {
  /// `a.b.c` as text if the expression is only names.
  var nameChain: String? {
    switch kind {
    case .identifier(let name): name
    case .member(let base, let name, _): base.nameChain.map { "\($0).\(name)" }
    default: nil
    }
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
