/// How many transactions one caller may have open, so that nobody takes the room of all.

internal import DocModel

/// The open transactions that may write, by caller.
///
/// State and its owner: the transaction table's monitor.
struct TransactionQuota {
  private var open: [CommitAuthor: Int] = [:]
  private var ofUsers = 0

  /// Takes a place.
  mutating func take(_ caller: CommitAuthor) throws(StoreError) {
    let count = open[caller] ?? 0
    let most = Self.most(caller)
    guard count < most else {
      throw .resourceExhausted(
        message: "Too many open transactions of this caller: at most \(most). Commit them or roll them back.")
    }
    if Self.isUser(caller) {
      guard ofUsers < TransactionLimits.usersMax else {
        throw .resourceExhausted(
          message: "Too many open transactions of users: at most \(TransactionLimits.usersMax). "
            + "Try again when some have ended.")
      }
      ofUsers += 1
    }
    open[caller] = count + 1
  }

  mutating func giveBack(_ caller: CommitAuthor) {
    guard let count = open[caller] else { return }
    open[caller] = count > 1 ? count - 1 : nil
    if Self.isUser(caller) { ofUsers -= 1 }
  }

  mutating func removeAll() { self = TransactionQuota() }

  private static func isUser(_ caller: CommitAuthor) -> Bool {
    switch caller {
    case .anonymous, .user: true
    case .unknown, .system, .administrator: false
    }
  }

  private static func most(_ caller: CommitAuthor) -> Int {
    switch caller {
    case .anonymous, .user: TransactionLimits.userMax
    case .administrator: TransactionLimits.administratorsMax
    case .unknown, .system: TransactionLimits.countMax
    }
  }
}
