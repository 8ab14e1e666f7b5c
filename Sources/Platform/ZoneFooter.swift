/// How a zone's clocks are set in years that its file does not list.
///
/// ```
/// CET-1CEST,M3.5.0,M10.5.0/3      an hour east of UTC, two from the last Sunday of March, 2:00, to that of October, 3:00
/// <+0330>-3:30                    always three hours and a half
/// ```
///
/// Offsets count westwards, times of day go from -167 to 167 hours.
/// Source: RFC 9636, section 3.3.1; POSIX, environment variable TZ.

struct ZoneFooter: Sendable, Hashable {
  /// A day of each year and a time on it.
  private struct Moment: Sendable, Hashable {
    enum Day: Sendable, Hashable {
      /// The week from 1, 5 for the last; 0 for Sunday.
      case weekday(month: Int, week: Int, Int)
      /// From 1, without counting 29 February.
      case withoutLeapDay(Int)
      /// From 0.
      case ofYear(Int)
    }

    let day: Day
    let seconds: Int64

    /// Seconds since 1970 on the clock that it is read from.
    func time(in year: Int) -> Int64 { Int64(days(in: year)) * 86_400 + seconds }

    private func days(in year: Int) -> Int {
      let newYear = CivilDate.days(year: year, month: 1, day: 1)
      switch day {
      case .weekday(let month, let week, let weekday):
        let first = CivilDate.days(year: year, month: month, day: 1)
        let ahead = (weekday - CivilDate.weekday(days: first) + 7) % 7 + (week - 1) * 7
        return first + (ahead < CivilDate.days(inMonth: month, of: year) ? ahead : ahead - 7)
      case .withoutLeapDay(let number):
        return newYear + number - (CivilDate.isLeap(year) && number >= 60 ? 0 : 1)
      case .ofYear(let number): return newYear + number
      }
    }
  }

  private struct Summer: Sendable, Hashable {
    let offset: Int
    let start: Moment
    let end: Moment
  }

  private let standard: Int
  private let summer: Summer?

  /// Nil for what is no such text.
  init?(_ text: String) {
    var reader = Reader(bytes: Array(text.utf8))
    guard reader.name(), let west = reader.time(hoursMax: 24) else { return nil }
    standard = -west
    if reader.isAtEnd {
      summer = nil
      return
    }
    guard reader.name() else { return nil }
    var offset = standard + 3_600
    if !reader.isAtEnd, !reader.isAt(",") {
      guard let west = reader.time(hoursMax: 24) else { return nil }
      offset = -west
    }
    // Where nothing is said, the rule of the United States. Source: the C library.
    if reader.isAtEnd { reader = Reader(bytes: Array(",M3.2.0,M11.1.0".utf8)) }
    guard reader.eat(","), let start = reader.moment(), reader.eat(","), let end = reader.moment(),
      reader.isAtEnd
    else { return nil }
    summer = Summer(offset: offset, start: start, end: end)
  }

  func offset(at time: Int64) -> Int {
    guard let summer else { return standard }
    let last = changes(around: time, summer).last { $0.time <= time }
    return last?.isSummer ?? false ? summer.offset : standard
  }

  func nextChange(after time: Int64) -> Int64? {
    summer.flatMap { changes(around: time, $0).first { $0.time > time }?.time }
  }

  /// Those of the year and of both beside it, in order.
  private func changes(around time: Int64, _ summer: Summer) -> [(time: Int64, isSummer: Bool)] {
    let year = LocalTime(count: time + Int64(standard)).year
    let changes = (year - 1...year + 1).flatMap { year in
      [
        (time: summer.start.time(in: year) - Int64(standard), isSummer: true),
        (time: summer.end.time(in: year) - Int64(summer.offset), isSummer: false),
      ]
    }
    // A summer that ends as the next one begins goes on.
    return changes.sorted { ($0.time, $0.isSummer ? 1 : 0) < ($1.time, $1.isSummer ? 1 : 0) }
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    var isAtEnd: Bool { index == bytes.count }

    func isAt(_ character: Unicode.Scalar) -> Bool {
      index < bytes.count && bytes[index] == UInt8(ascii: character)
    }

    mutating func eat(_ character: Unicode.Scalar) -> Bool {
      guard isAt(character) else { return false }
      index += 1
      return true
    }

    /// Passes over the short name of the zone's time: `CET`, `<+0330>`.
    mutating func name() -> Bool {
      if eat("<") {
        while index < bytes.count, !isAt(">") { index += 1 }
        return eat(">")
      }
      let start = index
      while index < bytes.count, UInt8(ascii: "a")...UInt8(ascii: "z") ~= bytes[index] | 0x20 { index += 1 }
      return index - start >= 3
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int? {
      var value = 0
      let start = index
      while index < bytes.count, 48...57 ~= bytes[index], index - start < 3 {
        value = value * 10 + Int(bytes[index] - 48)
        index += 1
      }
      return index > start && range.contains(value) ? value : nil
    }

    /// `[+-]hh[:mm[:ss]]`, in seconds.
    mutating func time(hoursMax: Int) -> Int? {
      let isNegative = eat("-")
      if !isNegative { _ = eat("+") }
      guard var seconds = number(0...hoursMax).map({ $0 * 3_600 }) else { return nil }
      for unit in [60, 1] where eat(":") {
        guard let count = number(0...59) else { return nil }
        seconds += count * unit
      }
      return isNegative ? -seconds : seconds
    }

    mutating func moment() -> Moment? {
      guard let day = day() else { return nil }
      guard eat("/") else { return Moment(day: day, seconds: 7_200) }
      return time(hoursMax: 167).map { Moment(day: day, seconds: Int64($0)) }
    }

    private mutating func day() -> Moment.Day? {
      if eat("J") { return number(1...365).map { .withoutLeapDay($0) } }
      guard eat("M") else { return number(0...365).map { .ofYear($0) } }
      guard let month = number(1...12), eat("."), let week = number(1...5), eat("."),
        let weekday = number(0...6)
      else { return nil }
      return .weekday(month: month, week: week, weekday)
    }
  }
}
