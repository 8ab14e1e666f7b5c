/// Types of expressions, and what does not fit.
extension ExpressionPass {
  /// The types an expression may have. Binds names and reports on the way.
  ///
  /// Nodes are visited once each: operands by `expect` or by `type(of:)`, never by both.
  mutating func type(of node: ExpressionNode) -> StaticType {
    let found = inferredType(of: node)
    types[node.number] = found
    return found
  }

  private mutating func inferredType(of node: ExpressionNode) -> StaticType {
    switch node.kind {
    case .literal(let literal): return literal.staticType
    case .identifier(let name): return bindVariable(name, node)
    case .member(let base, _, _):
      expect(base, .map)
      return .any
    case .index(let base, let index):
      expect(base, .indexable)
      expect(index, [.int, .string])
      return .any
    case .slice(let base, let lower, let upper):
      expect(base, [.string, .list, .path])
      for bound in [lower, upper] { if let bound { _ = type(of: bound) } }
      return [.string, .list, .path]
    case .call(let name, let nameSpan, let arguments):
      return bindCall(name, nameSpan, arguments, node)
    case .methodCall(let receiver, let name, let nameSpan, let arguments):
      return typeOfMethodCall(node, receiver, name, nameSpan, arguments)
    case .unary(.not, let operand):
      expect(operand, .bool)
      return .bool
    case .unary(.negate, let operand):
      expect(operand, .negatable)
      return .negatable
    case .binary(let operation, let operatorSpan, let left, let right):
      return typeOfBinary(operation, operatorSpan, left, right)
    case .typeTest(let value, let typeName, let typeSpan):
      _ = type(of: value)
      if !typeName.isEmpty, !TypeNames.all.contains(typeName) {
        diagnostics.append(CheckMessages.unknownType(typeName, at: typeSpan))
      }
      return .bool
    case .ternary(let condition, let then, let otherwise):
      expect(condition, .bool)
      return type(of: then).union(type(of: otherwise))
    case .list(let elements):
      visit(elements)
      return .list
    case .map(let entries):
      for entry in entries {
        expect(entry.key, .string)
        _ = type(of: entry.value)
      }
      return .map
    case .path(let segments):
      var names: Set<String> = []
      for segment in segments {
        switch segment.kind {
        case .interpolation(let value): _ = type(of: value)
        case .variable(let name):
          if !names.insert(name).inserted {
            diagnostics.append(CheckMessages.duplicatePlaceholder(name, at: segment))
          }
        case .literal: break
        }
      }
      return .path
    case .parenthesized(let inner): return type(of: inner)
    case .missing: return .any
    }
  }

  mutating func visit(_ nodes: [ExpressionNode]) {
    for node in nodes { _ = type(of: node) }
  }

  /// Whether a name is the package by which rules of files read documents.
  private func isDocumentsPackage(_ receiver: ExpressionNode) -> Bool {
    guard case .identifier("firestore") = receiver.kind, !scope.isFirestore else { return false }
    return !isLocal("firestore") && scope.capture(named: "firestore") == nil
  }

  private mutating func typeOfMethodCall(
    _ node: ExpressionNode, _ receiver: ExpressionNode, _ name: String, _ nameSpan: Span,
    _ arguments: [ExpressionNode]
  ) -> StaticType {
    if case .identifier(let namespace) = receiver.kind, Library.namespaces.contains(namespace) {
      let fullName = "\(namespace).\(name)"
      guard let signature = Library.namespaceFunctions[fullName] else {
        visit(arguments)
        bindings[node.number] = .unknown
        diagnostics.append(CheckMessages.unknownNamespaceFunction(fullName, at: nameSpan))
        return .any
      }
      bindings[node.number] = .namespaceFunction(namespace: namespace, name: name)
      if signature.parameters.count != arguments.count { visit(arguments) }
      apply(signature, fullName, nameSpan, arguments)
      return signature.result
    }
    if isDocumentsPackage(receiver), let signature = Library.documentsFunctions[name] {
      bindings[node.number] = .namespaceFunction(namespace: "firestore", name: name)
      if signature.parameters.count != arguments.count { visit(arguments) }
      apply(signature, "firestore.\(name)", nameSpan, arguments)
      return signature.result
    }
    guard let signature = Library.methods[name] else {
      _ = type(of: receiver)
      visit(arguments)
      // An argument that could not be read has been reported; the name belongs to the same mistake.
      if arguments.contains(where: \.isMissing) { return .any }
      diagnostics.append(CheckMessages.unknownMethodCall(name, at: nameSpan))
      return .any
    }
    expect(receiver, signature.receiver)
    if signature.parameters.count != arguments.count { visit(arguments) }
    apply(signature, name, nameSpan, arguments)
    if Library.patternMethods.contains(name) || name == "replace", let first = arguments.first {
      checkPattern(name, first)
    }
    return signature.result
  }

  private mutating func typeOfBinary(
    _ operation: BinaryOperator, _ operatorSpan: Span, _ left: ExpressionNode, _ right: ExpressionNode
  ) -> StaticType {
    switch operation {
    case .or, .and:
      expect(left, .bool)
      expect(right, .bool)
      return .bool
    case .equal, .notEqual:
      let leftType = type(of: left)
      let rightType = type(of: right)
      if !leftType.isComparable(with: rightType) {
        diagnostics.append(
          CheckMessages.notComparable(leftType, rightType, isEqual: operation == .equal, at: operatorSpan))
      }
      return .bool
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      visit([left, right])
      return .bool
    case .isIn:
      let found = type(of: left)
      let before = diagnostics.count
      expect(right, .container)
      if diagnostics.count > before, diagnostics[diagnostics.count - 1].span == right.span, found != .any,
        !found.isDisjoint(with: .container)
      {
        diagnostics[diagnostics.count - 1].fix = Diagnostic.Fix("swap the two sides of `in`")
      }
      return .bool
    case .add:
      expect(left, .addable)
      expect(right, .addable)
      return .addable
    case .subtract:
      expect(left, .subtractable)
      expect(right, .subtractable)
      return .subtractable
    case .multiply, .divide, .remainder:
      expect(left, .number)
      expect(right, .number)
      return .number
    }
  }

  // MARK: Expectations

  /// Visits an expression whose value must have one of some types.
  ///
  /// If it has none of them, only that is said: what does not fit inside an operator or a call is
  /// left out, as the official compiler does.
  mutating func expect(_ node: ExpressionNode, _ expected: StaticType) {
    if case .ternary(let condition, let then, let otherwise) = node.unwrapped.kind {
      expect(condition, .bool)
      expect(then, expected)
      expect(otherwise, expected)
      return
    }
    let before = diagnostics.count
    let found = type(of: node)
    guard found.isDisjoint(with: expected) else { return }
    dropTypeWarnings(of: node, since: before)
    diagnostics.append(
      CheckMessages.wrongType(found: found, expected: expected, at: node.anchor, of: node.span))
  }

  private mutating func dropTypeWarnings(of node: ExpressionNode, since count: Int) {
    switch node.unwrapped.kind {
    case .list, .map, .path: return
    default: break
    }
    let kept = diagnostics[count...].filter { !CheckMessages.typeWarningIDs.contains($0.kind) }
    diagnostics.replaceSubrange(count..., with: kept)
  }

  /// Visits the condition of an `allow`.
  ///
  /// The official compiler does not look into functions of the ruleset here; we do.
  mutating func expectCondition(_ node: ExpressionNode) {
    if case .ternary = node.unwrapped.kind {
      expect(node, .bool)
      return
    }
    let before = diagnostics.count
    let found = type(of: node)
    guard found.isDisjoint(with: .bool) else { return }
    dropTypeWarnings(of: node, since: before)
    var diagnostic = CheckMessages.conditionNotBool(found: found, at: node.anchor, of: node.span)
    if case .function = bindings[node.unwrapped.number] { diagnostic.officialText = nil }
    diagnostics.append(diagnostic)
  }
}

extension LiteralSyntax {
  var staticType: StaticType {
    switch self {
    case .null: .null
    case .boolean: .bool
    case .integer: .int
    case .float: .float
    case .string: .string
    case .bytes: .bytes
    }
  }
}

extension ExpressionNode {
  fileprivate var isMissing: Bool {
    if case .missing = kind { true } else { false }
  }

  /// The place the official compiler names for an expression: its operator, its called name, its
  /// first bracket.
  var anchor: Span {
    switch kind {
    case .literal, .identifier, .missing: span
    case .member(let base, _, _), .index(let base, _), .slice(let base, _, _): base.anchor
    case .call(_, let nameSpan, _), .methodCall(_, _, let nameSpan, _): nameSpan
    case .unary, .list, .map: Span(start: span.start, end: span.start + 1)
    case .binary(_, let operatorSpan, _, _): operatorSpan
    case .typeTest(let value, _, _): value.anchor
    case .ternary(let condition, _, _): condition.anchor
    case .path(let segments):
      if case .literal? = segments.first?.kind {
        segments[0].span
      } else {
        Span(start: span.start, end: span.start + 1)
      }
    case .parenthesized: Span(start: span.start, end: span.start + 1)
    }
  }
}
