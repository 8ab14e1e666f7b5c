/// What goes wrong on purpose, so that developers see how their apps bear it: `ABORTED on commit 2 of alice`.
///
/// "Fault" alone is the word of the rules language for an expression without a value; these are injected faults.

package import DocModel

/// One rule of `:fault`. `description` is its text, which `InjectedFaultParser` reads back.
package struct InjectedFault: Equatable, Sendable, CustomStringConvertible {
  /// What happens to the calls that it affects.
  package enum Effect: Equatable, Sendable {
    /// They are not carried out, and answered so.
    case status(StatusCode)
    /// They are carried out so much later.
    case delay(milliseconds: Int)
    /// A stream of live queries ends behind so many messages, as when its connection is lost: one stream, or each.
    case drop(afterMessages: Int, everyStream: Bool)
  }

  /// What clients ask, in the words of apps. Several methods of the service may be one of them.
  package enum Call: String, CaseIterable, Sendable {
    /// Documents by name.
    case get
    /// Queries and lists.
    case query
    /// Aggregations.
    case count
    /// Whatever writes: commits, batches, single writes, each request of a Write stream.
    case commit
    /// The beginning of a transaction, where a request of its own asks for it.
    case begin
    case rollback
    /// The ids of collections.
    case collections
    /// Each target that is added to a stream of live queries.
    case listen

    /// Whether it names documents or collections.
    package var hasPaths: Bool {
      switch self {
      case .get, .query, .count, .commit, .collections, .listen: true
      case .begin, .rollback: false
      }
    }
  }

  package enum Caller: Equatable, Sendable {
    case administrator, anonymous
    case user(String)
  }

  /// LIMIT: how long a delay may be.
  package static let delayMillisecondsMax = 60_000
  /// LIMIT: the largest number of a call, or of messages.
  package static let countMax = 1_000_000

  package var effect: Effect
  /// None for all of them.
  package var calls: [Call] = []
  /// Which of the calls that match, counted from one; nil for all.
  package var turns: ClosedRange<Int>?
  /// Nil for anybody.
  package var caller: Caller?
  /// Nil for anywhere.
  package var place: FaultPlace?

  package init(_ effect: Effect) { self.effect = effect }

  package var description: String {
    var words: [String] = []
    switch effect {
    case .status(let code): words.append(code.name)
    case .delay(let milliseconds): words.append("delay \(milliseconds)ms")
    case .drop(let count, let everyStream):
      words.append(everyStream ? "drop every listen" : "drop listen")
      words.append("after \(count) \(count == 1 ? "message" : "messages")")
    }
    if !calls.isEmpty || turns != nil {
      words.append("on " + (calls.isEmpty ? "any" : calls.map(\.rawValue).joined(separator: ", ")))
    }
    if let turns {
      words.append(turns.count == 1 ? "\(turns.lowerBound)" : "\(turns.lowerBound)-\(turns.upperBound)")
    }
    switch caller {
    case nil: break
    case .administrator: words.append("of admin")
    case .anonymous: words.append("of anon")
    case .user(let uid): words.append("of " + FaultWord.text(uid, isUID: true))
    }
    if let place { words.append("under \(place)") }
    return words.joined(separator: " ")
  }

  /// Whether a call of that kind, of that caller, about that is one that it may affect.
  func matches(_ call: FaultedCall) -> Bool {
    if case .drop = effect { return false }
    guard calls.isEmpty || calls.contains(call.call), matches(call.caller) else { return false }
    guard let place else { return true }
    return call.paths.contains { place.holds($0) }
  }

  func matches(_ caller: Caller) -> Bool { self.caller == nil || self.caller == caller }
}

/// Documents and collections at a path and below it: `communities`, `communities/**`, `users/*/private`, `**/posts`.
package struct FaultPlace: Equatable, Sendable, CustomStringConvertible {
  /// `*` stands for any one segment.
  let segments: [String]
  /// Whether it may begin at any depth.
  let isAnywhere: Bool

  package var description: String {
    if segments.isEmpty { return "**" }
    return FaultWord.text((isAnywhere ? "**/" : "") + segments.joined(separator: "/"), isUID: false)
  }

  /// Whether a path is the place's or below it. `**` in a path stands for the depths of a collection group.
  func holds(_ path: [String]) -> Bool {
    guard path.count >= segments.count else { return false }
    for start in 0...(isAnywhere ? path.count - segments.count : 0)
    where zip(segments, path[start...]).allSatisfy({ $0.hasSameBytes(as: "*") || $0.hasSameBytes(as: $1) }) {
      return true
    }
    return false
  }
}

/// Words of rules that would be read as something else without quotes.
enum FaultWord {
  static func text(_ word: String, isUID: Bool) -> String {
    let isPlain =
      !word.isEmpty && !word.utf8.contains { $0 <= 0x20 || [0x22, 0x2C, 0x5C].contains($0) }
      && !(isUID && ["anon", "admin"].contains(word))
    if isPlain { return word }
    var quoted = "\""
    for scalar in word.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }
}
