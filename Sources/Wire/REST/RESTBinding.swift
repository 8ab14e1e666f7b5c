/// A REST request as the message that the same call carries over gRPC.
///
/// What the path gives wins over the same field in the body. The answer of both ways is made by the same
/// code, from the same bytes. Source: spec/protocol.md 6.1, 6.2.

internal import DocModel
internal import SwiftProtobuf

enum RESTBinding {
  /// The encoded request message.
  ///
  /// - Parameter dialect: whose reading of bodies is followed, and whose words for what does not parse. Unknown
  ///   parameters are refused by the service only.
  static func message(
    _ route: RESTRoute, _ target: HTTPTarget, body: [UInt8], _ dialect: JSONDialect = .production
  ) throws(GRPCStatus) -> [UInt8] {
    var parameters = RESTParameters(target)
    let message = try bound(route, &parameters, RESTBody(bytes: body, dialect: dialect))
    if dialect == .production { try parameters.refuseUnknown() }
    return message
  }

  private static func bound(
    _ route: RESTRoute, _ parameters: inout RESTParameters, _ body: RESTBody
  ) throws(GRPCStatus) -> [UInt8] {
    switch route.method {
    case .getDocument: try get(route, &parameters)
    case .listDocuments: try list(route, &parameters)
    case .createDocument: try create(route, &parameters, body)
    case .updateDocument: try update(route, &parameters, body)
    case .deleteDocument: try delete(route, &parameters)
    case .batchGetDocuments, .beginTransaction, .commit, .rollback, .batchWrite, .runQuery,
      .runAggregationQuery, .partitionQuery, .executePipeline, .listCollectionIDs:
      // `database` or `parent`, the first field of all of them: the last one on the wire counts.
      try body.message(route.method.rawValue + "Request") + field(1, route.resource)
    }
  }

  private static func field(_ number: Int, _ text: String) -> [UInt8] {
    var writer = WireWriter()
    writer.field(number, text: text)
    return writer.bytes
  }

  // MARK: from parameters

  private static func get(_ route: RESTRoute, _ parameters: inout RESTParameters) throws(GRPCStatus)
    -> [UInt8]
  {
    var request = Google_Firestore_V1_GetDocumentRequest()
    request.name = route.resource
    if let mask = parameters.mask("mask.fieldPaths", "mask.field_paths") { request.mask = mask }
    if let time = try parameters.time("readTime", "read_time") { request.readTime = time }
    let token = try parameters.bytes("transaction", "transaction")
    try parameters.refuseTimeInTransaction(request.consistencySelector != nil, token != nil)
    return try encoded(request, transaction: token, number: 3)
  }

  private static func list(_ route: RESTRoute, _ parameters: inout RESTParameters) throws(GRPCStatus)
    -> [UInt8]
  {
    var request = Google_Firestore_V1_ListDocumentsRequest()
    request.parent = route.resource
    request.collectionID = route.collectionID
    if let size = try parameters.integer("pageSize", "page_size") { request.pageSize = size }
    if let token = parameters.text("pageToken", "page_token") { request.pageToken = token }
    if let order = parameters.text("orderBy", "order_by") { request.orderBy = order }
    if let mask = parameters.mask("mask.fieldPaths", "mask.field_paths") { request.mask = mask }
    if let shows = try parameters.flag("showMissing", "show_missing") { request.showMissing = shows }
    if let time = try parameters.time("readTime", "read_time") { request.readTime = time }
    let transaction = try parameters.bytes("transaction", "transaction")
    try parameters.refuseTimeInTransaction(request.consistencySelector != nil, transaction != nil)
    return try encoded(request, transaction: transaction, number: 8)
  }

  private static func delete(
    _ route: RESTRoute, _ parameters: inout RESTParameters
  ) throws(GRPCStatus) -> [UInt8] {
    var request = Google_Firestore_V1_DeleteDocumentRequest()
    request.name = route.resource
    if let condition = try parameters.precondition() { request.currentDocument = condition }
    return try encoded(request)
  }

  // MARK: from parameters and a document

  private static func create(
    _ route: RESTRoute, _ parameters: inout RESTParameters, _ body: RESTBody
  ) throws(GRPCStatus) -> [UInt8] {
    var request = Google_Firestore_V1_CreateDocumentRequest()
    let document = try body.message("Document", as: "document")
    request.parent = route.resource
    request.collectionID = route.collectionID
    if let id = parameters.text("documentId", "document_id") { request.documentID = id }
    if let mask = parameters.mask("mask.fieldPaths", "mask.field_paths") { request.mask = mask }
    return try encoded(request, document: document, number: 4)
  }

  private static func update(
    _ route: RESTRoute, _ parameters: inout RESTParameters, _ body: RESTBody
  ) throws(GRPCStatus) -> [UInt8] {
    var request = Google_Firestore_V1_UpdateDocumentRequest()
    let document = try body.message("Document", as: "document") + field(1, route.resource)
    if let mask = parameters.mask("updateMask.fieldPaths", "update_mask.field_paths") {
      request.updateMask = mask
    }
    if let mask = parameters.mask("mask.fieldPaths", "mask.field_paths") { request.mask = mask }
    if let condition = try parameters.precondition() { request.currentDocument = condition }
    return try encoded(request, document: document, number: 1)
  }

  /// A message and its document, as the field of that number.
  private static func encoded(
    _ message: some SwiftProtobuf.Message, document: [UInt8], number: Int
  ) throws(GRPCStatus) -> [UInt8] {
    var writer = WireWriter(try encoded(message))
    writer.field(number, bytes: document)
    return writer.bytes
  }

  /// A message and its transaction's token, as the field of that number.
  private static func encoded(
    _ message: some SwiftProtobuf.Message, transaction: [UInt8]?, number: Int
  ) throws(GRPCStatus) -> [UInt8] {
    let bytes = try encoded(message)
    guard let transaction else { return bytes }
    var writer = WireWriter()
    writer.field(number, bytes: transaction)
    return bytes + writer.bytes
  }

  private static func encoded(_ message: some SwiftProtobuf.Message) throws(GRPCStatus) -> [UInt8] {
    do { return try message.serializedBytes() } catch { throw MessageFields.unreadable }
  }
}

/// The body of a request, and how it is read.
private struct RESTBody {
  let bytes: [UInt8]
  let dialect: JSONDialect

  /// The encoded message of the service that the body means. `field` is the request's field that it fills.
  func message(_ name: String, as field: String = "") throws(GRPCStatus) -> [UInt8] {
    let sink = ProtoJSONWriter(dialect, "google.firestore.v1." + name, rootName: field)
    do throws(GRPCStatus) {
      return try JSONBodyReader.read(bytes, dialect, into: sink).writer.bytes
    } catch {
      switch dialect {
      case .production: throw error
      case .emulator: throw GRPCStatus(.invalidArgument, "Payload isn't valid for request.")
      }
    }
  }
}
