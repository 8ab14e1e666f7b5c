/// Query parameters, bound to the fields of a request.
///
/// Source: docs/spec/protocol.md 6.1; texts: docs/spec/production-differences.md Q16, Q17.

internal import DocModel

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

  /// The paths of a mask; nil when none is named, which is no mask.
  mutating func mask(_ camelCase: StaticString, _ snakeCase: StaticString) -> [String]? {
    let paths = texts(camelCase, snakeCase)
    return paths.isEmpty ? nil : paths
  }

  mutating func integer(_ camelCase: StaticString, _ snakeCase: StaticString) throws(GRPCStatus) -> Int32? {
    guard let text = text(camelCase, snakeCase) else { return nil }
    guard let number = ProtoNumber.integer(Array(text.utf8), Int64(Int32.min)...Int64(Int32.max)) else {
      throw Self.invalid(snakeCase, "TYPE_INT32", "\"\(text)\"")
    }
    return Int32(number)
  }

  mutating func flag(_ camelCase: StaticString, _ snakeCase: StaticString) throws(GRPCStatus) -> Bool? {
    guard let text = text(camelCase, snakeCase) else { return nil }
    guard let flag = ProtoNumber.truth(Array(text.utf8)) else {
      throw Self.invalid(snakeCase, "TYPE_BOOL", "\"\(text)\"")
    }
    return flag
  }

  mutating func time(
    _ camelCase: StaticString, _ snakeCase: StaticString
  ) throws(GRPCStatus) -> Timestamp? {
    guard let text = text(camelCase, snakeCase) else { return nil }
    switch Timestamp.transcoded(Array(text.utf8)) {
    case .success(let time): return time
    case .failure(let error):
      let field = String(describing: snakeCase).split(separator: ".").last ?? ""
      throw Self.invalid(
        snakeCase, "type.googleapis.com/google.protobuf.Timestamp",
        "Field '\(field)', \(error.fault.rawValue)")
    }
  }

  /// Bytes, which the caller makes into its own type.
  mutating func bytes(_ camelCase: StaticString, _ snakeCase: StaticString) throws(GRPCStatus) -> [UInt8]? {
    guard let text = text(camelCase, snakeCase) else { return nil }
    guard let bytes = Base64.decodeAny(Array(text.utf8)) else {
      throw Self.invalid(snakeCase, "TYPE_BYTES", "Base64 decoding failed for \"\(text)\"")
    }
    return bytes
  }

  mutating func precondition() throws(GRPCStatus) -> WirePrecondition {
    let exists = try flag("currentDocument.exists", "current_document.exists")
    let time = try time("currentDocument.updateTime", "current_document.update_time")
    if let exists { return .exists(exists) }
    return time.map { .updateTime($0) } ?? .none
  }

  /// Refuses a read at a time inside a transaction: both are ways of one choice.
  func refuseTimeInTransaction(_ hasTime: Bool, _ hasTransaction: Bool) throws(GRPCStatus) {
    guard hasTime, hasTransaction else { return }
    throw Self.refusal([
      BadRequest(
        field: "",
        description:
          "Invalid value (oneof), oneof field 'consistency_selector' is already set. Cannot set 'transaction'"
      )
    ])
  }

  /// Refuses parameters that nothing was bound to; asked last.
  func refuseUnknown() throws(GRPCStatus) {
    var unknown: [BadRequest] = []
    for parameter in target.query {
      let isBound = allowed.contains {
        parameter.name.holds($0.camelCase) || parameter.name.holds($0.snakeCase)
      }
      // Tags of requests are for the service's own statistics.
      let isIgnored =
        parameter.name.first == UInt8(ascii: "$") || Self.ignored.contains(where: parameter.name.holds)
        || parameter.name.starts(with: "requestOptions.") || parameter.name.starts(with: "request_options.")
      if isBound || isIgnored || unknown.count == Self.unknownMax { continue }
      let name = String(decoding: parameter.name, as: UTF8.self)
      unknown.append(
        BadRequest(
          field: "",
          description:
            "Invalid JSON payload received. Unknown name \"\(name)\": Cannot bind query parameter. "
            + "Field '\(name)' could not be found in request message."))
    }
    if !unknown.isEmpty { throw Self.refusal(unknown) }
  }

  /// LIMIT: unknown parameters that a refusal names.
  private static let unknownMax = 16

  private static func invalid(_ field: StaticString, _ type: String, _ text: String) -> GRPCStatus {
    refusal([
      BadRequest(field: "\(field)", description: "Invalid value at '\(field)' (\(type)), \(text)")
    ])
  }

  private static func refusal(_ violations: [BadRequest]) -> GRPCStatus {
    GRPCStatus(.invalidArgument, violations.map(\.description).joined(separator: "\n"))
      .with(BadRequest.detail(violations))
  }
}
