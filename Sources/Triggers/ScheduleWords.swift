/// Reads schedules in words, App Engine's form.
///
/// ```
/// every N (hours | minutes | mins) [synchronized | from TIME to TIME]
/// (every | ORDINALS) WEEKDAYS [of MONTHS] TIME
/// NUMBERS of MONTHS TIME
/// ```
///
/// Lists are separated by commas. Weekdays: `day`, `monday`, `mon`; months: `month`, `january`, `jan`.
/// Source: the reference of App Engine's cron.yaml.

internal import DocModel

struct ScheduleWords {
  private typealias Word = ScheduleReader.Word

  private static let ordinals = [
    ["1st", "first"], ["2nd", "second"], ["3rd", "third"], ["4th", "fourth"], ["5th", "fifth"],
  ]
  private static let monthNames = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november",
    "december",
  ]
  private static let weekdayNames = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]
  private static let dayMinutes = 1_440
  /// LIMIT: hours or minutes of an interval.
  private static let intervalMax = 100_000

  private let words: [ScheduleReader.Word]
  private var index = 0

  init(_ words: [ScheduleReader.Word]) { self.words = words }

  mutating func times() throws(InvalidArgument) -> Schedule.Times {
    let first = try word("every, 1st, or the number of a day")
    let times: Schedule.Times
    if first.text.lowercased() == "every" {
      let second = try word("a number or a day: `every 5 minutes`, `every monday 09:00`")
      if let number = ScheduleReader.number(second.text) {
        times = try interval(number, second)
      } else {
        var days = ScheduleDays()
        days.weekdays = try weekdays(second)
        times = try daily(days, needsMonths: false)
      }
    } else {
      times = try daily(try ordinals(first), needsMonths: true)
    }
    if index < words.count {
      throw ScheduleReader.error(
        words[index], "'\(words[index].text)' is too much; the schedule ends before it")
    }
    return times
  }

  private mutating func word(_ wanted: String) throws(InvalidArgument) -> ScheduleReader.Word {
    guard index < words.count else {
      let column = words.last.map { $0.column + $0.text.count + 1 } ?? 1
      throw ScheduleReader.error(column, "something is missing; write \(wanted)")
    }
    defer { index += 1 }
    return words[index]
  }

  private mutating func eat(_ text: String) -> Bool {
    guard index < words.count, words[index].text.lowercased() == text else { return false }
    index += 1
    return true
  }

  // MARK: intervals

  private mutating func interval(_ count: Int, _ place: ScheduleReader.Word) throws(InvalidArgument)
    -> Schedule.Times
  {
    guard (1...Self.intervalMax).contains(count) else {
      throw ScheduleReader.error(place, "an interval is a number from 1 to \(Self.intervalMax)")
    }
    let unit = try word("hours or minutes")
    let minutes: Int
    switch unit.text.lowercased() {
    case "hours": minutes = count * 60
    case "minutes", "mins": minutes = count
    default:
      throw ScheduleReader.error(
        unit, "'\(unit.text)' is no unit; write hours, minutes or mins, also for one")
    }
    if eat("synchronized") {
      guard Self.dayMinutes % minutes == 0 else {
        throw ScheduleReader.error(
          place, "a synchronized interval must divide a day; \(count) \(unit.text) do not")
      }
      return Self.times(Array(stride(from: 0, to: Self.dayMinutes, by: minutes)))
    }
    guard eat("from") else { return .interval(seconds: Int64(minutes) * 60) }
    let start = try time()
    let to = try word("to and a time: `from 10:00 to 14:00`")
    guard to.text.lowercased() == "to" else {
      throw ScheduleReader.error(to, "expected 'to', as in `from 10:00 to 14:00`")
    }
    let end = try time()
    // To a time of the next day.
    let last = end < start ? end + Self.dayMinutes : end
    return Self.times(stride(from: start, through: last, by: minutes).map { $0 % Self.dayMinutes }.sorted())
  }

  /// Of every day, and in real time where all hours are alike.
  private static func times(_ minutes: [Int]) -> Schedule.Times {
    let ofHour = minutes.filter { $0 < 60 }
    let all = (0..<24).flatMap { hour in ofHour.map { hour * 60 + $0 } }
    return minutes == all
      ? .hourly(ScheduleDays(), minutes: ofHour) : .daily(ScheduleDays(), minutes: minutes)
  }

  // MARK: days

  /// `[of MONTHS] TIME`.
  private mutating func daily(_ given: ScheduleDays, needsMonths: Bool) throws(InvalidArgument)
    -> Schedule.Times
  {
    var days = given
    if eat("of") {
      let word = try word("month, or names of months: `of jan,jul`")
      days.months = try Self.names(
        word, Self.monthNames, ScheduleReader.months, from: 1, all: "month", "a month")
    } else if needsMonths {
      let word = try word("of month, or of with names of months: `of jan,jul`")
      throw ScheduleReader.error(
        word, "expected 'of', as in `1st monday of month 09:00` or `1,15 of jan 09:00`")
    }
    return .daily(days, minutes: [try time()])
  }

  /// `1st,third monday`, or `1,15`.
  private mutating func ordinals(_ word: ScheduleReader.Word) throws(InvalidArgument) -> ScheduleDays {
    var days = ScheduleDays()
    let parts = word.text.split(separator: ",", omittingEmptySubsequences: false)
    if parts.allSatisfy({ ScheduleReader.number($0) != nil }) {
      days.days = NumberSet()
      for part in parts {
        guard let number = ScheduleReader.number(part), (1...31).contains(number) else {
          throw ScheduleReader.error(word, "'\(part)' is no day of a month; write 1 to 31")
        }
        days.days.insert(number)
      }
      return days
    }
    days.ordinals = NumberSet()
    for part in parts {
      guard let index = Self.ordinals.firstIndex(where: { $0.contains(part.lowercased()) }) else {
        throw ScheduleReader.error(
          word,
          "'\(part)' begins no schedule; write `every 5 minutes`, `every monday 09:00`, "
            + "`1st,third monday of month 04:05` or `0 9 * * MON`")
      }
      days.ordinals.insert(index + 1)
    }
    let weekday = try self.word("a weekday: `1st monday of month 09:00`")
    if weekday.text.lowercased() == "day" {
      throw ScheduleReader.error(weekday, "a day of the month is a number: `1 of month 00:00`")
    }
    days.weekdays = try weekdays(weekday)
    return days
  }

  private func weekdays(_ word: ScheduleReader.Word) throws(InvalidArgument) -> NumberSet {
    try Self.names(
      word, Self.weekdayNames, ScheduleReader.weekdays, from: 0, all: "day", "a day of the week")
  }

  /// Names, long or short, separated by commas; or the one that means all of them.
  private static func names(
    _ word: ScheduleReader.Word, _ long: [String], _ short: [String], from first: Int, all: String,
    _ kind: String
  ) throws(InvalidArgument) -> NumberSet {
    if word.text.lowercased() == all { return NumberSet(first...first + long.count - 1) }
    var set = NumberSet()
    for part in word.text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
      guard let index = long.firstIndex(of: String(part)) ?? short.firstIndex(of: String(part)) else {
        throw ScheduleReader.error(
          word,
          "'\(part)' is not \(kind); write \(all), or names like \(long[1]) or \(short[1]), separated by commas"
        )
      }
      set.insert(index + first)
    }
    return set
  }

  /// `HH:MM`, in minutes.
  private mutating func time() throws(InvalidArgument) -> Int {
    let word = try word("a time of day like 09:00")
    let parts = word.text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count == 2, let hour = ScheduleReader.number(parts[0]), hour < 24,
      let minute = ScheduleReader.number(parts[1]), minute < 60
    else { throw ScheduleReader.error(word, "'\(word.text)' is no time of day; write 00:00 to 23:59") }
    return hour * 60 + minute
  }
}
