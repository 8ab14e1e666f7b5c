/// The equalities of the language.
///
/// Source: docs/spec/rules-language.md 2.6, and the official emulator for the sign of zero.

internal import DocModel

/// How numbers compare, at the top and inside.
package enum EqualityMode {
  /// `==`: numbers by value; what is inside lists and maps strictly.
  case direct
  /// Inside lists and maps: kinds differ, signs of zero differ, NaN equals nothing.
  case strict
  /// Membership in lists: like strict, except that the sign of an element that is zero is ignored.
  case member
  /// Sets and map differences, at every depth: by value, and NaN equals NaN.
  case loose

  var inside: EqualityMode { self == .loose ? .loose : .strict }
}

extension Evaluation {
  package func areEqual(_ left: Operand, _ right: Operand, _ mode: EqualityMode) -> Bool {
    switch (left, right) {
    case (.string(let a), .string(let b)): a.count == b.count && takesPlain(a.count) && a == b
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.float(let a), .float(let b)): areEqual(a, b, mode)
    case (.integer(let a), .float(let b)): areEqual(a, b, mode)
    case (.float(let a), .integer(let b)): areEqual(b, a, mode)
    case (.bytes(let a), .bytes(let b)): a.count == b.count && takesPlain(a.count) && a == b
    case (.timestamp(let a), .timestamp(let b)): a == b
    case (.duration(let a), .duration(let b)): a == b
    case (.latlng(let a), .latlng(let b)):
      a.latitude.bitPattern == b.latitude.bitPattern && a.longitude.bitPattern == b.longitude.bitPattern
    case (.path(let a, let aCount), .path(let b, let bCount)):
      aCount == bCount && arePathsEqual(a, b, aCount)
    case (.set, .set): areSetsEqual(left, right)
    case (.mapDiff(let a), .mapDiff(let b)): a == b
    case (.vector(let a), .vector(let b)): areVectorsEqual(a, b)
    case (.constraint(let a, let aCount), .constraint(let b, let bCount)):
      mode == .strict && aCount == bCount && areConstraintsEqual(a, b, aCount)
    default:
      if left.kind != right.kind || isOverworked {
        false
      } else if left.kind == .list {
        areListsEqual(left, right, mode.inside)
      } else if left.kind == .map {
        areMapsEqual(left, right, mode.inside)
      } else {
        false
      }
    }
  }

  private func areEqual(_ a: Double, _ b: Double, _ mode: EqualityMode) -> Bool {
    switch mode {
    case .direct, .member: a == b
    case .strict: a == b && a.bitPattern == b.bitPattern
    case .loose: a == b || (a.isNaN && b.isNaN)
    }
  }

  /// An integer meets a float as a double, also beyond 2^53. Source: the official emulator.
  private func areEqual(_ a: Int64, _ b: Double, _ mode: EqualityMode) -> Bool {
    switch mode {
    case .direct, .loose: Double(a) == b
    case .strict, .member: false
    }
  }

  /// Templates with placeholders equal nothing, themselves included.
  private func arePathsEqual(
    _ a: UnsafePointer<PathSegment>, _ b: UnsafePointer<PathSegment>, _ count: Int
  ) -> Bool {
    for index in 0..<count {
      guard let left = a[index].text, let right = b[index].text, left == right else { return false }
    }
    return true
  }

  /// Inside lists and maps: the same filters with the same values, whatever their fields, in the same order.
  private func areConstraintsEqual(
    _ a: UnsafePointer<ConstraintFilter>, _ b: UnsafePointer<ConstraintFilter>, _ count: Int
  ) -> Bool {
    for index in 0..<count {
      guard a[index].comparison == b[index].comparison, areEqual(a[index].operand, b[index].operand, .strict)
      else { return false }
    }
    return true
  }

  private func areVectorsEqual(_ left: ByteView, _ right: ByteView) -> Bool {
    guard left.count == right.count else { return false }
    return zip(ArrayView(left.buffer), ArrayView(right.buffer)).allSatisfy { $0.double == $1.double }
  }

  private func areListsEqual(_ left: Operand, _ right: Operand, _ mode: EqualityMode) -> Bool {
    takesWalk(left)
    var a = Elements(left)
    var b = Elements(right)
    while true {
      switch (a.next(self), b.next(self)) {
      case (nil, nil): return true
      case (.some(let x), .some(let y)): if !areEqual(x, y, mode) { return false }
      case (.some, nil), (nil, .some): return false
      }
    }
  }

  private func areMapsEqual(_ left: Operand, _ right: Operand, _ mode: EqualityMode) -> Bool {
    takesWalk(left)
    if let a = fieldsView(left), let b = fieldsView(right) { return areFieldsEqual(a, b, mode) }
    guard entryCount(left) == entryCount(right) else { return false }
    for entry in entries(left) {
      guard let other = lookup(right, entry.key), areEqual(entry.value, other, mode) else { return false }
    }
    return true
  }

  /// Both sorted: one walk, no lookups.
  private func areFieldsEqual(_ left: FieldsView, _ right: FieldsView, _ mode: EqualityMode) -> Bool {
    var a = left.makeIterator()
    var b = right.makeIterator()
    while true {
      switch (a.next(), b.next()) {
      case (nil, nil): return true
      case (.some(let x), .some(let y)):
        guard WireCursor.areEqual(x.key, y.key), areEqual(operand(x.value), operand(y.value), mode) else {
          return false
        }
      case (.some, nil), (nil, .some): return false
      }
    }
  }

  private func areSetsEqual(_ left: Operand, _ right: Operand) -> Bool {
    elementCount(left) == elementCount(right) && hasAll(right, left, .loose)
  }

  /// Whether a list (`.member`) or set (`.loose`) has an element equal to `value`.
  package func contains(_ collection: Operand, _ value: Operand, _ mode: EqualityMode) -> Bool {
    takesWalk(collection)
    if case .array(let bytes) = collection, case .string(let text) = value {
      return containsText(ArrayView(bytes.buffer), text)
    }
    var elements = Elements(collection)
    while let element = elements.next(self) {
      if areEqual(element, value, mode) { return true }
    }
    return false
  }

  /// Whether a stored list has an element of another one: texts for the most part, which are compared as
  /// they lie.
  @inline(__always)
  func hasAny(stored list: ByteView, of wanted: ByteView) -> Bool {
    if areMany(.array(list), .array(wanted)) { return hasAny(.array(list), .array(wanted), .member) }
    let place = ArrayView(list.buffer)
    var elements = WireCursor(wanted.buffer)
    while let bytes = elements.shortField(tag: 0x0A) {
      let element = ValueView(bytes)
      if let text = element.shortText {
        if place.containsShortText(text.start, count: text.count) { return true }
      } else if contains(.array(list), operand(element), .member) {
        return true
      }
    }
    if elements.isAtEnd { return false }
    let rest = ByteView(start: elements.mark, count: elements.remaining)
    return hasAny(.array(list), .array(rest), .member)
  }

  @inline(__always)
  private func containsText(_ array: ArrayView, _ text: ByteView) -> Bool {
    guard text.count < ArrayView.shortTextBytesMax else {
      for element in array where element.tag == ValueView.Tag.string {
        if WireCursor.areEqual(element.string, text.buffer) { return true }
      }
      return false
    }
    return array.containsShortText(text.start, count: text.count)
  }
}
