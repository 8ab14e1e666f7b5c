/// Timestamps and durations: ranges, calendar, units.
///
/// Everything is UTC. Source: docs/spec/rules-language.md 3.8 and the
/// official emulator.

internal import DocModel

extension Duration {
  /// LIMIT: about 10,000 years. Source: proto google/protobuf/duration.proto.
  static let secondsMax: Int64 = 315_576_000_000
}

extension Timestamp {
  static let secondsPerDay: Int64 = 86_400

  /// Days since 1970-01-01, rounded towards the past.
  var day: Int64 { Self.floorDivide(seconds, Self.secondsPerDay) }
  var calendarDate: (year: Int, month: Int, day: Int) { Self.date(days: Int(day)) }
  /// The midnight that `date()` gives: the one before, but in the first second of a day before 1970 the one after
  /// as soon as nanoseconds have passed. Source: the official emulator.
  var midnight: Int64 {
    let start = day * Self.secondsPerDay
    return start < 0 && start == seconds && nanoseconds > 0 ? start + Self.secondsPerDay : start
  }
  var secondOfDay: Int64 { seconds - day * Self.secondsPerDay }

  static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
    let quotient = a / b
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient
  }
}

extension Evaluation {
  /// A duration of seconds and nanoseconds that need not agree in sign.
  func duration(
    seconds: Int64, nanoseconds: Int64, _ node: Int32, range: String = FaultText.durationRange
  ) -> Operand {
    let (total, overflow) = seconds.addingReportingOverflow(nanoseconds / 1_000_000_000)
    var whole = total
    var rest = nanoseconds % 1_000_000_000
    if whole > 0, rest < 0 {
      whole -= 1
      rest += 1_000_000_000
    } else if whole < 0, rest > 0 {
      whole += 1
      rest -= 1_000_000_000
    }
    guard !overflow, whole.magnitude <= UInt64(Duration.secondsMax) else {
      return fault(.argument, node, range)
    }
    return .duration(Duration(seconds: whole, nanoseconds: Int32(rest)))
  }

  func timestamp(_ base: Timestamp, plus length: Duration, _ node: Int32) -> Operand {
    var seconds = base.seconds + length.seconds
    var nanoseconds = base.nanoseconds + length.nanoseconds
    if nanoseconds < 0 {
      nanoseconds += 1_000_000_000
      seconds -= 1
    } else if nanoseconds >= 1_000_000_000 {
      nanoseconds -= 1_000_000_000
      seconds += 1
    }
    return timestamp(seconds: seconds, nanoseconds: nanoseconds, node)
  }

  func timestamp(seconds: Int64, nanoseconds: Int32, _ node: Int32) -> Operand {
    let result = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
    return result.isValid ? .timestamp(result) : fault(.argument, node, FaultText.timestampRange)
  }

  /// `timestamp.value(milliseconds)`
  func timestamp(milliseconds: Int64, _ node: Int32) -> Operand {
    let rest = milliseconds % 1_000
    return timestamp(
      seconds: Timestamp.floorDivide(milliseconds, 1_000),
      nanoseconds: Int32(rest < 0 ? rest + 1_000 : rest) * 1_000_000, node)
  }

  /// `timestamp.date(year, month, day)`
  func date(_ year: Int64, _ month: Int64, _ day: Int64, _ node: Int32) -> Operand {
    guard year >= 1, year <= 9_999 else {
      return fault(
        .argument, node,
        "Timestamp should be between 0001-01-01T00.00.00Z and 9999-12-31T23.59.59Z. year: \(year).")
    }
    guard month >= 1, month <= 12, day >= 1, day <= 31,
      Int(day) <= Timestamp.days(inMonth: Int(month), of: Int(year))
    else {
      return fault(
        .argument, node, "Date is not valid. year: \(year), month: \(month) day: \(day).")
    }
    let days = Timestamp.days(year: Int(year), month: Int(month), day: Int(day))
    return .timestamp(Timestamp(seconds: Int64(days) * Timestamp.secondsPerDay, nanoseconds: 0))
  }

  /// `duration.value(amount, unit)`. An unknown unit is reported as the official engine does.
  func duration(_ amount: Int64, unit: ByteView, _ node: Int32) -> Operand {
    let name = unit.text
    let secondsPerUnit: Int64
    switch name {
    case "w": secondsPerUnit = 604_800
    case "d": secondsPerUnit = 86_400
    case "h": secondsPerUnit = 3_600
    case "m": secondsPerUnit = 60
    case "s": secondsPerUnit = 1
    case "ms":
      // Counted in nanoseconds, these must fit. Source: the official emulator.
      if amount.multipliedReportingOverflow(by: 1_000_000).overflow {
        return fault(.argument, node, FaultText.durationRange)
      }
      return duration(seconds: amount / 1_000, nanoseconds: amount % 1_000 * 1_000_000, node)
    case "ns":
      return duration(seconds: amount / 1_000_000_000, nanoseconds: amount % 1_000_000_000, node)
    default: return fault(.argument, node, FaultText.pattern(name))
    }
    let (seconds, overflow) = amount.multipliedReportingOverflow(by: secondsPerUnit)
    if overflow { return fault(.argument, node, FaultText.durationRange) }
    return duration(seconds: seconds, nanoseconds: 0, node)
  }

  /// `duration.time(hours, minutes, seconds, nanoseconds)`. Out of range it speaks of timestamps.
  /// Source: the official emulator.
  func duration(
    hours: Int64, minutes: Int64, seconds: Int64, nanoseconds: Int64, _ node: Int32
  ) -> Operand {
    let (h, hOver) = hours.multipliedReportingOverflow(by: 3_600)
    let (m, mOver) = minutes.multipliedReportingOverflow(by: 60)
    let (hm, hmOver) = h.addingReportingOverflow(m)
    let (total, over) = hm.addingReportingOverflow(seconds)
    if hOver || mOver || hmOver || over { return fault(.argument, node, FaultText.timestampRange) }
    return duration(seconds: total, nanoseconds: nanoseconds, node, range: FaultText.timestampRange)
  }
}
