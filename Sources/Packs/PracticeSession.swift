/// What counts of a practice session, and what is counted.

internal import DocModel

/// A session that has ended.
struct PracticeSession {
  /// LIMIT: seconds of one session; the rules allow a day.
  private static let secondsMax = 86_400.0

  /// Not after it was told: a wrong clock must not make reviews due in another century.
  let endTime: Timestamp
  let seconds: Int64
  let repetitions: Int64
  /// Contents that were rated, each once.
  let rated: [String]
  /// Those of them that need more practice.
  let needMore: [String]

  /// Nil for a session that runs, or is gone. What no rule would have let in counts nothing.
  init?(_ fields: Fields?, at time: Timestamp) {
    guard let fields, let endTime = fields.timestamp("endTime") else { return nil }
    self.endTime = min(endTime, time)
    seconds =
      switch fields["duration"] {
      case .integer(let seconds): min(max(seconds, 0), Int64(Self.secondsMax))
      case .double(let seconds) where seconds >= 0: Int64(min(seconds, Self.secondsMax).rounded())
      case .some, .none: 0
      }
    var repetitions: Int64 = 0
    var rated: [String] = []
    var needMore: [String] = []
    for case .map(let item) in fields.array("items") ?? [] {
      guard let content = item.string("contentId"), Self.canBeReviewed(content),
        let rating = item.map("rating")
      else { continue }
      repetitions = repetitions.addingUpToMax(rating.integer("repetitions") ?? 0)
      if !rated.contains(where: content.hasSameBytes) { rated.append(content) }
      if rating.boolean("needsMorePractice") == true, !needMore.contains(where: content.hasSameBytes) {
        needMore.append(content)
      }
    }
    (self.repetitions, self.rated, self.needMore) = (repetitions, rated, needMore)
  }

  /// Whether the id of a review can be made of it.
  private static func canBeReviewed(_ content: String) -> Bool {
    !content.isEmpty && (try? ResourceNameParser.checkDocumentID(Review.prefix + content)) != nil
  }

  /// `countedSessions/{session}`, from which reviews are set.
  var fields: Fields {
    [
      "endTime": .timestamp(endTime), "rated": .array(rated.map { .string($0) }),
      "needMore": .array(needMore.map { .string($0) }),
    ]
  }

  /// The session's time if the content is in the list.
  func times(of content: String, in list: [String]) -> [Timestamp] {
    list.contains(where: content.hasSameBytes) ? [endTime] : []
  }
}

/// `achievements/review_{contentId}`: when to practise something again.
struct Review {
  static let prefix = "review_"
  /// LIMIT: 2 days become 64 at most.
  static let doublingsMax = 5

  let content: String
  /// Sessions since the last that needed more.
  let successes: Int
  let practised: Timestamp

  var fields: Fields {
    let days = Int64(2) << Int64(min(successes, Self.doublingsMax))
    let due = min(practised.seconds + days * 86_400, Timestamp.secondsMax)
    return [
      "contentId": .string(content), "interval": .integer(days),
      "dueAt": .timestamp(Timestamp(seconds: due, nanoseconds: practised.nanoseconds)),
    ]
  }
}

/// `achievements/statistics`: how much somebody has practised.
struct PracticeTotals {
  var sessions: Int64
  var seconds: Int64
  var repetitions: Int64
  var lastSessionAt: Timestamp?

  init(_ fields: Fields) {
    sessions = max(fields.integer("sessions") ?? 0, 0)
    seconds = max(fields.integer("seconds") ?? 0, 0)
    repetitions = max(fields.integer("repetitions") ?? 0, 0)
    lastSessionAt = fields.timestamp("lastSessionAt")
  }

  func adding(_ session: PracticeSession) -> PracticeTotals {
    var totals = self
    totals.sessions = sessions.addingUpToMax(1)
    totals.seconds = seconds.addingUpToMax(session.seconds)
    totals.repetitions = repetitions.addingUpToMax(session.repetitions)
    totals.lastSessionAt = lastSessionAt.map { max($0, session.endTime) } ?? session.endTime
    return totals
  }

  var fields: Fields {
    [
      "sessions": .integer(sessions), "seconds": .integer(seconds), "repetitions": .integer(repetitions),
      "lastSessionAt": lastSessionAt.map { .timestamp($0) } ?? .null,
    ]
  }
}

/// What is awarded, and for how much practice.
struct Milestone: Sendable {
  let id: String
  let isReached: @Sendable (PracticeTotals) -> Bool

  static let all = [
    Milestone(id: "first_session") { $0.sessions >= 1 },
    Milestone(id: "sessions_10") { $0.sessions >= 10 },
    Milestone(id: "sessions_50") { $0.sessions >= 50 },
    Milestone(id: "sessions_100") { $0.sessions >= 100 },
    Milestone(id: "hours_10") { $0.seconds >= 36_000 },
    Milestone(id: "hours_100") { $0.seconds >= 360_000 },
    Milestone(id: "repetitions_1000") { $0.repetitions >= 1_000 },
  ]
}

extension Int64 {
  /// The sum with what is not negative, or the greatest number.
  fileprivate func addingUpToMax(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(Swift.max(other, 0))
    return overflow ? .max : sum
  }
}
