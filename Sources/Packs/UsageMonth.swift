/// Months of quotas. Source: docs/packs/fitcoach.md, What triggers do.

internal import DocModel
internal import Platform

/// A month by the clocks of somebody's time zone.
struct UsageMonth {
  private let year: Int
  /// 1 to 12.
  private let month: Int
  private let zone: TimeZoneRules

  private init(_ year: Int, _ month: Int, in zone: TimeZoneRules) {
    self.year = year
    self.month = month
    self.zone = zone
  }

  /// The month that a time lies in.
  init(at time: Timestamp, in zone: TimeZoneRules) {
    let local = zone.local(atSeconds: time.seconds)
    self.init(local.year, local.month, in: zone)
  }

  /// The id of its usage document: `2026-03`.
  var id: String { "\(year)-\(month < 10 ? "0" : "")\(month)" }

  var next: UsageMonth {
    month == 12 ? UsageMonth(year + 1, 1, in: zone) : UsageMonth(year, month + 1, in: zone)
  }

  /// The first midnight of the next month.
  var end: Timestamp {
    Timestamp(seconds: zone.seconds(of: LocalTime(next.year, next.month, 1)), nanoseconds: 0)
  }

  /// The zone that a profile names. A name that is no zone's, which clients may write, means UTC.
  static func zone(of profile: Fields) throws(TimeZoneError) -> TimeZoneRules {
    guard let name = profile.string("timeZone") else { return .utc }
    do throws(TimeZoneError) { return try TimeZoneRules(named: name) } catch {
      switch error {
      case .unknown, .notAName: return .utc
      case .noZones, .unreadable: throw error
      }
    }
  }
}
