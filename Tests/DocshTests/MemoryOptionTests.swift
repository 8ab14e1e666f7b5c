import Testing

@testable import docsh

@Suite("--memory-budget and --history-budget")
struct MemoryOptionTests {
  @Test(
    "bytes, or a number with a unit of powers of 1024",
    arguments: [
      ("268435456", 256), ("256MiB", 256), ("256mb", 256), ("256M", 256), ("65536k", 64), ("1GiB", 1_024),
      ("1g", 1_024),
      ("2GB", 2_048), ("64MiB", 64),
    ] as [(String, Int)])
  func sizes(text: String, mebibytes: Int) throws {
    #expect(try MemoryOption.bytes(text) == mebibytes << 20)
  }

  @Test(
    "what is no size, or too small, is told with what to write",
    arguments: [
      ("", "write bytes, or a number with a unit"), ("MiB", "`MiB` is no size"), ("-1", "`-1` is no size"),
      ("1.5GiB", "`1.5GiB` is no size"), ("256 MiB", "`256 MiB` is no size"), ("12XB", "`12XB` is no size"),
      ("99999999999999999999", "is no size"), ("9999999999GiB", "more than any machine has"),
      ("63MiB", "the least is 64MiB"), ("0", "the least is 64MiB"),
    ] as [(String, String)])
  func refusals(text: String, words: String) {
    do {
      _ = try MemoryOption.bytes(text)
      Issue.record("`\(text)` was taken")
    } catch {
      #expect("\(error)".contains(words), "\(error)")
    }
  }

  @Test(
    "history has a least size of its own",
    arguments: [("1MiB", 1 << 20), ("64M", 64 << 20), ("1048575", nil), ("0", nil), ("1.5M", nil)]
      as [(String, Int?)])
  func history(text: String, bytes: Int?) throws {
    #expect((try? MemoryOption.historyBytes(text)) == bytes)
    guard bytes == nil else { return }
    do {
      _ = try MemoryOption.historyBytes(text)
    } catch {
      let words = text.contains(".") ? "is no size" : "the least is 1MiB"
      #expect("\(error)".contains(words), "\(error)")
    }
  }
}
