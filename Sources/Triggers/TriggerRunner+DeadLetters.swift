/// Dead letters, and doing things once more.

internal import DocModel
internal import DocStore
internal import Synchronization

/// Where a replay begins.
public enum ReplayStart: Sendable {
  /// As far back as changes are kept.
  case earliest
  /// With the first commit after this version, or time in microseconds.
  case after(Int64)
}

extension TriggerRunner {
  /// The events that were given up, oldest first.
  public var deadLetters: [DeadLetter] { state.withLock { $0.image.deadLetters } }

  /// Tries dead letters once more, behind what waits for their documents: those named, or all, of one trigger
  /// or of all. They stay in the list until they are delivered. Returns how many.
  @discardableResult
  public func retry(_ ids: [String]? = nil, trigger name: String? = nil) throws(TriggerError) -> Int {
    let known = try id(of: name)
    try checkDeadLetters(ids)
    let count = state.withLock { state in
      var count = 0
      for deadLetter in state.image.deadLetters where ids?.contains(deadLetter.id) ?? true {
        guard let id = state.ids[deadLetter.trigger], known == nil || known == id,
          state.retrying.insert(deadLetter.key).inserted
        else { continue }
        // Somebody decided to try again: the chain begins anew.
        state.subscribers[id]?.queue.append(
          PendingEvent(
            version: deadLetter.event.version, cause: .none, author: deadLetter.event.author,
            deadLetter: deadLetter.id),
          to: deadLetter.event.document)
        count += 1
      }
      return count
    }
    wake()
    return count
  }

  private func checkDeadLetters(_ ids: [String]?) throws(TriggerError) {
    guard let ids else { return }
    let all = Set(deadLetters.map(\.id))
    for id in ids where !all.contains(id) { throw .unknownDeadLetter(id) }
  }

  /// Forgets dead letters: those named, or all, of one trigger or of all, also those that wait for another
  /// attempt. Returns how many.
  @discardableResult
  public func discard(_ ids: [String]? = nil, trigger name: String? = nil) throws(TriggerError) -> Int {
    if let name, !state.withLock({ $0.scheduleNames.contains(name) }) { _ = try id(of: name) }
    try checkDeadLetters(ids)
    let count = state.withLock { state in
      let gone = state.image.deadLetters.filter {
        (ids?.contains($0.id) ?? true) && (name.map($0.trigger.hasSameBytes) ?? true)
      }
      for deadLetter in gone {
        state.image.apply(.deadLetterGone(trigger: deadLetter.trigger, id: deadLetter.id))
        state.unwritten.append(.deadLetterGone(trigger: deadLetter.trigger, id: deadLetter.id))
        state.stopRetrying(deadLetter)
      }
      return gone.count
    }
    writing.withLock { _ in writeNews() }
    wake()
    return count
  }

  /// Delivers to a trigger once more what happened since then, under the same ids, once nothing is under way for
  /// it; what waits for it is part of that. Returns the version after which it begins.
  @discardableResult
  public func replay(_ name: String, from start: ReplayStart) throws(TriggerError) -> Int64 {
    guard let id = try id(of: name) else { throw .unknownTrigger(name) }
    let floor: Int64
    let present: Int64
    do throws(StoreError) {
      floor = try store.historyFloor()
      present = try store.presentVersion()
    } catch { throw .unreadable(error) }
    let version: Int64
    switch start {
    case .earliest: version = floor
    case .after(let wanted):
      guard wanted >= floor else { throw .historyGone(trigger: name) }
      // It would deliver nothing until then.
      guard wanted <= present else { throw .inFuture(trigger: name) }
      version = wanted
    }
    state.withLock { $0.subscribers[id]?.replayFrom = version }
    // At once: until the next checkpoint it may be collected.
    holdHistory()
    wake()
    return version
  }
}

extension TriggerState {
  func deadLetter(_ id: String, of trigger: String) -> DeadLetter? {
    image.deadLetters.first { $0.id == id && $0.trigger.hasSameBytes(as: trigger) }
  }

  /// A dead letter that waits to be delivered once more no longer does.
  fileprivate mutating func stopRetrying(_ deadLetter: DeadLetter) {
    guard retrying.remove(deadLetter.key) != nil, let subscriber = ids[deadLetter.trigger] else { return }
    _ = subscribers[subscriber]?.queue.remove { $1.deadLetter == deadLetter.id }
  }

  /// Dead letters of a trigger were dropped from its queue: they may be tried again another time.
  mutating func letGo(_ deadLetters: [String], of subscriber: Int) {
    guard !deadLetters.isEmpty, let name = subscribers[subscriber]?.trigger.name else { return }
    for id in deadLetters { retrying.remove(DeadLetterKey(trigger: name, id: id)) }
  }

  /// A dead letter was delivered after all.
  mutating func forgetDeadLetter(_ id: String, of subscriber: Int) {
    guard let name = subscribers[subscriber]?.trigger.name else { return }
    retrying.remove(DeadLetterKey(trigger: name, id: id))
    image.apply(.deadLetterGone(trigger: name, id: id))
    unwritten.append(.deadLetterGone(trigger: name, id: id))
  }

  /// Keeps a dead letter; the oldest makes room.
  mutating func keep(_ deadLetter: DeadLetter, max: Int) {
    deadLetterCount += 1
    retrying.remove(deadLetter.key)
    image.apply(.deadLetter(deadLetter))
    let isRemembered = ids[deadLetter.trigger].flatMap { subscribers[$0] }?.trigger.isRemembered ?? false
    if isRemembered || deadLetter.isOfSchedule { unwritten.append(.deadLetter(deadLetter)) }
    while image.deadLetters.count > max {
      let oldest = image.deadLetters.removeFirst()
      unwritten.append(.deadLetterGone(trigger: oldest.trigger, id: oldest.id))
    }
  }
}

extension DeadLetter {
  var key: DeadLetterKey { DeadLetterKey(trigger: trigger, id: id) }
}

extension DocumentEvent {
  /// LIMIT: bytes of documents that a dead letter keeps.
  private static let keptBytesMax = 32 << 10

  var withoutLargeDocuments: DocumentEvent {
    let bytes = (beforeImage?.byteCount ?? 0) + (afterImage?.byteCount ?? 0)
    guard bytes > Self.keptBytesMax else { return self }
    return DocumentEvent(
      id: id, database: database, path: path, parameters: parameters, beforeImage: nil, afterImage: nil,
      version: version, cause: cause, author: author, attempt: attempt)
  }

  /// The event of a dead letter, for another attempt.
  func again(attempt: Int) -> DocumentEvent {
    DocumentEvent(
      id: id, database: database, path: path, parameters: parameters, beforeImage: beforeImage,
      afterImage: afterImage, version: version, cause: .none, author: author, attempt: attempt)
  }

  /// Where something happened, when its documents are gone.
  init(placeOf delivery: Delivery, _ trigger: DocumentTrigger) {
    self.init(
      id: EventID.text(delivery.document, version: delivery.event.version, trigger: trigger.name),
      database: delivery.document.database, path: delivery.document.path,
      parameters: trigger.pattern.match(delivery.document.path) ?? [:], beforeImage: nil, afterImage: nil,
      version: delivery.event.version, cause: delivery.event.cause, author: delivery.event.author,
      attempt: delivery.attempt)
  }
}
