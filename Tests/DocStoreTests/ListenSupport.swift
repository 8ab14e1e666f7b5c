/// A client of a listen stream that believes what it is told, and the threads that the store works on.

import DocModel
import DocStore
import EngineLMDB
import Synchronization
import TestSupport

/// Runs the hub's work when the test says so.
final class ManualThreads: Sendable {
  private let jobs = Mutex<[@Sendable () -> Void]>([])

  func submit(_ job: @escaping @Sendable () -> Void) { jobs.withLock { $0.append(job) } }

  func run() {
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job() }
  }
}

/// What a client knows of one target.
struct KnownTarget: Equatable {
  var documents: [ResourcePath: Int64] = [:]
  var isAdded = false
  var isCurrent = false
  var resets = 0
  var cause: StoreError?
  var isRemoved = false
  var filterCount: Int?
}

/// Keeps what a stream says, as an SDK would, and what is wrong with it.
final class ListenProbe: Sendable {
  struct Known {
    var events: [ListenEvent] = []
    var targets: [Int32: KnownTarget] = [:]
    var remembered: [Int32: [ResourcePath: Int64]] = [:]
    var token: ResumeToken?
    var complaints: [String] = []
    /// Documents and deletions since the last consistent state.
    var untold = 0
    var messages = 0
    var failure: StoreError?
  }

  private let known = Mutex(Known())
  private let unsent = Atomic(0)
  /// What a sending adds to the bytes that the client has not read.
  private let unsentPerSending = Atomic(0)

  var now: Known { known.withLock { $0 } }
  var isSlow: Bool { unsent.load(ordering: .relaxed) > 0 }

  func target(_ id: Int32) -> KnownTarget { now.targets[id] ?? KnownTarget() }

  /// The events since the last call.
  func takeEvents() -> [ListenEvent] {
    known.withLock { known in
      defer { known.events = [] }
      return known.events
    }
  }

  /// Makes the client remember documents from an earlier stream.
  func believe(_ documents: [ResourcePath: Int64], of id: Int32) {
    known.withLock { $0.remembered[id] = documents }
  }

  /// Makes the client read nothing, or everything.
  func setUnsentBytes(_ count: Int) { unsent.store(count, ordering: .relaxed) }

  /// Lets every sending fill the client's buffer by so much, until it is emptied.
  func setUnsentBytes(perSending count: Int) { unsentPerSending.store(count, ordering: .relaxed) }

  var sink: ListenSink {
    ListenSink(
      send: { [self] events in
        known.withLock { known in for event in events { Self.take(event, &known) } }
        unsent.add(unsentPerSending.load(ordering: .relaxed), ordering: .relaxed)
      },
      unsentBytes: { [self] in unsent.load(ordering: .relaxed) },
      fail: { [self] error in known.withLock { $0.failure = error } })
  }

  private static func take(_ event: ListenEvent, _ known: inout Known) {
    known.events.append(event)
    known.messages += 1
    switch event {
    case .added(let id):
      if known.targets[id]?.isAdded == true, known.targets[id]?.isRemoved == false {
        known.complaints.append("second ADD of \(id)")
      }
      known.targets[id] = KnownTarget(documents: known.remembered[id] ?? [:], isAdded: true)
    case .removed(let id, let cause):
      check(id, &known)
      known.targets[id]?.isRemoved = true
      known.targets[id]?.cause = cause
    case .reset(let id):
      check(id, &known)
      known.targets[id]?.documents = [:]
      known.targets[id]?.isCurrent = false
      known.targets[id]?.resets += 1
    case .current(let id, let token):
      check(id, &known)
      checkTime(token, &known)
      known.targets[id]?.isCurrent = true
    case .consistent(let token):
      checkTime(token, &known)
      known.untold = 0
      known.token = token
    case .changed(let document, let targets, let removed):
      known.untold += 1
      for id in targets {
        check(id, &known)
        known.targets[id]?.documents[document.path] = document.image.updateTime
      }
      for id in removed { drop(document.path, id, &known) }
    case .deleted(let path, let removed, _), .left(let path, let removed, _):
      known.untold += 1
      for id in removed { drop(path, id, &known) }
    case .filter(let id, let count, _):
      check(id, &known)
      known.targets[id]?.filterCount = count
    }
  }

  private static func drop(_ path: ResourcePath, _ id: Int32, _ known: inout Known) {
    check(id, &known)
    known.targets[id]?.documents[path] = nil
  }

  private static func check(_ id: Int32, _ known: inout Known) {
    guard let target = known.targets[id], target.isAdded, !target.isRemoved else {
      known.complaints.append("message for target \(id), which is not live")
      return
    }
  }

  private static func checkTime(_ token: ResumeToken, _ known: inout Known) {
    if token.readTime <= 0 { known.complaints.append("read time \(token.readTime)") }
    if let last = known.token, token.readTime < last.readTime {
      known.complaints.append("read time went back from \(last.readTime) to \(token.readTime)")
    }
  }
}

/// A store, its listeners, and one stream.
final class ListenHarness {
  let database = QueryTestSource.database
  let test: TestStore
  let threads = ManualThreads()
  let listening: Listening<LMDBEngine>
  let probe = ListenProbe()
  let stream: ListenStream<LMDBEngine>

  /// - Parameter keepsTime: whether the time beats by itself. Its thread may be anywhere, also between saying that there is work and bringing
  ///   it: a test that runs `threads` and then expects all to be told does without it.
  init(
    _ test: TestStore, limits: ListenLimits = ListenLimits(), judge: ListenJudge? = nil,
    keepsTime: Bool = false
  ) {
    self.test = test
    listening = Listening(
      test.store, limits: limits, deliver: { [threads] in threads.submit($0) },
      execute: { [threads] in threads.submit($0) }, keepsTime: keepsTime)
    stream = listening.open(database, judge: judge, probe.sink)
    threads.run()
  }

  deinit {
    stream.close()
    threads.run()
    listening.close()
  }

  func add(
    _ id: Int32, _ selection: TargetSelection, from resumption: TargetResumption = .none,
    expecting count: Int? = nil
  ) {
    stream.take(
      .add(
        TargetRequest(id: id, selection: .success(selection), resumption: resumption, expectedCount: count)))
    threads.run()
  }

  func remove(_ id: Int32) {
    stream.take(.remove(id))
    threads.run()
  }

  @discardableResult
  func commit(_ writes: Write...) throws -> CommitResult { try commit(writes) }

  @discardableResult
  func commit(_ writes: [Write]) throws -> CommitResult {
    test.clock.advance(microseconds: 10)
    let result = try test.store.commitAndWait(database, writes)
    threads.run()
    return result
  }

  /// What the store itself answers now: the documents with their versions.
  func truth(_ selection: TargetSelection) throws -> [ResourcePath: Int64] {
    try test.store.read(database) { (view) throws(StoreError) in
      var found: [ResourcePath: Int64] = [:]
      switch selection {
      case .documents(let paths):
        for path in paths {
          if let document = try view.document(path) { found[path] = document.updateTime }
        }
      case .query(let query):
        _ = try QueryExecutor.run(query, plan: .wholeScan(query), on: view) { row in
          found[ResourcePath(unchecked: String(decoding: row.path, as: UTF8.self))] = row.document.updateTime
          return .more
        }
      }
      return found
    }
  }

  func query(_ collection: String, _ change: (inout StructuredQuery) -> Void = { _ in }) throws
    -> TargetSelection
  {
    var query = StructuredQuery(
      database: database, collection: ResourcePath(unchecked: collection))
    change(&query)
    return .query(try QueryValidator.validate(query))
  }
}
