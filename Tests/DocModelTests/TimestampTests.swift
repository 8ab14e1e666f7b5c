import DocModel
import Testing

@Suite("instants and their text")
struct TimestampTests {
  @Test(
    "text is written as protobuf's JSON form has it, and read back",
    arguments: [
      ("1970-01-01T00:00:00Z", 0, 0), ("1969-12-31T23:59:59.999999999Z", -1, 999_999_999),
      ("0001-01-01T00:00:00Z", Timestamp.secondsMin, 0),
      ("9999-12-31T23:59:59.999999999Z", Timestamp.secondsMax, 999_999_999),
      ("2000-02-29T12:34:56.100Z", 951_827_696, 100_000_000),
      ("2024-02-29T00:00:00.000001Z", 1_709_164_800, 1_000),
      ("1900-02-28T23:59:59Z", -2_203_891_201, 0), ("1900-03-01T00:00:00Z", -2_203_891_200, 0),
      ("2100-03-01T00:00:00Z", 4_107_542_400, 0), ("2001-09-09T01:46:40.000000001Z", 1_000_000_000, 1),
    ] as [(String, Int64, Int32)])
  func known(text: String, seconds: Int64, nanoseconds: Int32) {
    let instant = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    #expect(instant.rfc3339 == text)
    #expect(Timestamp(rfc3339: text) == instant)
  }

  @Test(
    "the length of a field is known before it is written",
    arguments: [
      (0, 0), (1, 0), (0, 1), (-1, 999_999_999), (127, 127), (128, 128), (1_790_000_000, 123_456_000),
    ])
  func length(seconds: Int64, nanoseconds: Int32) {
    let instant = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    var writer = WireWriter()
    writer.timestamp(4, instant)
    #expect(WireWriter.timestampLength(instant) == writer.bytes.count)
  }

  @Test(
    "other spellings of an instant are read too",
    arguments: [
      ("1970-01-01t00:00:00z", 0, 0), ("1970-01-01 00:00:00Z", 0, 0), ("1970-01-01T01:00:00+01:00", 0, 0),
      ("1969-12-31T23:30:00-00:30", 0, 0), ("1970-01-01", 0, 0), ("2024-02-29", 1_709_164_800, 0),
      ("1970-01-01T00:00:00.5Z", 0, 500_000_000), ("1970-01-01T00:00:00.123456789+00:00", 0, 123_456_789),
      ("1970-01-01T00:00:00.0Z", 0, 0), ("1970-01-01T23:59:00+23:59", 0, 0),
      ("0000-12-31T23:00:00-01:00", Timestamp.secondsMin, 0),
    ] as [(String, Int64, Int32)])
  func otherSpellings(text: String, seconds: Int64, nanoseconds: Int32) {
    #expect(Timestamp(rfc3339: text) == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
  }

  @Test(
    "anything else is no instant",
    arguments: [
      "", "1970", "1970-01", "1970-1-1", "1970-01-01T", "1970-01-01T00", "1970-01-01T00:00",
      "1970-01-01T00:00Z",
      "1970-01-01T00:00:00", "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00.1234567890Z",
      "1970-01-01T24:00:00Z",
      "1970-01-01T00:60:00Z", "1970-01-01T00:00:60Z", "1970-01-01T00:00:00ZZ", "1970-01-01T00:00:00+1:00",
      "1970-01-01T00:00:00+24:00", "1970-01-01T00:00:00+01:60", "1970-01-01T00:00:00+0100",
      "1970-13-01T00:00:00Z",
      "1970-00-01T00:00:00Z", "1970-01-00T00:00:00Z", "1970-01-32T00:00:00Z", "1970-02-29T00:00:00Z",
      "1900-02-29",
      "2100-02-29", "2023-02-29", "1970-04-31", "0000-01-01T00:00:00Z", "0000-12-31T23:59:59Z",
      "10000-01-01T00:00:00Z",
      "9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00+00:01", "-001-01-01", " 1970-01-01", "1970-01-01 ",
      "1970-01-01Z",
      "1970/01/01", "1970-01-01X00:00:00Z", "1970-01-01T00:00:00,5Z", "\u{0661}970-01-01",
    ])
  func malformed(text: String) {
    #expect(Timestamp(rfc3339: text) == nil)
  }

  @Test("random instants survive their text and their microseconds")
  func roundTrip() {
    var random = SeededRandom.forThisRun()
    for _ in 0..<50_000 {
      let seconds = Int64.random(in: Timestamp.secondsMin...Timestamp.secondsMax, using: &random)
      let scale: Int32 = random.pick([1, 1_000, 1_000_000, 500_000_000])
      let instant = Timestamp(
        seconds: seconds, nanoseconds: Int32.random(in: 0..<1_000_000_000 / scale, using: &random) * scale)
      guard instant.isValid, Timestamp(rfc3339: instant.rfc3339) == instant,
        Timestamp(microseconds: instant.microseconds) == instant.truncatedToMicroseconds
      else {
        Issue.record("\(instant), SEED=\(random.seed)")
        return
      }
    }
  }

  @Test("days and dates are inverse, from year 1 to year 9999, leap years included")
  func calendar() {
    var day = Timestamp.days(year: 1, month: 1, day: 1)
    #expect(day == -719_162)
    for year in 1...9_999 {
      for month in 1...12 {
        let length = Timestamp.days(inMonth: month, of: year)
        guard Timestamp.days(year: year, month: month, day: 1) == day,
          Timestamp.date(days: day) == (year, month, 1),
          Timestamp.date(days: day + length - 1) == (year, month, length)
        else {
          Issue.record("\(year)-\(month)")
          return
        }
        day += length
      }
    }
    #expect(Timestamp.days(inMonth: 0, of: 2000) == 0)
    #expect(Timestamp.days(inMonth: 13, of: 2000) == 0)
  }

  @Test("microseconds round towards the past, before 1970 too")
  func microseconds() {
    #expect(Timestamp(seconds: -1, nanoseconds: 999_999_999).microseconds == -1)
    #expect(Timestamp(seconds: -1, nanoseconds: 1).microseconds == -1_000_000)
    #expect(Timestamp(microseconds: -1) == Timestamp(seconds: -1, nanoseconds: 999_999_000))
    #expect(Timestamp(microseconds: .min).nanoseconds >= 0)
    #expect(Timestamp(seconds: Timestamp.secondsMin, nanoseconds: 0).microseconds == -62_135_596_800_000_000)
    #expect(
      Timestamp(seconds: Timestamp.secondsMax, nanoseconds: 999_999_999).microseconds
        == 253_402_300_799_999_999)
  }
}
