/// The official emulator, asked over REST.

internal import DocModel
internal import Rules

/// One project of the emulator, used by one worker.
final class OfficialEmulator {
  let project: String
  private let host: String
  private let port: UInt16
  private let connection: Connection
  private static let admin = "Bearer owner"

  init(host: String, port: UInt16, project: String) {
    self.project = project
    self.host = host
    self.port = port
    connection = Connection(host: host, port: port)
  }

  /// Another project of the same emulator.
  func sibling(_ name: String) -> OfficialEmulator {
    OfficialEmulator(host: host, port: port, project: "\(project)-\(name)")
  }

  /// What loading rules came to; the emulator's compiler fails inside on some texts.
  enum Loading { case accepted, refused, failed }

  func load(_ rules: String) throws(ConnectionError) -> Loading {
    let body = #"{"rules":{"files":[{"name":"fuzz.rules","content":\#(JSONText.string(rules))}]}}"#
    let answer = try connection.ask(
      RESTRequest("PUT", "/emulator/v1/projects/\(project):securityRules", body: body))
    switch answer.status {
    case 200: return .accepted
    case 400: return .refused
    case 500: return .failed
    default: throw ConnectionError(description: "loading rules: \(answer.status) \(answer.body.prefix(300))")
    }
  }

  /// Replaces everything that is stored.
  func store(_ documents: [(path: String, fields: Fields)]) throws(ConnectionError) {
    let place = Place(project: project, collection: "")
    _ = try connection.ask(RESTRequest("DELETE", "/emulator" + place.url))
    var rest = documents[...]
    while !rest.isEmpty {
      let writes = rest.prefix(400).map { document in
        #"{"update":{"name":\#(JSONText.string(place.root + "/" + document.path)),"fields":\#(JSONText.fields(document.fields))}}"#
      }
      rest = rest.dropFirst(400)
      let answer = try connection.ask(
        RESTRequest(
          "POST", place.url + ":commit", body: #"{"writes":[\#(writes.joined(separator: ","))]}"#,
          authorization: Self.admin))
      guard answer.status == 200 else {
        throw ConnectionError(description: "storing documents: \(answer.status) \(answer.body.prefix(300))")
      }
    }
  }

  /// The verdict on a request.
  func judge(_ request: RESTRequest) throws(ConnectionError) -> Answer {
    let answer = try connection.ask(request)
    let message = JSONText.message(in: answer.body) ?? ""
    switch answer.status {
    case 200, 404: return .granted
    case 403: return .denied(Reasons.entries(message))
    default: return .invalid("\(answer.status) \(message.isEmpty ? answer.body : message)")
    }
  }
}
