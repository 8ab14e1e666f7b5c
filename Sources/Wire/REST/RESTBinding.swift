/// A REST request as the message that the same call carries over gRPC.
///
/// What the path gives wins over the same field in the body. The answer of both ways is made by the same
/// code, from the same bytes. Source: docs/spec/protocol.md 6.1, 6.2.

internal import DocModel

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

  private static func get(
    _ route: RESTRoute, _ parameters: inout RESTParameters
  ) throws(GRPCStatus) -> [UInt8] {
    var request = WireWriter()
    request.field(1, text: route.resource)
    try request.view(&parameters, mask: 2, transaction: 3, time: 5)
    return request.bytes
  }

  private static func list(
    _ route: RESTRoute, _ parameters: inout RESTParameters
  ) throws(GRPCStatus) -> [UInt8] {
    var request = WireWriter()
    request.field(1, text: route.resource)
    request.field(2, text: route.collectionID)
    if let size = try parameters.integer("pageSize", "page_size") {
      request.field(3, varint: UInt64(bitPattern: Int64(size)))
    }
    if let token = parameters.text("pageToken", "page_token") { request.field(4, text: token) }
    if let order = parameters.text("orderBy", "order_by") { request.field(6, text: order) }
    if try parameters.flag("showMissing", "show_missing") == true { request.field(12, varint: 1) }
    try request.view(&parameters, mask: 7, transaction: 8, time: 10)
    return request.bytes
  }

  private static func delete(
    _ route: RESTRoute, _ parameters: inout RESTParameters
  ) throws(GRPCStatus) -> [UInt8] {
    var request = WireWriter()
    request.field(1, text: route.resource)
    request.precondition(2, try parameters.precondition())
    return request.bytes
  }

  // MARK: from parameters and a document

  private static func create(
    _ route: RESTRoute, _ parameters: inout RESTParameters, _ body: RESTBody
  ) throws(GRPCStatus) -> [UInt8] {
    var request = WireWriter()
    request.field(4, bytes: try body.message("Document", as: "document"))
    request.field(1, text: route.resource)
    request.field(2, text: route.collectionID)
    if let id = parameters.text("documentId", "document_id") { request.field(3, text: id) }
    if let mask = parameters.mask("mask.fieldPaths", "mask.field_paths") { request.mask(5, mask) }
    return request.bytes
  }

  private static func update(
    _ route: RESTRoute, _ parameters: inout RESTParameters, _ body: RESTBody
  ) throws(GRPCStatus) -> [UInt8] {
    var request = WireWriter()
    request.field(1, bytes: try body.message("Document", as: "document") + field(1, route.resource))
    if let mask = parameters.mask("updateMask.fieldPaths", "update_mask.field_paths") {
      request.mask(2, mask)
    }
    if let mask = parameters.mask("mask.fieldPaths", "mask.field_paths") { request.mask(3, mask) }
    request.precondition(4, try parameters.precondition())
    return request.bytes
  }
}

extension WireWriter {
  /// What a read shows, and of which state. The numbers are those of the request's fields.
  fileprivate mutating func view(
    _ parameters: inout RESTParameters, mask: Int, transaction: Int, time: Int
  ) throws(GRPCStatus) {
    if let paths = parameters.mask("mask.fieldPaths", "mask.field_paths") { self.mask(mask, paths) }
    let readTime = try parameters.time("readTime", "read_time")
    let token = try parameters.bytes("transaction", "transaction")
    try parameters.refuseTimeInTransaction(readTime != nil, token != nil)
    if let readTime { timestamp(time, readTime) }
    if let token { field(transaction, bytes: token) }
  }

  /// `DocumentMask`
  fileprivate mutating func mask(_ number: Int, _ paths: [String]) {
    message(number) { mask in for path in paths { mask.field(1, text: path) } }
  }

  /// `Precondition`
  fileprivate mutating func precondition(_ number: Int, _ precondition: WirePrecondition) {
    switch precondition {
    case .none: break
    case .exists(let exists): message(number) { $0.field(1, varint: exists ? 1 : 0) }
    case .updateTime(let time): message(number) { $0.timestamp(2, time) }
    }
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
