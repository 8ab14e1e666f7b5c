/// What the sessions of one user add up to: weeks for the chart, and badges.
///
/// A pure function of the sessions that are stored, so it is the same in whichever order they came.

internal import DocModel
internal import Platform
internal import Triggers

/// One session, as far as it counts. One with fields that the rules would refuse counts for nothing.
struct PilatesSession {
  let workoutID: String
  let minutes: Int64
  /// When it began, on the user's clock.
  let start: LocalTime
  let createdAt: Timestamp

  init?(_ document: NamedFields, in zone: TimeZoneRules) {
    guard let startedAt = document.fields.timestamp("startedAt"),
      let minutes = document.fields.integer("minutes"), (1...180).contains(minutes)
    else { return nil }
    workoutID = document.fields.string("workoutId") ?? ""
    self.minutes = minutes
    start = zone.local(atSeconds: startedAt.seconds)
    createdAt = document.fields.timestamp("createdAt") ?? Timestamp(microseconds: document.createTime)
  }
}

struct PilatesSessions {
  private let sessions: [PilatesSession]

  init(_ sessions: [PilatesSession]) { self.sessions = sessions }

  // MARK: weeks

  /// The documents of `progress` by their ids. `totalWorkouts` is counted up to the week's end, and `streak` are the
  /// days in a row up to the week's last day with a session.
  var weeks: [String: Fields] {
    var weeks: [String: Fields] = [:]
    var total: Int64 = 0
    var streak: Int64 = 0
    var lastDay: Int?
    for (monday, sessions) in Dictionary(grouping: sessions, by: \.start.monday).sorted(by: {
      $0.key < $1.key
    }) {
      var bars = [Int64](repeating: 0, count: 7)
      for session in sessions { bars[session.start.days - monday] += session.minutes }
      for day in bars.indices where bars[day] > 0 {
        streak = lastDay == monday + day - 1 ? streak + 1 : 1
        lastDay = monday + day
      }
      total += Int64(sessions.count)
      weeks[sessions[0].start.isoWeekText] = [
        "bars": .array(bars.map { .integer($0) }), "streak": .integer(streak),
        "totalWorkouts": .integer(total),
        "postureScore": .string(Self.postureScore(streak: streak)),
      ]
    }
    return weeks
  }

  /// The pack's own scale; the design shows the letters and does not say what they stand for.
  private static func postureScore(streak: Int64) -> String {
    switch streak {
    case ..<3: "B"
    case ..<7: "A"
    default: "A+"
    }
  }

  // MARK: badges

  private static let earlyHour = 8
  private static let coreSessions = 10

  /// The badges that are earned, and when: by the first session before eight, by the tenth with core workouts.
  func badges(coreWorkouts: Set<String>) -> [String: Timestamp] {
    let inOrder = sessions.sorted { $0.createdAt < $1.createdAt }
    var badges: [String: Timestamp] = [:]
    badges["early_bird"] = inOrder.first { $0.start.hour < Self.earlyHour }?.createdAt
    badges["plank_master"] =
      inOrder.filter { coreWorkouts.contains($0.workoutID) }.dropFirst(Self.coreSessions - 1).first?.createdAt
    return badges
  }
}

extension LocalTime {
  /// The day, counted as `days` are, that its ISO week begins with.
  fileprivate var monday: Int { days - (weekday + 6) % 7 }

  /// As `2026-W09`.
  fileprivate var isoWeekText: String {
    let (year, week) = isoWeek
    func padded(_ number: Int, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    return padded(year, 4) + "-W" + padded(week, 2)
  }
}
