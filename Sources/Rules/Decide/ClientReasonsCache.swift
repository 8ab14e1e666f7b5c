/// What a client is told of a refusal, and the words of refusals that were found before.

internal import Synchronization

/// Why an operation was refused, for whoever asked for it.
public struct ClientReasons: Sendable {
  /// One entry for each `allow` that was tried, as the official emulator writes its first round.
  public let message: String
  /// One line for each rule, then the limits that were crossed, then what would help.
  public let lines: [String]
  /// All of it.
  package let text: String

  init(message: String, lines: [String]) {
    self.message = message
    self.lines = lines
    text = lines.reduce(into: message) { $0 += "\n" + $1 }
  }

  func adding(_ more: [String]) -> ClientReasons {
    more.isEmpty ? self : ClientReasons(message: message, lines: lines + more)
  }
}

/// The words of refusals, by the trail that leads to them: a service refuses the same things for the same reasons all
/// day, and finding the words costs ten times as much as following the trail.
///
/// State and its guard: the mutex, held to look up and to add.
final class ClientReasonsCache: Sendable {
  /// LIMIT: refusals whose words are kept; beyond, all are forgotten.
  private static let entriesMax = 256

  private let known = Mutex<[RefusalTrail: ClientReasons]>([:])

  func reasons(of trail: RefusalTrail) -> ClientReasons? { known.withLock { $0[trail] } }

  func keep(_ reasons: ClientReasons, of trail: RefusalTrail) {
    known.withLock { known in
      if known.count >= Self.entriesMax { known = [:] }
      known[trail] = reasons
    }
  }
}
