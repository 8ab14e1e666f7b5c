/// What a scheduled function is, and what it is given.

public import DocModel
internal import DocStore
public import Platform

/// One run of a scheduled function.
public struct ScheduleEvent: Sendable {
  /// The function's name.
  public let jobName: String
  /// The database that the run is for. Of a function that runs once for all of them (`ScheduledFunction.target`): the
  /// project `-`, which no store has.
  public let database: DatabaseID
  /// The time that the run was due at, which may be earlier than now.
  public let scheduleTime: Timestamp
  /// Which attempt at the run this is, from 1; from 1 again in another process.
  public let attempt: Int

  /// The idempotency key: the same for every attempt at this run, different for every other. Letters, digits and a dash,
  /// so it may be a document's id.
  public var id: String {
    EventID.text([database.resourceName, jobName], version: scheduleTime.microseconds)
  }
}

/// Code that runs at certain times, once for each database of the store.
///
/// At least once for each time, so `action` must bear repetition: `ScheduleEvent.id` tells one. What it writes through the
/// store is an ordinary commit, past the rules, and fires triggers. `ScheduleRunner` says what becomes of times that pass
/// while a run is under way, or while nothing runs.
public struct ScheduledFunction: Sendable {
  public typealias Action = @Sendable (ScheduleEvent) async throws -> Void

  /// Part of every run's id; unique among the functions and triggers of a store.
  public let name: String
  public let schedule: Schedule
  /// By whose clocks the schedule is read.
  public let timeZone: TimeZoneRules
  public let action: Action
  /// Nil for the runner's.
  public var retry: RetryPolicy?
  /// Where a function goes whose action hands the run to another process. Such a function runs once for all databases.
  public var target: String?

  public init(
    _ name: String, _ schedule: Schedule, in timeZone: TimeZoneRules = .utc, _ action: @escaping Action
  ) {
    self.name = name
    self.schedule = schedule
    self.timeZone = timeZone
    self.action = action
  }
}

/// A function that runs at certain times.
///
/// - Parameters:
///   - schedule: `0 9 * * MON-FRI` or `every day 09:00`: see `Schedule`.
///   - timeZone: a name of the IANA database.
public func onSchedule(
  _ schedule: String, timeZone: String = "UTC", name: String, _ action: @escaping ScheduledFunction.Action
) throws(InvalidArgument) -> ScheduledFunction {
  let times: Schedule
  do throws(InvalidArgument) { times = try Schedule(schedule) } catch {
    throw InvalidArgument("the schedule of \(name) is wrong: \(error.message)")
  }
  do throws(TimeZoneError) {
    return ScheduledFunction(name, times, in: try TimeZoneRules(named: timeZone), action)
  } catch {
    throw InvalidArgument("the time zone of \(name) is wrong: \(error)")
  }
}
