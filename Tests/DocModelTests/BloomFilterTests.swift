import DocModel
import Testing

@Suite struct BloomFilterTests {
  private static let names = ["c/a", "c/b", "c/ÀÒ∑"].map {
    "projects/demo-s/databases/(default)/documents/" + $0
  }

  @Test("the filter of known names is the known one")
  func golden() {
    let filter = BloomFilter(Self.names)
    #expect(filter.bitmap == [0x86, 0xB5, 0xC2, 0x1F])
    #expect(filter.padding == 3)
    #expect(filter.hashCount == 7)
    for name in Self.names { #expect(filter.mayContain(name)) }
    #expect(!filter.mayContain("projects/demo-s/databases/(default)/documents/c/z"))
  }

  @Test("the filter of nothing holds nothing")
  func empty() {
    let filter = BloomFilter([])
    #expect(filter.bitmap.isEmpty && filter.padding == 0 && filter.hashCount == 0)
    #expect(!filter.mayContain("projects/p/databases/d/documents/c/a"))
  }

  @Test("a large filter denies nearly everything that is not in it, and nothing that is")
  func rate() {
    let names = (0..<10_000).map { "projects/p/databases/d/documents/c/\($0)" }
    let filter = BloomFilter(names)
    #expect(names.allSatisfy(filter.mayContain))
    let passing = (10_000..<20_000).filter { filter.mayContain("projects/p/databases/d/documents/c/\($0)") }
    #expect(passing.count < 200)
  }
}
