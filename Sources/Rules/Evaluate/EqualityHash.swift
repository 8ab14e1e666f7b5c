/// Hashes that go with the equalities of the language.
///
/// INVARIANT: values that `areEqual` in a mode have the same hash in that mode. Only what equals nothing, itself
/// included, has none.

internal import DocModel

extension Evaluation {
  /// The hash of a value; nil when nothing is equal to it (NaN in a list, templates of paths).
  ///
  /// Hashes are seeded anew in every process: nobody can choose values that collide.
  func equalityHash(_ value: Operand, _ mode: EqualityMode) -> Int? {
    var hasher = Hasher()
    return combine(value, mode, &hasher) ? hasher.finalize() : nil
  }

  private func combine(_ value: Operand, _ mode: EqualityMode, _ hasher: inout Hasher) -> Bool {
    switch value {
    case .integer(let number):
      // An integer meets a float as a double; then all that round to one double share a hash.
      if mode == .loose || mode == .direct { return combine(Double(number), mode, &hasher) }
      hasher.combine(OperandKind.int)
      hasher.combine(number)
    case .float(let number): return combine(number, mode, &hasher)
    default:
      hasher.combine(value.kind)
      return combineContents(value, mode, &hasher)
    }
    return true
  }

  private func combineContents(_ value: Operand, _ mode: EqualityMode, _ hasher: inout Hasher) -> Bool {
    switch value {
    case .null: break
    case .boolean(let flag): hasher.combine(flag)
    case .integer, .float: return combine(value, mode, &hasher)
    case .string(let bytes), .bytes(let bytes): combine(bytes, &hasher)
    case .timestamp(let time): hasher.combine(time)
    case .duration(let length):
      hasher.combine(length.seconds)
      hasher.combine(length.nanoseconds)
    case .latlng(let point):
      hasher.combine(point.latitude.bitPattern)
      hasher.combine(point.longitude.bitPattern)
    case .path(let segments, let count):
      hasher.combine(count)
      for index in 0..<count {
        guard let text = segments[index].text else { return false }
        combine(text, &hasher)
      }
    case .array, .list: return combineElements(value, mode.inside, &hasher)
    case .document, .fields, .map: return combineEntries(value, mode.inside, &hasher)
    case .vector(let bytes):
      for element in ArrayView(bytes.buffer) {
        guard combine(element.double, .strict, &hasher) else { return false }
      }
    case .set(_, let count):
      // Members have no order, and a large integer may be equal to the float that another one equals: the
      // number of members is all that equal sets are sure to share.
      hasher.combine(count)
    case .mapDiff(let sides): hasher.combine(sides)
    case .constraint, .fault: return false
    }
    return true
  }

  /// Zeros have one hash: membership ignores the sign.
  private func combine(_ number: Double, _ mode: EqualityMode, _ hasher: inout Hasher) -> Bool {
    if number.isNaN {
      guard mode == .loose else { return false }
      hasher.combine(OperandKind.fault)
      return true
    }
    hasher.combine(OperandKind.float)
    hasher.combine(number == 0 ? 0 : number.bitPattern)
    return true
  }

  @inline(__always)
  private func combine(_ bytes: ByteView, _ hasher: inout Hasher) {
    hasher.combine(bytes.count)
    hasher.combine(bytes: bytes.buffer)
  }

  private func combineElements(_ list: Operand, _ mode: EqualityMode, _ hasher: inout Hasher) -> Bool {
    var count = 0
    var elements = Elements(list)
    while let element = elements.next(self) {
      guard combine(element, mode, &hasher) else { return false }
      count += 1
    }
    hasher.combine(count)
    return true
  }

  /// Entries in any order: their hashes are added.
  private func combineEntries(_ map: Operand, _ mode: EqualityMode, _ hasher: inout Hasher) -> Bool {
    var sum = 0
    for entry in entries(map) {
      var own = Hasher()
      combine(entry.key, &own)
      guard combine(entry.value, mode, &own) else { return false }
      sum &+= own.finalize()
    }
    hasher.combine(sum)
    return true
  }
}
