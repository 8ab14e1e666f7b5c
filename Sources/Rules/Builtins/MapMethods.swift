/// Methods of maps and of their differences. Source: docs/spec/rules-language.md 3.6, 3.7.

internal import DocModel

enum MapMethods {
  static let all: [MethodRow] = [
    .init(.size, [""], { e, receiver, _ in .integer(Int64(e.entryCount(receiver))) }),
    .init(.keys, [""], { e, receiver, _ in e.keyList(receiver) }),
    .init(.values, [""], { e, receiver, _ in e.list(e.entries(receiver).map(\.value)) }),
    .init(
      .get, ["string, any", "list, any"],
      { e, receiver, arguments in
        switch arguments[0] {
        case .string(let key): e.lookup(receiver, key) ?? arguments[1]
        case .array, .list: e.walk(receiver, arguments[0], otherwise: arguments[1], arguments.node)
        default: nil
        }
      }
    ),
    .init(
      .diff, ["map"],
      { e, receiver, arguments in
        guard arguments[0].kind == .map else { return nil }
        if let fault = e.openDifference(new: receiver, old: arguments[0], arguments.node) { return fault }
        return .mapDiff(e.arena.copy([receiver, arguments[0]]))
      }
    ),
  ]
}

enum MapDiffMethods {
  static let all: [MethodRow] = [
    .init(.addedKeys, [""], { e, receiver, arguments in keys(e, receiver, arguments.node) { $0 == .added } }),
    .init(
      .removedKeys, [""], { e, receiver, arguments in keys(e, receiver, arguments.node) { $0 == .removed } }),
    .init(
      .changedKeys, [""], { e, receiver, arguments in keys(e, receiver, arguments.node) { $0 == .changed } }),
    .init(
      .unchangedKeys, [""],
      { e, receiver, arguments in keys(e, receiver, arguments.node) { $0 == .unchanged } }
    ),
    .init(
      .affectedKeys, [""],
      { e, receiver, arguments in keys(e, receiver, arguments.node) { $0 != .unchanged } }
    ),
  ]

  private static func keys(
    _ e: Evaluation, _ receiver: Operand, _ node: Int32, _ isWanted: (KeyChange) -> Bool
  ) -> Operand? {
    guard case .mapDiff(let sides) = receiver else { return nil }
    let most = e.entryCount(sides[0]) + e.entryCount(sides[1])
    let result = e.arena.allocate(Operand.self, count: most)
    var count = 0
    e.forEachChange(new: sides[0], old: sides[1]) { key, change in
      if isWanted(change) {
        result[count] = .string(key)
        count += 1
      }
      return true
    }
    return .set(UnsafePointer(result), count)
  }
}

/// What became of a key from the old map to the new one.
enum KeyChange {
  case added, removed, changed, unchanged
}

extension Evaluation {
  /// `map.get([a, b], default)`: the default when a step is missing or not a map.
  fileprivate func walk(
    _ map: Operand, _ path: Operand, otherwise: Operand, _ node: Int32
  ) -> Operand {
    var current = map
    var isFound = true
    var steps = Elements(path)
    while let step = steps.next(self) {
      guard case .string(let key) = step else {
        return fault(.type, node, FaultText.type(step.kind, expected: "string"))
      }
      if isFound, let next = lookup(current, key) { current = next } else { isFound = false }
    }
    return isFound ? current : otherwise
  }

  /// Calls `body` for the keys of both maps until it answers false. Two encoded maps, both sorted, are
  /// merged in one walk and nothing is allocated.
  func forEachChange(new: Operand, old: Operand, _ body: (ByteView, KeyChange) -> Bool) {
    takesWalk(new)
    takesWalk(old)
    if let a = fieldsView(new), let b = fieldsView(old) {
      mergeChanges(a, b, body)
      return
    }
    for entry in entries(new) {
      let change: KeyChange
      if let before = lookup(old, entry.key) {
        change = areEqual(entry.value, before, .loose) ? .unchanged : .changed
      } else {
        change = .added
      }
      if !body(entry.key, change) { return }
    }
    for entry in entries(old) where lookup(new, entry.key) == nil {
      if !body(entry.key, .removed) { return }
    }
  }

  private func mergeChanges(_ new: FieldsView, _ old: FieldsView, _ body: (ByteView, KeyChange) -> Bool) {
    var left = new.makeIterator()
    var right = old.makeIterator()
    var a = left.next()
    var b = right.next()
    while true {
      switch (a, b) {
      case (nil, nil): return
      case (.some(let x), nil):
        if !body(ByteView(x.key), .added) { return }
        a = left.next()
      case (nil, .some(let y)):
        if !body(ByteView(y.key), .removed) { return }
        b = right.next()
      case (.some(let x), .some(let y)):
        let order = WireCursor.compare(x.key, y.key)
        if order < 0 {
          if !body(ByteView(x.key), .added) { return }
          a = left.next()
        } else if order > 0 {
          if !body(ByteView(y.key), .removed) { return }
          b = right.next()
        } else {
          // Equal bytes are equal values; only different bytes need a closer look (1 and 1.0).
          let isEqual =
            WireCursor.areEqual(x.value.bytes, y.value.bytes)
            || areEqual(operand(x.value), operand(y.value), .loose)
          if !body(ByteView(x.key), isEqual ? .unchanged : .changed) { return }
          a = left.next()
          b = right.next()
        }
      }
    }
  }
}
