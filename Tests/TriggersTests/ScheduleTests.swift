import DocModel
import Platform
import Testing
import Triggers

@Suite struct ScheduleTests {
  private static let rows: [(schedule: String, zone: String, after: String, next: [String])] = [
    ("* * * * *", "UTC", "2026-03-01T00:00:00", ["2026-03-01T00:01:00", "2026-03-01T00:02:00"]),
    ("*/15 * * * *", "UTC", "2026-03-01T00:50:00", ["2026-03-01T01:00:00", "2026-03-01T01:15:00"]),
    ("0 9 * * MON-FRI", "UTC", "2026-03-06T09:00:00", ["2026-03-09T09:00:00", "2026-03-10T09:00:00"]),
    ("0 9 * * mon,wed", "UTC", "2026-03-01T00:00:00", ["2026-03-02T09:00:00", "2026-03-04T09:00:00"]),
    ("0 0 * * 0", "UTC", "2026-03-02T00:00:00", ["2026-03-08T00:00:00"]),
    ("0 0 * * 7", "UTC", "2026-03-02T00:00:00", ["2026-03-08T00:00:00"]),
    (
      "0 0 * * 5-7", "UTC", "2026-03-02T00:00:00",
      ["2026-03-06T00:00:00", "2026-03-07T00:00:00", "2026-03-08T00:00:00"]
    ),
    ("0 0 * * sat-sun", "UTC", "2026-03-02T00:00:00", ["2026-03-07T00:00:00", "2026-03-08T00:00:00"]),
    // The 13th and every Friday, but with an asterisk only what the other field says.
    ("0 0 13 * FRI", "UTC", "2026-03-07T00:00:00", ["2026-03-13T00:00:00", "2026-03-20T00:00:00"]),
    ("0 0 15 * FRI", "UTC", "2026-03-07T00:00:00", ["2026-03-13T00:00:00", "2026-03-15T00:00:00"]),
    ("0 0 */2 * FRI", "UTC", "2026-03-07T00:00:00", ["2026-03-13T00:00:00", "2026-03-27T00:00:00"]),
    ("0 0 29 2 *", "UTC", "2026-03-01T00:00:00", ["2028-02-29T00:00:00", "2032-02-29T00:00:00"]),
    ("0 0 31 * *", "UTC", "2026-03-31T00:00:00", ["2026-05-31T00:00:00"]),
    (
      "5/20 8 1 JAN *", "UTC", "2026-01-01T08:05:00",
      ["2026-01-01T08:25:00", "2026-01-01T08:45:00", "2027-01-01T08:05:00"]
    ),
    (
      "0 22-23,0-1 * * *", "UTC", "2026-03-01T22:30:00",
      ["2026-03-01T23:00:00", "2026-03-02T00:00:00", "2026-03-02T01:00:00", "2026-03-02T22:00:00"]
    ),
    ("every 5 minutes", "UTC", "2026-03-01T00:01:30", ["2026-03-01T00:05:00", "2026-03-01T00:10:00"]),
    ("every 1 mins", "UTC", "2026-03-01T00:00:00", ["2026-03-01T00:01:00"]),
    ("every 24 hours", "UTC", "2026-03-01T00:00:00", ["2026-03-02T00:00:00"]),
    (
      "every 2 hours synchronized", "Europe/Berlin", "2026-03-01T23:30:00",
      ["2026-03-02T00:00:00", "2026-03-02T02:00:00"]
    ),
    (
      "every 12 hours from 10:00 to 14:00", "UTC", "2026-03-01T00:00:00",
      ["2026-03-01T10:00:00", "2026-03-02T10:00:00"]
    ),
    (
      "every 90 minutes from 22:00 to 02:00", "UTC", "2026-03-01T00:00:00",
      ["2026-03-01T01:00:00", "2026-03-01T22:00:00", "2026-03-01T23:30:00"]
    ),
    ("every day 00:00", "Europe/Berlin", "2026-03-01T00:00:00", ["2026-03-02T00:00:00"]),
    ("Every Monday 9:00", "UTC", "2026-03-01T00:00:00", ["2026-03-02T09:00:00", "2026-03-09T09:00:00"]),
    (
      "every mon,wed of jan 10:00", "UTC", "2026-03-01T00:00:00",
      ["2027-01-04T10:00:00", "2027-01-06T10:00:00"]
    ),
    (
      "1st,third monday of month 04:05", "UTC", "2026-03-01T00:00:00",
      ["2026-03-02T04:05:00", "2026-03-16T04:05:00", "2026-04-06T04:05:00"]
    ),
    ("5th fri of february 00:00", "UTC", "2026-03-01T00:00:00", ["2036-02-29T00:00:00"]),
    ("1,15 of jan,jul 06:00", "UTC", "2026-01-01T06:00:00", ["2026-01-15T06:00:00", "2026-07-01T06:00:00"]),
    // Berlin goes from 2 to 3: what is at 2:30 runs at 3:00, once.
    ("30 2 * * *", "Europe/Berlin", "2026-03-28T03:00:00", ["2026-03-29T03:00:00", "2026-03-30T02:30:00"]),
    (
      "*/20 2,3 * * *", "Europe/Berlin", "2026-03-28T04:00:00",
      ["2026-03-29T03:00:00", "2026-03-29T03:20:00"]
    ),
    // Through the gap goes what does not care for the hour.
    ("*/30 * * * *", "Europe/Berlin", "2026-03-29T01:30:00", ["2026-03-29T03:00:00", "2026-03-29T03:30:00"]),
    // A midnight that does not come.
    (
      "0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00", ["2018-11-04T01:00:00", "2018-11-05T00:00:00"]
    ),
    // A whole day that does not come.
    ("0 9 * * FRI", "Pacific/Apia", "2011-12-24T00:00:00", ["2011-12-31T00:00:00", "2012-01-06T09:00:00"]),
  ]

  private static func time(_ text: String) throws -> LocalTime {
    let seconds = try #require(Timestamp(rfc3339: text + "Z")).seconds
    return TimeZoneRules.utc.local(atSeconds: seconds)
  }

  /// Times on the zone's clocks.
  @Test(arguments: rows.indices)
  func times(_ index: Int) throws {
    let (text, name, after, next) = Self.rows[index]
    let schedule = try Schedule(text)
    let zone = try TimeZoneRules(named: name)
    var seconds = zone.seconds(of: try Self.time(after))
    for wanted in next {
      seconds = try #require(schedule.next(after: seconds, in: zone))
      #expect(zone.local(atSeconds: seconds).text == wanted, "\(text)")
    }
  }

  /// Berlin has 2:00 to 2:59 twice on 2026-10-25, from 00:00 and from 01:00 UTC.
  private static let twice: [(schedule: String, utc: [String])] = [
    ("30 2 * * *", ["2026-10-25T00:30:00", "2026-10-26T01:30:00"]),
    ("*/30 2 * * *", ["2026-10-25T00:00:00", "2026-10-25T00:30:00", "2026-10-26T01:00:00"]),
    (
      "30 * * * *",
      [
        "2026-10-24T22:30:00", "2026-10-24T23:30:00", "2026-10-25T00:30:00", "2026-10-25T01:30:00",
        "2026-10-25T02:30:00",
      ]
    ),
    ("every 2 hours", ["2026-10-25T00:00:00", "2026-10-25T02:00:00"]),
    (
      "every 1 hours from 01:00 to 03:00",
      ["2026-10-24T23:00:00", "2026-10-25T00:00:00", "2026-10-25T02:00:00"]
    ),
  ]

  @Test(arguments: twice.indices)
  func anHourThatComesTwice(_ index: Int) throws {
    let (text, wanted) = Self.twice[index]
    let schedule = try Schedule(text)
    let zone = try TimeZoneRules(named: "Europe/Berlin")
    var seconds = try #require(Timestamp(rfc3339: "2026-10-24T22:00:00Z")).seconds
    for next in wanted {
      seconds = try #require(schedule.next(after: seconds, in: zone))
      #expect(TimeZoneRules.utc.local(atSeconds: seconds).text == next, "\(text)")
    }
  }

  private static let mistakes: [(schedule: String, words: String)] = [
    ("", "is empty"), ("   ", "is empty"), ("* * * *", "five fields"), ("* * * * * *", "column 11: "),
    ("60 * * * *", "column 1: '60' is no minute"), ("0 24 * * *", "column 3: '24' is no hour"),
    ("0 0 0 * *", "column 5: '0' is no day of the month"), ("0 0 * 13 *", "column 7: '13' is no month"),
    ("0 0 * * 8", "column 9: '8' is no day of the week"), ("0 0 L * *", "column 5: 'L' is no day"),
    ("0,,5 * * * *", "column 3: '' is no minute"), ("0,9-5 * * * *", "column 3: the range '9-5'"),
    ("*/0 * * * *", "column 1: '0' is no step"), ("*/x * * * *", "is no step"),
    ("1-2-3 * * * *", "'2-3' is no minute"),
    ("-1 * * * *", "is no minute"), ("30 2 31 2 *", "never comes"), ("0 0 30 FEB *", "never comes"),
    ("0 0 31 4,6,9,11 *", "never comes"), ("30 of feb 00:00", "never comes"), ("5th mon of feb 00:00", ""),
    ("every", "column 7: something is missing"), ("every 5", "column 9: something is missing"),
    ("every 0 minutes", "column 7: an interval"), ("every 5 seconds", "column 9: 'seconds' is no unit"),
    ("every 7 hours synchronized", "must divide a day"),
    ("every 5 minutes from 10:00", "something is missing"),
    ("every 5 minutes from 10:00 until 11:00", "column 28: expected 'to'"),
    ("every day", "something is missing"),
    ("every day 24:00", "column 11: '24:00' is no time"), ("every day 9", "'9' is no time"),
    ("every day 00:00 please", "column 17: 'please' is too much"),
    ("every moonday 09:00", "'moonday' is not a day"),
    ("every monday of smarch 09:00", "'smarch' is not a month"),
    ("1st day of month 00:00", "a day of the month is a number"),
    ("1st monday 09:00", "column 12: expected 'of'"),
    ("6th monday of month 09:00", "'6th' begins no schedule"),
    ("32 of month 00:00", "'32' is no day"), ("hourly", "begins no schedule"),
    (String(repeating: "0,", count: 300) + "0 * * * *", "500 bytes"),
  ]

  @Test(arguments: mistakes.indices)
  func mistakesAreTold(_ index: Int) throws {
    let (text, words) = Self.mistakes[index]
    if words.isEmpty {
      _ = try Schedule(text)
      return
    }
    let error = #expect(throws: InvalidArgument.self) { try Schedule(text) }
    #expect(error?.message.contains(words) == true, "\(text): \(error?.message ?? "")")
  }

  // MARK: against all minutes

  /// The days and times of a schedule, by another way: each minute of the clock is looked at.
  private typealias Matching = @Sendable (LocalTime) -> Bool
  private static let scanned: [(schedule: String, matches: Matching, isHourly: Bool)] = [
    ("30 2 * * *", { (_ time: LocalTime) -> Bool in time.hour == 2 && time.minute == 30 }, false),
    (
      "*/20 1-3 * * SUN",
      { (_ time: LocalTime) -> Bool in
        (1...3).contains(time.hour) && time.minute % 20 == 0 && time.weekday == 0
      }, false
    ),
    ("0 0 * * *", { (_ time: LocalTime) -> Bool in time.hour == 0 && time.minute == 0 }, false),
    ("15 * * * SUN,MON", { (_ time: LocalTime) -> Bool in time.minute == 15 && time.weekday <= 1 }, true),
    ("*/45 * * * *", { (_ time: LocalTime) -> Bool in time.minute % 45 == 0 }, true),
    ("every 30 minutes synchronized", { (_ time: LocalTime) -> Bool in time.minute % 30 == 0 }, true),
  ]

  private static let weeks: [(zone: String, around: String)] = [
    ("Europe/Berlin", "2026-03-29"), ("Europe/Berlin", "2026-10-25"), ("Australia/Lord_Howe", "2026-04-05"),
    ("Australia/Lord_Howe", "2026-10-04"), ("America/Sao_Paulo", "2018-02-18"),
    ("America/Sao_Paulo", "2018-11-04"),
    ("America/St_Johns", "2011-03-13"), ("Asia/Kolkata", "2026-03-29"),
  ]

  /// A fixed time runs when its minute comes first, or at the end of the gap that swallowed it.
  @Test(arguments: weeks.indices)
  func nothingIsLeftOutAroundChanges(_ week: Int) throws {
    let (name, around) = Self.weeks[week]
    let zone = try TimeZoneRules(named: name)
    let middle = try #require(Timestamp(rfc3339: around)).seconds
    let (start, end) = (middle - 5 * 86_400, middle + 5 * 86_400)
    for (text, matches, isHourly) in Self.scanned {
      var wanted: Set<Int64> = []
      var shown: Set<LocalTime> = []
      var clock = zone.local(atSeconds: start - 60)
      for time in stride(from: start, to: end, by: 60) {
        let local = zone.local(atSeconds: time)
        // Minutes that the clocks have skipped before this one.
        while Self.next(clock) < local, !isHourly {
          clock = Self.next(clock)
          if matches(clock), !shown.contains(clock) { wanted.insert(time) }
        }
        clock = local
        if matches(local), shown.insert(local).inserted || isHourly { wanted.insert(time) }
      }
      var found: Set<Int64> = []
      let schedule = try Schedule(text)
      var time = start - 1
      while let next = schedule.next(after: time, in: zone), next < end {
        #expect(next > time)
        time = next
        found.insert(time)
      }
      #expect(found == wanted, "\(text) in \(name)")
    }
  }

  /// A minute later on a clock that is not set.
  private static func next(_ local: LocalTime) -> LocalTime {
    TimeZoneRules.utc.local(atSeconds: TimeZoneRules.utc.seconds(of: local) + 60)
  }

  @Test func theNextTimeIsTheSameFromAnywhereBefore() throws {
    let zone = try TimeZoneRules(named: "Europe/Berlin")
    let schedule = try Schedule("*/20 1-3 * * SUN")
    let end: Int64 = 1_774_800_000
    var time = end - 86_400
    while let next = schedule.next(after: time, in: zone), next < end {
      for earlier in stride(from: time, to: next, by: 37) {
        #expect(schedule.next(after: earlier, in: zone) == next)
      }
      time = next
    }
    #expect(time > end - 86_400)
  }
}
