/// `:export` and `:import`: what the Firebase command line asks for with `--export-on-exit` and `emulators:export`.
///
/// Paths are those of this machine, relative ones from the server's working folder, which the Firebase command line
/// shares. Source: docs/spec/streams.md 6.2.

internal import Access
internal import DocModel
internal import DocStore
internal import Exports
internal import JSON

extension HTTPService {
  /// The body of both: which database, and where.
  private struct Order: Sendable {
    let database: DatabaseID
    let directory: String
    let name: String?

    init(_ body: [UInt8]) throws(GRPCStatus) {
      guard let json = try? JSONReader.read(body.isEmpty ? Array("{}".utf8) : body),
        let members = json.members
      else { throw GRPCStatus(.invalidArgument, "Payload isn't valid for request.") }
      var texts: [String: String] = [:]
      for member in members {
        guard let name = Self.names[member.nameText], let text = member.value.text else {
          throw GRPCStatus(.invalidArgument, "Payload isn't valid for request.")
        }
        texts[name] = text
      }
      let database = texts["database"] ?? ""
      self.database = try FirestoreService<Engine>.database(database)
      directory = texts["export_directory"] ?? ""
      name = texts["export_name"].flatMap { $0.isEmpty ? nil : $0 }
    }

    private static var names: [String: String] {
      [
        "database": "database", "export_directory": "export_directory", "exportDirectory": "export_directory",
        "export_name": "export_name", "exportName": "export_name",
      ]
    }
  }

  func export(_ exchange: HTTPExchange) throws(GRPCStatus) {
    try readBody(exchange) { body throws(GRPCStatus) in
      try Order(body)
    } then: { [self] exchange, order in
      let store = firestore.store.store
      let name = order.name ?? "firestore_export_\(firestore.nowSeconds)"
      transfer(exchange) { () throws(ExportError) in
        let damaged = try StoreExport.write(store, order.database, folder: order.directory, name: name)
          .damaged
        if damaged.isEmpty { return "{}\n" }
        var writer = JSONWriter(isSpaced: true)
        writer.object { $0.member("damaged") { $0.array(damaged) { $0.string($1) } } }
        return writer.text + "\n"
      }
    }
  }

  func importDocuments(_ exchange: HTTPExchange) throws(GRPCStatus) {
    try readBody(exchange) { body throws(GRPCStatus) in
      try Order(body)
    } then: { [self] exchange, order in
      let store = firestore.store.store
      transfer(exchange) { () throws(ExportError) in
        _ = try StoreImport.read(order.directory, into: store, order.database)
        return "{}\n"
      }
    }
  }

  private func transfer(
    _ exchange: HTTPExchange, _ work: @escaping @Sendable () throws(ExportError) -> String
  ) {
    onThread(for: exchange) { () throws(GRPCStatus) in
      do throws(ExportError) { return try work() } catch { throw GRPCStatus(error) }
    } then: { exchange, answer in
      exchange.respond(json: Array(answer.utf8))
    }
  }
}
