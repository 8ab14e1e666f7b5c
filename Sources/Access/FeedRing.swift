/// The entries of a feed: the newest that fit its limits.

internal import DocModel
internal import Rules

/// A value; its feed guards it.
///
/// INVARIANT: `bytes`, `commits` and `rulesets` count what the entries from `first` to `next` hold, each commit and each
/// ruleset once, however many entries share it.
struct FeedRing {
  private struct Part: Hashable {
    let database: DatabaseID
    let topic: FeedTopic
  }

  /// LIMIT: databases of which it is known when they last lost an entry.
  private static let partsMax = 256

  private var places: [FeedEntry?] = Array(repeating: nil, count: RequestFeed.entriesMax)
  /// The number of the oldest entry; `next` when there is none.
  private var first = 1
  private var next = 1
  private(set) var bytes = 0
  private var commits: [ObjectIdentifier: Int] = [:]
  private var rulesets: [ObjectIdentifier: Int] = [:]
  /// The number of the newest entry that made room, by whose it was.
  private var lastRemoved: [Part: Int] = [:]

  mutating func add(_ database: DatabaseID, _ time: Int64, _ kind: FeedEntry.Kind) {
    let entry = FeedEntry(number: next, database: database, time: time, kind: kind)
    hold(entry)
    while first < next,
      next - first >= RequestFeed.entriesMax || bytes > RequestFeed.bytesMax
        || rulesets.count > RequestFeed.rulesetsMax
    {
      removeOldest()
    }
    places[next % RequestFeed.entriesMax] = entry
    next += 1
    if Invariants.areDue(at: next - first) { checkInvariants() }
  }

  func entry(_ number: Int) -> FeedEntry? {
    number >= first && number < next ? places[number % RequestFeed.entriesMax] : nil
  }

  func entries(
    after number: Int, atMost count: Int, of database: DatabaseID?, _ topic: FeedTopic?
  ) -> FeedPage {
    // A number of another server, or of one that began anew, is none of ours.
    let after = number >= 0 && number < next ? number : 0
    var entries: [FeedEntry] = []
    var last = max(after, first - 1)
    while last + 1 < next, entries.count < count {
      last += 1
      guard let entry = places[last % RequestFeed.entriesMax] else { continue }
      if database.map({ $0 == entry.database }) ?? true, topic?.covers(entry) ?? true {
        entries.append(entry)
      }
    }
    let isLost = lastRemoved.contains { part, number in
      number > after && database.map { $0 == part.database } ?? true && topic.map { $0 == part.topic } ?? true
    }
    return FeedPage(entries: entries, next: last, lost: after == 0 || !isLost ? 0 : max(0, first - 1 - after))
  }

  // MARK: what is held

  func checkInvariants() {
    let held = (first..<next).compactMap { entry($0) }
    assert(held.count == next - first && held.count <= RequestFeed.entriesMax, "no entry is missing")
    assert(zip(first..<next, held).allSatisfy { $0 == $1.number }, "an entry is at its number")
    var bytes = held.reduce(0) { $0 + $1.byteCount }
    var commits: [ObjectIdentifier: Int] = [:]
    var rulesets: [ObjectIdentifier: Int] = [:]
    for entry in held {
      guard case .judged(let request, _, let rules) = entry.kind else { continue }
      rulesets[ObjectIdentifier(rules), default: 0] += 1
      guard let commit = request.commit else { continue }
      if commits.updateValue(
        commits[ObjectIdentifier(commit), default: 0] + 1, forKey: ObjectIdentifier(commit))
        == nil
      {
        bytes += commit.byteCount
      }
    }
    assert(bytes == self.bytes, "`bytes` counts each entry and each commit once")
    assert(commits == self.commits && rulesets == self.rulesets, "holders are counted")
  }

  private mutating func hold(_ entry: FeedEntry) {
    bytes += entry.byteCount
    guard case .judged(let request, _, let rules) = entry.kind else { return }
    rulesets[ObjectIdentifier(rules), default: 0] += 1
    guard let commit = request.commit else { return }
    let holders = commits[ObjectIdentifier(commit), default: 0]
    if holders == 0 { bytes += commit.byteCount }
    commits[ObjectIdentifier(commit)] = holders + 1
  }

  private mutating func removeOldest() {
    let place = first % RequestFeed.entriesMax
    first += 1
    guard let entry = places[place] else { return }
    places[place] = nil
    bytes -= entry.byteCount
    let part = Part(database: entry.database, topic: FeedTopic.writes.covers(entry) ? .writes : .requests)
    lastRemoved[part] = entry.number
    if lastRemoved.count > Self.partsMax, let oldest = lastRemoved.min(by: { $0.value < $1.value })?.key {
      lastRemoved[oldest] = nil
    }
    guard case .judged(let request, _, let rules) = entry.kind else { return }
    _ = Self.letGo(of: ObjectIdentifier(rules), &rulesets)
    if let commit = request.commit, Self.letGo(of: ObjectIdentifier(commit), &commits) {
      bytes -= commit.byteCount
    }
  }

  /// Whether that was the last entry that held it.
  private static func letGo(of object: ObjectIdentifier, _ holders: inout [ObjectIdentifier: Int]) -> Bool {
    let left = holders[object, default: 1] - 1
    holders[object] = left == 0 ? nil : left
    return left == 0
  }
}
