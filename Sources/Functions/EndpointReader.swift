/// Registrations as they are written: in a `triggers.yaml`, and as JSON in the bodies of requests and the journal.

internal import Client
internal import DocModel
internal import JSON
internal import Platform
internal import TLS
internal import Triggers
public import YAML

/// A `triggers.yaml`.
///
/// ```
/// pack: inspired                          # also run the triggers of this pack
/// triggers:
///   - name: greet
///     event: created                      # created, updated, deleted, written
///     document: users/{uid}
///     endpoint: http://127.0.0.1:8081/
///   - name: audit
///     event: written
///     document: "{path=**}"
///     endpoint: https://audit.internal/events
///     ca_file: internal-ca.pem            # believe these authorities instead of the system's
/// schedules:
///   - name: renew
///     schedule: every day 00:00           # or 0 0 * * *
///     timeZone: Europe/Berlin
///     endpoint: http://127.0.0.1:8083/
/// ```
public struct TriggersFile: Sendable {
  /// The names under `pack`, in order.
  public let packs: [String]
  /// The entries under `triggers`, in order; no two of one name.
  public let endpoints: [FunctionEndpoint]
  /// The entries under `schedules`, in order; their names differ also from those of the triggers.
  public let schedules: [ScheduleEndpoint]

  /// - Parameter packs: the packs there are.
  public static func read(_ source: YAMLSource, packs known: [String]) throws(YAMLDiagnostic) -> TriggersFile
  {
    do throws(YAMLError) {
      var errors: [YAMLError] = []
      let file = try TriggersFile(YAMLDocument.parse(source), known, file: source.name, &errors)
      if let first = errors.first { throw first }
      return file
    } catch {
      throw source.diagnostic(for: error)
    }
  }

  /// Everything that is wrong with a file that `read` refuses.
  public static func mistakes(in source: YAMLSource, packs known: [String]) -> [YAMLDiagnostic] {
    var errors: [YAMLError] = []
    do throws(YAMLError) {
      _ = try TriggersFile(YAMLDocument.parse(source), known, file: source.name, &errors)
    } catch {
      errors.append(error)
    }
    return errors.map(source.diagnostic)
  }

  /// - Parameter errors: gets what is wrong with single entries.
  private init(
    _ root: YAMLNode, _ known: [String], file: String, _ errors: inout [YAMLError]
  ) throws(YAMLError) {
    let map = try root.map("a file of triggers")
    _ = errors.noting { () throws(YAMLError) in try map.refuseKeys(except: ["pack", "triggers", "schedules"])
    }
    let packs = (map["pack"]?.oneOrMore ?? []).compactMap { node in
      errors.noting { () throws(YAMLError) in try node.word(of: known) }
    }
    var endpoints: [FunctionEndpoint] = []
    for node in try map["triggers"]?.elements() ?? [] {
      guard let endpoint = EndpointReader.endpoint(node, file: file, &errors) else { continue }
      Self.refuse(endpoint.name, among: endpoints.map(\.name), node, &errors)
      endpoints.append(endpoint)
    }
    var schedules: [ScheduleEndpoint] = []
    for node in try map["schedules"]?.elements() ?? [] {
      guard let schedule = EndpointReader.schedule(node, file: file, &errors) else { continue }
      Self.refuse(schedule.name, among: endpoints.map(\.name) + schedules.map(\.name), node, &errors)
      schedules.append(schedule)
    }
    if packs.isEmpty && endpoints.isEmpty && schedules.isEmpty && errors.isEmpty {
      throw root.error("neither 'triggers' nor 'schedules' nor 'pack' names a trigger")
    }
    self.schedules = schedules
    self.packs = packs
    self.endpoints = endpoints
  }

  private static func refuse(
    _ name: String, among taken: [String], _ node: YAMLNode, _ errors: inout [YAMLError]
  ) {
    guard taken.contains(where: { $0.hasSameBytes(as: name) }) else { return }
    let place = (try? node.map("a trigger"))?["name"] ?? node
    errors.append(place.error("two triggers are called '\(name)'"))
  }
}

enum EndpointReader {
  // LIMITS, in bytes: what is written down in the journal of triggers and kept in memory stays small.
  static let nameBytesMax = 1_500
  static let patternBytesMax = 6_144
  static let addressBytesMax = 2_048

  private static let keys = [
    "name", "event", "document", "endpoint", "project", "database", "mode", "format", "timeout", "attempts",
    "concurrency", "authContext", "ca_file", "insecure",
  ]

  /// The same for a trigger that stands alone; its first mistake is thrown.
  static func endpoint(_ node: YAMLNode, name: String? = nil) throws(YAMLError) -> FunctionEndpoint {
    var errors: [YAMLError] = []
    let endpoint = endpoint(node, name: name, &errors)
    if let error = errors.first { throw error }
    guard let endpoint else { throw node.error("a trigger cannot be read") }
    return endpoint
  }

  /// - Parameters:
  ///   - name: what it is called when it does not say so itself.
  ///   - file: the path of the one that it stands in; nil for the body of a request, which cannot say whom to trust.
  ///   - errors: gets all that is wrong with it.
  /// - Returns: nil where what it needs cannot be read; what has other mistakes may be returned without those parts.
  static func endpoint(
    _ node: YAMLNode, name: String? = nil, file: String? = nil, _ errors: inout [YAMLError]
  ) -> FunctionEndpoint? {
    guard let map = errors.noting({ () throws(YAMLError) in try node.map("a trigger") }) else { return nil }
    _ = errors.noting { () throws(YAMLError) in try map.refuseKeys(except: keys) }
    let name = errors.noting { () throws(YAMLError) in try self.name(map, node, name) }
    let event = errors.noting { () throws(YAMLError) in
      try map.required("event").word(of: DocumentTrigger.Event.self)
    }
    let document = errors.noting { () throws(YAMLError) in try pattern(try map.required("document")) }
    let address = errors.noting { () throws(YAMLError) in try self.address(try map.required("endpoint")) }
    var endpoint: FunctionEndpoint?
    if let name, let event, let document, let address {
      endpoint = FunctionEndpoint(name: name, event: event, document: document, address: address)
    }
    func set<R>(
      _ part: WritableKeyPath<FunctionEndpoint, R>, _ key: String, _ body: (YAMLNode) throws(YAMLError) -> R
    ) {
      guard let node = map[key], let value = errors.noting({ () throws(YAMLError) in try body(node) }) else {
        return
      }
      endpoint?[keyPath: part] = value
    }
    set(\.project, "project", part)
    set(\.database, "database", part)
    set(\.mode, "mode") { node throws(YAMLError) in try node.word(of: FunctionEndpoint.Mode.self) }
    set(\.format, "format") { node throws(YAMLError) in try node.word(of: FunctionEndpoint.Format.self) }
    set(\.timeout, "timeout", timeout)
    set(\.attempts, "attempts", attempts)
    set(\.concurrency, "concurrency") { node throws(YAMLError) in Int(try node.integer(in: 1...1_000)) }
    set(\.hasAuthContext, "authContext") { node throws(YAMLError) in try node.boolean() }
    if let address,
      let trust = errors.noting({ () throws(YAMLError) in try trust(map, address, file) }) ?? nil
    {
      endpoint?.trust = trust
    }
    return endpoint
  }

  static func timeout(_ node: YAMLNode) throws(YAMLError) -> Int { Int(try node.integer(in: 1...3_600)) }

  static func attempts(_ node: YAMLNode) throws(YAMLError) -> Int { Int(try node.integer(in: 1...1_000_000)) }

  static func name(
    _ map: YAMLMap, _ node: YAMLNode, _ name: String?, _ kind: String = "a trigger"
  ) throws(YAMLError) -> String {
    guard let ownName = try map["name"]?.literal() ?? name else {
      throw YAMLError("\(kind) needs the key 'name'", at: map.mark)
    }
    if ownName.isEmpty { throw try map.required("name").error("a name must not be empty") }
    guard ownName.utf8.count <= nameBytesMax else {
      throw (map["name"] ?? node).error(
        "a name may have \(nameBytesMax) bytes, this one has \(ownName.utf8.count)")
    }
    return ownName
  }

  /// The name of a project or database.
  private static func part(_ node: YAMLNode) throws(YAMLError) -> String? {
    try bounded(try node.literal(), node, nameBytesMax)
  }

  private static func bounded(
    _ text: String, _ node: YAMLNode, _ bytesMax: Int
  ) throws(YAMLError) -> String {
    guard text.utf8.count <= bytesMax else {
      throw node.error("this is too long: \(text.utf8.count) bytes, \(bytesMax) are the most")
    }
    return text
  }

  /// Whose certificates are believed; nil where it says nothing.
  static func trust(
    _ map: YAMLMap, _ address: EndpointAddress, _ file: String?
  ) throws(YAMLError) -> TLSTrust? {
    let authorities = map["ca_file"]
    let insecure = map["insecure"]
    guard let either = authorities ?? insecure else { return nil }
    guard let file else {
      throw either.error("only a triggers.yaml can say whose certificates are believed")
    }
    guard address.isSecure else {
      throw either.error("'ca_file' and 'insecure' are for https endpoints")
    }
    if let insecure, try insecure.boolean() {
      if authorities != nil {
        throw insecure.error("'insecure' believes anybody, 'ca_file' does not; give one")
      }
      return .anybody
    }
    guard let authorities else { return nil }
    let path = Folders.resolve(try authorities.text(), beside: file)
    guard access(path, R_OK) == 0 else {
      throw authorities.error("cannot read `\(path)`: \(String(cString: strerror(errno)))")
    }
    return .authorities(file: path)
  }

  private static func pattern(_ node: YAMLNode) throws(YAMLError) -> String {
    let text = try bounded(try node.text(), node, patternBytesMax)
    do throws(InvalidArgument) {
      return try PathPattern(text).text
    } catch {
      throw node.error(error.message)
    }
  }

  static func address(_ node: YAMLNode) throws(YAMLError) -> EndpointAddress {
    let text = try bounded(try node.text(), node, addressBytesMax)
    do throws(InvalidArgument) {
      return try EndpointAddress(text)
    } catch {
      throw node.error(error.message)
    }
  }

  // MARK: the functions emulator's

  /// `{"eventTrigger": {"resource", "eventType", "service"}}`. Source: docs/spec/streams.md 5.1.
  static func firstGeneration(
    _ node: YAMLNode, name: String, to sink: EndpointAddress
  ) throws(YAMLError) -> FunctionEndpoint {
    let trigger = try node.map("a registration").required("eventTrigger").map("an event trigger")
    let resource = try trigger.required("resource")
    let type = try trigger.required("eventType")
    if let service = trigger["service"], try service.text() != "firestore.googleapis.com" {
      throw service.error("the service must be firestore.googleapis.com")
    }
    let prefix = "providers/cloud.firestore/eventTypes/document."
    let verbs: [String: DocumentTrigger.Event] = [
      "create": .created, "update": .updated, "delete": .deleted, "write": .written,
    ]
    let typeText = try type.text()
    guard typeText.hasPrefix(prefix), let event = verbs[String(typeText.dropFirst(prefix.count))] else {
      throw type.error("expected \(prefix)create, update, delete or write")
    }
    let parts = try resource.text().split(separator: "/", maxSplits: 5, omittingEmptySubsequences: false)
    guard parts.count == 6, parts[0] == "projects", parts[2] == "databases", parts[4] == "documents" else {
      throw resource.error("expected projects/P/databases/D/documents/PATTERN")
    }
    var endpoint = FunctionEndpoint(
      name: name, event: event, document: try checked(String(parts[5]), resource), address: sink)
    endpoint.project = String(parts[1])
    endpoint.database = String(parts[3])
    endpoint.mode = .legacy
    endpoint.format = .json
    return endpoint
  }

  /// `{"eventType", "database", "namespace", "document": {"value", "matchType"}}`.
  /// Source: docs/spec/streams.md 5.1.
  static func secondGeneration(
    _ node: YAMLNode, name: String, to sink: EndpointAddress
  ) throws(YAMLError) -> (endpoint: FunctionEndpoint, echo: [UInt8]) {
    let map = try node.map("a registration")
    let type = try map.required("eventType")
    let prefix = "google.cloud.firestore.document.v1."
    let suffix = ".withAuthContext"
    let typeText = try type.text()
    let hasAuthContext = typeText.hasSuffix(suffix)
    let word = typeText.dropFirst(prefix.count).dropLast(hasAuthContext ? suffix.count : 0)
    guard typeText.hasPrefix(prefix),
      let event = DocumentTrigger.Event(rawValue: String(word))
    else { throw type.error("expected \(prefix)created, updated, deleted or written") }
    let document = try map.required("document").map("a document filter")
    let value = try document.required("value")
    let match = try document["matchType"]?.text() ?? "EXACT"
    guard match == "EXACT" || match == "PATH_PATTERN" else {
      throw (document["matchType"] ?? value).error("expected EXACT or PATH_PATTERN")
    }
    var endpoint = FunctionEndpoint(
      name: name, event: event, document: try checked(try value.text(), value), address: sink)
    endpoint.database = try map["database"]?.text() ?? "(default)"
    endpoint.mode = .emulator
    endpoint.hasAuthContext = hasAuthContext
    let echo = """
      {
        "eventType": \(JSONWriter.quoted(typeText)),
        "database": \(JSONWriter.quoted(endpoint.database ?? "")),
        "namespace": \(JSONWriter.quoted(try map["namespace"]?.text() ?? "(default)")),
        "document": {
          "value": \(JSONWriter.quoted(endpoint.document)),
          "matchType": \(JSONWriter.quoted(match))
        }
      }

      """
    return (endpoint, Array(echo.utf8))
  }

  private static func checked(_ text: String, _ node: YAMLNode) throws(YAMLError) -> String {
    do throws(InvalidArgument) {
      return try PathPattern(text).text
    } catch {
      throw node.error(error.message)
    }
  }
}
