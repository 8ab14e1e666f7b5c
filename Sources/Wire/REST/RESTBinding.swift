/// A REST request as the message that the same call carries over gRPC.
///
/// What the path gives wins over the same field in the body. The answer of both ways is made by the same
/// code, from the same bytes. Source: spec/protocol.md 6.1, 6.2.

internal import DocModel
internal import SwiftProtobuf

enum RESTBinding {
  /// The encoded request message.
  static func message(
    _ route: RESTRoute, _ target: HTTPTarget, body: [UInt8], refusesUnknown: Bool = true
  ) throws(GRPCStatus) -> [UInt8] {
    var parameters = RESTParameters(target)
    let message = try bound(route, &parameters, body)
    if refusesUnknown { try parameters.refuseUnknown() }
    return message
  }

  private static func bound(
    _ route: RESTRoute, _ parameters: inout RESTParameters, _ body: [UInt8]
  ) throws(GRPCStatus) -> [UInt8] {
    switch route.method {
    case .getDocument: return try get(route, &parameters)
    case .listDocuments: return try list(route, &parameters)
    case .createDocument: return try create(route, &parameters, body)
    case .updateDocument: return try update(route, &parameters, body)
    case .deleteDocument: return try delete(route, &parameters)
    case .batchGetDocuments:
      return try read(Google_Firestore_V1_BatchGetDocumentsRequest.self, body) {
        $0.database = route.resource
      }
    case .beginTransaction:
      return try read(Google_Firestore_V1_BeginTransactionRequest.self, body) { $0.database = route.resource }
    case .commit:
      return try read(Google_Firestore_V1_CommitRequest.self, body) { $0.database = route.resource }
    case .rollback:
      return try read(Google_Firestore_V1_RollbackRequest.self, body) { $0.database = route.resource }
    case .batchWrite:
      return try read(Google_Firestore_V1_BatchWriteRequest.self, body) { $0.database = route.resource }
    case .runQuery:
      return try read(Google_Firestore_V1_RunQueryRequest.self, body) { $0.parent = route.resource }
    case .runAggregationQuery:
      return try read(Google_Firestore_V1_RunAggregationQueryRequest.self, body) {
        $0.parent = route.resource
      }
    case .partitionQuery:
      return try read(Google_Firestore_V1_PartitionQueryRequest.self, body) { $0.parent = route.resource }
    case .executePipeline:
      return try read(Google_Firestore_V1_ExecutePipelineRequest.self, body) { $0.database = route.resource }
    case .listCollectionIDs:
      return try read(Google_Firestore_V1_ListCollectionIdsRequest.self, body) { $0.parent = route.resource }
    }
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
    _ route: RESTRoute, _ parameters: inout RESTParameters, _ body: [UInt8]
  ) throws(GRPCStatus) -> [UInt8] {
    var request = Google_Firestore_V1_CreateDocumentRequest()
    request.document = try json(Google_Firestore_V1_Document.self, body)
    request.parent = route.resource
    request.collectionID = route.collectionID
    if let id = parameters.text("documentId", "document_id") { request.documentID = id }
    if let mask = parameters.mask("mask.fieldPaths", "mask.field_paths") { request.mask = mask }
    return try encoded(request)
  }

  private static func update(
    _ route: RESTRoute, _ parameters: inout RESTParameters, _ body: [UInt8]
  ) throws(GRPCStatus) -> [UInt8] {
    var request = Google_Firestore_V1_UpdateDocumentRequest()
    request.document = try json(Google_Firestore_V1_Document.self, body)
    request.document.name = route.resource
    if let mask = parameters.mask("updateMask.fieldPaths", "update_mask.field_paths") {
      request.updateMask = mask
    }
    if let mask = parameters.mask("mask.fieldPaths", "mask.field_paths") { request.mask = mask }
    if let condition = try parameters.precondition() { request.currentDocument = condition }
    return try encoded(request)
  }

  // MARK: from a body

  private static func read<Message: SwiftProtobuf.Message>(
    _ type: Message.Type, _ body: [UInt8], _ bindPath: (inout Message) -> Void
  ) throws(GRPCStatus) -> [UInt8] {
    var message = try json(type, body)
    bindPath(&message)
    return try encoded(message)
  }

  /// An empty body is an empty message.
  private static func json<Message: SwiftProtobuf.Message>(
    _ type: Message.Type, _ body: [UInt8]
  ) throws(GRPCStatus) -> Message {
    if body.isEmpty { return Message() }
    do {
      return try Message(jsonUTF8Bytes: body)
    } catch {
      throw GRPCStatus(.invalidArgument, "Payload isn't valid for request.")
    }
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
