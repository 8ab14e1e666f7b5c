/// What a running server was asked, over its HTTP interface.

import ArgumentParser
import Client
import DocModel
import DocStore
import Requests
import Wire

struct ServerOptionsForIndexes: ParsableArguments {
  @Option(
    name: [.customLong("host"), .customLong("server")],
    help: ArgumentHelp(
      "The running server; FIRESTORE_EMULATOR_HOST, or 127.0.0.1:8080, when not given.",
      valueName: "host:port"))
  var server: String?

  @Option(help: "Only queries of this project.")
  var project = "-"

  @Option(help: "Only queries of databases with this name.")
  var database = "-"

  /// The address to ask.
  var address: String { server ?? Environment.value("FIRESTORE_EMULATOR_HOST") ?? "127.0.0.1:8080" }

  /// The shapes of queries that were asked; ends the command with a complaint when there is no server.
  func asked() throws -> (asked: [(needs: QueryNeeds, count: Int)], isComplete: Bool) {
    let answer: HTTPAnswer
    do {
      answer = try ServerRequest.send(
        "/emulator/v1/projects/\(PercentEncoding.part(project))/databases/\(PercentEncoding.part(database)):indexes",
        to: address)
    } catch {
      throw Terminal.end(
        ExitStatus.unavailable, "\(error). Start one with `docsh serve`, or name another with --host")
    }
    guard answer.status == 200, let asked = IndexAnswer.read(answer.body) else {
      throw Terminal.end(
        ExitStatus.unavailable, "`\(address)` answers, but does not know of indexes (status \(answer.status))"
      )
    }
    return asked
  }
}
