import Testing
import Wire

@Suite("grpc-timeout")
struct GRPCTimeoutTests {
  @Test(
    "digits and a unit give nanoseconds",
    arguments: [
      ("1S", 1_000_000_000), ("250m", 250_000_000), ("3u", 3_000), ("7n", 7),
      ("2M", 120_000_000_000),
      ("1H", 3_600_000_000_000), ("00000000S", 0),
    ] as [(String, UInt64)])
  func reads(text: String, nanoseconds: UInt64) {
    #expect(GRPCTimeout.nanoseconds(Array(text.utf8)) == nanoseconds)
  }

  @Test(
    "anything else is refused", arguments: ["", "S", "1", "1x", "-1S", "123456789S", "1.5S", " 1S"])
  func refuses(text: String) {
    #expect(GRPCTimeout.nanoseconds(Array(text.utf8)) == nil)
  }
}
