/// What a machine reads of a failure: the details of a `google.rpc.Status`.
///
/// Over gRPC they travel encoded in `grpc-status-details-bin`, over REST as `details` of the error's object.
/// Source: google/rpc/error_details.proto; docs/spec/production-differences.md F2.

internal import DocModel
internal import JSON

/// One detail: the name of its message, and the message.
struct StatusDetail {
  let type: String
  let message: [UInt8]
}

/// A machine's reason for a status.
struct ErrorInfo {
  static let type = "google.rpc.ErrorInfo"
  /// The domain of the service's own reasons.
  static let firestore = "firestore.googleapis.com"

  let reason: String
  let domain: String
  let metadata: [(key: String, value: String)]

  var detail: StatusDetail {
    var writer = WireWriter()
    writer.field(1, text: reason)
    writer.field(2, text: domain)
    for entry in metadata {
      writer.message(3) { pair in
        pair.field(1, text: entry.key)
        pair.field(2, text: entry.value)
      }
    }
    return StatusDetail(type: Self.type, message: writer.bytes)
  }
}

/// Where to read on.
struct HelpLink {
  static let type = "google.rpc.Help"
  let description: String
  let url: String

  var detail: StatusDetail {
    var writer = WireWriter()
    writer.message(1) { link in
      link.field(1, text: description)
      link.field(2, text: url)
    }
    return StatusDetail(type: Self.type, message: writer.bytes)
  }
}

/// Which field of a request is wrong.
struct BadRequest {
  static let type = "google.rpc.BadRequest"
  /// Empty for a name that is no field.
  let field: String
  let description: String

  var detail: StatusDetail { Self.detail([self]) }

  /// Several of one request.
  static func detail(_ violations: [BadRequest]) -> StatusDetail {
    var writer = WireWriter()
    for found in violations {
      writer.message(1) { violation in
        if !found.field.isEmpty { violation.field(1, text: found.field) }
        violation.field(2, text: found.description)
      }
    }
    return StatusDetail(type: type, message: writer.bytes)
  }
}

extension GRPCStatus {
  /// The same status with details.
  func with(_ details: StatusDetail...) -> GRPCStatus {
    var writer = WireWriter()
    writer.field(1, varint: UInt64(code.rawValue))
    writer.field(2, text: message)
    for detail in details {
      writer.message(3) { any in
        any.field(1, text: "type.googleapis.com/" + detail.type)
        any.field(2, bytes: detail.message)
      }
    }
    var status = self
    status.details = writer.bytes
    return status
  }
}

// MARK: - As JSON

extension JSONWriter {
  /// The details of an encoded `google.rpc.Status` of ours.
  mutating func statusDetails(_ status: UnsafeRawBufferPointer) {
    var found: [(type: String, message: UnsafeRawBufferPointer)] = []
    PlainFields.forEach(status) { number, detail in
      guard number == 3 else { return }
      var type = ""
      var message = WireCursor.empty
      PlainFields.forEach(detail) { number, content in
        if number == 1 { type = String(decoding: content, as: UTF8.self) } else { message = content }
      }
      found.append((type, message))
    }
    array(found) { writer, detail in
      writer.object { object in
        object.member("@type") { $0.string(detail.type) }
        object.errorDetail(detail.type, detail.message)
      }
    }
  }
}

extension JSONWriter.ObjectWriter {
  /// The members of one detail, inside its object.
  mutating func errorDetail(_ type: String, _ message: UnsafeRawBufferPointer) {
    switch type.split(separator: "/").last.map(String.init) {
    case ErrorInfo.type: errorInfo(message)
    case HelpLink.type: list(message, "links", ("description", "url"))
    case BadRequest.type: list(message, "fieldViolations", ("field", "description"))
    default: break
    }
  }

  private mutating func errorInfo(_ message: UnsafeRawBufferPointer) {
    var metadata: [UnsafeRawBufferPointer] = []
    PlainFields.forEach(message) { number, content in
      switch number {
      case 1: member("reason") { $0.string(content) }
      case 2: member("domain") { $0.string(content) }
      default: metadata.append(content)
      }
    }
    if metadata.isEmpty { return }
    member("metadata") { writer in
      writer.object { object in
        for pair in metadata {
          var key = WireCursor.empty
          PlainFields.forEach(pair) { number, content in
            if number == 1 { key = content } else { object.member(key) { $0.string(content) } }
          }
        }
      }
    }
  }

  /// Messages of two texts each, all of them field 1.
  private mutating func list(
    _ message: UnsafeRawBufferPointer, _ name: StaticString, _ names: (StaticString, StaticString)
  ) {
    var elements: [UnsafeRawBufferPointer] = []
    PlainFields.forEach(message) { _, content in elements.append(content) }
    member(name) { writer in
      writer.array(elements) { writer, element in
        writer.object { object in
          PlainFields.forEach(element) { number, content in
            object.member(number == 1 ? names.0 : names.1) { $0.string(content) }
          }
        }
      }
    }
  }
}

extension GRPCStatus {
  /// The body of an HTTP error.
  package var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { outer in
      outer.member("error") { error in
        error.object { object in
          object.member("code") { $0.integer(code.httpStatus) }
          if !message.isEmpty { object.member("message") { $0.string(message) } }
          object.member("status") { $0.string(code.name) }
          if let details {
            object.member("details") { writer in details.withUnsafeBytes { writer.statusDetails($0) } }
          }
        }
      }
    }
    return writer.bytes
  }
}

extension ErrorInfo {
  /// - Parameter method: `google.firestore.v1.Firestore/GetDocument`.
  static func credentialsMissing(_ method: String) -> ErrorInfo {
    ErrorInfo(
      reason: "CREDENTIALS_MISSING", domain: "googleapis.com",
      metadata: [
        ("method", String(method.map { $0 == "/" ? "." : $0 })), ("service", ErrorInfo.firestore),
      ])
  }
}
