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
      expectBare(base, .map)
      return .any
    case .index(let base, let index):
      expectBare(base, .indexable)
      expect(index, [.int, .string])
      return .any
    case .slice(let base, let lower, let upper):
      expectBare(base, [.string, .list, .path])
      for bound in [lower, upper] { if let bound { expect(bound, [.null, .int]) } }
      return [.string, .list, .path]
    case .call(let name, let nameSpan, let arguments):
      return bindCall(name, nameSpan, arguments, node)
    case .methodCall(let receiver, let name, let nameSpan, let arguments):
      return typeOfMethodCall(node, receiver, name, nameSpan, arguments)
    case .unary(.not, let operand):
      expect(operand, .bool)
      return .bool
    case .unary(.negate, let operand):
      expectBare(operand, .negatable)
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
      expect(values: then, otherwise, after: condition, .any)
      return .any
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
        case .interpolation(let value):
          expect(value, .printable, listed: "[path, null, int, float, string, bool]")
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
    expectBare(receiver, signature.receiver)
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
    case .add, .subtract, .multiply, .divide, .remainder:
      let result = operation.arithmeticResult ?? .any
      expectOperands(operation, left, right, of: result)
      return result
    }
  }

  // MARK: Expectations

  /// Visits an expression whose value must have one of some types; `listed` where the official compiler has
  /// an order of its own.
  ///
  /// If it has none of them, only that is said: what does not fit inside an operator or a call is
  /// left out, as the official compiler does. If an operator may give one of them, its operands must fit that.
  mutating func expect(_ node: ExpressionNode, _ expected: StaticType, listed: String? = nil) {
    switch node.unwrapped.kind {
    case .ternary(let condition, let then, let otherwise):
      expect(condition, .bool)
      return expect(values: then, otherwise, after: condition, expected, listed: listed)
    case .binary(let operation, _, let left, let right):
      guard let result = operation.arithmeticResult, !result.isDisjoint(with: expected) else { break }
      types[node.unwrapped.number] = result
      types[node.number] = result
      return expectOperands(operation, left, right, of: expected)
    case .unary(.negate, let operand):
      guard !StaticType.negatable.isDisjoint(with: expected) else { break }
      types[node.unwrapped.number] = .negatable
      types[node.number] = .negatable
      let numbers: StaticType = expected.isDisjoint(with: .number) ? [] : .number
      return expectBare(operand, numbers.union(expected.intersection(.duration)))
    default: break
    }
    let before = diagnostics.count
    let found = type(of: node)
    guard found.isDisjoint(with: expected) else { return }
    dropTypeWarnings(of: node, since: before)
    diagnostics.append(
      CheckMessages.wrongType(
        found: found, expected: expected, listed: listed, at: place(of: node), of: node.span))
  }

  /// The same for what stands before a dot or a bracket or behind a minus: parentheses around it are no part of it.
  private mutating func expectBare(_ node: ExpressionNode, _ expected: StaticType) {
    guard case .parenthesized(let inner) = node.kind else { return expect(node, expected) }
    expect(inner, expected)
    types[node.number] = types[inner.number]
  }

  private mutating func expectOperands(
    _ operation: BinaryOperator, _ left: ExpressionNode, _ right: ExpressionNode, of expected: StaticType
  ) {
    let operands = operation.operands(of: expected)
    let isTime = operation == .add && operands.right == [.duration, .timestamp]
    expect(left, operands.left)
    expect(
      right, operands.right,
      listed: isTime && !expected.contains(.duration) ? "[timestamp, duration]" : nil)
  }

  /// Visits the values of `?:`. If both fit, they should have one type.
  private mutating func expect(
    values then: ExpressionNode, _ otherwise: ExpressionNode, after condition: ExpressionNode,
    _ expected: StaticType, listed: String? = nil
  ) {
    expect(then, expected, listed: listed)
    expect(otherwise, expected, listed: listed)
    let (left, right) = (types[then.number], types[otherwise.number])
    if left.isDisjoint(with: right), !left.isDisjoint(with: expected), !right.isDisjoint(with: expected) {
      diagnostics.append(
        CheckMessages.mixedTypes(
          left, right, at: source.word(after: condition.span.end, length: 1),
          of: then.span.joined(with: otherwise.span)))
    }
  }

  /// The place the official compiler names for the type of an expression: if it has several parts, inside of its
  /// parentheses.
  private func place(of node: ExpressionNode) -> Span {
    switch node.unwrapped.kind {
    case .typeTest(let value, _, _): source.word(after: value.span.end, length: 2)
    case .literal, .identifier, .list, .map, .path: node.anchor
    default: node.unwrapped.anchor
    }
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
    var diagnostic = CheckMessages.conditionNotBool(found: found, at: place(of: node), of: node.span)
    if case .function = bindings[node.unwrapped.number] { diagnostic.officialText = nil }
    diagnostics.append(diagnostic)
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
