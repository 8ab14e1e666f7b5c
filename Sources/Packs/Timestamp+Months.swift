/// Months of the calendar, in UTC.

internal import DocModel
internal import Platform

extension Timestamp {
  /// The month that it lies in: `2026-02`.
  var month: String { String(rfc3339.prefix(7)) }

  /// The moment at which its month begins.
  var monthStart: Timestamp {
    let date = CivilDate.date(days: day)
    return Timestamp(days: CivilDate.days(year: date.year, month: date.month, day: 1))
  }

  /// The same day and time so many months later; the last day of a month that has no such day. Not past the last moment
  /// that the service accepts.
  func adding(months: Int) -> Timestamp {
    let (year, month, dayOfMonth) = CivilDate.date(days: day)
    let count = year * 12 + month - 1 + months
    let last = CivilDate.days(inMonth: count % 12 + 1, of: count / 12)
    let later = CivilDate.days(year: count / 12, month: count % 12 + 1, day: min(dayOfMonth, last))
    let moved = Timestamp(seconds: seconds + Int64(later - day) * 86_400, nanoseconds: nanoseconds)
    return moved.isValid ? moved : Timestamp(seconds: Self.secondsMax, nanoseconds: 0)
  }

  /// How many whole months lie between it and a later moment; 0 for an earlier one.
  func wholeMonths(until later: Timestamp) -> Int {
    let (first, last) = (CivilDate.date(days: day), CivilDate.date(days: later.day))
    let months = max(0, last.year * 12 + last.month - first.year * 12 - first.month)
    return months > 0 && adding(months: months) > later ? months - 1 : months
  }

  private init(days: Int) { self.init(seconds: Int64(days) * 86_400, nanoseconds: 0) }

  /// Days since the epoch.
  private var day: Int { Int((seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400) }
}
