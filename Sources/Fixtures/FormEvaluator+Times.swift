/// Times in files: written out, or as much before or after `now`.

public import DocModel
internal import YAML

extension FormEvaluator {
  /// A timestamp, or the text of one; below microseconds everything is cut.
  func instant(_ argument: Argument, _ usage: String) throws(YAMLError) -> Timestamp {
    if case .plain(.timestamp(let instant)) = argument.value { return instant }
    let usage = "\(usage) a time as in 2026-01-05T09:00:00Z" + (now == nil ? "" : ", now or now-1d12h")
    let text = try argument.text(usage)
    if now == nil, TimeText.isRelative(text) {
      throw argument.error(
        "'\(text)' means nothing here: a seed gives the same documents whenever it runs. "
          + "Write the time, or {$serverTime: true}")
    }
    guard let instant = TimeText.instant(text, now: now) else {
      throw argument.error("\(usage); '\(text)' is none")
    }
    return instant.truncatedToMicroseconds
  }
}

extension Form {
  /// Whether what it comes to depends on when it is asked.
  var isRelativeTime: Bool {
    guard case .constant(.plain(.string(let text))) = content else { return false }
    return TimeText.isRelative(text)
  }
}

/// Instants in files.
public enum TimeText {
  private static let present = "now"

  /// - Parameter now: what `now` means, in microseconds; nil where nothing is meant.
  /// - Returns: nil for a text that is no time.
  public static func instant(_ text: String, now: Int64?) -> Timestamp? {
    guard isRelative(text) else { return parse(text) }
    guard let now, let seconds = try? TimeStep.signed(text.dropFirst(present.count)) else { return nil }
    let instant = Timestamp(microseconds: now + seconds * 1_000_000)
    return instant.isValid ? instant : nil
  }

  static func isRelative(_ text: String) -> Bool { text.hasPrefix(present) }

  /// Like `Timestamp(rfc3339:)`, with any number of fraction digits, and never a bare date.
  private static func parse(_ text: String) -> Timestamp? {
    let bytes = Array(text.utf8)
    guard bytes.count > 10 else { return nil }
    guard let dot = bytes.firstIndex(of: UInt8(ascii: ".")) else { return Timestamp(rfc3339: text) }
    let digits = bytes[(dot + 1)...].prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    let kept = bytes[...dot] + digits.prefix(9) + bytes[digits.endIndex...]
    return Timestamp(rfc3339: String(decoding: kept, as: UTF8.self))
  }
}
