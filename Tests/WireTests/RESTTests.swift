import DocModel
import FirestoreProtos
import JSON
import SwiftProtobuf
import Testing

@testable import Wire

@Suite("REST")
struct RESTTests {
  static let documents = "projects/p/databases/d/documents"

  private func route(_ method: String, _ path: String) -> RESTRoute? {
    HTTPTarget(Array(path.utf8)).flatMap { RESTRoute(httpMethod: method, segments: $0.segments[1...]) }
  }

  @Test(
    "method and path say which method is meant, on what",
    arguments: [
      ("GET", "/c/a", .getDocument, "/c/a", ""), ("GET", "/c%2Fa", .getDocument, "/c/a", ""),
      ("GET", "/c/a:runQuery", .getDocument, "/c/a:runQuery", ""), ("GET", "/c/", .getDocument, "/c/", ""),
      ("GET", "/c", .listDocuments, "", "c"), ("GET", "/", .listDocuments, "", ""),
      ("GET", "/c/a/", .listDocuments, "/c/a", ""), ("GET", "/c/a/s", .listDocuments, "/c/a", "s"),
      ("POST", "/c", .createDocument, "", "c"), ("POST", "/c/a/s", .createDocument, "/c/a", "s"),
      ("POST", "/c/a:b", .createDocument, "/c", "a:b"), ("PATCH", "/c/a", .updateDocument, "/c/a", ""),
      ("PATCH", "/c", .updateDocument, "/c", ""), ("DELETE", "/c/a%20b", .deleteDocument, "/c/a b", ""),
      ("POST", ":runQuery", .runQuery, "", ""), ("POST", "/c/a:runQuery", .runQuery, "/c/a", ""),
      ("POST", "/c:runQuery", .runQuery, "/c", ""),
      ("POST", "/c/a:listCollectionIds", .listCollectionIDs, "/c/a", ""),
    ] as [(String, String, RESTMethod, String, String)])
  func routes(method: String, path: String, meant: RESTMethod, below: String, collection: String) throws {
    let found = try #require(route(method, "/v1/" + Self.documents + path))
    #expect(found.method == meant)
    #expect(found.resource == Self.documents + below)
    #expect(found.collectionID == collection)
  }

  @Test(
    "verbs of a database stand at its root only; behind a document they are a part of an id",
    arguments: ["batchGet", "beginTransaction", "commit", "rollback", "batchWrite"])
  func databaseVerbs(verb: String) throws {
    let found = try #require(route("POST", "/v1/" + Self.documents + ":" + verb))
    #expect(found.resource == "projects/p/databases/d")
    let below = try #require(route("POST", "/v1/" + Self.documents + "/c/a:" + verb))
    #expect(below.method == .createDocument && below.collectionID == "a:" + verb)
  }

  @Test(
    "everything else is not there",
    arguments: [
      ("GET", ""), ("POST", ":write"), ("POST", ":listen"), ("POST", ":nope"), ("GET", ":runQuery"),
      ("PUT", "/c/a"), ("HEAD", "/c/a"), ("PATCH", ""), ("DELETE", ""),
    ])
  func noRoutes(method: String, path: String) {
    #expect(route(method, "/v1/" + Self.documents + path) == nil)
  }

  // MARK: requests

  private func message<Message: SwiftProtobuf.Message>(
    _ type: Message.Type, _ method: String, _ path: String, _ body: String = ""
  ) throws -> Message {
    let target = try #require(HTTPTarget(Array(("/v1/" + Self.documents + path).utf8)))
    let route = try #require(RESTRoute(httpMethod: method, segments: target.segments[1...]))
    return try Message(serializedBytes: try RESTBinding.message(route, target, body: Array(body.utf8)))
  }

  @Test("parameters become fields, in either spelling")
  func parameters() throws {
    let list = try message(
      Google_Firestore_V1_ListDocumentsRequest.self, "GET",
      "/c?pageSize=2&page_token=t&orderBy=n%20desc&mask.fieldPaths=a&mask.field_paths=b&showMissing=1"
        + "&readTime=2026-01-02T03:04:05.5Z&key=ignored&%24httpHeaders=x")
    #expect(list.pageSize == 2 && list.pageToken == "t" && list.orderBy == "n desc" && list.showMissing)
    #expect(list.mask.fieldPaths == ["a", "b"])
    #expect(list.readTime.nanos == 500_000_000)
    let get = try message(Google_Firestore_V1_GetDocumentRequest.self, "GET", "/c/a?transaction=-_8%3D")
    #expect(Array(get.transaction) == [0xFB, 0xFF])
    let patch = try message(
      Google_Firestore_V1_UpdateDocumentRequest.self, "PATCH",
      "/c/a?updateMask.fieldPaths=x&currentDocument.exists=false", #"{"name":"other","fields":{"x":{}}}"#)
    #expect(patch.document.name == Self.documents + "/c/a")
    #expect(patch.updateMask.fieldPaths == ["x"])
    #expect(patch.currentDocument.conditionType == .exists(false))
  }

  @Test("bodies name fields in either spelling; the path's names win")
  func bodies() throws {
    let query = try message(
      Google_Firestore_V1_RunQueryRequest.self, "POST", "/c/a:runQuery",
      #"{"parent":"x","structured_query":{"from":[{"collectionId":"s","all_descendants":true}],"limit":3}}"#)
    #expect(query.parent == Self.documents + "/c/a")
    #expect(query.structuredQuery.from.first?.allDescendants == true)
    #expect(query.structuredQuery.limit.value == 3)
    let commit = try message(
      Google_Firestore_V1_CommitRequest.self, "POST", ":commit",
      #"{"writes":[{"update":{"name":"n","fields":{"a":{"integerValue":"-9223372036854775808"},"#
        + #""b":{"nullValue":null},"c":{"doubleValue":"NaN"},"d":{"bytesValue":"-_8="}}}}]}"#)
    let fields = try #require(commit.writes.first?.update.fields)
    #expect(fields["a"]?.integerValue == .min)
    #expect(fields["b"]?.valueType == .nullValue(.nullValue))
    #expect(fields["c"]?.doubleValue.isNaN == true)
    #expect(fields["d"].map { Array($0.bytesValue) } == [0xFB, 0xFF])
  }

  // MARK: answers

  @Test("answers are written from their bytes")
  func answers() throws {
    var commit = Google_Firestore_V1_CommitResponse()
    commit.writeResults = [
      .with {
        $0.updateTime.seconds = 1
        $0.transformResults = [.with { $0.integerValue = 7 }]
      }, .init(),
    ]
    commit.commitTime.seconds = 2
    #expect(
      try json(commit, .commit)
        == #"{"writeResults":[{"updateTime":"1970-01-01T00:00:01Z","#
        + #""transformResults":[{"integerValue":"7"}]},{}],"commitTime":"1970-01-01T00:00:02Z"}"#)
    var missing = Google_Firestore_V1_ListDocumentsResponse()
    missing.documents = [.with { $0.name = "n" }]
    #expect(try json(missing, .listDocuments) == #"{"documents":[{"name":"n"}]}"#)
    var batch = Google_Firestore_V1_BatchWriteResponse()
    batch.status = [
      .init(),
      .with {
        $0.code = 5
        $0.message = "m"
      },
    ]
    #expect(try json(batch, .batchWrite) == #"{"status":[{},{"code":5,"message":"m"}]}"#)
    #expect(try json(Google_Firestore_V1_CommitResponse(), .rollback) == "{}")
  }

  private func json(_ message: some SwiftProtobuf.Message, _ method: RESTMethod) throws -> String {
    let bytes: [UInt8] = try message.serializedBytes()
    var writer = JSONWriter()
    guard case .message(let shape) = method.answer else { return "" }
    bytes.withUnsafeBytes { writer.message($0, shape) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
