/// What a clock on the wall shows.

/// A date and a time of day, without saying where. Ordered as they follow each other on a clock that is never set.
public struct LocalTime: Sendable, Hashable, Comparable {
  public var year: Int
  /// 1 to 12.
  public var month: Int
  /// 1 to 31.
  public var day: Int
  public var hour: Int
  public var minute: Int
  public var second: Int

  public init(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0) {
    self.year = year
    self.month = month
    self.day = day
    self.hour = hour
    self.minute = minute
    self.second = second
  }

  /// The time that lies so many seconds after 1970-01-01T00:00:00 on this clock.
  init(count: Int64) {
    let second = Int(count % 86_400 + 86_400) % 86_400
    let (year, month, day) = CivilDate.date(days: (Int(count) - second) / 86_400)
    self.init(year, month, day, second / 3_600, second / 60 % 60, second % 60)
  }

  /// Seconds since 1970-01-01T00:00:00 on this clock. Parts that are too large or small carry over: the 32nd of
  /// January is the 1st of February.
  var count: Int64 { Int64(days) * 86_400 + Int64(hour * 3_600 + minute * 60 + second) }

  /// Days since 1970-01-01.
  package var days: Int { CivilDate.days(year: year, month: month, day: 1) + day - 1 }

  /// 0 is Sunday, 6 is Saturday.
  public var weekday: Int { CivilDate.weekday(days: days) }

  /// The week of ISO 8601 that it lies in, 1 to 53, and that week's year, which differs around New Year.
  public var isoWeek: (year: Int, week: Int) {
    // The week belongs to the year that its Thursday is in.
    let thursday = days - (weekday + 6) % 7 + 3
    let year = CivilDate.date(days: thursday).year
    return (year, (thursday - CivilDate.days(year: year, month: 1, day: 1)) / 7 + 1)
  }

  /// As the date's own text: `2026-03-29T02:30:00`.
  public var text: String {
    func padded(_ number: Int, _ width: Int = 2) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    return padded(year, 4) + "-" + padded(month) + "-" + padded(day) + "T" + padded(hour) + ":"
      + padded(minute)
      + ":" + padded(second)
  }

  public static func < (a: LocalTime, b: LocalTime) -> Bool { a.count < b.count }
}
