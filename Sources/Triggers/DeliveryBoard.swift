/// Which events wait, which are on their way, and which were given up.

internal import DocModel

/// Where events of one document for one trigger queue: only the head is ever under way.
struct LaneKey: Hashable, Sendable {
  let trigger: Int
  let document: DocumentName
}

/// The first event of a lane, to be tried now.
struct Delivery: Sendable {
  let lane: LaneKey
  let event: DocumentEvent
}

/// Queues of events, without any waiting of its own.
///
/// INVARIANT: a lane is in `lanes` while it has events; it is in `ready`, under way, or resting after a
/// failed attempt, never two of them. `pendingCount` counts the events in all lanes.
struct DeliveryBoard: Sendable {
  private struct Lane: Sendable {
    var events = FirstInFirstOut<DocumentEvent>()
    /// Failed attempts at the head.
    var failures = 0
  }

  private var lanes: [LaneKey: Lane] = [:]
  private var ready = FirstInFirstOut<LaneKey>()
  private var underWay = 0
  private(set) var pendingCount = 0

  mutating func append(_ event: DocumentEvent, to key: LaneKey) {
    pendingCount += 1
    lanes[key, default: Lane()].events.append(event)
    if lanes[key]?.events.count == 1 { ready.append(key) }
  }

  /// The next event to try, when fewer than `bound` are under way.
  mutating func takeReady(bound: Int) -> Delivery? {
    guard underWay < bound, let key = ready.popFirst(), let event = lanes[key]?.events.first else {
      return nil
    }
    underWay += 1
    return Delivery(lane: key, event: event)
  }

  /// The event is done with, delivered or given up: its lane goes on.
  mutating func finish(_ delivery: Delivery) {
    underWay -= 1
    pendingCount -= 1
    guard var lane = lanes.removeValue(forKey: delivery.lane) else { return }
    _ = lane.events.popFirst()
    lane.failures = 0
    if lane.events.count == 0 { return }
    lanes[delivery.lane] = lane
    ready.append(delivery.lane)
  }

  /// The attempt failed. Returns how many have by now, and the lane rests until `wake`; nil when that was
  /// the last one, and the event is given up.
  mutating func fail(_ delivery: Delivery, attemptsMax: Int) -> Int? {
    let failures = (lanes[delivery.lane]?.failures ?? 0) + 1
    if failures >= attemptsMax {
      finish(delivery)
      return nil
    }
    underWay -= 1
    lanes[delivery.lane]?.failures = failures
    return failures
  }

  mutating func wake(_ lane: LaneKey) { ready.append(lane) }

  /// The earliest version that waits or is under way, by database.
  var earliestVersions: [DatabaseID: Int64] {
    var earliest: [DatabaseID: Int64] = [:]
    for (key, lane) in lanes {
      guard let version = lane.events.first?.version else { continue }
      earliest[key.document.database] = min(earliest[key.document.database] ?? .max, version)
    }
    return earliest
  }
}

/// A queue over an array: constant time at both ends.
struct FirstInFirstOut<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  private var head = 0

  var count: Int { elements.count - head }
  var first: Element? { head < elements.count ? elements[head] : nil }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    elements[head] = nil
    head += 1
    // Moves as many as were taken since the last time.
    if head * 2 > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}
