/// Reads what is written of a schedule: which form it is, words and numbers, and the form of Unix cron.

internal import DocModel

struct ScheduleReader {
  struct Word {
    let text: Substring
    /// From 1.
    let column: Int
  }

  /// LIMIT: bytes of a schedule. Source: Cloud Scheduler's limit of a job's schedule.
  private static let bytesMax = 500

  static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
  static let weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

  let words: [Word]

  init(_ text: String) throws(InvalidArgument) {
    guard text.utf8.count <= Self.bytesMax else {
      throw InvalidArgument("a schedule may have \(Self.bytesMax) bytes, this one has \(text.utf8.count)")
    }
    var words: [Word] = []
    var start: String.Index?
    var column = 0
    var startColumn = 0
    for index in text.indices + [text.endIndex] {
      column += 1
      let isSpace = index == text.endIndex || text[index] == " " || text[index] == "\t"
      if isSpace, let begin = start {
        words.append(Word(text: text[begin..<index], column: startColumn))
        start = nil
      } else if !isSpace, start == nil {
        start = index
        startColumn = column
      }
    }
    self.words = words
  }

  mutating func times() throws(InvalidArgument) -> Schedule.Times {
    guard let first = words.first else {
      throw InvalidArgument(
        "a schedule is empty; write `0 9 * * MON`, `every 5 minutes` or `every day 00:00`")
    }
    let isOfMonth = words.count > 1 && words[1].text.lowercased() == "of"
    let isOrdinal = first.text.first != "*" && first.text.contains { $0.isLetter }
    let times: Schedule.Times
    if isOfMonth || isOrdinal {
      var reader = ScheduleWords(words)
      times = try reader.times()
    } else {
      times = try cron()
    }
    if case .daily(let days, _) = times { try Self.check(days) }
    if case .hourly(let days, _) = times { try Self.check(days) }
    return times
  }

  private static func check(_ days: ScheduleDays) throws(InvalidArgument) {
    guard days.first(from: 0) == nil else { return }
    throw InvalidArgument("this schedule never comes: no month that it names has such a day")
  }

  static func error(_ word: Word, _ text: String) -> InvalidArgument { error(word.column, text) }

  static func error(_ column: Int, _ text: String) -> InvalidArgument {
    InvalidArgument("column \(column): \(text)")
  }

  // MARK: cron

  private struct Field {
    let name: String
    let range: ClosedRange<Int>
    var names: [String] = []
    var firstName = 0
    let example: String

    /// The last number that is not another name of the first.
    var lastMax: Int { range.upperBound == 7 ? 6 : range.upperBound }
  }

  private static let fields = [
    Field(name: "minute", range: 0...59, example: "0, 15-45, */5"),
    Field(name: "hour", range: 0...23, example: "9, 8-18, */2"),
    Field(name: "day of the month", range: 1...31, example: "1, 1-7, */2"),
    Field(name: "month", range: 1...12, names: months, firstName: 1, example: "1, JAN, 3-5, JAN-MAR"),
    Field(name: "day of the week", range: 0...7, names: weekdays, example: "0 to 7, MON, MON-FRI"),
  ]

  private func cron() throws(InvalidArgument) -> Schedule.Times {
    guard words.count == Self.fields.count else {
      let column = words.count > Self.fields.count ? words[Self.fields.count].column : words[0].column
      throw Self.error(
        column,
        "a schedule in the form of cron has five fields, minute hour day month weekday, this one has "
          + "\(words.count); or write `every 5 minutes`, `every day 00:00`")
    }
    var sets: [NumberSet] = []
    for (word, field) in zip(words, Self.fields) { sets.append(try Self.numbers(word, field)) }
    var days = ScheduleDays()
    days.days = sets[2]
    days.months = sets[3]
    if sets[4].contains(7) { sets[4].insert(0) }
    days.weekdays = sets[4]
    // An asterisk, also one with a step, leaves the choice to the other field.
    days.takesEither = !words[2].text.hasPrefix("*") && !words[4].text.hasPrefix("*")
    let (minutes, hours) = (sets[0].numbers, sets[1].numbers)
    if hours.count == 24 { return .hourly(days, minutes: minutes) }
    return .daily(days, minutes: hours.flatMap { hour in minutes.map { hour * 60 + $0 } })
  }

  private static func numbers(_ word: Word, _ field: Field) throws(InvalidArgument) -> NumberSet {
    var set = NumberSet()
    var column = word.column
    for part in word.text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      var step = 1
      if sides.count == 2 {
        guard let number = number(sides[1]), (1...field.range.upperBound + 1).contains(number) else {
          throw error(column, "'\(sides[1])' is no step of the field \(field.name)")
        }
        step = number
      }
      let range = try range(sides[0], field, hasStep: sides.count == 2, column)
      for number in stride(from: range.lowerBound, through: range.upperBound, by: step) { set.insert(number) }
      column += part.count + 1
    }
    return set
  }

  private static func range(
    _ text: Substring, _ field: Field, hasStep: Bool, _ column: Int
  ) throws(InvalidArgument) -> ClosedRange<Int> {
    // Sunday is 0 and 7, but not twice a week.
    if text == "*" { return field.range.lowerBound...field.lastMax }
    let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    var numbers: [Int] = []
    for end in ends {
      guard let number = value(end, field) else {
        throw error(
          column, "'\(end)' is no \(field.name); write \(field.example) or * (lists are separated by commas)")
      }
      numbers.append(number)
    }
    // From a number with a step on: to the end.
    if numbers.count == 1 { return numbers[0]...(hasStep ? max(numbers[0], field.lastMax) : numbers[0]) }
    // Until Sunday, which is also the day after Saturday.
    if field.range.upperBound == 7, numbers[1] == 0, numbers[0] > 0 { numbers[1] = 7 }
    guard numbers[0] <= numbers[1] else {
      throw error(column, "the range '\(text)' of the field \(field.name) ends before it begins")
    }
    return numbers[0]...numbers[1]
  }

  private static func value(_ text: Substring, _ field: Field) -> Int? {
    if let index = field.names.firstIndex(of: text.lowercased()) { return index + field.firstName }
    guard let number = number(text), field.range.contains(number) else { return nil }
    return number
  }

  static func number(_ text: Substring) -> Int? {
    guard (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ 48...57 ~= $0 }) else { return nil }
    return Int(text)
  }
}
