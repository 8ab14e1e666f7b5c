/// Methods of timestamps, durations and places. Source: docs/spec/rules-language.md 3.8, 3.9.

internal import DocModel
internal import Platform

enum TimestampMethods {
  static let all: [MethodRow] = [
    .init(.year, [""], { _, receiver, _ in part(receiver) { Int64($0.calendarDate.year) } }),
    .init(.month, [""], { _, receiver, _ in part(receiver) { Int64($0.calendarDate.month) } }),
    .init(.day, [""], { _, receiver, _ in part(receiver) { Int64($0.calendarDate.day) } }),
    .init(.hours, [""], { _, receiver, _ in part(receiver) { $0.secondOfDay / 3_600 } }),
    .init(.minutes, [""], { _, receiver, _ in part(receiver) { $0.secondOfDay / 60 % 60 } }),
    .init(.seconds, [""], { _, receiver, _ in part(receiver) { $0.secondOfDay % 60 } }),
    .init(.nanos, [""], { _, receiver, _ in part(receiver) { Int64($0.nanoseconds) } }),
    // Monday is 1; 1970-01-01 was a Thursday.
    .init(.dayOfWeek, [""], { _, receiver, _ in part(receiver) { (($0.day + 3) % 7 + 7) % 7 + 1 } }),
    .init(
      .dayOfYear, [""],
      { _, receiver, _ in
        part(receiver) { time in
          let newYear = Timestamp.days(year: time.calendarDate.year, month: 1, day: 1)
          return time.day - Int64(newYear) + 1
        }
      }
    ),
    .init(
      .toMillis, [""],
      { _, receiver, _ in
        part(receiver) { $0.seconds * 1_000 + Int64($0.nanoseconds / 1_000_000) }
      }
    ),
    .init(
      .date, [""],
      { _, receiver, _ in
        guard case .timestamp(let time) = receiver else { return nil }
        return .timestamp(Timestamp(seconds: time.midnight, nanoseconds: 0))
      }
    ),
    .init(
      .time, [""],
      { e, receiver, arguments in
        guard case .timestamp(let time) = receiver else { return nil }
        return e.duration(
          seconds: time.seconds - time.midnight, nanoseconds: Int64(time.nanoseconds), arguments.node)
      }
    ),
  ]

  private static func part(_ receiver: Operand, _ body: (Timestamp) -> Int64) -> Operand? {
    guard case .timestamp(let time) = receiver else { return nil }
    return .integer(body(time))
  }
}

enum DurationMethods {
  static let all: [MethodRow] = [
    .init(
      .seconds, [""],
      { _, receiver, _ in
        guard case .duration(let length) = receiver else { return nil }
        return .integer(length.seconds)
      }
    ),
    .init(
      .nanos, [""],
      { _, receiver, _ in
        guard case .duration(let length) = receiver else { return nil }
        return .integer(Int64(length.nanoseconds))
      }
    ),
  ]
}

enum LatLngMethods {
  /// Metres. Source: the official emulator; half the circumference is 20,015,115.07 m.
  private static let earthRadius = 6_371_009.0

  static let all: [MethodRow] = [
    .init(
      .latitude, [""],
      { _, receiver, _ in
        guard case .latlng(let point) = receiver else { return nil }
        return .float(point.latitude)
      }
    ),
    .init(
      .longitude, [""],
      { _, receiver, _ in
        guard case .latlng(let point) = receiver else { return nil }
        return .float(point.longitude)
      }
    ),
    .init(
      .distance, ["latlng"],
      { _, receiver, arguments in
        guard case .latlng(let a) = receiver, case .latlng(let b) = arguments[0] else { return nil }
        return .float(distance(a, b))
      }
    ),
  ]

  /// Great circle, by haversines; in the steps of the official engine, for the last digit.
  static func distance(_ a: GeoPoint, _ b: GeoPoint) -> Double {
    let degree = Double.pi / 180
    let sinLatitude = sin(0.5 * (b.latitude * degree - a.latitude * degree))
    let sinLongitude = sin(0.5 * (b.longitude * degree - a.longitude * degree))
    let x =
      sinLatitude * sinLatitude
      + sinLongitude * sinLongitude * cos(a.latitude * degree) * cos(b.latitude * degree)
    return 2 * asin(min(1, x.squareRoot())) * earthRadius
  }
}
