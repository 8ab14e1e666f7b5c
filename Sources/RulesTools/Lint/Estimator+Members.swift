internal import Rules

/// Members, indexes and calls on estimates.
extension Estimator {
  mutating func member(
    _ node: ExpressionNode, _ base: ExpressionNode, _ name: String, _ nameSpan: Span
  ) -> Estimate {
    let value = estimate(base)
    if value.isFailing { return .failing }
    if name.isEmpty { return .any }
    if value.types == .null {
      let judged = method
      return fail(node, LintMessages.memberOfNull(base.nameChain, name: name, method: judged, at: node.span))
    }
    switch value.shape {
    case .request: return requestMember(node, name, nameSpan)
    case .auth:
      switch name {
      case "uid": return Estimate([.null, .string], mayFail: true)
      case "token": return Estimate(.map, mayFail: true)
      default: return unknownField(node, .auth, name, nameSpan)
      }
    case .query:
      guard KnownFields.query.contains(name) else { return unknownField(node, .query, name, nameSpan) }
      return .any
    case .newDocument, .document, .otherDocument:
      switch name {
      case "data": return Estimate(.map, mayFail: true, shape: .fields)
      case "id": return Estimate(.string, mayFail: true)
      case "__name__": return Estimate(.path, mayFail: true)
      default: return unknownField(node, value.shape, name, nameSpan)
      }
    case .none, .fields, .method:
      guard !value.types.isDisjoint(with: .map) else {
        return fail(node, LintMessages.memberOf(value.types, name: name, at: nameSpan))
      }
      if name == "length" || name == "count", value.shape != .fields, !isName(base) {
        suspect(node, LintMessages.lengthMember(name, at: nameSpan))
      }
      return .any
    }
  }

  private func isName(_ node: ExpressionNode) -> Bool {
    if case .identifier = node.kind { true } else { false }
  }

  private mutating func requestMember(_ node: ExpressionNode, _ name: String, _ nameSpan: Span) -> Estimate {
    switch name {
    case "auth": return Estimate([.null, .map], shape: .auth)
    case "time": return Estimate(.timestamp)
    case "path": return Estimate([.null, .path])
    case "method":
      return Estimate(
        .string, shape: .method, literal: method.map { .string(Array($0.rawValue.utf8)) })
    case "resource":
      switch method {
      case .get, .list: return fail(node, LintMessages.noNewDocument(at: node.span))
      case .delete: return .null
      case .create, .update: return Estimate(.map, shape: .newDocument)
      default: return Estimate([.null, .map], mayFail: true, shape: .newDocument)
      }
    case "query":
      switch method {
      case .list: return Estimate(.map, shape: .query)
      case nil: return Estimate(.map, mayFail: true, shape: .query)
      default: return fail(node, LintMessages.noQuery(at: node.span))
      }
    case _ where KnownFields.request.contains(name): return .any
    default: return unknownField(node, .request, name, nameSpan)
    }
  }

  private mutating func unknownField(
    _ node: ExpressionNode, _ shape: Shape, _ name: String, _ nameSpan: Span
  ) -> Estimate {
    let written = baseChain(node)
    return fail(
      node, LintMessages.unknownField(shape, written: written, name: name, at: nameSpan, whole: node.span))
  }

  private func baseChain(_ node: ExpressionNode) -> String? {
    if case .member(let base, _, _) = node.kind { base.nameChain } else { nil }
  }

  mutating func element(_ node: ExpressionNode, _ base: ExpressionNode, _ indexes: [ExpressionNode])
    -> Estimate
  {
    let value = estimate(base)
    let indexed = all(indexes)
    if value.isFailing || !indexed { return .failing }
    if case .literal(.string(let bytes))? = indexes.first?.unwrapped.kind, indexes.count == 1,
      value.shape != .none, value.shape != .fields, value.shape != .method
    {
      // `request['auth']` is `request.auth`.
      return value.types == .null
        ? .any : member(node, base, String(decoding: bytes, as: UTF8.self), node.span)
    }
    guard !value.types.isDisjoint(with: .indexable) else {
      return fail(node, LintMessages.wrongType(value.types, needed: .indexable, "indexed", at: base.span))
    }
    return .any
  }

  // MARK: Calls

  mutating func call(
    _ node: ExpressionNode, _ name: String, _ nameSpan: Span, _ arguments: [ExpressionNode]
  ) -> Estimate {
    switch resolution.binding(of: node) {
    case .function(let number): return callFunction(resolution.functions[number], arguments)
    case .libraryFunction: break
    default:
      _ = all(arguments)
      return .any
    }
    guard let signature = Library.functions[name] else { return .any }
    var values: [Estimate] = []
    guard take(arguments, signature, name, node, &values) else { return .failing }
    guard ["get", "exists", "getAfter", "existsAfter"].contains(name) else {
      return Estimate(signature.result, mayFail: true)
    }
    if isFirestore, let value = values.first, let path = value.path, case .path(let segments) = path.kind,
      let diagnostic = LintMessages.documentPath(path, segments, insertsPath: value.insertsPath)
    {
      return fail(node, diagnostic)
    }
    return name.hasPrefix("get")
      ? Estimate([.null, .map], mayFail: true, shape: .otherDocument) : Estimate(.bool, mayFail: true)
  }

  mutating func methodCall(
    _ node: ExpressionNode, _ receiver: ExpressionNode, _ name: String, _ nameSpan: Span,
    _ arguments: [ExpressionNode]
  ) -> Estimate {
    var values: [Estimate] = []
    if case .namespaceFunction(let namespace, _) = resolution.binding(of: node) {
      let fullName = "\(namespace).\(name)"
      guard let signature = Library.namespaceFunctions[fullName] else { return .any }
      guard take(arguments, signature, fullName, node, &values) else { return .failing }
      return Estimate(signature.result, mayFail: true)
    }
    let value = estimate(receiver)
    guard let signature = Library.methods[name] else {
      _ = all(arguments)
      return .any
    }
    for argument in arguments { values.append(estimate(argument)) }
    if value.isFailing { return .failing }
    if value.types == .null {
      let judged = method
      return fail(
        node, LintMessages.memberOfNull(receiver.nameChain, name: name + "()", method: judged, at: node.span))
    }
    guard !value.types.isDisjoint(with: signature.receiver) else {
      return fail(node, LintMessages.noSuchMethod(name, on: value.types, signature.receiver, at: nameSpan))
    }
    return check(arguments, values, signature, name, node)
      ? Estimate(signature.result, mayFail: true) : .failing
  }

  /// Estimates arguments; false if one of them or the call must fail.
  private mutating func take(
    _ arguments: [ExpressionNode], _ signature: Library.Signature, _ name: String, _ node: ExpressionNode,
    _ values: inout [Estimate]
  ) -> Bool {
    for argument in arguments { values.append(estimate(argument)) }
    return check(arguments, values, signature, name, node)
  }

  /// Whether arguments fit a library function; false if one of them or the call must fail.
  private mutating func check(
    _ arguments: [ExpressionNode], _ values: [Estimate], _ signature: Library.Signature, _ name: String,
    _ node: ExpressionNode
  ) -> Bool {
    guard values.count == signature.parameters.count else { return true }
    var fits = true
    for (position, (value, expected)) in zip(values, signature.parameters).enumerated() {
      if value.isFailing {
        fits = false
      } else if value.types.isDisjoint(with: expected) {
        let argument = arguments[position]
        let failed = fail(
          node, LintMessages.wrongType(value.types, needed: expected, "given to `\(name)`", at: argument.span)
        )
        fits = fits && !failed.isFailing
      }
    }
    return fits
  }
}

/// The fields that request objects have.
enum KnownFields {
  static let request: Set<String> = [
    "auth", "method", "path", "query", "resource", "time", "headers", "inTransaction", "transforms",
    "readFields", "writeFields", "fields",
  ]
  static let query: Set<String> = [
    "limit", "offset", "orderBy", "kind", "parent", "ancestor", "allDescendants", "distinct",
    "selectOnlyKeys", "groupBy",
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
