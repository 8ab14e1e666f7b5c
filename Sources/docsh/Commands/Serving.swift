/// A server from the open port to the closed one.

import Access
import ArgumentParser
import DocModel
import DocStore
import EnginePostgres
import Logging
import Wire

struct Serving: Sendable {
  let guarded: GuardedStore<ServedEngine>
  let options: FirestoreServerOptions
  let log: ServerLog
  let ending: ShutdownSignal
  let command: ServeCommand
  let sources: DatabaseFiles
  let rules: RulesLoading

  /// Serves until somebody asks for the end. The status to end with.
  ///
  /// - Parameter opened: called when requests are taken.
  func run(_ opened: () -> Void) async throws -> Int32 {
    let server: FirestoreServer
    let ending = ending
    var options = options
    options.server.isReady = { [rules] in (try? rules.finish()) != nil }
    do throws(ServerError) {
      server = try await FirestoreServer.start(guarded, options) {
        ending.request(status: ExitStatus.success)
      }
    } catch {
      try rules.finish()
      throw Terminal.end(ExitStatus.unavailable, Self.text(of: error))
    }
    let pidFile = try command.pidFile.map { try PIDFile($0) }
    announce(server.address)
    if let requests = server.requestsAddress { Terminal.say("docsh: requests on ws://\(requests)/requests") }
    opened()
    let status = await ending.wait()
    log.logger.notice("stopping", metadata: ["status": "\(status)"])
    await server.stop()
    pidFile?.remove()
    return status
  }

  private func announce(_ address: ServerAddress) {
    let profile = options.profile
    let scheme = options.server.tls == nil ? "http" : "https"
    Terminal.say("docsh: serving \(scheme)://\(address) (gRPC and REST on one port)")
    Terminal.say(
      "docsh: rules \(sources.isEmpty ? "none" : sources.summary), "
        + "storage \(storage), project \(command.project)"
        + (command.triggers.map { ", triggers of \($0)" } ?? ""))
    Terminal.say("docsh: profile \(profile.summary)")
    if command.clock != nil {
      let time = Timestamp(microseconds: guarded.store.environment.now()).rfc3339
      Terminal.say("docsh: the clock stands at \(time); `:clock +12h` in the shell moves it")
    }
    if options.server.tls == nil {
      Terminal.say("docsh: export FIRESTORE_EMULATOR_HOST=\(address.reachable)")
    } else {
      // With that variable SDKs speak plain text.
      Terminal.say("docsh: TLS only; FIRESTORE_EMULATOR_HOST is for plain text (docs/tls.md)")
    }
    guard command.announcesOfficially else { return }
    // What tools wait for. Source: docs/spec/protocol.md 7.8.
    Terminal.say("API endpoint: \(scheme)://\(address)")
    Terminal.say("Dev App Server is now running.")
  }

  private var storage: String {
    if case .postgres(let engine) = guarded.store.engine { return "in \(engine.location)" }
    return command.dataFolder.map { "in \($0)" } ?? "ephemeral"
  }

  private static func text(of error: ServerError) -> String {
    switch error {
    case .addressInUse(let host, let port):
      // The words before the colon are what tools look for.
      "address already in use: port \(port) of \(host)"
        + (PortOwner.name(ofPort: port).map { " is taken by \($0)" } ?? "")
        + "; stop what listens there or choose another with --port"
    case .portForbidden(let port): "port \(port) needs a privilege; choose one above 1023 with --port"
    case .hostUnknown(let host): "`\(host)` is no address of this machine; try --host 127.0.0.1"
    case .cannotListen(let host, let port, let reason): "cannot listen on \(host):\(port): \(reason)"
    case .withdrawn: "the server is not wanted any more"
    }
  }
}

/// The one event that ends `serve`: a signal, the end of our parent, or a request over HTTP.
final class ShutdownSignal: Sendable {
  private let stream: AsyncStream<Int32>
  private let continuation: AsyncStream<Int32>.Continuation
  private let interruptions = Interruptions()

  init() {
    (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingOldest(1))
  }

  /// Asks the server to end with an exit status. Only the first request counts.
  func request(status: Int32) {
    continuation.yield(status)
    continuation.finish()
  }

  /// A signal: the first one asks for the end, the second one is the end.
  func interrupt(signal: Int32) {
    if interruptions.isSecond() { Signals.endNow(status: 128 + signal) }
    // Interrupted by the keyboard is a normal end; SIGTERM is told as shells tell it.
    request(status: signal == 2 ? ExitStatus.success : 128 + signal)
  }

  func wait() async -> Int32 {
    for await status in stream { return status }
    return ExitStatus.success
  }
}
