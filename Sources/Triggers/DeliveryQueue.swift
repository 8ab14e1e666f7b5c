/// Which events of one trigger wait, which are on their way, and which rest after a failure.

internal import DocModel
internal import DocStore

/// An event by its place: its documents are read when it is delivered.
struct PendingEvent: Sendable {
  let version: Int64
  let cause: EventCause
  let author: CommitAuthor
  /// The dead letter that is tried once more; nil for an event that has its turn.
  var deadLetter: String?
}

/// The first event of a lane, to be tried now.
struct Delivery: Sendable {
  let trigger: Int
  let document: DocumentName
  let event: PendingEvent
  /// From 1.
  let attempt: Int
  /// Whether it was held back before (`DeliveryQueue.slow`).
  let isSlowed: Bool
}

/// Queues of events, one a document, without any waiting of its own.
///
/// INVARIANT: a lane is in `lanes` while it has events. Its phase says whether it is in `ready`, under way,
/// or resting after a failed attempt. `pendingCount` counts the events in all lanes.
struct DeliveryQueue: Sendable {
  private enum Phase: Sendable { case ready, underWay, resting }

  private struct Lane: Sendable {
    var events = FirstInFirstOut<PendingEvent>()
    /// Failed attempts at the head.
    var failures = 0
    /// Whether the head has been held back once for the cycle that it seems to be in.
    var isSlowed = false
    var phase = Phase.ready

    /// Another event is the first.
    mutating func beginHead() {
      failures = 0
      isSlowed = false
    }
  }

  private var lanes: [DocumentName: Lane] = [:]
  private var ready = FirstInFirstOut<DocumentName>()
  private(set) var underWay = 0
  private(set) var pendingCount = 0

  mutating func append(_ event: PendingEvent, to document: DocumentName) {
    pendingCount += 1
    if lanes[document] == nil {
      lanes[document] = Lane()
      ready.append(document)
    }
    lanes[document]?.events.append(event)
    if Invariants.areDue(at: lanes.count) { checkInvariants() }
  }

  /// The next event to try, when fewer than `bound` are under way.
  mutating func takeReady(_ trigger: Int, bound: Int) -> Delivery? {
    defer { if Invariants.areDue(at: lanes.count) { checkInvariants() } }
    guard underWay < bound else { return nil }
    while let document = ready.popFirst() {
      // A lane that was dropped may have left its name behind.
      guard let lane = lanes[document], lane.phase == .ready, let event = lane.events.first else { continue }
      lanes[document]?.phase = .underWay
      underWay += 1
      return Delivery(
        trigger: trigger, document: document, event: event, attempt: lane.failures + 1,
        isSlowed: lane.isSlowed)
    }
    return nil
  }

  var hasReady: Bool { ready.count > 0 }

  /// The event under way is done with, delivered or given up: its lane goes on.
  mutating func finish(_ document: DocumentName) {
    defer { if Invariants.areDue(at: lanes.count) { checkInvariants() } }
    underWay -= 1
    pendingCount -= 1
    guard var lane = lanes.removeValue(forKey: document) else { return }
    _ = lane.events.popFirst()
    lane.beginHead()
    if lane.events.count == 0 { return }
    lane.phase = .ready
    lanes[document] = lane
    ready.append(document)
  }

  /// The attempt failed. Returns how many have by now, and the lane rests until `wake`; nil when that was
  /// the last one, and the event is to be given up: it stays under way until `finish`.
  mutating func fail(_ document: DocumentName, attemptsMax: Int) -> Int? {
    defer { if Invariants.areDue(at: lanes.count) { checkInvariants() } }
    let failures = (lanes[document]?.failures ?? 0) + 1
    if failures >= attemptsMax { return nil }
    underWay -= 1
    lanes[document]?.failures = failures
    lanes[document]?.phase = .resting
    return failures
  }

  /// The event under way is held back: the lane rests until `wake`.
  mutating func slow(_ document: DocumentName) {
    defer { if Invariants.areDue(at: lanes.count) { checkInvariants() } }
    guard lanes[document] != nil else { return }
    underWay -= 1
    lanes[document]?.isSlowed = true
    lanes[document]?.phase = .resting
  }

  /// A lane has rested.
  mutating func wake(_ document: DocumentName) {
    guard lanes[document]?.phase == .resting else { return }
    lanes[document]?.phase = .ready
    ready.append(document)
  }

  /// Every resting lane is ready at once: what made it fail is mended.
  mutating func wakeAll() {
    for (document, lane) in lanes where lane.phase == .resting { wake(document) }
  }

  /// Forgets what waits; legal only while nothing is under way.
  mutating func removeAll() {
    precondition(underWay == 0, "events that are under way cannot be forgotten")
    self = DeliveryQueue()
  }

  /// Forgets what waits and is unwanted, but not what is under way. Returns the dead letters among it.
  mutating func remove(where isUnwanted: (DocumentName, PendingEvent) -> Bool) -> [String] {
    var deadLetters: [String] = []
    for (document, lane) in lanes {
      var events = lane.events
      var kept = FirstInFirstOut<PendingEvent>()
      var isFirst = true
      var losesHead = false
      while let event = events.popFirst() {
        if (isFirst && lane.phase == .underWay) || !isUnwanted(document, event) {
          kept.append(event)
        } else {
          if isFirst { losesHead = true }
          if let deadLetter = event.deadLetter { deadLetters.append(deadLetter) }
        }
        isFirst = false
      }
      if kept.count == lane.events.count { continue }
      pendingCount -= lane.events.count - kept.count
      lanes[document] = kept.count == 0 ? nil : lane
      lanes[document]?.events = kept
      if losesHead { lanes[document]?.beginHead() }
    }
    if Invariants.areDue(at: lanes.count) { checkInvariants() }
    return deadLetters
  }

  func checkInvariants() {
    assert(lanes.values.allSatisfy { $0.events.count > 0 }, "a lane without events is gone")
    assert(pendingCount == lanes.values.reduce(0) { $0 + $1.events.count }, "`pendingCount` counts")
    assert(underWay == lanes.values.count { $0.phase == .underWay }, "`underWay` counts")
    // Names of lanes that were dropped may be left behind, and name a lane that came later.
    let named = Set(ready.elementsInOrder)
    assert(
      lanes.allSatisfy { $0.value.phase != .ready || named.contains($0.key) }, "who is ready has its turn")
  }

  /// The earliest version that waits or is under way, by database, dead letters aside.
  var earliestVersions: [DatabaseID: Int64] {
    var earliest: [DatabaseID: Int64] = [:]
    for (document, lane) in lanes {
      guard let version = lane.events.first(where: { $0.deadLetter == nil })?.version else { continue }
      earliest[document.database] = min(earliest[document.database] ?? .max, version)
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

  var elementsInOrder: [Element] { elements[head...].compactMap { $0 } }

  func first(where isWanted: (Element) -> Bool) -> Element? {
    for case .some(let element) in elements[head...] where isWanted(element) { return element }
    return nil
  }

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
