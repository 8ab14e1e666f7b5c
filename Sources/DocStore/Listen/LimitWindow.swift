/// The ordered documents of a query with limit or offset, as far as they can become visible soon.
///
/// Holds more than is shown: the documents of the offset before, and a reserve behind, so that a document
/// that leaves is replaced without a query. Only when the reserve is used up a query reads on from the
/// last document held.
///
/// INVARIANT: `entries` are the first documents of the whole result, in order, without gap; all of them
/// when `isComplete`.

internal import DocModel

struct WindowEntry: Sendable {
  /// The place in the query's order.
  let key: [UInt8]
  let path: ResourcePath
}

struct LimitWindow {
  /// LIMIT: documents held behind those shown.
  private static let reserveMax = 256

  /// Documents held at most.
  let capacity: Int
  private let offset: Int
  private let limit: Int?
  private(set) var entries: [WindowEntry] = []
  private(set) var isComplete = false

  init(_ query: NormalizedQuery) {
    offset = query.offset
    limit = query.limit
    if let limit = query.limit {
      let (shown, overflow) = limit.addingReportingOverflow(query.offset)
      let reserve = min(max(16, limit), Self.reserveMax)
      capacity = overflow || shown > Int.max - reserve ? Int.max : shown + reserve
    } else {
      capacity = .max
    }
  }

  /// The places of the shown documents in `entries`.
  private var shownRange: Range<Int> {
    let start = min(offset, entries.count)
    guard let limit else { return start..<entries.count }
    return start..<min(entries.count, start + min(limit, entries.count - start))
  }

  var shown: ArraySlice<WindowEntry> { entries[shownRange] }

  /// Whether a document at a place in the order of the result is shown.
  func shows(place: Int) -> Bool {
    place >= offset && (limit.map { place - offset < $0 } ?? true)
  }

  /// How many documents must be read behind the last one held; nil when there are enough.
  var shortage: Int? {
    guard !isComplete, let limit, entries.count < offset + limit else { return nil }
    return capacity - entries.count
  }

  // MARK: changes

  /// Adds documents that follow the last one held. `isEnd`: there are no more.
  mutating func append(_ more: [WindowEntry], isEnd: Bool) {
    entries.append(contentsOf: more)
    isComplete = isEnd
    if Invariants.areDue(at: entries.count) { checkInvariants() }
  }

  /// There are no documents any more.
  mutating func clear() {
    entries = []
    isComplete = true
  }

  /// Takes a document out; false when it is not held.
  mutating func remove(_ key: [UInt8]) -> Bool {
    let place = firstPlace(notBefore: key)
    guard place < entries.count, entries[place].key == key else { return false }
    entries.remove(at: place)
    if Invariants.areDue(at: entries.count) { checkInvariants() }
    return true
  }

  /// Puts a document in its place; false when that lies behind what is held.
  mutating func insert(_ entry: WindowEntry) -> Bool {
    let place = firstPlace(notBefore: entry.key)
    guard place < entries.count || isComplete else { return false }
    entries.insert(entry, at: place)
    if entries.count > capacity {
      entries.removeLast(entries.count - capacity)
      isComplete = false
    }
    if Invariants.areDue(at: entries.count) { checkInvariants() }
    return true
  }

  /// That none is missing only a query can tell; see `ListenModelTests`.
  func checkInvariants() {
    assert(entries.count <= capacity, "no more are held than may become visible soon")
    assert(
      zip(entries, entries.dropFirst()).allSatisfy { $0.key.lexicographicallyPrecedes($1.key) },
      "documents are in order, each once")
  }

  private func firstPlace(notBefore key: [UInt8]) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].key.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension NormalizedQuery {
  /// The query for what a window holds at first, or for what follows its last document.
  func filling(_ window: LimitWindow) -> NormalizedQuery {
    var query = self
    query.offset = 0
    query.limit = window.capacity == .max ? nil : window.capacity - window.entries.count
    query.resumeKey = window.entries.last?.key
    return query
  }
}
