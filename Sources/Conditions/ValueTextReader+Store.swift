/// Values that JSON does not have: references, instants, points, vectors, bytes.

internal import DocModel

extension ValueTextReader {
  mutating func reference() throws(ConditionError) -> Value {
    let start = index
    index += 1
    let ends = Array(" \t\n,])}".utf8)
    let path = take { !ends.contains($0) }
    let reason: String
    do throws(InvalidArgument) {
      let path = try ResourceNameParser.relativePath(path)
      if path.isDocument { return .reference(DocumentName(database: database, path: path).resourceName) }
      reason = "it is a collection"
    } catch {
      reason = error.message
    }
    throw self.error("'/\(path)' is no path of a document: \(reason)", at: start)
  }

  mutating func instant() throws(ConditionError) -> Value {
    let start = index
    index += 1
    let ends = Array(" \t\n,])}".utf8)
    let word = take { !ends.contains($0) }
    if let serverTime, word.utf8.elementsEqual("now".utf8) { return serverTime }
    let instant = word.hasPrefix("now") ? offset(word.dropFirst(3)) : Self.instant(word)
    guard let instant else {
      throw error("'@\(word)' is no instant; write @2026-03-01T09:00:00Z, @now or @now-1d", at: start)
    }
    return .timestamp(instant)
  }

  /// RFC 3339, of which seconds and the time of day may be left out.
  static func instant(_ word: String) -> Timestamp? {
    if let instant = Timestamp(rfc3339: word) { return instant }
    if word.utf8.count == 10 { return Timestamp(rfc3339: word + "T00:00:00Z") }
    guard word.utf8.count == 17, word.utf8.last == UInt8(ascii: "Z") else { return nil }
    return Timestamp(rfc3339: word.dropLast() + ":00Z")
  }

  /// Now, or as much before or after it as the text says: `-1d12h`.
  private func offset(_ text: Substring) -> Timestamp? {
    (try? TimeStep.signed(text)).map { Timestamp(microseconds: now() + $0 * 1_000_000) }
  }

  private mutating func numbers(_ open: String, _ close: String) throws(ConditionError) -> [Double] {
    guard eat(open) else { throw error("expected '\(open)'") }
    var numbers: [Double] = []
    while !eat(close) {
      switch try value() {
      case .integer(let integer): numbers.append(Double(integer))
      case .double(let double): numbers.append(double)
      default: throw error("expected a number")
      }
      if eat(close) { break }
      guard eat(",") else { throw error("expected ',' or '\(close)'") }
    }
    return numbers
  }

  mutating func geoPoint() throws(ConditionError) -> Value {
    let degrees = try numbers("(", ")")
    guard degrees.count == 2 else { throw error("geo takes latitude and longitude") }
    let point = GeoPoint(latitude: degrees[0], longitude: degrees[1])
    guard point.isValid else { throw error("geo takes a latitude of -90...90 and a longitude of -180...180") }
    return .geoPoint(point)
  }

  mutating func vector() throws(ConditionError) -> Value { .vector(try numbers("[", "]")) }

  mutating func bytes() throws(ConditionError) -> Value {
    guard eat("(") else { throw error("expected '('") }
    skipBlanks()
    guard index < text.count, text[index] == UInt8(ascii: "\"") || text[index] == UInt8(ascii: "'") else {
      throw error("bytes takes base64 text in quotes")
    }
    guard let bytes = Base64.decode(try quoted()) else { throw error("this is no base64") }
    guard eat(")") else { throw error("expected ')'") }
    return .bytes(bytes)
  }
}
