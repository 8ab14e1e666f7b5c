/// A function behind an HTTP address that is given events.

package import Client
public import DocModel
package import JSON
package import TLS
public import Triggers

/// Where events go: `http://host:port/path`, or the same with `https`.
public struct EndpointAddress: Hashable, Sendable, CustomStringConvertible {
  /// `https`.
  public let isSecure: Bool
  public let host: String
  public let port: Int
  /// Begins with a slash; with the query, if there is one.
  public let target: String

  public init(host: String, port: Int, target: String, isSecure: Bool = false) {
    self.isSecure = isSecure
    self.host = host
    self.port = port
    self.target = target
  }

  public init(_ text: String) throws(InvalidArgument) {
    isSecure = text.lowercased().hasPrefix("https://")
    guard isSecure || text.lowercased().hasPrefix("http://") else {
      throw InvalidArgument("'\(text)' is no address; expected http://host:port/path or https://host/path")
    }
    let rest = text.dropFirst(isSecure ? "https://".count : "http://".count)
    let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let target = rest.dropFirst(authority.count).prefix { $0 != "#" }
    guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw InvalidArgument("'\(text)' has characters that must be percent-encoded")
    }
    self.target = target.hasPrefix("/") ? String(target) : "/" + target
    (host, port) = try Self.authority(String(authority), defaultPort: isSecure ? 443 : 80)
  }

  /// Reads `host:port`, also `[::1]:5001`.
  public static func authority(_ text: String, defaultPort: Int?) throws(InvalidArgument) -> (String, Int) {
    let error = InvalidArgument("'\(text)' is no host:port")
    guard !text.contains("@") else {
      throw InvalidArgument("'\(text)': a user in an address is not supported")
    }
    var host = text
    var port = defaultPort
    if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
      guard let number = Int(text[text.index(after: colon)...]), (1...65_535).contains(number) else {
        throw error
      }
      port = number
      host = String(text[..<colon])
    }
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard let port, !host.isEmpty else { throw error }
    return (host, port)
  }

  /// `host:port`, for the header.
  var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

  public var description: String { (isSecure ? "https://" : "http://") + authority + target }
}

/// How one function is reached, and for what.
public struct FunctionEndpoint: Hashable, Sendable {
  /// How an event is laid out in a request.
  public enum Mode: String, Hashable, Sendable, CaseIterable {
    /// Attributes in headers, data as the body.
    case binary
    /// Everything in one JSON object.
    case structured
    /// As the functions emulator takes it: binary, with the body in base64.
    case emulator
    /// The JSON of first-generation functions.
    case legacy
  }

  /// What the data of an event is written as: `DocumentEventData` in protobuf, or its JSON.
  public enum Format: String, Hashable, Sendable, CaseIterable { case protobuf, json }

  /// The trigger's name, unique within a runner.
  public var name: String
  /// The changes that it is given.
  public var event: DocumentTrigger.Event
  /// A pattern of document paths (`PathPattern`): `users/{uid}`.
  public var document: String
  /// Where its events go.
  public var address: EndpointAddress
  /// Which databases it is about; nil for those of all projects, and for all databases of a project.
  public var project: String?
  public var database: String?
  public var mode = Mode.binary
  public var format = Format.protobuf
  /// Whose certificates are believed, of an `https` address.
  package var trust = TLSTrust.system
  /// Seconds that an attempt may take.
  public var timeout = 60
  /// Attempts at one event before it becomes a dead letter.
  public var attempts = 30
  /// Deliveries under way at a time; nil for eight.
  public var concurrency: Int?
  /// Whether events say who wrote: `….withAuthContext`.
  public var hasAuthContext = false

  public init(name: String, event: DocumentTrigger.Event, document: String, address: EndpointAddress) {
    self.name = name
    self.event = event
    self.document = document
    self.address = address
  }

  /// The type of a second-generation event.
  var eventType: String {
    "google.cloud.firestore.document.v1.\(event.rawValue)" + (hasAuthContext ? ".withAuthContext" : "")
  }

  /// The type of a first-generation event.
  var legacyEventType: String {
    let verb =
      switch event {
      case .created: "create"
      case .updated: "update"
      case .deleted: "delete"
      case .written: "write"
      }
    return "providers/cloud.firestore/eventTypes/document." + verb
  }

  /// Pauses between attempts. Ten seconds at most: a function that was restarted is found soon.
  var retry: RetryPolicy {
    RetryPolicy(attemptsMax: attempts, firstPause: .milliseconds(100), longestPause: .seconds(10))
  }

  /// The registration as JSON, which `EndpointReader` takes back.
  package func write(to writer: inout JSONWriter) {
    writer.object { object in
      object.member("name") { $0.string(name) }
      object.member("event") { $0.string(event.rawValue) }
      object.member("document") { $0.string(document) }
      object.member("endpoint") { $0.string(address.description) }
      if let project { object.member("project") { $0.string(project) } }
      if let database { object.member("database") { $0.string(database) } }
      object.member("mode") { $0.string(mode.rawValue) }
      object.member("format") { $0.string(format.rawValue) }
      object.member("timeout") { $0.integer(timeout) }
      object.member("attempts") { $0.integer(attempts) }
      if let concurrency { object.member("concurrency") { $0.integer(concurrency) } }
      if hasAuthContext { object.member("authContext") { $0.boolean(true) } }
    }
  }
}
