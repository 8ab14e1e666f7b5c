/// Orders to scheduled functions, and how they are doing, over HTTP.

internal import Access
internal import DocModel
internal import DocStore
internal import JSON
internal import Triggers

extension FunctionsHost {
  /// `triggers/NAME:verb` of a scheduled function; false when it is no verb.
  func command(
    _ verb: Substring, _ ids: [String]?, schedule name: String,
    _ answer: @escaping @Sendable (EmulatorAnswer) -> Void
  ) throws -> Bool {
    switch verb {
    case "pause":
      try schedules.pause(name)
      answer(.empty)
    case "resume":
      try schedules.resume(name)
      answer(.empty)
    case "retry": answer(.count("retried", try schedules.retry(ids, function: name)))
    case "run": run(name, answer)
    case "drain", "replay":
      throw EmulatorFailure(
        400, "INVALID_ARGUMENT", "a scheduled function has no events to \(verb); `run` runs it now")
    default: return false
    }
    return true
  }

  /// Answers how it is doing when the first attempt has ended.
  private func run(_ name: String, _ answer: @escaping @Sendable (EmulatorAnswer) -> Void) {
    let schedules = schedules
    Task {
      do throws(TriggerError) {
        try await schedules.runNow(name)
        var writer = JSONWriter()
        // Nothing is said of one that was removed meanwhile.
        guard let status = schedules.statuses.first(where: { $0.name.hasSameBytes(as: name) }) else {
          throw .unknownTrigger(name)
        }
        status.write(to: &writer)
        answer(EmulatorAnswer(status: 200, body: writer.bytes + [0x0A]))
      } catch {
        answer(EmulatorFailure(404, "NOT_FOUND", "\(error)").answer)
      }
    }
  }
}

extension ScheduleStatus {
  func write(to writer: inout JSONWriter) {
    writer.object { object in
      object.member("name") { $0.string(name) }
      object.member("schedule") { $0.string(schedule) }
      object.member("timeZone") { $0.string(timeZone) }
      if let target { object.member("endpoint") { $0.string(target) } }
      object.member("paused") { $0.boolean(pausedSince != nil) }
      let times: [(StaticString, Int64?)] = [
        ("pausedSince", pausedSince), ("nextTime", nextTime), ("lastTime", lastTime),
      ]
      for case (let key, .some(let time)) in times {
        object.member(key) { $0.string(Timestamp(microseconds: time).rfc3339) }
      }
      object.member("underWay") { $0.boolean(isUnderWay) }
      object.member("delivered") { $0.integer(delivered) }
      object.member("failedAttempts") { $0.integer(failed) }
      object.member("deadLetters") { $0.integer(deadLetters) }
      if let lastFailure { object.member("lastFailure") { $0.string(lastFailure) } }
    }
  }
}
