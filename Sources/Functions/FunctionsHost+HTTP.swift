/// Registration and administration over HTTP, below `/emulator/v1/projects/P/`.
///
/// ```
/// PUT    triggers/KEY                             a first-generation function, or an endpoint or a schedule of our own
/// POST   eventarcTrigger?eventarcTriggerId=KEY    a second-generation function
/// GET    triggers                                 all of them;   GET triggers/KEY   one
/// DELETE triggers/KEY
/// POST   triggers/KEY:pause  :resume  :drain  :replay  :retry     POST triggers:pause …  all of them
/// POST   triggers/KEY:run                         a scheduled function, now
/// GET    triggers:deadLetters                     DELETE triggers:deadLetters
/// ```
///
/// The first two are the official emulator's. P is the project that the function is for, `-` for all.
/// Source: docs/spec/streams.md 5.1, docs/spec/protocol.md 7.5.

public import Access
internal import DocModel
internal import DocStore
internal import JSON
internal import Triggers

extension FunctionsHost {
  /// Answers what is about triggers; false for everything else. `answer` is called once, on any thread.
  public func respond(
    _ request: EmulatorRequest, _ answer: @escaping @Sendable (EmulatorAnswer) -> Void
  ) -> Bool {
    guard request.path.count >= 3, request.path[0] == "projects" else { return false }
    let project = request.path[1]
    let key = request.path.dropFirst(3).joined(separator: "/")
    do {
      switch (request.method, request.path[2]) {
      case ("POST", "eventarcTrigger") where key.isEmpty:
        answer(try registerSecond(request, project))
      case ("PUT", "triggers") where !key.isEmpty: answer(try register(request, project, key))
      case ("GET", "triggers"): answer(try list(key, project))
      case ("DELETE", "triggers") where !key.isEmpty:
        // Also one that only the journal knows.
        let name = try name(key, project, among: runner.absentTriggers + schedules.absent)
        if schedules.has(name) || schedules.absent.contains(name) {
          try schedules.unregister(name)
        } else {
          try runner.unregister(name)
        }
        answer(.empty)
      case ("GET", "triggers:deadLetters") where key.isEmpty: answer(deadLetters(request))
      case ("DELETE", "triggers:deadLetters") where key.isEmpty:
        answer(.count("discarded", try runner.discard(request.ids, trigger: request.value("trigger"))))
      case ("POST", let segment) where segment.hasPrefix("triggers"):
        return try command(request, project, (segment + (key.isEmpty ? "" : "/" + key)), answer)
      default: return false
      }
    } catch let error as EmulatorFailure {
      answer(error.answer)
    } catch {
      answer(Self.failure(error))
    }
    return true
  }

  private static func failure(_ error: any Error) -> EmulatorAnswer {
    switch error {
    case TriggerError.unknownTrigger, TriggerError.unknownDeadLetter:
      EmulatorFailure(404, "NOT_FOUND", "\(error)").answer
    case TriggerError.historyGone: EmulatorFailure(400, "FAILED_PRECONDITION", "\(error)").answer
    default: EmulatorFailure(400, "INVALID_ARGUMENT", "\(error)").answer
    }
  }

  /// The trigger that a key means, of those that are registered and `others`: of the project, or of all.
  private func name(_ key: String, _ project: String, among others: [String] = []) throws -> String {
    let names = runner.statuses.map(\.name) + schedules.statuses.map(\.name) + others
    for name in [project + "/" + key, key] where names.contains(where: { $0.hasSameBytes(as: name) }) {
      return name
    }
    throw TriggerError.unknownTrigger(key)
  }

  // MARK: administration

  private func list(_ key: String, _ project: String) throws -> EmulatorAnswer {
    var statuses = runner.statuses
    var scheduled = schedules.statuses
    if !key.isEmpty {
      let name = try name(key, project)
      statuses = statuses.filter { $0.name.hasSameBytes(as: name) }
      scheduled = scheduled.filter { $0.name.hasSameBytes(as: name) }
    }
    var writer = JSONWriter()
    writer.object { object in
      object.member("triggers") { $0.array(statuses) { Self.write($1, to: &$0) } }
      if !scheduled.isEmpty { object.member("schedules") { $0.array(scheduled) { $1.write(to: &$0) } } }
      let absent = key.isEmpty ? (runner.absentTriggers + schedules.absent).sorted() : []
      if !absent.isEmpty { object.member("notRegistered") { $0.array(absent) { $0.string($1) } } }
    }
    return EmulatorAnswer(status: 200, body: writer.bytes + [0x0A])
  }

  private static func write(_ status: TriggerStatus, to writer: inout JSONWriter) {
    writer.object { object in
      object.member("name") { $0.string(status.name) }
      object.member("event") { $0.string(status.event.rawValue) }
      object.member("document") { $0.string(status.pattern) }
      if let target = status.target { object.member("endpoint") { $0.string(target) } }
      object.member("paused") { $0.boolean(status.isPaused) }
      if let since = status.pausedSince {
        object.member("pausedSince") { $0.string(Timestamp(microseconds: since).sixDigits) }
      }
      object.member("pending") { $0.integer(status.pending) }
      object.member("behind") { $0.boolean(status.isBehind) }
      object.member("lagMilliseconds") { $0.integer(status.lagMicroseconds / 1_000) }
      object.member("delivered") { $0.integer(status.delivered) }
      object.member("failedAttempts") { $0.integer(status.failed) }
      object.member("deadLetters") { $0.integer(status.deadLetters) }
      if let failure = status.lastFailure { object.member("lastFailure") { $0.string(failure) } }
    }
  }

  private func deadLetters(_ request: EmulatorRequest) -> EmulatorAnswer {
    let wanted = request.value("trigger")
    let deadLetters = runner.deadLetters.filter { deadLetter in
      wanted.map(deadLetter.trigger.hasSameBytes) ?? true
    }
    let values = deadLetters.map { deadLetter -> JSONValue in
      [
        "id": .text(deadLetter.id), "trigger": .text(deadLetter.trigger),
        (deadLetter.isOfSchedule ? "database" : "document"): .text(
          deadLetter.isOfSchedule
            ? deadLetter.event.database.resourceName : deadLetter.event.document.resourceName),
        "eventTime": .text(deadLetter.event.time.sixDigits),
        "givenUp": .text(Timestamp(microseconds: deadLetter.time).sixDigits),
        "attempts": .int(deadLetter.attempts),
        "reason": .text(deadLetter.reason),
      ]
    }
    return EmulatorAnswer(status: 200, body: JSONWriter.bytes(of: ["deadLetters": .array(values)]) + [0x0A])
  }

  /// `triggers:verb` or `triggers/KEY:verb`; false when it is neither.
  private func command(
    _ request: EmulatorRequest, _ project: String, _ path: String,
    _ answer: @escaping @Sendable (EmulatorAnswer) -> Void
  ) throws -> Bool {
    guard let colon = path.lastIndex(of: ":") else { return false }
    let verb = path[path.index(after: colon)...]
    let place = path[..<colon]
    guard place == "triggers" || place.hasPrefix("triggers/") else { return false }
    let name =
      place == "triggers" ? nil : try self.name(String(place.dropFirst("triggers/".count)), project)
    if let name, schedules.has(name) { return try command(verb, request.ids, schedule: name, answer) }
    switch verb {
    case "pause":
      if let name { try runner.pause(name) } else { runner.pause() }
      answer(.empty)
    case "resume":
      if let name {
        try runner.resume(name)
      } else {
        runner.resume()
        schedules.resume()
      }
      answer(.empty)
    case "retry":
      let scheduled = name == nil ? try schedules.retry(request.ids) : 0
      answer(.count("retried", try runner.retry(request.ids, trigger: name) + scheduled))
    case "run":
      throw EmulatorFailure(
        400, "INVALID_ARGUMENT",
        "only a scheduled function can be run; `replay` delivers the events of a trigger again")
    case "drain": drain(name, seconds: try Self.seconds(request.value("seconds")), answer)
    case "replay":
      guard let name else { throw EmulatorFailure(400, "INVALID_ARGUMENT", "a replay names its trigger") }
      answer(.count("after", Int(try runner.replay(name, from: try Self.start(request.value("from"))))))
    default: return false
    }
    return true
  }

  /// `earliest`, a time, or a version.
  private static func start(_ text: String?) throws -> ReplayStart {
    guard let text, text != "earliest" else { return .earliest }
    if let version = Int64(text) { return .after(version) }
    guard let time = Timestamp(rfc3339: text) else {
      throw EmulatorFailure(
        400, "INVALID_ARGUMENT", "'\(text)' is no place to begin: expected earliest, a time or a version")
    }
    return .after(time.microseconds - 1)
  }

  /// LIMIT: seconds that a drain may be asked to wait.
  private static var drainSecondsMax: Int { 3_600 }

  private static func seconds(_ text: String?) throws -> Int {
    guard let text else { return 60 }
    guard let seconds = Int(text), (0...drainSecondsMax).contains(seconds) else {
      throw EmulatorFailure(
        400, "INVALID_ARGUMENT",
        "'\(text)' is no number of seconds to wait: expected a whole number from 0 to \(drainSecondsMax)")
    }
    return seconds
  }

  /// Answers when all is delivered, or after so many seconds that it is not.
  private func drain(
    _ name: String?, seconds: Int, _ answer: @escaping @Sendable (EmulatorAnswer) -> Void
  ) {
    let runner = runner
    Task {
      let isDrained = await withTaskGroup(of: Bool.self) { group in
        group.addTask {
          if let name { (try? await runner.drain(name)) ?? false } else { await runner.drain() }
        }
        group.addTask {
          try? await Task.sleep(for: .seconds(seconds))
          return false
        }
        let first = await group.next() ?? false
        group.cancelAll()
        return first
      }
      answer(
        EmulatorAnswer(status: 200, body: JSONWriter.bytes(of: ["drained": .boolean(isDrained)]) + [0x0A]))
    }
  }
}

/// An error answer, in the form of the service.
struct EmulatorFailure: Error {
  let answer: EmulatorAnswer

  init(_ status: Int, _ name: String, _ message: String) {
    let error: JSONValue = ["code": .int(status), "message": .text(message), "status": .text(name)]
    answer = EmulatorAnswer(status: status, body: JSONWriter.bytes(of: ["error": error]))
  }
}

extension EmulatorAnswer {
  static let empty = EmulatorAnswer(status: 200, body: Array("{\n}\n".utf8))

  static func count(_ name: String, _ count: Int) -> EmulatorAnswer {
    EmulatorAnswer(status: 200, body: JSONWriter.bytes(of: [name: .int(count)]) + [0x0A])
  }
}

extension EmulatorRequest {
  func value(_ name: String) -> String? { query.last { $0.name == name }?.value }

  /// The dead letters that are named; nil for all.
  fileprivate var ids: [String]? {
    let ids = query.filter { $0.name == "id" }.map(\.value)
    return ids.isEmpty ? nil : ids
  }
}
