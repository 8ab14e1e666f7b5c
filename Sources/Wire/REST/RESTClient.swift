/// What a client of the REST form says and is told: for tools that fill a running server, ours or another.
///
/// Documents travel as JSON and are given out in the stored form. Source: spec/protocol.md 6.1 to 6.3.

package import DocModel
package import DocStore
internal import JSON
internal import SwiftProtobuf

package enum RESTClient {
  /// A document as a server has it.
  package struct Found: Sendable {
    package let path: ResourcePath
    /// The stored form, canonical.
    package let fields: [UInt8]
    /// Microseconds since the epoch.
    package let updateTime: Int64
  }

  /// An answer that is none of the service's.
  package struct Unreadable: Error {}

  /// The path of a method of a database: `/v1/projects/P/databases/D/documents:commit`.
  package static func path(_ database: DatabaseID, _ verb: StaticString) -> String {
    let project = PercentEncoding.part(database.project)
    return "/v1/projects/\(project)/databases/\(PercentEncoding.part(database.database))/documents:\(verb)"
  }

  // MARK: batchGet

  /// The body that asks for documents.
  package static func batchGet(_ database: DatabaseID, _ paths: [ResourcePath]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("documents") { writer in
        writer.array(paths) { $0.string(DocumentName(database: database, path: $1).resourceName) }
      }
    }
    return writer.bytes
  }

  /// The documents that are there, in any order.
  package static func found(_ answer: [UInt8]) throws(Unreadable) -> [Found] {
    do {
      let responses = try Google_Firestore_V1_BatchGetDocumentsResponse.array(fromJSONUTF8Bytes: answer)
      var found: [Found] = []
      for response in responses {
        guard case .found(let document)? = response.result else { continue }
        found.append(try Self.found(document))
      }
      return found
    } catch {
      throw Unreadable()
    }
  }

  private static func found(_ document: Google_Firestore_V1_Document) throws -> Found {
    let name = try ResourceNameParser.document(document.name)
    let message: [UInt8] = try document.serializedBytes()
    let fields = try message.withUnsafeBytes { try Canonicalizer.fields(ofDocument: $0) }
    let time = Timestamp(seconds: document.updateTime.seconds, nanoseconds: document.updateTime.nanos)
    return Found(path: name.path, fields: fields, updateTime: time.microseconds)
  }

  // MARK: commit

  /// One write of a commit. Transforms other than the time of the commit are not for this.
  package static func write(_ database: DatabaseID, _ write: Write) -> [UInt8] {
    let name = DocumentName(database: database, path: write.path).resourceName
    var writer = JSONWriter()
    writer.object { object in
      switch write.operation {
      case .update(let fields, let mask):
        object.member("update") { $0.document(name, fields) }
        if let mask { object.member("updateMask") { $0.mask(mask) } }
      case .delete: object.member("delete") { $0.string(name) }
      case .verify: object.member("verify") { $0.string(name) }
      }
      if !write.transforms.isEmpty {
        object.member("updateTransforms") { $0.array(write.transforms) { $0.serverTime($1.path) } }
      }
      switch write.precondition {
      case .none: break
      case .exists(let exists):
        object.member("currentDocument") { $0.object { $0.member("exists") { $0.boolean(exists) } } }
      case .updateTime(let time):
        let text = Timestamp(microseconds: time).rfc3339
        object.member("currentDocument") { $0.object { $0.member("updateTime") { $0.string(text) } } }
      }
    }
    return writer.bytes
  }

  /// The bodies of as many commits as it takes to keep each below the service's limit.
  package static func commits(of writes: [[UInt8]]) -> [[UInt8]] {
    var bodies: [[UInt8]] = []
    var body: [UInt8] = []
    for write in writes {
      if !body.isEmpty, body.count + write.count > commitBytesMax {
        bodies.append(body + Array("]}".utf8))
        body = []
      }
      body += body.isEmpty ? Array("{\"writes\":[".utf8) : [UInt8(ascii: ",")]
      body += write
    }
    if !body.isEmpty { bodies.append(body + Array("]}".utf8)) }
    return bodies
  }

  /// LIMIT: bytes of a commit's body that holds more than one write; servers take 10 MiB.
  private static let commitBytesMax = 8 << 20

  // MARK: errors

  /// The status and the words of a refusal, `{"error": {…}}`, which streams put into a list.
  package static func refusal(_ answer: [UInt8]) -> (status: String, message: String)? {
    guard var json = try? JSONReader.read(answer) else { return nil }
    if let first = json.elements?.first { json = first }
    guard let error = json["error"], let status = error["status"]?.text else { return nil }
    return (status, error["message"]?.text ?? "")
  }
}

extension JSONWriter {
  fileprivate mutating func document(_ name: String, _ fields: [UInt8]) {
    object { object in
      object.member("name") { $0.string(name) }
      object.member("fields") { writer in
        fields.withUnsafeBytes { writer.fields(FieldsView(document: $0)) }
      }
    }
  }

  fileprivate mutating func mask(_ paths: [FieldPath]) {
    object { object in
      object.member("fieldPaths") { $0.array(paths) { $0.string($1.text) } }
    }
  }

  fileprivate mutating func serverTime(_ path: FieldPath) {
    object { object in
      object.member("fieldPath") { $0.string(path.text) }
      object.member("setToServerValue") { $0.string("REQUEST_TIME") }
    }
  }
}
