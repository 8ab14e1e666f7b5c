/// Which days a schedule is about.

internal import Platform

/// Days by their month, their number in it, and their weekday.
struct ScheduleDays: Sendable, Hashable {
  /// 1 to 12, 1 to 31, 0 (Sunday) to 6, and which of its weekday in the month, 1 to 5.
  var months = NumberSet(1...12)
  var days = NumberSet(1...31)
  var weekdays = NumberSet(0...6)
  var ordinals = NumberSet(1...5)
  /// Whether a day of the number, or of the weekday, is enough: as Unix cron has it, where both are restricted.
  var takesEither = false

  /// After so many days the calendar begins anew.
  private static let cycleDays = 146_097

  /// A day since the epoch.
  func contains(_ day: Int) -> Bool {
    contains(CivilDate.date(days: day), weekday: CivilDate.weekday(days: day))
  }

  private func contains(_ date: (year: Int, month: Int, day: Int), weekday: Int) -> Bool {
    let isDay = days.contains(date.day)
    let isWeekday = weekdays.contains(weekday) && ordinals.contains((date.day - 1) / 7 + 1)
    return months.contains(date.month) && (takesEither ? isDay || isWeekday : isDay && isWeekday)
  }

  /// The first of the days from one on; nil when there never is one.
  func first(from start: Int) -> Int? {
    var date = CivilDate.date(days: start)
    var day = start
    var length = CivilDate.days(inMonth: date.month, of: date.year)
    while day <= start + Self.cycleDays {
      if contains(date, weekday: CivilDate.weekday(days: day)) { return day }
      let step = months.contains(date.month) ? 1 : length - date.day + 1
      day += step
      date.day += step
      guard date.day > length else { continue }
      date = CivilDate.date(days: day)
      length = CivilDate.days(inMonth: date.month, of: date.year)
    }
    return nil
  }
}

/// Numbers from 0 to 63.
struct NumberSet: Sendable, Hashable {
  private var bits: UInt64 = 0

  init() {}

  init(_ range: ClosedRange<Int>) { for number in range { insert(number) } }

  mutating func insert(_ number: Int) {
    assert((0...63).contains(number), "a number of a schedule is small")
    bits |= 1 << UInt64(number)
  }

  func contains(_ number: Int) -> Bool { bits >> UInt64(number) & 1 == 1 }

  var isEmpty: Bool { bits == 0 }

  /// Ascending.
  var numbers: [Int] { (0...63).filter(contains) }
}
