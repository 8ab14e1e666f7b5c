/// One part of the cases of every suite, so that several machines share them.

public struct Shard: Sendable, Hashable {
  /// From 1.
  public let index: Int
  public let count: Int

  /// `2/4` is the second of four parts; nil when the text is none.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]), count >= 1,
      (1...count).contains(index)
    else { return nil }
    self.index = index
    self.count = count
  }

  /// Cases are dealt out one by one, so that neighbours, which are alike, go to different parts.
  func holds(_ place: Int) -> Bool { place % count == index - 1 }
}
