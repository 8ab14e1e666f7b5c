/// Registrations as they are written: in a `triggers.yaml`, and as JSON in the bodies of requests and the journal.

internal import Client
internal import DocModel
internal import JSON
internal import Platform
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
/// ```
public struct TriggersFile: Sendable {
  /// The names under `pack`, in order.
  public let packs: [String]
  /// The entries under `triggers`, in order; no two of one name.
  public let endpoints: [FunctionEndpoint]

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

  /// Everything that is wrong with a file that `read` refuses: of each trigger the first mistake.
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
    func noting<R>(_ body: () throws(YAMLError) -> R) -> R? {
      do throws(YAMLError) { return try body() } catch {
        errors.append(error)
        return nil
      }
    }
    _ = noting { () throws(YAMLError) in try map.refuseKeys(except: ["pack", "triggers"]) }
    let packs = (map["pack"]?.oneOrMore ?? []).compactMap { node in
      noting { () throws(YAMLError) in try node.word(of: known) }
    }
    var endpoints: [FunctionEndpoint] = []
    for node in try map["triggers"]?.elements() ?? [] {
      let endpoint = noting { () throws(YAMLError) in
        let endpoint = try EndpointReader.endpoint(node, file: file)
        guard !endpoints.contains(where: { $0.name.hasSameBytes(as: endpoint.name) }) else {
          throw try node.map("a trigger").required("name").error("two triggers are called '\(endpoint.name)'")
        }
        return endpoint
      }
      if let endpoint { endpoints.append(endpoint) }
    }
    if packs.isEmpty && endpoints.isEmpty && errors.isEmpty {
      throw root.error("neither 'triggers' nor 'pack' names a trigger")
    }
    self.packs = packs
    self.endpoints = endpoints
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

  /// - Parameters:
  ///   - name: what it is called when it does not say so itself.
  ///   - file: the path of the one that it stands in; nil for the body of a request, which cannot say whom to trust.
  static func endpoint(
    _ node: YAMLNode, name: String? = nil, file: String? = nil
  ) throws(YAMLError) -> FunctionEndpoint {
    let map = try node.map("a trigger")
    try map.refuseKeys(except: keys)
    let ownName = try map["name"]?.literal() ?? name
    guard let ownName else { throw YAMLError("a trigger needs the key 'name'", at: map.mark) }
    if ownName.isEmpty { throw try map.required("name").error("a name must not be empty") }
    guard ownName.utf8.count <= nameBytesMax else {
      throw (map["name"] ?? node).error(
        "a name may have \(nameBytesMax) bytes, this one has \(ownName.utf8.count)")
    }
    let event = try map.required("event").word(of: DocumentTrigger.Event.self)
    let document = try pattern(try map.required("document"))
    let address = try self.address(try map.required("endpoint"))
    var endpoint = FunctionEndpoint(
      name: ownName, event: event, document: document, address: address)
    endpoint.project = try part(map["project"])
    endpoint.database = try part(map["database"])
    if let node = map["mode"] { endpoint.mode = try node.word(of: FunctionEndpoint.Mode.self) }
    if let node = map["format"] { endpoint.format = try node.word(of: FunctionEndpoint.Format.self) }
    if let node = map["timeout"] { endpoint.timeout = Int(try node.integer(in: 1...3_600)) }
    if let node = map["attempts"] { endpoint.attempts = Int(try node.integer(in: 1...1_000_000)) }
    if let node = map["concurrency"] { endpoint.concurrency = Int(try node.integer(in: 1...1_000)) }
    if let node = map["authContext"] { endpoint.hasAuthContext = try node.boolean() }
    try readTrust(map, &endpoint, file)
    return endpoint
  }

  /// The name of a project or database.
  private static func part(_ node: YAMLNode?) throws(YAMLError) -> String? {
    guard let node else { return nil }
    return try bounded(try node.literal(), node, nameBytesMax)
  }

  private static func bounded(
    _ text: String, _ node: YAMLNode, _ bytesMax: Int
  ) throws(YAMLError) -> String {
    guard text.utf8.count <= bytesMax else {
      throw node.error("this is too long: \(text.utf8.count) bytes, \(bytesMax) are the most")
    }
    return text
  }

  private static func readTrust(
    _ map: YAMLMap, _ endpoint: inout FunctionEndpoint, _ file: String?
  ) throws(YAMLError) {
    let authorities = map["ca_file"]
    let insecure = map["insecure"]
    guard let either = authorities ?? insecure else { return }
    guard let file else {
      throw either.error("only a triggers.yaml can say whose certificates are believed")
    }
    guard endpoint.address.isSecure else {
      throw either.error("'ca_file' and 'insecure' are for https endpoints")
    }
    if let insecure, try insecure.boolean() {
      if authorities != nil {
        throw insecure.error("'insecure' believes anybody, 'ca_file' does not; give one")
      }
      endpoint.trust = .anybody
    } else if let authorities {
      let name = try authorities.text()
      let path = Folders.resolve(name, beside: file)
      guard access(path, R_OK) == 0 else {
        throw authorities.error("cannot read `\(path)`: \(String(cString: strerror(errno)))")
      }
      endpoint.trust = .authorities(file: path)
    }
  }

  private static func pattern(_ node: YAMLNode) throws(YAMLError) -> String {
    let text = try bounded(try node.text(), node, patternBytesMax)
    do throws(InvalidArgument) {
      return try PathPattern(text).text
    } catch {
      throw node.error(error.message)
    }
  }

  private static func address(_ node: YAMLNode) throws(YAMLError) -> EndpointAddress {
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
