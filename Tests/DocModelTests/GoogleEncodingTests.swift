import DocModel
import Platform
import Testing

/// Documents that Google's protobuf classes encoded; see Fixtures/generate.py.
private struct GoogleDocument: CustomTestStringConvertible {
  let number: Int
  let wire: [UInt8]
  let canonical: [UInt8]
  let notation: String

  var testDescription: String { "row \(number)" }

  static let all: [GoogleDocument] = {
    let lines = text(at: "Fixtures/google-documents.tsv").split(separator: "\n")
    return lines.enumerated().compactMap { number, line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard columns.count == 3 else { return nil }
      return GoogleDocument(
        number: number + 1, wire: bytes(hex: columns[0]), canonical: bytes(hex: columns[1]),
        notation: String(columns[2]))
    }
  }()

  /// A file beside this one; empty when it cannot be read, which `fixtureIsThere` reports.
  private static func text(at name: String, source: StaticString = #filePath) -> String {
    let folder = "\(source)".split(separator: "/").dropLast().joined(separator: "/")
    guard let file = fopen("/" + folder + "/" + name, "r") else { return "" }
    defer { fclose(file) }
    var content: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = fread(&block, 1, block.count, file)
      if count == 0 { return String(decoding: content, as: UTF8.self) }
      content += block[..<count]
    }
  }

  private static func bytes(hex: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in hex {
      guard let half = digit.hexDigitValue.map(UInt8.init(truncatingIfNeeded:)) else { return [] }
      if let first = high {
        bytes.append(first << 4 | half)
        high = nil
      } else {
        high = half
      }
    }
    return bytes
  }
}

@Suite("documents as Google's own encoder writes them")
struct GoogleEncodingTests {
  @Test("the fixture is complete")
  func fixtureIsThere() {
    #expect(GoogleDocument.all.count == 52)
  }

  @Test("our canonical bytes are those of Google's deterministic encoder", arguments: GoogleDocument.all)
  fileprivate func canonicalBytes(document: GoogleDocument) throws {
    let canonical = try Raw.canonical(document.wire)
    #expect(canonical == document.canonical)
  }

  @Test("decoded values are the ones that were encoded", arguments: GoogleDocument.all)
  fileprivate func decodedValues(document: GoogleDocument) {
    #expect(Fields(encoded: document.canonical).notation == document.notation)
  }

  @Test("decoding and encoding again gives the same bytes", arguments: GoogleDocument.all)
  fileprivate func encodedAgain(document: GoogleDocument) {
    #expect(Fields(encoded: document.canonical).encoded == document.canonical)
  }
}

extension Fields {
  /// The notation of the fixture's third column.
  fileprivate var notation: String {
    entries.map { quoted($0.name.utf8) + ": " + $0.value.notation }.joined(separator: ", ")
  }
}

extension Value {
  fileprivate var notation: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): "\(number)"
    case .double(let number): "double " + bits(number)
    case .string(let text): quoted(text.utf8)
    case .bytes(let content): "bytes " + quoted(content)
    case .reference(let name): "reference " + quoted(name.utf8)
    case .timestamp(let instant): "timestamp \(instant.seconds)." + padded(String(instant.nanoseconds), 9)
    case .geoPoint(let point): "geo \(bits(point.latitude)) \(bits(point.longitude))"
    case .array(let elements): "[" + elements.map(\.notation).joined(separator: ", ") + "]"
    case .vector(let elements): "vector [" + elements.map(bits).joined(separator: ", ") + "]"
    case .map(let fields): "{" + fields.notation + "}"
    }
  }
}

private func padded(_ digits: String, _ width: Int) -> String {
  String(repeating: "0", count: width - digits.utf8.count) + digits
}

private func bits(_ number: Double) -> String { padded(String(number.bitPattern, radix: 16), 16) }

private let plainBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./() -".utf8)

private func quoted(_ content: some Sequence<UInt8>) -> String {
  let parts = content.map { byte in
    plainBytes.contains(byte)
      ? String(Unicode.Scalar(byte)) : "\\x" + padded(String(byte, radix: 16), 2)
  }
  return "\"" + parts.joined() + "\""
}
