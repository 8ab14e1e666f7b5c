/// The text format that Prometheus and everything like it reads.
///
/// Source: the Prometheus text exposition format, version 0.0.4.

public struct PrometheusText: Sendable {
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  public enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  public private(set) var bytes: [UInt8] = []
  private var name = ""

  public init() {}

  /// Begins a family of metrics. Its samples follow.
  public mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    self.name = name
    bytes += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n".utf8
  }

  /// A sample of the family that was begun last.
  public mutating func sample(_ value: Int, _ labels: [(String, String)] = []) {
    sample(text: String(value), labels)
  }

  public mutating func sample(_ value: Double, _ labels: [(String, String)] = []) {
    sample(text: value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : "\(value)", labels)
  }

  /// A family of one sample.
  public mutating func single(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
    family(name, kind, help)
    sample(value)
  }

  /// The same of seconds.
  public mutating func single(_ name: String, _ kind: Kind, _ help: String, seconds: Double) {
    family(name, kind, help)
    sample(text: "\(seconds)", [])
  }

  /// The histogram of one thing, in seconds.
  public mutating func histogram(_ row: LatencyRow, at index: Int, _ labels: [(String, String)]) {
    let reading = row.reading(at: index)
    var total = 0
    for (count, bound) in zip(reading.buckets, LatencyRow.boundTexts + ["+Inf"]) {
      total += count
      sample(text: String(total), labels + [("le", bound)], suffix: "_bucket")
    }
    sample(text: "\(Double(reading.nanoseconds) / 1e9)", labels, suffix: "_sum")
    sample(text: String(total), labels, suffix: "_count")
  }

  private mutating func sample(text: String, _ labels: [(String, String)], suffix: String = "") {
    bytes += name.utf8
    bytes += suffix.utf8
    if !labels.isEmpty {
      bytes.append(UInt8(ascii: "{"))
      for (index, label) in labels.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes += label.0.utf8
        bytes += "=\"".utf8
        for byte in label.1.utf8 {
          switch byte {
          case UInt8(ascii: "\\"): bytes += "\\\\".utf8
          case UInt8(ascii: "\""): bytes += "\\\"".utf8
          case UInt8(ascii: "\n"): bytes += "\\n".utf8
          default: bytes.append(byte)
          }
        }
        bytes.append(UInt8(ascii: "\""))
      }
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(UInt8(ascii: " "))
    bytes += text.utf8
    bytes.append(UInt8(ascii: "\n"))
  }
}
