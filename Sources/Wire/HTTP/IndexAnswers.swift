/// What was asked of indexes, and new definitions, over HTTP.
///
/// `GET …/projects/P:indexes`, `GET …/projects/P/databases/D:indexes`: the shapes of queries that more than
/// automatic indexes were needed for, and what they lack; `-` stands for every project or database. Of one database also
/// its definitions, as the text of a file.
/// `PUT` with the text of a `firestore.indexes.json` gives a database new definitions.

internal import Access
internal import DocModel
internal import DocStore
internal import Indexes
internal import JSON
internal import Requests

extension HTTPService {
  func reportIndexes(_ exchange: HTTPExchange, of database: DatabaseID) {
    guard let gate = firestore.store.indexes else { return exchange.respondNotFound() }
    let asked = gate.asked { asked in
      (database.project == "-" || asked.project == database.project)
        && (database.database == "-" || asked.database == database.database)
    }
    var writer = JSONWriter()
    writer.object { object in
      object.member("mode") { $0.string(gate.mode.rawValue) }
      object.member("isComplete") { $0.boolean(asked.isComplete) }
      if let known = gate.known(database) {
        object.member("definitions") { $0.string(IndexFileText.file(known)) }
      }
      object.member("asked") { $0.array(asked.shapes) { IndexAnswer.write($1, to: &$0) } }
    }
    exchange.respond(json: writer.bytes)
  }

  /// Definitions hold for the next query. A file with errors changes nothing.
  func replaceIndexes(_ exchange: HTTPExchange, of database: DatabaseID) throws(GRPCStatus) {
    guard let gate = firestore.store.indexes else { return exchange.respondNotFound() }
    let body = exchange.request.body
    // On a thread: where several servers have the store, it returns when all of them go by the file.
    onThread(for: exchange) { [self] () throws(GRPCStatus) in
      let (file, problems) = IndexFile.read(body)
      let errors = problems.filter { $0.severity == .error }
      guard errors.isEmpty else {
        let text = errors.map { $0.text(path: "firestore.indexes.json") }.joined(separator: "\n")
        throw GRPCStatus(.invalidArgument, text)
      }
      do throws(StoreError) {
        if try gate.publish(database, body) { return }
      } catch { throw GRPCStatus(error) }
      gate.replace(database, with: file.indexes)
      firestore.store.store.setIndexes(file.indexes.definitions, in: database)
    } then: { exchange, _ in
      exchange.respond(json: Array("{}".utf8))
    }
  }
}
