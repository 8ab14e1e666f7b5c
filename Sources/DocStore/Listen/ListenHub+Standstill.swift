/// Streams whose clients are slower than the commits.
///
/// Their targets stand still: nothing is kept for them but the state that they show. When the client has
/// read, history tells what it has missed, in one step; when that is too much, the target is reset and
/// shown anew. So a slow client costs a buffer, and nobody waits for it.
/// Source: docs/spec/streams.md 1.5.

internal import DequeModule
internal import DocModel

extension ListenHub {
  /// Events of the feed were dropped: every stream has missed something.
  func standStill() {
    for stream in streams.values {
      if stream.standstill == nil { stream.standstill = token }
      stream.hasMissed = true
      let owner = StreamReference(stream: stream)
      enqueue { hub in hub.catchUp(owner.stream) }
    }
  }

  /// The client has read what waited for it.
  func catchUp(_ stream: HubStream) {
    guard let standstill = stream.standstill, !stream.isOver, hasRoom(stream) else { return }
    guard stream.hasMissed else {
      stream.standstill = nil
      return resume(stream)
    }
    var events: [ListenEvent] = []
    var resets: [LiveTarget] = []
    var ended: [(LiveTarget, StoreError)] = []
    do throws(StoreError) {
      try present { view throws(StoreError) in
        let isSameGeneration = try view.generationVersion() == standstill.generation
        for target in stream.targets.values {
          if let judge = stream.judge, let denial = try target.verdict(of: judge, on: view).denial {
            ended.append((target, denial))
          } else if isSameGeneration, try view.keeps(standstill.readTime),
            let missed = try TargetDifference.events(
              target, since: standstill.readTime, to: view,
              atMost: DifferenceLimits(limits.catchUpChangesMax, limits), judge: stream.judge)
          {
            events.append(contentsOf: missed)
          } else {
            resets.append(target)
          }
        }
      }
    } catch {
      // The store cannot be read: every target ends with its reason.
      resets = []
      ended = stream.targets.values.map { ($0, error) }
    }
    stream.standstill = nil
    stream.hasMissed = false
    for (target, denial) in ended {
      drop(target, of: stream)
      events.append(.removed(target.id, cause: denial))
    }
    for target in resets {
      drop(target, of: stream)
      events.append(.reset(target.id))
      stream.requests.prepend(.reload(target))
    }
    // With targets to be shown anew the stream is consistent when the last of them is.
    send(resets.isEmpty ? events + [.consistent(token)] : events, to: stream)
    resume(stream)
  }

  private func resume(_ stream: HubStream) {
    if let load = stream.load { advance(load, stream) } else { goOn(stream) }
  }
}
