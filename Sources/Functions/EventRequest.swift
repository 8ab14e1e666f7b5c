/// One event as an HTTP request, in the forms that functions take.
///
/// Source: docs/spec/streams.md 5.3, 5.5; CloudEvents 1.0, HTTP binding.

internal import DocModel
internal import DocStore
internal import JSON
internal import Triggers

struct EventRequest: Sendable {
  let headers: [(name: String, value: String)]
  let body: [UInt8]

  init(_ event: DocumentEvent, for endpoint: FunctionEndpoint, cause: String?) {
    var headers: [(name: String, value: String)] = []
    let data = EventData(event)
    switch endpoint.mode {
    case .legacy:
      headers.append(("content-type", "application/json"))
      body = data.legacy(endpoint.legacyEventType)
    case .structured:
      headers.append(("content-type", "application/cloudevents+json; charset=utf-8"))
      body = Self.structured(event, data, endpoint)
    case .binary, .emulator:
      for (name, value) in Self.attributes(event, endpoint) {
        headers.append(("ce-" + name, Self.escaped(value)))
      }
      headers.append(("content-type", Self.contentType(endpoint)))
      let bytes = endpoint.format == .json ? data.json : data.protobuf
      body = endpoint.mode == .emulator ? Base64.encode(bytes) : bytes
    }
    if let cause { headers.append((EventCause.header, cause)) }
    self.headers = headers
  }

  /// What Cloud Scheduler sends to a function that runs at certain times. Source: firebase-functions, scheduler_fn.
  init(_ event: ScheduleEvent, cause: String?) {
    headers =
      [
        ("user-agent", "Google-Cloud-Scheduler"), ("x-cloudscheduler", "true"),
        ("x-cloudscheduler-jobname", Self.escaped(event.jobName)),
        ("x-cloudscheduler-scheduletime", event.scheduleTime.rfc3339),
      ] + [cause].compactMap { $0.map { (EventCause.header, $0) } }
    body = []
  }

  private static let schema =
    "https://github.com/googleapis/google-cloudevents/blob/main/proto/google/events/cloud/firestore/v1/data.proto"

  /// Where production's multi-region databases of the Americas are; functions fail without a location.
  /// Source: the official emulator.
  private static let location = "us-central1"

  private static func contentType(_ endpoint: FunctionEndpoint) -> String {
    endpoint.format == .json ? "application/json" : "application/protobuf"
  }

  private static func attributes(
    _ event: DocumentEvent, _ endpoint: FunctionEndpoint
  ) -> [(name: String, value: String)] {
    var attributes = [
      ("specversion", "1.0"), ("id", event.id), ("type", endpoint.eventType),
      ("source", "//firestore.googleapis.com/" + event.database.resourceName),
      ("subject", "documents/" + event.path.text), ("time", event.time.sixDigits),
      ("datacontenttype", contentType(endpoint)), ("dataschema", schema), ("location", location),
      ("project", event.database.project), ("database", event.database.database), ("namespace", "(default)"),
      ("document", event.path.text),
    ]
    if endpoint.hasAuthContext {
      attributes += [("authtype", event.author.authType), ("authid", event.author.authID)]
    }
    return attributes
  }

  private static func structured(
    _ event: DocumentEvent, _ data: EventData, _ endpoint: FunctionEndpoint
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      for (name, value) in attributes(event, endpoint) {
        object.member(named: name) { $0.string(value) }
      }
      switch endpoint.format {
      case .json: object.member("data") { data.write(to: &$0) }
      case .protobuf:
        object.member("data_base64") {
          $0.string(String(decoding: Base64.encode(data.protobuf), as: UTF8.self))
        }
      }
    }
    return writer.bytes
  }

  /// The value of a header: what is no printable ASCII, quotes and percent signs are percent-encoded.
  private static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      let isPlain = byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "%")
      bytes += isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension CommitAuthor {
  /// The words are firebase-functions' `AuthType`; users of apps are `unknown` to it, with their id.
  /// Source: firebase-functions reference, firestore.AuthType; docs/spec/streams.md 5.3.
  var authType: String {
    switch self {
    case .unknown, .user: "unknown"
    case .system: "system"
    case .administrator: "service_account"
    case .anonymous: "unauthenticated"
    }
  }

  /// Always there, if only empty: functions fail without it.
  var authID: String {
    switch self {
    case .unknown, .system, .anonymous: ""
    case .administrator: "owner"
    case .user(let id): id
    }
  }
}

/// The data of an event: the document before and after, and what differs.
struct EventData {
  private let value: [UInt8]?
  private let oldValue: [UInt8]?
  private let changed: [FieldPath]
  private let event: DocumentEvent

  init(_ event: DocumentEvent) {
    self.event = event
    value = event.afterImage.map { Self.document(event.document, $0) }
    oldValue = event.beforeImage.map { Self.document(event.document, $0) }
    if let before = event.before, let after = event.after {
      changed = Self.changes(before, after, []).sorted()
    } else {
      changed = []
    }
  }

  /// A `google.events.cloud.firestore.v1.Document`.
  private static func document(_ name: DocumentName, _ image: DocumentImage) -> [UInt8] {
    var writer = WireWriter(reserving: image.byteCount + 128)
    writer.field(1, text: name.resourceName)
    image.withDocument { writer.bytes.append(contentsOf: $0.fields.bytes) }
    writer.timestamp(3, Timestamp(microseconds: image.createTime))
    writer.timestamp(4, Timestamp(microseconds: image.updateTime))
    return writer.bytes
  }

  /// The paths of fields that are new, gone or different; maps are entered.
  private static func changes(_ before: Fields, _ after: Fields, _ prefix: [String]) -> [FieldPath] {
    var paths: [FieldPath] = []
    let names = before.entries.map(\.name) + after.entries.map(\.name).filter { before[$0] == nil }
    for name in names {
      let segments = prefix + [name]
      switch (before[name], after[name]) {
      case (.some(.map(let old)), .some(.map(let new))): paths += changes(old, new, segments)
      case (.some(let old), .some(let new)) where old == new: break
      default:
        if let path = FieldPath(segments: segments) { paths.append(path) }
      }
    }
    return paths
  }

  /// A `DocumentEventData`. The mask is always there: an empty body would be no message for some readers.
  var protobuf: [UInt8] {
    var writer = WireWriter(reserving: (value?.count ?? 0) + (oldValue?.count ?? 0) + 16)
    if let value { writer.field(1, bytes: value) }
    if let oldValue { writer.field(2, bytes: oldValue) }
    writer.message(3) { for path in changed { $0.field(1, text: path.text) } }
    return writer.bytes
  }

  var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// `{value, oldValue, updateMask}`; what is not there is left out.
  func write(to writer: inout JSONWriter) {
    writer.object { object in
      if let value { object.member("value") { writer in value.withUnsafeBytes { writer.document($0) } } }
      if let oldValue {
        object.member("oldValue") { writer in oldValue.withUnsafeBytes { writer.document($0) } }
      }
      object.member("updateMask") { writeMask(to: &$0) }
    }
  }

  private func writeMask(to writer: inout JSONWriter) {
    writer.object { object in
      if !changed.isEmpty { object.member("fieldPaths") { $0.array(changed) { $0.string($1.text) } } }
    }
  }

  /// The JSON of first-generation functions, all of whose keys are always there.
  func legacy(_ type: String) -> [UInt8] {
    func write(_ document: [UInt8]?, to writer: inout JSONWriter) {
      guard let document else { return writer.object { _ in } }
      document.withUnsafeBytes { writer.document($0) }
    }
    var writer = JSONWriter()
    writer.object { object in
      object.member("data") {
        $0.object { data in
          data.member("value") { write(value, to: &$0) }
          data.member("oldValue") { write(oldValue, to: &$0) }
          data.member("updateMask") { writeMask(to: &$0) }
        }
      }
      object.member("context") {
        $0.object { context in
          context.member("eventId") { $0.string(event.changeID) }
          context.member("timestamp") { $0.string(event.time.sixDigits) }
          context.member("eventType") { $0.string(type) }
          context.member("resource") {
            $0.object { resource in
              resource.member("name") { $0.string(event.document.resourceName) }
              resource.member("service") { $0.string("firestore.googleapis.com") }
            }
          }
        }
      }
    }
    return writer.bytes
  }
}

extension Timestamp {
  /// RFC 3339 with six digits: what the strictest readers of events take.
  var sixDigits: String {
    let text = Timestamp(seconds: seconds, nanoseconds: 0).rfc3339
    let digits = String(nanoseconds / 1_000)
    return text.dropLast() + "." + String(repeating: "0", count: 6 - digits.utf8.count) + digits + "Z"
  }
}
