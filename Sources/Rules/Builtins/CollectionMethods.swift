/// Methods of lists and sets. Source: docs/spec/rules-language.md 3.4, 3.5.

internal import DocModel

enum ListMethods {
  static let all: [MethodRow] = [
    .init(.size, [""], { e, receiver, _ in .integer(Int64(e.elementCount(receiver))) }),
    .init(
      .concat, ["list"],
      { e, receiver, arguments in
        guard arguments[0].kind == .list else { return nil }
        return e.concatenation(receiver, arguments[0], arguments.node)
      }
    ),
    .init(
      .hasAll, ["list"],
      { e, receiver, arguments in
        guard arguments[0].kind == .list else { return nil }
        return .boolean(e.hasAll(receiver, arguments[0], .member))
      }
    ),
    .init(
      .hasAny, ["list"],
      { e, receiver, arguments in
        guard arguments[0].kind == .list else { return nil }
        return .boolean(e.hasAny(receiver, arguments[0], .member))
      }
    ),
    .init(
      .hasOnly, ["list"],
      { e, receiver, arguments in
        guard arguments[0].kind == .list else { return nil }
        return .boolean(e.hasAll(arguments[0], receiver, .member))
      }
    ),
    .init(
      .removeAll, ["list"],
      { e, receiver, arguments in
        guard arguments[0].kind == .list else { return nil }
        return e.list(e.elements(receiver, in: arguments[0], .member, isKept: false))
      }
    ),
    .init(
      .join, ["string"],
      { e, receiver, arguments in
        guard case .string(let separator) = arguments[0] else { return nil }
        return e.join(receiver, separator, arguments.node)
      }
    ),
    .init(
      .toSet, [""],
      { e, receiver, arguments in e.openValue(receiver, .null, arguments.node) ?? e.set(e.array(receiver)) }
    ),
  ]
}

enum SetMethods {
  static let all: [MethodRow] = [
    .init(.size, [""], { e, receiver, _ in .integer(Int64(e.elementCount(receiver))) }),
    .init(
      .hasAll, ["set", "list"],
      { e, receiver, arguments in
        guard isCollection(arguments[0]) else { return nil }
        if let open = e.openMembership(receiver, arguments[0], decisive: false, arguments.node) {
          return open
        }
        return .boolean(e.hasAll(receiver, arguments[0], .loose))
      }
    ),
    .init(
      .hasAny, ["set", "list"],
      { e, receiver, arguments in
        guard isCollection(arguments[0]) else { return nil }
        if let open = e.openMembership(receiver, arguments[0], decisive: true, arguments.node) {
          return open
        }
        return .boolean(e.hasAny(receiver, arguments[0], .loose))
      }
    ),
    .init(
      .hasOnly, ["set", "list"],
      { e, receiver, arguments in
        guard isCollection(arguments[0]) else { return nil }
        if let fault = e.openValue(receiver, arguments[0], arguments.node) { return fault }
        return .boolean(e.hasAll(arguments[0], receiver, .loose))
      }
    ),
    .init(
      .union, ["set"],
      { e, receiver, arguments in
        guard case .set = arguments[0] else { return nil }
        if let fault = e.openValue(receiver, arguments[0], arguments.node) { return fault }
        return e.boundedTree(e.set(e.array(receiver) + e.array(arguments[0])), arguments.node)
      }
    ),
    .init(
      .difference, ["set"],
      { e, receiver, arguments in
        guard case .set = arguments[0] else { return nil }
        if let fault = e.openValue(receiver, arguments[0], arguments.node) { return fault }
        return e.set(e.elements(receiver, in: arguments[0], .loose, isKept: false))
      }
    ),
    .init(
      .intersection, ["set"],
      { e, receiver, arguments in
        guard case .set = arguments[0] else { return nil }
        if let fault = e.openValue(receiver, arguments[0], arguments.node) { return fault }
        return e.set(e.elements(receiver, in: arguments[0], .loose, isKept: true))
      }
    ),
  ]

  private static func isCollection(_ operand: Operand) -> Bool {
    operand.kind == .set || operand.kind == .list
  }
}

extension Evaluation {
  /// Whether every element of `wanted` is in `collection`.
  package func hasAll(_ collection: Operand, _ wanted: Operand, _ mode: EqualityMode) -> Bool {
    if areMany(collection, wanted) { return !hasAny(many: collection, wanted, mode, isContained: false) }
    var elements = Elements(wanted)
    while let element = elements.next(self) {
      if !contains(collection, element, mode) { return false }
    }
    return true
  }

  /// Whether some element of `wanted` is in `collection`.
  @inline(__always)
  func hasAny(_ collection: Operand, _ wanted: Operand, _ mode: EqualityMode) -> Bool {
    if areMany(collection, wanted) { return hasAny(many: collection, wanted, mode, isContained: true) }
    var elements = Elements(wanted)
    while let element = elements.next(self) {
      if contains(collection, element, mode) { return true }
    }
    return false
  }

  /// Whether an element of `wanted` is in `collection`, or is not in it.
  @inline(never)
  private func hasAny(
    many collection: Operand, _ wanted: Operand, _ mode: EqualityMode, isContained: Bool
  ) -> Bool {
    let index = EqualityIndex(self, mode, of: collection)
    var elements = Elements(wanted)
    while let element = elements.next(self) {
      if index.contains(element) == isContained { return true }
    }
    return false
  }

  /// The elements that are in another collection, or that are not.
  func elements(
    _ elements: Operand, in other: Operand, _ mode: EqualityMode, isKept: Bool
  ) -> [Operand] {
    guard areMany(elements, other) else {
      return array(elements).filter { contains(other, $0, mode) == isKept }
    }
    let index = EqualityIndex(self, mode, of: other)
    return array(elements).filter { index.contains($0) == isKept }
  }

  fileprivate func join(_ list: Operand, _ separator: ByteView, _ node: Int32) -> Operand {
    var result: [UInt8] = []
    var elements = Elements(list)
    var isFirst = true
    while let element = elements.next(self) {
      if isTextTooLarge(result.count) { return overgrown(node) }
      if !isFirst { result += separator.buffer }
      isFirst = false
      guard let text = Conversions.text(element, self) else {
        return fault(.unsupportedOperation, node, Conversions.unsupportedText(element.kind))
      }
      result += text.buffer
    }
    return isTextTooLarge(result.count)
      ? overgrown(node) : .string(arena.copy(UTF16Text.joiningHalves(result)))
  }
}
