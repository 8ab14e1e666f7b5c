/// Fields of documents, read as one kind: nil for one that is missing or of another kind.

internal import DocModel

extension Fields {
  func string(_ name: String) -> String? {
    guard case .string(let text) = self[name] else { return nil }
    return text
  }

  func integer(_ name: String) -> Int64? {
    guard case .integer(let number) = self[name] else { return nil }
    return number
  }

  func boolean(_ name: String) -> Bool? {
    guard case .boolean(let flag) = self[name] else { return nil }
    return flag
  }

  func timestamp(_ name: String) -> Timestamp? {
    guard case .timestamp(let time) = self[name] else { return nil }
    return time
  }

  func map(_ name: String) -> Fields? {
    guard case .map(let fields) = self[name] else { return nil }
    return fields
  }

  func array(_ name: String) -> [Value]? {
    guard case .array(let values) = self[name] else { return nil }
    return values
  }

  /// The texts of a list, in order; what is no text is passed over.
  func strings(_ name: String) -> [String] {
    (array(name) ?? []).compactMap { value in
      guard case .string(let text) = value else { return nil }
      return text
    }
  }
}
