/// Tokens of personas, unsigned, as emulators take them.

internal import DocModel
internal import JSON

enum WireToken {
  /// - Parameter seconds: now; a token's own times are those of the suite's clock.
  static func text(_ claims: Fields, now seconds: Int64) -> String {
    var claims = claims
    claims["iat"] = .integer(seconds - 60)
    claims["auth_time"] = .integer(seconds - 60)
    claims["exp"] = .integer(seconds + 3_600)
    let head = JSONWriter.bytes(of: ["alg": "none", "typ": "JWT"])
    var writer = JSONWriter()
    plain(.map(claims), &writer)
    return "\(Base64.urlSafeText(head)).\(Base64.urlSafeText(writer.bytes))."
  }

  /// A value as JSON alone has it: claims know no other kinds.
  private static func plain(_ value: Value, _ writer: inout JSONWriter) {
    switch value {
    case .null: writer.null()
    case .boolean(let flag): writer.boolean(flag)
    case .integer(let number): writer.integer(number)
    case .double(let number): writer.number(number)
    case .timestamp(let instant): writer.string(instant.rfc3339)
    case .string(let text), .reference(let text): writer.string(text)
    case .bytes(let bytes): writer.string(Base64.text(bytes))
    case .geoPoint(let point): writer.array([point.latitude, point.longitude]) { $0.number($1) }
    case .array(let elements): writer.array(elements) { plain($1, &$0) }
    case .vector(let elements): writer.array(elements) { $0.number($1) }
    case .map(let fields):
      writer.object { object in
        for entry in fields.entries {
          object.member(named: entry.name) { plain(entry.value, &$0) }
        }
      }
    }
  }
}
