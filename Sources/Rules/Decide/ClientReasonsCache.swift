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

/// The words of refusals, by what decided: a service refuses the same things for the same reasons all day, and finding
/// the words costs more than finding the reasons.
///
/// State and its guard: the mutex, held to look up and to add.
final class ClientReasonsCache: Sendable {
  /// All that the words of some `allow`s are made of.
  struct Key: Hashable {
    var numbers: [Int32] = []
    var messages: [String] = []

    init(_ allows: [AllowTrace]) {
      numbers.reserveCapacity(8 * allows.count)
      for trace in allows {
        numbers += [Int32(truncatingIfNeeded: trace.allow), Int32(trace.method.rawValue)]
        switch trace.outcome {
        case .granted: numbers.append(-1)
        case .refused: numbers.append(-2)
        case .fault(let fault):
          numbers += [-3, Int32(fault.code.rawValue), fault.span.start, fault.span.end]
          messages.append(fault.message)
        }
        for piece in trace.deciding { numbers += [piece.span.start, piece.span.end] }
        numbers.append(-4)
        for piece in trace.hidden { numbers += [piece.span.start, piece.span.end] }
        numbers.append(-5)
      }
    }

    func hash(into hasher: inout Hasher) {
      numbers.withUnsafeBytes { hasher.combine(bytes: $0) }
      hasher.combine(messages.count)
    }

    /// A message may hold what a client sent.
    var isLong: Bool { numbers.count > 1_024 || messages.reduce(0) { $0 + $1.utf8.count } > 1_024 }
  }

  /// LIMIT: refusals whose words are kept; beyond, all are forgotten.
  private static let entriesMax = 256

  private let known = Mutex<[Key: ClientReasons]>([:])

  func reasons(_ allows: [AllowTrace], _ make: () -> ClientReasons) -> ClientReasons {
    let key = Key(allows)
    if let reasons = known.withLock({ $0[key] }) { return reasons }
    let reasons = make()
    guard !key.isLong else { return reasons }
    known.withLock { known in
      if known.count >= Self.entriesMax { known = [:] }
      known[key] = reasons
    }
    return reasons
  }
}
