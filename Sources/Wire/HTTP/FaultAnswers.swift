/// Injected faults over HTTP, for administrators.
///
/// `GET …/databases/D:faults`: those of a database, what they matched and affected. `POST` with `{"rule": "ABORTED on
/// commit 2 of alice"}` sets one and answers its number. `DELETE`, with `?number=3` for one of them, removes them.

internal import Access
internal import DocModel
internal import DocStore
internal import Faults
internal import JSON

extension HTTPService {
  func answerFaults(
    _ exchange: HTTPExchange, _ method: String, of database: DatabaseID, _ target: HTTPTarget
  ) throws(GRPCStatus) {
    guard try credentials(exchange, in: database).isAdmin else {
      throw GRPCStatus(
        .permissionDenied, "faults are for administrators: send `Authorization: Bearer owner`")
    }
    try firestore.options.projects.admit(database.project)
    let faults = firestore.faults
    switch method {
    case "POST":
      try readBody(exchange) { body throws(GRPCStatus) in
        try Self.fault(body)
      } then: {
        [self] exchange, fault throws(GRPCStatus) in
        exchange.respond(json: try add(fault, in: database))
      }
    case "DELETE":
      var number: Int?
      if let text = target.values("number", "number").last.map({ String(decoding: $0, as: UTF8.self) }) {
        guard let given = Int(text) else { throw GRPCStatus(.invalidArgument, "?number= takes a number") }
        number = given
      }
      let count = faults.clear(database, number: number)
      if let number, count == 0 { throw GRPCStatus(.notFound, "there is no fault \(number)") }
      exchange.respond(json: JSONWriter.bytes(of: ["cleared": .int(count)]))
    default: exchange.respond(json: FaultAnswer.list(faults.list(database)))
    }
  }

  private static func fault(_ body: [UInt8]) throws(GRPCStatus) -> InjectedFault {
    guard let json = try? JSONReader.read(body), let text = json["rule"]?.text else {
      throw GRPCStatus(.invalidArgument, "the body is {\"rule\": \"UNAVAILABLE on commit\"}")
    }
    do throws(InjectedFaultError) { return try InjectedFaultParser.read(text) } catch {
      throw GRPCStatus(.invalidArgument, error.text)
    }
  }

  private func add(_ fault: InjectedFault, in database: DatabaseID) throws(GRPCStatus) -> [UInt8] {
    guard let number = firestore.faults.add(fault, in: database) else {
      throw GRPCStatus(.resourceExhausted, FaultAnswer.tooMany)
    }
    return JSONWriter.bytes(of: ["number": .int(number), "rule": .text(fault.description)])
  }
}
