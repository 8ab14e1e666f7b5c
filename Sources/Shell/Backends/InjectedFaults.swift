/// Injected faults of a server, and of a store in this process.

import Access
import Client
import DocModel
import DocStore
import Faults
import JSON
import Platform

extension RemoteBackend {
  func injectedFaults() throws(ShellError) -> [FaultReport] {
    try told("faults", FaultAnswer.read(try administrate("GET", ":faults")))
  }

  func inject(_ fault: InjectedFault) throws(ShellError) -> Int {
    let body = JSONWriter.bytes(of: ["rule": .text(fault.description)])
    let json = try? JSONReader.read(try administrate("POST", ":faults", body: body))
    return try told("faults", json?["number"]?.int)
  }

  func clearFaults(_ number: Int?) throws(ShellError) -> Int {
    let answer = try administrate("DELETE", ":faults" + (number.map { "?number=\($0)" } ?? ""))
    return try told("faults", (try? JSONReader.read(answer))?["cleared"]?.int)
  }
}

/// A store in this process has no clients but the session, so its statements are what they affect: enough to try a rule.
extension EmbeddedBackend {
  func injectedFaults() throws(ShellError) -> [FaultReport] { faults.list(database) }

  func inject(_ fault: InjectedFault) throws(ShellError) -> Int {
    guard let number = faults.add(fault, in: database) else {
      throw ShellError(.failed(code: "RESOURCE_EXHAUSTED"), FaultAnswer.tooMany)
    }
    return number
  }

  func clearFaults(_ number: Int?) throws(ShellError) -> Int { faults.clear(database, number: number) }

  /// Before a call: waits or fails as faults want it, exactly as a server would.
  func inject(
    _ call: InjectedFault.Call, as caller: Caller, at paths: @autoclosure () -> [[String]] = [],
    in transaction: TransactionToken? = nil
  ) throws(ShellError) {
    guard faults.areSet,
      let injection = faults.inject(FaultedCall(call, database, caller.credentials, paths: paths()))
    else { return }
    try Self.wait(injection.delayMilliseconds)
    guard let status = injection.status else { return }
    let store = guarded.store
    if status.code == .aborted, let transaction,
      let id = try? store.transaction(transaction.bytes, in: database, of: caller.credentials.author)
    {
      // One that is over already needs no end.
      try? store.rollBack(id, in: database)
    }
    throw Self.error(status)
  }

  /// Behind an event of a live query.
  func inject(_ stream: inout FaultedStream, behind event: ListenEvent) throws(ShellError) {
    guard faults.areSet else { return }
    let path: ResourcePath? =
      switch event {
      case .changed(let document, _, _): document.path
      case .deleted(let path, _, _), .left(let path, _, _): path
      case .added, .removed, .reset, .current, .consistent, .filter: nil
      }
    let segments = path.map { FaultedCall.segments($0.text) }
    if let status = faults.drop(&stream, afterMessageAbout: segments) { throw Self.error(status) }
  }

  private static func error(_ status: GRPCStatus) -> ShellError {
    ShellError(ClientFailure.status(code: Int(status.code.rawValue), message: status.message))
  }

  /// Waits until the time is over or Ctrl-C is pressed.
  private static func wait(_ milliseconds: Int) throws(ShellError) {
    var left = milliseconds
    while left > 0 {
      try Interruption.check()
      // Ends at once at a signal.
      _ = poll(nil, 0, Int32(min(left, 100)))
      left -= 100
    }
    try Interruption.check()
  }
}
