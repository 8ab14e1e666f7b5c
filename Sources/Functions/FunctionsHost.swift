/// Functions elsewhere as triggers of a runner, and the HTTP interface to all of a runner's triggers.
///
/// ```
/// let host = FunctionsHost(runner)
/// try host.register(endpoint)
/// options.administration = { host.respond($0, $1) }
/// ```
///
/// Concurrency: no state of its own beside the runner's, but the names of what was registered by a functions
/// emulator, behind a lock.

internal import DocModel
public import DocStore
internal import JSON
internal import Synchronization
public import Triggers
internal import YAML

public final class FunctionsHost<Engine: StorageEngine>: Sendable {
  /// LIMIT: deliveries under way at a time of a function that does not say.
  private static var concurrencyDefault: Int { 8 }

  /// Who delivers; the owner runs it.
  public let runner: TriggerRunner<Engine>
  /// Who runs functions at their times; the owner runs it, too.
  public let schedules: ScheduleRunner<Engine>
  let store: DocumentStore<Engine>
  /// The functions emulator, `host:port`, that registrations without an address of their own mean.
  let sink: (host: String, port: Int)?
  /// Gets what was dropped.
  let report: @Sendable (String) -> Void
  private let passing = Mutex<Set<String>>([])

  /// - Parameters:
  ///   - runner: gets the triggers of the functions.
  ///   - store: the runner's.
  ///   - sink: the functions emulator; nil refuses its registrations.
  ///   - report: gets what was dropped, in words, on any thread; must return at once.
  public init(
    _ runner: TriggerRunner<Engine>, on store: DocumentStore<Engine>, sink: (host: String, port: Int)? = nil,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.runner = runner
    schedules = ScheduleRunner(runner)
    self.store = store
    self.sink = sink
    self.report = report
  }

  /// Registers again what the journal of an earlier process remembers, except `names`, which are registered
  /// already. Returns how many.
  public func restore(_ journal: TriggerJournal?, except names: [String]) -> Int {
    var count = 0
    for registration in journal?.registrations ?? []
    where !names.contains(where: { $0.hasSameBytes(as: registration.name) }) {
      do {
        let body = try YAMLNode(json: registration.body)
        if try Self.isSchedule(body) {
          try register(try EndpointReader.schedule(body), isKept: true)
        } else {
          try register(try EndpointReader.endpoint(body), isKept: true)
        }
        count += 1
      } catch {
        let reason = (error as? YAMLError)?.message ?? "\(error)"
        report("the registration of \(registration.name) cannot be read: \(reason)")
      }
    }
    return count
  }

  /// Adds a function, or gives one of its name a new definition.
  ///
  /// - Parameter isKept: registered again by `restore` in the next process.
  public func register(_ endpoint: FunctionEndpoint, isKept: Bool) throws(TriggerError) {
    var registration: [UInt8]?
    if isKept {
      var writer = JSONWriter()
      endpoint.write(to: &writer)
      registration = writer.bytes
    }
    try runner.register(try trigger(endpoint), registration: registration)
  }

  /// Whether a registration is of a function that runs at certain times.
  static func isSchedule(_ body: YAMLNode) throws(YAMLError) -> Bool {
    try body.map("a registration")["schedule"] != nil
  }

  /// Adds a function that runs at certain times, or gives one of its name a new definition.
  ///
  /// - Parameter isKept: registered again by `restore` in the next process.
  public func register(_ endpoint: ScheduleEndpoint, isKept: Bool) throws(TriggerError) {
    var function = ScheduledFunction(endpoint.name, endpoint.schedule, in: endpoint.timeZone) { event in
      let request = EventRequest(event, cause: CommitOrigin.current?.text)
      try await HTTPPost.send(
        request, to: endpoint.address, trust: endpoint.trust, seconds: endpoint.timeout)
    }
    function.retry = RetryPolicy(
      attemptsMax: endpoint.attempts, firstPause: .milliseconds(100), longestPause: .seconds(10))
    function.target = endpoint.address.description
    var registration: [UInt8]?
    if isKept {
      var writer = JSONWriter()
      endpoint.write(to: &writer)
      registration = writer.bytes
    }
    try schedules.register(function, registration: registration)
  }

  /// A function's trigger, for a runner that is made with it.
  public func trigger(_ endpoint: FunctionEndpoint) throws(TriggerError) -> DocumentTrigger {
    var trigger: DocumentTrigger
    do throws(InvalidArgument) {
      trigger = try DocumentTrigger(endpoint.name, on: endpoint.event, endpoint.document) { event in
        let request = EventRequest(event, for: endpoint, cause: CommitOrigin.current?.text)
        try await HTTPPost.send(
          request, to: endpoint.address, trust: endpoint.trust, seconds: endpoint.timeout)
      }
    } catch {
      throw .unreadable(.invalid(error))
    }
    trigger.project = endpoint.project
    trigger.database = endpoint.database
    trigger.retry = endpoint.retry
    trigger.concurrency = endpoint.concurrency ?? Self.concurrencyDefault
    trigger.target = endpoint.address.description
    return trigger
  }

  /// A function of a functions emulator: one attempt an event, as officially, but several while nobody listens.
  /// What it refuses, does not answer in time or hangs up on is dropped: it may have run.
  /// It lives as long as this process. Source: docs/spec/streams.md 5.3.
  func registerPassing(_ endpoint: FunctionEndpoint) throws(TriggerError) {
    let report = report
    var trigger: DocumentTrigger
    do throws(InvalidArgument) {
      trigger = try DocumentTrigger(endpoint.name, on: endpoint.event, endpoint.document) { event in
        do {
          let request = EventRequest(event, for: endpoint, cause: CommitOrigin.current?.text)
          try await HTTPPost.send(
            request, to: endpoint.address, trust: endpoint.trust, seconds: endpoint.timeout)
        } catch let failure as EndpointFailure {
          // A connection that this run's end has cut says nothing about the function.
          if Task.isCancelled { throw failure }
          switch failure {
          case .unreachable, .untrusted: throw failure
          // Keys of functions that are gone are answered so for ever.
          case .refused(_, status: 404, _): break
          case .refused, .timeout, .hungUp:
            report("an event of \(event.path) is dropped: \(failure)")
          }
        }
      }
    } catch {
      throw .unreadable(.invalid(error))
    }
    trigger.project = endpoint.project
    trigger.database = endpoint.database
    trigger.retry = RetryPolicy(attemptsMax: 6, firstPause: .milliseconds(200), longestPause: .seconds(5))
    trigger.concurrency = endpoint.concurrency ?? Self.concurrencyDefault
    trigger.target = endpoint.address.description
    trigger.isRemembered = false
    try runner.register(trigger)
    passing.withLock { _ = $0.insert(endpoint.name) }
  }

  /// Ends what a functions emulator has registered: `POST /reset` does.
  public func reset() {
    let names = passing.withLock { names in
      defer { names.removeAll() }
      return names
    }
    for name in names { try? runner.unregister(name) }
  }
}
