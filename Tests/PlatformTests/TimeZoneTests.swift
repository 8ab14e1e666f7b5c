import TestSupport
import Testing

@testable import Platform

/// What another reader of the same database says (Python's zoneinfo).
@Suite struct TimeZoneTests {
  private static let offsets: [(zone: String, rows: [(seconds: Int64, offset: Int)])] = [
    (
      "Europe/Berlin",
      [
        (481_078_799, 3_600), (481_078_800, 7_200), (496_803_599, 7_200), (496_803_600, 3_600),
        (1_774_745_999, 3_600), (1_774_746_000, 7_200), (1_792_889_999, 7_200), (1_792_890_000, 3_600),
        (2_216_249_999, 3_600), (2_216_250_000, 7_200), (2_234_998_799, 7_200), (2_234_998_800, 3_600),
      ]
    ),
    (
      "America/New_York",
      [
        (1_772_953_199, -18_000), (1_772_953_200, -14_400), (1_793_512_799, -14_400),
        (1_793_512_800, -18_000), (2_215_061_999, -18_000), (2_215_062_000, -14_400),
        (2_235_621_599, -14_400), (2_235_621_600, -18_000),
      ]
    ),
    (
      "America/St_Johns",
      [
        (1_299_987_059, -12_600), (1_299_987_060, -9_000), (1_320_553_799, -9_000),
        (1_320_553_800, -12_600), (1_772_947_799, -12_600), (1_772_947_800, -9_000),
        (1_793_507_399, -9_000), (1_793_507_400, -12_600),
      ]
    ),
    (
      "Australia/Lord_Howe",
      [
        (1_775_314_799, 39_600), (1_775_314_800, 37_800), (1_791_041_399, 37_800),
        (1_791_041_400, 39_600), (2_216_818_799, 39_600), (2_216_818_800, 37_800),
        (2_233_150_199, 37_800), (2_233_150_200, 39_600),
      ]
    ),
    (
      "Australia/Sydney",
      [
        (478_627_199, 39_600), (478_627_200, 36_000), (499_190_399, 36_000), (499_190_400, 39_600),
        (1_775_318_399, 39_600), (1_775_318_400, 36_000), (1_791_043_199, 36_000),
        (1_791_043_200, 39_600), (2_216_822_399, 39_600), (2_216_822_400, 36_000),
        (2_233_151_999, 36_000), (2_233_152_000, 39_600),
      ]
    ),
    (
      "Asia/Kolkata",
      [
        (1_782_907_200, 19_800), (2_224_756_800, 19_800),
      ]
    ),
    (
      "Asia/Kathmandu",
      [
        (504_901_799, 19_800), (504_901_800, 20_700), (520_603_200, 20_700), (1_782_907_200, 20_700),
      ]
    ),
    (
      "Pacific/Apia",
      [
        (1_301_752_799, -36_000), (1_301_752_800, -39_600), (1_316_872_799, -39_600),
        (1_316_872_800, -36_000),
      ]
    ),
    (
      "America/Sao_Paulo",
      [
        (1_518_919_199, -7_200), (1_518_919_200, -10_800), (1_541_300_399, -10_800),
        (1_541_300_400, -7_200),
      ]
    ),
    (
      "Europe/Dublin",
      [
        (1_774_745_999, 0), (1_774_746_000, 3_600), (1_792_889_999, 3_600), (1_792_890_000, 0),
        (2_216_249_999, 0), (2_216_250_000, 3_600), (2_234_998_799, 3_600), (2_234_998_800, 0),
      ]
    ),
    (
      "Pacific/Chatham",
      [
        (1_775_311_199, 49_500), (1_775_311_200, 45_900), (1_790_431_199, 45_900),
        (1_790_431_200, 49_500), (2_216_815_199, 49_500), (2_216_815_200, 45_900),
        (2_232_539_999, 45_900), (2_232_540_000, 49_500),
      ]
    ),
    (
      "Asia/Tehran",
      [
        (1_300_739_399, 12_600), (1_300_739_400, 16_200), (1_316_633_399, 16_200),
        (1_316_633_400, 12_600),
      ]
    ),
  ]

  @Test(arguments: offsets.indices)
  func offsetsAroundChanges(_ index: Int) throws {
    let (name, rows) = Self.offsets[index]
    let zone = try TimeZoneRules(named: name)
    for (seconds, offset) in rows { #expect(zone.offset(atSeconds: seconds) == offset, "\(name) \(seconds)") }
    for (before, after) in zip(rows, rows.dropFirst()) where after.seconds == before.seconds + 1 {
      #expect(zone.nextChange(afterSeconds: before.seconds) == after.seconds, "\(name) \(before.seconds)")
    }
  }

  private static let locals: [(zone: String, local: LocalTime, seconds: Int64)] = [
    ("Europe/Berlin", LocalTime(2026, 3, 29, 2, 30), 1_774_747_800),
    ("Europe/Berlin", LocalTime(2026, 10, 25, 2, 30), 1_792_888_200),
    ("Europe/Berlin", LocalTime(2040, 7, 1, 12, 0), 2_224_749_600),
    ("America/New_York", LocalTime(2026, 3, 8, 2, 0), 1_772_953_200),
    ("America/New_York", LocalTime(2026, 11, 1, 1, 59), 1_793_512_740),
    ("Australia/Sydney", LocalTime(2026, 10, 4, 2, 15), 1_791_044_100),
    ("Australia/Sydney", LocalTime(2026, 4, 5, 2, 15), 1_775_315_700),
    ("Australia/Lord_Howe", LocalTime(2026, 10, 4, 2, 10), 1_791_042_000),
    ("Australia/Lord_Howe", LocalTime(2026, 4, 5, 1, 45), 1_775_313_900),
    ("Pacific/Apia", LocalTime(2011, 12, 30, 9, 0), 1_325_271_600),
    ("America/Sao_Paulo", LocalTime(2018, 11, 4, 0, 30), 1_541_302_200),
    ("Asia/Kolkata", LocalTime(2026, 6, 1, 0, 0), 1_780_252_200),
    ("Africa/Casablanca", LocalTime(2026, 2, 15, 2, 30), 1_771_119_000),
    ("Europe/Dublin", LocalTime(2026, 3, 29, 1, 30), 1_774_747_800),
    ("America/St_Johns", LocalTime(2011, 3, 13, 0, 30), 1_299_988_800),
  ]

  @Test(arguments: locals.indices)
  func clockTimes(_ index: Int) throws {
    let (name, local, seconds) = Self.locals[index]
    let zone = try TimeZoneRules(named: name)
    #expect(zone.seconds(of: local) == seconds, "\(name) \(local.text)")
  }

  @Test func clockTimesAreFoundAgain() throws {
    for (name, rows) in Self.offsets {
      let zone = try TimeZoneRules(named: name)
      // A quarter of an hour at a time, from a day before each change to a day after it.
      for (seconds, _) in rows {
        for time in stride(from: seconds - 86_400, through: seconds + 86_400, by: 900) {
          let found = zone.seconds(of: zone.local(atSeconds: time))
          #expect(zone.local(atSeconds: found) == zone.local(atSeconds: time) && found <= time)
        }
      }
    }
  }

  private static let footers: [(text: String, seconds: Int64, offset: Int)] = [
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_745_999, 3_600),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_746_000, 7_200),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_792_889_999, 7_200),
    ("CET-1CEST,M3.5.0,M10.5.0/3", 1_792_890_000, 3_600),
    ("<+0330>-3:30", 0, 12_600),
    ("<-03>3", 0, -10_800),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_767_225_600, 39_600),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", 1_782_907_200, 36_000),
    // Nuuk: on the Saturday before the last Sunday, an hour before midnight, written as a negative time.
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_774_745_999, -7_200),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 1_774_746_000, -3_600),
    // Troll's week of 167 hours: a whole week after Sunday, 2026-03-01T00:00 (minus one hour).
    ("STD0DST,M3.1.0/167,M10.1.0", 1_772_924_399 + 0, 0),
    ("STD0DST,M3.1.0/167,M10.1.0", 1_772_924_400, 3_600),
    // Without a rule, that of the United States; all year, also across New Year.
    ("EST5EDT", 1_772_953_199, -18_000),
    ("EST5EDT", 1_772_953_200, -14_400),
    ("XXX3EDT4,0/0,J365/23", 1_767_236_399, -14_400),
    ("XXX3EDT4,0/0,J365/23", 1_767_236_400, -14_400),
    // The 60th day, counted without and with 29 February, of a leap year and of another.
    ("STD0DST,J60/0,J300/0", 1_709_251_199, 0),
    ("STD0DST,J60/0,J300/0", 1_709_251_200, 3_600),
    ("STD0DST,59/0,J300/0", 1_709_164_799, 0),
    ("STD0DST,59/0,J300/0", 1_709_164_800, 3_600),
    ("STD0DST,59/0,J300/0", 1_772_323_200, 3_600),
  ]

  @Test(arguments: footers.indices)
  func footerRules(_ index: Int) throws {
    let (text, seconds, offset) = Self.footers[index]
    #expect(try #require(ZoneFooter(text)).offset(at: seconds) == offset, "\(text) \(seconds)")
  }

  @Test(arguments: [
    "", "CE-1", "CET", "CET-25", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.0",
    "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,J0,J300", "CET-1CEST,M3.5.0,M10.5.0 ", "<+03-3", "CET-1:60",
  ])
  func footersThatAreNone(_ text: String) { #expect(ZoneFooter(text) == nil) }

  /// A file without a single time: what slim databases have.
  private static func slim(_ footer: String, leapSeconds: UInt8 = 0) -> [UInt8] {
    var head = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
    head += [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, leapSeconds, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
    let body: [UInt8] = [0, 0, 0x0E, 0x10, 0, 0] + Array("CET\0".utf8)
    let leaps = [UInt8](repeating: 0, count: Int(leapSeconds) * 12)
    let first = [UInt8](repeating: 0, count: Int(leapSeconds) * 8)
    return head + body + first + head + body + leaps + Array("\n\(footer)\n".utf8)
  }

  @Test func slimFilesAndDamagedOnes() throws {
    let folder = TemporaryFolder()
    func zone(_ bytes: [UInt8]) throws -> TimeZoneRules {
      let replacement = try FileReplacement(of: folder.path + "/Zone", draft: .fixed)
      try Descriptor.writeAll(bytes, to: replacement.descriptor, at: 0)
      try replacement.finish()
      return try TimeZoneRules(named: "Zone", folder: folder.path)
    }
    let whole = Self.slim("CET-1CEST,M3.5.0,M10.5.0/3")
    #expect(try zone(whole).offset(atSeconds: 1_774_746_000) == 7_200)
    #expect(try zone(Self.slim("")).offset(atSeconds: 1_774_746_000) == 3_600)
    #expect(throws: TimeZoneError.unreadable("Zone", reason: "its last line 'CET' is no rule")) {
      try zone(Self.slim("CET"))
    }
    let leaps = #expect(throws: TimeZoneError.self) { try zone(Self.slim("CET-1", leapSeconds: 1)) }
    #expect(leaps?.description.contains("leap seconds") == true)
    for count in 5..<whole.count {
      #expect(throws: TimeZoneError.self) { try zone(Array(whole[..<count])) }
    }
  }

  @Test(arguments: [
    "../etc/passwd", "/etc/localtime", "Europe/../../x", "", "Europe/", "Europe//Berlin", "Europe/Ber lin",
    ".", "-x",
    "Europe/Berlin\0", String(repeating: "a", count: 256),
  ])
  func namesThatAreNone(_ name: String) {
    #expect(throws: TimeZoneError.notAName(name)) { try TimeZoneRules(named: name) }
  }

  @Test func unknownZones() throws {
    let folder = TemporaryFolder()
    #expect(throws: TimeZoneError.unknown("Europe/Berln", folder: folder.path)) {
      try TimeZoneRules(named: "Europe/Berln", folder: folder.path)
    }
    #expect(throws: TimeZoneError.noZones(folder: folder.path + "/none")) {
      try TimeZoneRules(named: "Europe/Berlin", folder: folder.path + "/none")
    }
    // A folder, and a file that is no zone.
    #expect(throws: TimeZoneError.self) { try TimeZoneRules(named: "Europe") }
    #expect(try TimeZoneRules(named: "UTC", folder: folder.path + "/none").offset(atSeconds: 0) == 0)
  }

  private static let weeks: [(date: LocalTime, weekday: Int, year: Int, week: Int)] = [
    (LocalTime(2026, 1, 1), 4, 2026, 1), (LocalTime(2025, 12, 29), 1, 2026, 1),
    (LocalTime(2027, 1, 3), 0, 2026, 53),
    (LocalTime(2027, 1, 4), 1, 2027, 1), (LocalTime(2024, 12, 30), 1, 2025, 1),
    (LocalTime(2021, 1, 3), 0, 2020, 53),
    (LocalTime(1969, 12, 31), 3, 1970, 1),
  ]

  @Test(arguments: weeks.indices)
  func weeksOfYears(_ index: Int) {
    let (date, weekday, year, week) = Self.weeks[index]
    #expect(date.weekday == weekday && date.isoWeek == (year, week), "\(date.text)")
  }
}
