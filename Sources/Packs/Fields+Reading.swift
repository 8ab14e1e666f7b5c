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

  /// A whole number or a fraction, if it is a finite one.
  func number(_ name: String) -> Double? {
    switch self[name] {
    case .integer(let number): Double(number)
    case .double(let number) where number.isFinite: number
    case .double, .null, .boolean, .timestamp, .string, .bytes, .reference, .geoPoint, .array, .vector, .map,
      nil:
      nil
    }
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

  /// A text that may be a document's id, and so part of a path.
  func documentID(_ name: String) -> String? {
    string(name).flatMap { $0.isDocumentID ? $0 : nil }
  }

  /// The texts of a list, in order; what is no text is passed over.
  func strings(_ name: String) -> [String] {
    (array(name) ?? []).compactMap { value in
      guard case .string(let text) = value else { return nil }
      return text
    }
  }

  /// Whether a field holds this text, byte for byte.
  func holds(_ name: String, _ text: String) -> Bool { string(name)?.hasSameBytes(as: text) ?? false }
}

extension ResourcePath {
  /// A document that another document names; nil for a text that no document can have as its id.
  static func document(_ collection: String, _ id: String?) -> ResourcePath? {
    guard let id, id.isDocumentID else { return nil }
    return ResourcePath(unchecked: collection).appending(id)
  }
}

extension String {
  /// Whether a document can have it as its id.
  var isDocumentID: Bool { !isEmpty && (try? ResourceNameParser.checkDocumentID(self)) != nil }
}
