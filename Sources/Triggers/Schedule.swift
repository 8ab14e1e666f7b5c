/// When a scheduled function runs.

public import DocModel
public import Platform

/// Times that come again and again, in one of the two forms that Cloud Scheduler takes.
///
/// ```
/// 0 9 * * MON-FRI                     minute, hour, day of the month, month, day of the week: as Unix cron
/// every 5 minutes                     hours, minutes or mins, counted in real time from 1970-01-01T00:00:00Z
/// every 2 hours synchronized          from midnight of the zone; the number must divide a day
/// every 30 minutes from 10:00 to 14:00
/// every day 00:00                     every monday 09:00, every mon,wed of jan 10:00
/// 1st,third monday of month 04:05
/// 1,15 of jan,jul 06:00
/// ```
///
/// Where clocks are set: a schedule whose minutes are the same in all 24 hours, and one in real time, know nothing of it:
/// they go on through an hour that comes twice, and leave out the one that does not come. Every other time of day is one
/// run a day: the first of two such times, and where the clocks skip it, the moment after.
///
/// Source: the documentation of Cloud Scheduler ("Cron job format and time zone") and of App Engine's cron.yaml.
public struct Schedule: Sendable, Hashable, CustomStringConvertible {
  enum Times: Sendable, Hashable {
    /// Every so many seconds, counted from the epoch.
    case interval(seconds: Int64)
    /// At these minutes of these days, both of the zone; ascending, 0 to 1439.
    case daily(ScheduleDays, minutes: [Int])
    /// At these minutes of every hour of these days; ascending, 0 to 59.
    case hourly(ScheduleDays, minutes: [Int])
  }

  /// As it was written.
  public let text: String
  private let times: Times

  /// Reads either form; the error tells the column, from 1, and how it is written. What never comes, as the 30th of
  /// February, is an error.
  public init(_ text: String) throws(InvalidArgument) {
    var reader = try ScheduleReader(text)
    let times = try reader.times()
    self.text = text
    self.times = times
  }

  public var description: String { text }

  /// The first time after another, both in seconds since the epoch, by the clocks of a zone. Nil when there is none that
  /// can be counted.
  public func next(after seconds: Int64, in zone: TimeZoneRules) -> Int64? {
    // Far from overflows, and behind all times that a store knows.
    guard abs(seconds) < 1 << 40 else { return nil }
    switch times {
    case .interval(let step): return seconds + step - ((seconds % step) + step) % step
    case .daily(let days, let minutes): return Self.next(after: seconds, zone, days, minutes)
    case .hourly(let days, let minutes): return Self.nextHourly(after: seconds, zone, days, minutes)
    }
  }

  private static func next(
    after seconds: Int64, _ zone: TimeZoneRules, _ days: ScheduleDays, _ minutes: [Int]
  ) -> Int64? {
    // What the clocks skipped at the end of a day comes on the next one.
    var day = zone.local(atSeconds: seconds).days - 1
    while let match = days.first(from: day) {
      // Times of a day follow each other as its minutes do.
      var low = 0
      var high = minutes.count
      while low < high {
        let middle = (low + high) / 2
        if time(zone, match, minutes[middle]) > seconds { high = middle } else { low = middle + 1 }
      }
      if low < minutes.count { return time(zone, match, minutes[low]) }
      day = match + 1
    }
    return nil
  }

  /// When a minute of a day comes first, or the clocks have skipped it.
  private static func time(_ zone: TimeZoneRules, _ day: Int, _ minute: Int) -> Int64 {
    let date = CivilDate.date(days: day)
    let local = LocalTime(date.year, date.month, date.day, minute / 60, minute % 60)
    let time = zone.seconds(of: local)
    if zone.local(atSeconds: time) == local { return time }
    // It lies behind the change by less than the clocks have skipped, a day at most.
    var change = time
    var next = zone.nextChange(afterSeconds: time - 86_401)
    while let found = next, found <= time {
      change = found
      next = zone.nextChange(afterSeconds: found)
    }
    return change
  }

  private static func nextHourly(
    after seconds: Int64, _ zone: TimeZoneRules, _ days: ScheduleDays, _ minutes: [Int]
  ) -> Int64? {
    var time = seconds + 1
    while true {
      let local = zone.local(atSeconds: time)
      let step: Int64
      if !days.contains(local.days) {
        guard let day = days.first(from: local.days + 1) else { return nil }
        step = max(1, Self.time(zone, day, 0) - time)
      } else if local.second != 0 {
        step = Int64(60 - local.second)
      } else if let minute = minutes.first(where: { $0 >= local.minute }) {
        if minute == local.minute { return time }
        step = Int64(minute - local.minute) * 60
      } else {
        step = Int64(60 - local.minute) * 60
      }
      // Beyond a change the clocks show something else.
      time = min(time + step, zone.nextChange(afterSeconds: time) ?? .max)
    }
  }
}
