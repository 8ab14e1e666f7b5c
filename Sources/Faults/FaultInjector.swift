/// The injected faults of a server, and the calls that they affect.

package import Access
package import DocModel
internal import Synchronization

/// What faults do to a call.
package struct FaultInjection: Equatable, Sendable {
  /// How long the call waits first; 0 for not at all.
  package var delayMilliseconds = 0
  /// What it is answered instead of being carried out; nil when it is carried out.
  package var status: GRPCStatus?
}

/// One fault as people are shown it.
package struct FaultReport: Equatable, Sendable {
  package let number: Int
  /// Its text.
  package let rule: String
  /// Calls that matched since it was set; messages for one that drops streams.
  package let matched: Int
  package let injected: Int
  /// It will affect nothing any more.
  package let isOver: Bool

  package init(number: Int, rule: String, matched: Int, injected: Int, isOver: Bool) {
    self.number = number
    self.rule = rule
    self.matched = matched
    self.injected = injected
    self.isOver = isOver
  }
}

/// A stream of live queries, as far as faults are concerned. Its owner guards it.
package struct FaultedStream: Sendable {
  let database: DatabaseID
  let caller: InjectedFault.Caller
  /// Messages since a fault was set, by its number. Empty while none that drops is set.
  fileprivate var messages: [Int: Int] = [:]

  package init(_ database: DatabaseID, _ credentials: Credentials) {
    self.database = database
    caller = InjectedFault.Caller(credentials)
  }
}

/// Faults live in memory, so none outlives the process.
///
/// State and its guard: the entries behind their mutex. `living` says how many of them are active and is all that
/// is asked while there are none: one relaxed load of a word that nobody writes then, for each call and each
/// batch of messages of a stream. That a call does not see a fault set at the same moment is no harm, for they have
/// no order.
package final class FaultInjector: Sendable {
  /// LIMIT: faults of a server, all databases together. A new one takes the place of one that is over.
  package static let faultsMax = 100
  /// LIMIT: calls that wait for a delay at once; more are not delayed.
  private static let delayedMax = 10_000

  private struct Entry {
    let number: Int
    let database: DatabaseID
    let fault: InjectedFault
    var matched = 0
    var injected = 0

    var isOver: Bool {
      if case .drop(_, everyStream: false) = fault.effect { return injected > 0 }
      return fault.turns.map { matched >= $0.upperBound } ?? false
    }

    var report: FaultReport {
      FaultReport(
        number: number, rule: fault.description, matched: matched, injected: injected, isOver: isOver)
    }
  }

  private struct State {
    var entries: [Entry] = []
    var lastNumber = 0
    var delayed = 0
  }

  private let state = Mutex(State())
  private let living = Atomic(0)

  package init() {}

  /// Whether any fault is active.
  @inline(__always)
  package var areSet: Bool { living.load(ordering: .relaxed) > 0 }

  private func change<R>(_ body: (inout State) -> R) -> R {
    state.withLock { state in
      let result = body(&state)
      living.store(state.entries.count { !$0.isOver }, ordering: .relaxed)
      return result
    }
  }

  // MARK: administration

  /// Sets a fault; its number, or nil when there are too many.
  package func add(_ fault: InjectedFault, in database: DatabaseID) -> Int? {
    change { state in
      if state.entries.count >= Self.faultsMax {
        guard let over = state.entries.firstIndex(where: \.isOver) else { return nil }
        state.entries.remove(at: over)
      }
      state.lastNumber += 1
      state.entries.append(Entry(number: state.lastNumber, database: database, fault: fault))
      return state.lastNumber
    }
  }

  /// Those of a database, in the order in which they were set.
  package func list(_ database: DatabaseID) -> [FaultReport] {
    state.withLock { state in state.entries.filter { $0.database == database }.map(\.report) }
  }

  /// Removes faults of a database: the one of a number, or all; how many that were.
  package func clear(_ database: DatabaseID, number: Int?) -> Int {
    change { state in
      let before = state.entries.count
      state.entries.removeAll { $0.database == database && (number == nil || $0.number == number) }
      return before - state.entries.count
    }
  }

  package func clearAll() { change { state in state.entries = [] } }

  // MARK: calls

  /// What happens to a call: delays add up, and of several statuses the one of the oldest fault is answered.
  package func inject(_ call: FaultedCall) -> FaultInjection? {
    change { state in
      var injection = FaultInjection()
      for index in state.entries.indices
      where state.entries[index].database == call.database && !state.entries[index].isOver {
        guard state.entries[index].fault.matches(call) else { continue }
        state.entries[index].matched += 1
        let entry = state.entries[index]
        if let turns = entry.fault.turns, !turns.contains(entry.matched) { continue }
        switch entry.fault.effect {
        case .status(let code):
          if injection.status != nil { continue }
          injection.status = Self.status(code, entry)
        case .delay(let milliseconds):
          injection.delayMilliseconds = min(
            injection.delayMilliseconds + milliseconds, InjectedFault.delayMillisecondsMax)
        case .drop: continue
        }
        state.entries[index].injected += 1
      }
      return injection == FaultInjection() ? nil : injection
    }
  }

  private static func status(_ code: StatusCode, _ entry: Entry) -> GRPCStatus {
    GRPCStatus(code, "injected by fault \(entry.number): \(entry.fault)")
  }

  // MARK: streams

  /// How a stream ends behind a message that it was just sent; nil when it goes on.
  /// - Parameter path: the document that the message is about; nil for none.
  package func drop(_ stream: inout FaultedStream, afterMessageAbout path: [String]?) -> GRPCStatus? {
    change { state in
      for index in state.entries.indices {
        let entry = state.entries[index]
        guard case .drop(let count, _) = entry.fault.effect, !entry.isOver, entry.database == stream.database,
          entry.fault.matches(stream.caller)
        else { continue }
        if let place = entry.fault.place { guard let path, place.holds(path) else { continue } }
        state.entries[index].matched += 1
        if stream.messages.count >= Self.faultsMax {
          stream.messages = stream.messages.filter { known in
            state.entries.contains { $0.number == known.key }
          }
        }
        stream.messages[entry.number, default: 0] += 1
        guard stream.messages[entry.number, default: 0] >= count else { continue }
        state.entries[index].injected += 1
        return Self.status(.unavailable, entry)
      }
      return nil
    }
  }

  // MARK: delays

  /// Notes that a call waits; false when too many do.
  package func beginDelay() -> Bool {
    state.withLock { state in
      guard state.delayed < Self.delayedMax else { return false }
      state.delayed += 1
      return true
    }
  }

  package func endDelay() { state.withLock { $0.delayed -= 1 } }
}
