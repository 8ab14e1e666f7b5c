/// What holds for all values and all texts, tried on random ones. `SEED=` repeats a run.

import Glibc
import JSON
import Testing

@Suite("JSON, for all values")
struct JSONPropertyTests {
  private static let seed =
    getenv("SEED").flatMap { UInt64(String(cString: $0)) } ?? UInt64.random(in: 1...UInt64(UInt32.max))

  private static let writers: [JSONWriter] = [
    JSONWriter(), JSONWriter(.ascii), JSONWriter(.markup), JSONWriter(isSpaced: true),
  ]

  @Test("What is written is read as it was")
  func roundTrip() throws {
    var random = RandomValues(Self.seed)
    for round in 0..<400 {
      let value = random.value(depth: 5)
      for var writer in Self.writers {
        writer.value(value)
        #expect(try JSONReader.read(writer.bytes) == value, "SEED=\(Self.seed) round \(round)")
      }
    }
  }

  @Test("Every beginning of a text is refused, at a place inside it")
  func beginnings() throws {
    var random = RandomValues(Self.seed)
    for round in 0..<60 {
      let text = JSONWriter.bytes(of: [random.value(depth: 4)])
      for count in text.indices {
        let error = #expect(throws: JSONError.self, "SEED=\(Self.seed) round \(round), \(count) bytes") {
          try JSONReader.read(Array(text[..<count]))
        }
        #expect((0...count).contains(error?.offset ?? -1))
      }
    }
  }

  /// What is still JSON after that is written as JSON that says the same.
  @Test("No change of bytes ends the reader", arguments: [JSONOptions.strict, .file])
  func mutations(_ options: JSONOptions) throws {
    var random = RandomValues(Self.seed)
    for round in 0..<3_000 {
      let text = random.mutated(JSONWriter.bytes(of: random.value(depth: 4)))
      do throws(JSONError) {
        let value = try JSONReader.read(text, options)
        #expect(
          (try? JSONReader.read(JSONWriter.bytes(of: value))) == value, "SEED=\(Self.seed) round \(round)")
      } catch {
        #expect((0...text.count).contains(error.offset), "SEED=\(Self.seed) round \(round)")
        #expect(!error.message.isEmpty)
      }
    }
  }

  @Test("Every value and every name begins where it says")
  func offsets() throws {
    var random = RandomValues(Self.seed)
    for _ in 0..<200 {
      let text = JSONWriter.bytes(of: random.value(depth: 4))
      check(try JSONReader.read(text), in: text)
    }
  }

  /// A value is read alone, from its offset to the end of its text.
  private func check(_ value: JSONValue, in text: [UInt8]) {
    var writer = JSONWriter()
    writer.value(value)
    #expect(text[value.offset...].starts(with: writer.bytes), "SEED=\(Self.seed)")
    for element in value.elements ?? [] { check(element, in: text) }
    for member in value.members ?? [] {
      let name = JSONWriter.bytes(of: .string(member.name))
      #expect(text[member.offset...].starts(with: name), "SEED=\(Self.seed)")
      #expect(member.value.offset == member.offset + name.count + 1, "SEED=\(Self.seed)")
      check(member.value, in: text)
    }
  }
}

/// Values and changes, from a seed.
private struct RandomValues: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func value(depth: Int) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 5), using: &self) {
    case 0: return .null
    case 1: return .boolean(Bool.random(using: &self))
    case 2:
      return .integer(Int64.random(in: .min ... .max, using: &self) >> Int64.random(in: 0..<64, using: &self))
    case 3: return .double(double())
    case 4: return .string(text())
    case 5, 6:
      return .array((0..<Int.random(in: 0..<5, using: &self)).map { _ in value(depth: depth - 1) })
    default:
      return .object(
        (0..<Int.random(in: 0..<5, using: &self)).map { _ in
          JSONValue.Member(text(), value(depth: depth - 1))
        })
    }
  }

  /// Any bits that are a number.
  private mutating func double() -> Double {
    while true {
      let number = Double(bitPattern: next())
      if number.isFinite { return number }
    }
  }

  private mutating func text() -> [UInt8] {
    var text = ""
    for _ in 0..<Int.random(in: 0..<8, using: &self) {
      let code: UInt32 =
        switch Int.random(in: 0..<4, using: &self) {
        case 0: UInt32.random(in: 0..<0x30, using: &self)
        case 1: UInt32.random(in: 0x30..<0x80, using: &self)
        case 2: UInt32.random(in: 0x80..<0x10000, using: &self)
        default: UInt32.random(in: 0x10000..<0x110000, using: &self)
        }
      if let scalar = Unicode.Scalar(code) { text.unicodeScalars.append(scalar) }
    }
    return Array(text.utf8)
  }

  /// A text with some bytes changed, removed, doubled or exchanged for signs that mean something.
  mutating func mutated(_ text: [UInt8]) -> [UInt8] {
    let signs = Array("{}[]\",:\\/*-+.eEu0019tfn \n".utf8)
    var text = text
    for _ in 0...Int.random(in: 0..<4, using: &self) where !text.isEmpty {
      let place = Int.random(in: text.indices, using: &self)
      switch Int.random(in: 0..<4, using: &self) {
      case 0: text[place] = UInt8.random(in: .min ... .max, using: &self)
      case 1: text.remove(at: place)
      case 2: text.insert(text[place], at: Int.random(in: text.indices, using: &self))
      default: text[place] = signs.randomElement(using: &self) ?? 0
      }
    }
    return text
  }
}
