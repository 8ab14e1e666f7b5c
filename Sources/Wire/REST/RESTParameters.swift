/// Query parameters, bound to the fields of a request.
///
/// Source: spec/protocol.md 6.1; texts: spec/production-differences.md Q16, Q17.

internal import DocModel
internal import SwiftProtobuf

/// The parameters of one request. Fields are named by path, in camelCase or in snake_case.
struct RESTParameters {
  private let target: HTTPTarget
  private var allowed: [(camelCase: StaticString, snakeCase: StaticString)] = []

  init(_ target: HTTPTarget) { self.target = target }

  /// What every method takes and nobody binds.
  private static let ignored: [StaticString] = [
    "key", "alt", "prettyPrint", "fields", "quotaUser", "callback", "access_token", "upload_protocol",
    "uploadType", "oauth_token",
  ]

  /// All values of a repeated field.
  mutating func texts(_ camelCase: StaticString, _ snakeCase: StaticString) -> [String] {
    allowed.append((camelCase, snakeCase))
    return target.values(camelCase, snakeCase).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Of a repeated scalar the last counts.
  mutating func text(_ camelCase: StaticString, _ snakeCase: StaticString) -> String? {
    texts(camelCase, snakeCase).last
  }

  mutating func mask(_ camelCase: StaticString, _ snakeCase: StaticString)
    -> Google_Firestore_V1_DocumentMask?
  {
    let paths = texts(camelCase, snakeCase)
    return paths.isEmpty ? nil : .with { $0.fieldPaths = paths }
  }

  mutating func integer(_ camelCase: StaticString, _ snakeCase: StaticString) throws(GRPCStatus) -> Int32? {
    guard let text = text(camelCase, snakeCase) else { return nil }
    guard let number = Int32(text) else { throw Self.invalid(snakeCase, "TYPE_INT32", text) }
    return number
  }

  mutating func flag(_ camelCase: StaticString, _ snakeCase: StaticString) throws(GRPCStatus) -> Bool? {
    guard let text = text(camelCase, snakeCase) else { return nil }
    switch text {
    case "true", "True", "yes", "1", "t": return true
    case "false", "False", "no", "0", "F": return false
    default: throw Self.invalid(snakeCase, "TYPE_BOOL", text)
    }
  }

  mutating func time(
    _ camelCase: StaticString, _ snakeCase: StaticString
  ) throws(GRPCStatus) -> Google_Protobuf_Timestamp? {
    guard let text = text(camelCase, snakeCase) else { return nil }
    guard let time = Timestamp(rfc3339: text) else {
      throw Self.invalid(snakeCase, "type.googleapis.com/google.protobuf.Timestamp", text)
    }
    return .with {
      $0.seconds = time.seconds
      $0.nanos = time.nanoseconds
    }
  }

  /// Bytes, which the caller makes into its own type.
  mutating func bytes(_ camelCase: StaticString, _ snakeCase: StaticString) throws(GRPCStatus) -> [UInt8]? {
    guard let text = text(camelCase, snakeCase) else { return nil }
    guard let bytes = Base64.decodeAny(Array(text.utf8)) else {
      throw Self.invalid(snakeCase, "TYPE_BYTES", text)
    }
    return bytes
  }

  mutating func precondition() throws(GRPCStatus) -> Google_Firestore_V1_Precondition? {
    let exists = try flag("currentDocument.exists", "current_document.exists")
    let time = try time("currentDocument.updateTime", "current_document.update_time")
    if let exists { return .with { $0.exists = exists } }
    return time.map { time in .with { $0.updateTime = time } }
  }

  /// Refuses parameters that nothing was bound to; asked last.
  func refuseUnknown() throws(GRPCStatus) {
    for parameter in target.query {
      let isBound = allowed.contains {
        parameter.name.holds($0.camelCase) || parameter.name.holds($0.snakeCase)
      }
      // Tags of requests are for the service's own statistics.
      let isIgnored =
        parameter.name.first == UInt8(ascii: "$") || Self.ignored.contains(where: parameter.name.holds)
        || parameter.name.starts(with: "requestOptions.") || parameter.name.starts(with: "request_options.")
      if isBound || isIgnored { continue }
      let name = String(decoding: parameter.name, as: UTF8.self)
      throw GRPCStatus(
        .invalidArgument,
        "Invalid JSON payload received. Unknown name \"\(name)\": Cannot bind query parameter. "
          + "Field '\(name)' could not be found in request message.")
    }
  }

  private static func invalid(_ field: StaticString, _ type: String, _ text: String) -> GRPCStatus {
    GRPCStatus(.invalidArgument, "Invalid value at '\(field)' (\(type)), \"\(text)\"")
  }
}
