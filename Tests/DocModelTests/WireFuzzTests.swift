import DocModel
import Platform
import Testing
import WireExercise

@Suite("untrusted bytes")
struct WireFuzzTests {
  private static let inputBytesMax = 4_096

  @Test("50,000 random and mutated messages neither trap nor break a promise")
  func fuzz() throws {
    var values = RandomValues(.forThisRun())
    let memory = try #require(GuardedBytes(capacity: Self.inputBytesMax))
    var accepted = 0
    for round in 0..<50_000 {
      let input = Self.input(round, &values)
      do {
        if try memory.with(input, WireExercise.run) { accepted += 1 }
      } catch {
        Issue.record("\(error) on \(input.hexadecimal), SEED=\(values.random.seed)")
        return
      }
    }
    #expect(accepted > 2_500 && accepted < 47_500, "\(accepted) accepted: both outcomes must be common")
  }

  private static func input(_ round: Int, _ values: inout RandomValues) -> [UInt8] {
    if round % 4 == 0 { return random(&values) }
    var bytes = values.fields(depth: 3).encoded
    for _ in 0..<values.random.below(4) { mutate(&bytes, &values) }
    return Array(bytes.prefix(inputBytesMax))
  }

  /// Bytes that often look like tags, lengths and hostile varints.
  private static func random(_ values: inout RandomValues) -> [UInt8] {
    let tags: [UInt8] = [
      0x12, 0x0A, 0x32, 0x4A, 0x42, 0x52, 0x8A, 0x01, 0x08, 0x19, 0x0B, 0x0C, 0x58, 0x00, 0xFF, 0x80,
    ]
    return (0..<values.random.below(64)).map { _ in
      values.random.once(in: 3) ? UInt8(truncatingIfNeeded: values.random.next()) : values.random.pick(tags)
    }
  }

  private static func mutate(_ bytes: inout [UInt8], _ values: inout RandomValues) {
    guard !bytes.isEmpty else { return }
    let place = values.random.below(bytes.count)
    switch values.random.below(6) {
    case 0: bytes[place] ^= 1 << UInt8(values.random.below(8))
    case 1: bytes[place] = UInt8(truncatingIfNeeded: values.random.next())
    case 2: bytes.removeSubrange(place...)
    case 3: bytes.remove(at: place)
    case 4: bytes.insert(contentsOf: [UInt8](repeating: 0xFF, count: 1 + values.random.below(11)), at: place)
    default: bytes.append(contentsOf: bytes[place...])
    }
  }
}
