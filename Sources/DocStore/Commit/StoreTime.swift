/// What time it is where documents are, as servers tell it.

internal import DocModel
package import JSON

/// `{"time": "2026-03-01T12:00:00Z", "standing": true}`, of `/emulator/v1/clock`.
package struct StoreTime: Sendable {
  /// Microseconds since the epoch.
  package let time: Int64
  /// Whether it stands until somebody moves it.
  package let isStanding: Bool

  package init(time: Int64, isStanding: Bool) {
    self.time = time
    self.isStanding = isStanding
  }

  /// Nil for what tells no time.
  package init?(json body: [UInt8]) {
    guard let json = try? JSONReader.read(body), let text = json["time"]?.text,
      let time = Timestamp(rfc3339: text), let isStanding = json["standing"]?.boolean
    else { return nil }
    self.init(time: time.microseconds, isStanding: isStanding)
  }

  package var json: JSONValue {
    ["time": .text(Timestamp(microseconds: time).rfc3339), "standing": .boolean(isStanding)]
  }
}
