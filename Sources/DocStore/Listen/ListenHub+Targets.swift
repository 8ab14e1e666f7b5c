/// Targets come, are shown for the first time, and go.
///
/// Requests of one stream are seen in order: a target that is being read holds up those behind it, not
/// those already live, and no other stream.
/// Source: docs/spec/streams.md 1.2, 1.3.

internal import DequeModule
internal import DocModel
internal import Synchronization

extension ListenHub {
  func take(_ request: ListenRequest, from stream: HubStream) {
    guard !stream.isOver else { return }
    if case .remove(let id) = request, let load = stream.load, load.target.id == id, stream.requests.isEmpty {
      // Nobody waits for the result any more.
      load.cancelled.store(true, ordering: .relaxed)
      stream.load = nil
      send([.removed(id, cause: nil)], to: stream)
      return
    }
    guard stream.requests.count < limits.targetsMax else {
      return fail(stream, .resourceExhausted(message: "too many requests of one stream are waiting"))
    }
    stream.requests.append(.client(request))
    goOn(stream)
  }

  private func fail(_ stream: HubStream, _ error: StoreError) {
    close(stream)
    stream.sink.fail(error)
  }

  /// Works on the stream's requests until one of them has to be waited for.
  func goOn(_ stream: HubStream) {
    while !stream.isOver, stream.load == nil, let request = stream.requests.popFirst() {
      switch request {
      case .client(.add(let request)): add(request, to: stream)
      case .client(.remove(let id)): remove(id, from: stream)
      case .reload(let target): reload(target, of: stream)
      }
    }
    // Most streams never ask for anything again.
    if stream.requests.isEmpty { stream.requests = [] }
  }

  private func remove(_ id: Int32, from stream: HubStream) {
    guard let target = stream.targets[id] else { return }
    drop(target, of: stream)
    send([.removed(id, cause: nil)], to: stream)
  }

  private func add(_ request: TargetRequest, to stream: HubStream) {
    let id = request.id == 0 ? stream.freeID : request.id
    guard id > 0 else { return fail(stream, .invalid(InvalidArgument("Target ID \(id) is negative."))) }
    // The client is told of a target that it does not have; the one that it has lives on.
    if stream.targets[id] != nil { return refuse(id, .targetExists(id), stream) }
    if case .refused(let error) = request.resumption { return refuse(id, .invalid(error), stream) }
    send([.added(id)], to: stream)
    guard stream.targets.count < limits.targetsMax else {
      return refuse(id, .resourceExhausted(message: "too many targets on one stream"), stream)
    }
    switch request.selection {
    case .failure(let error): refuse(id, .invalid(error), stream)
    case .success(let selection):
      begin(
        TargetLoad(
          LiveTarget(id: id, selection), judge: stream.judge, resumption: request.resumption,
          expectedCount: request.expectedCount, mustReset: false, isOnce: request.isOnce), stream)
    }
  }

  private func refuse(_ id: Int32, _ cause: StoreError, _ stream: HubStream) {
    send([.removed(id, cause: cause)], to: stream)
  }

  /// Shows a target anew that its client was told to forget.
  private func reload(_ target: LiveTarget, of stream: HubStream) {
    target.clearWindow()
    begin(
      TargetLoad(target, judge: stream.judge, resumption: .none, expectedCount: nil, mustReset: false),
      stream)
  }

  // MARK: reading the result

  private func begin(_ load: TargetLoad, _ stream: HubStream) {
    stream.load = load
    readPiece(of: load, stream)
  }

  /// Runs the next piece on a worker thread, and comes back with what it read.
  private func readPiece(of load: TargetLoad, _ stream: HubStream) {
    let owner = StreamReference(stream: stream)
    let sink = stream.sink
    execute { [self] in
      if load.cancelled.load(ordering: .relaxed) { return }
      guard sink.hasMemory(limits.pieceBytesMax) else {
        return enqueue { hub in hub.stall(load, owner.stream) }
      }
      do throws(StoreError) {
        try load.readPiece(from: store, database, limits)
        load.held = sink.hold(load.eventBytes)
        enqueue { hub in hub.pieceCame(of: load, owner.stream, nil) }
      } catch {
        enqueue { hub in hub.pieceCame(of: load, owner.stream, error) }
      }
    }
  }

  /// There is no memory for the next piece: the stream stands still until there is.
  private func stall(_ load: TargetLoad, _ stream: HubStream) {
    guard stream.load === load, !stream.isOver else { return }
    // Asked again: who was woken before this job had nothing to wake.
    if stream.sink.hasMemory(limits.pieceBytesMax) { return readPiece(of: load, stream) }
    if stream.standstill == nil { stream.standstill = token }
  }

  private func pieceCame(of load: TargetLoad, _ stream: HubStream, _ failure: StoreError?) {
    guard stream.load === load, !stream.isOver else { return }
    if let failure { return end(load, stream, cause: failure) }
    advance(load, stream)
  }

  /// Sends what was read, and goes on unless the client has to read first.
  func advance(_ load: TargetLoad, _ stream: HubStream) {
    guard stream.standstill == nil else { return }
    if load.isComplete, load.eventBytes <= limits.pieceBytesMax { return join(load, stream) }
    send(load.takeEvents(), to: stream)
    guard stream.standstill == nil else { return }
    if load.isComplete { join(load, stream) } else { readPiece(of: load, stream) }
  }

  private func end(_ load: TargetLoad, _ stream: HubStream, cause: StoreError) {
    stream.load = nil
    send([.removed(load.target.id, cause: cause)], to: stream)
    goOn(stream)
  }

  /// What changed since the result was read is told, and the target is live.
  private func join(_ load: TargetLoad, _ stream: HubStream) {
    let joining: Joining
    do throws(StoreError) {
      joining = try present { view throws(StoreError) in try load.join(view, limits) }
    } catch {
      return end(load, stream, cause: error)
    }
    // Commits that were applied meanwhile may have filled the client's buffer; then it waits after all.
    if stream.standstill != nil || stream.load !== load { return load.restart() }
    switch joining {
    case .denied(let denial): return end(load, stream, cause: denial)
    case .behind: return readPiece(of: load, stream)
    case .outdated:
      load.restart()
      return readPiece(of: load, stream)
    case .events(let closing, let reads):
      stream.load = nil
      let target = load.target
      var events = load.takeEvents() + closing + [.current(target.id, token), .consistent(token)]
      if load.isOnce {
        events.append(.removed(target.id, cause: nil))
      } else {
        target.guards = reads
        stream.targets[target.id] = target
        index.add(TargetReference(stream: stream, target: target))
      }
      send(events, to: stream)
      goOn(stream)
    }
  }
}

/// How a loaded target meets the newest state.
enum Joining {
  case events([ListenEvent], reads: [ResourcePath])
  case denied(StoreError)
  /// Too much has happened since for the hub to tell: a worker thread reads it first.
  case behind
  /// It must be read again.
  case outdated
}

/// A stream on its way through a worker thread, which only passes it on.
///
/// `@unchecked Sendable`: the stream is touched by its hub's jobs alone.
struct StreamReference: @unchecked Sendable {
  let stream: HubStream
}
