/// What a stream's user may see, asked again whenever the answer may have changed.
///
/// Source: docs/spec/streams.md 1.7.

internal import DocModel

extension ListenHub {
  /// Asks about one document of a commit; a failure of the store denies.
  func verdict(_ path: ResourcePath, _ image: DocumentImage?, _ judge: ListenJudge) -> ListenVerdict {
    do throws(StoreError) {
      return try store.read(database) { view throws(StoreError) in
        guard let image else { return judge.mayGet(path, nil, view) }
        return image.withDocument { judge.mayGet(path, $0, view) }
      }
    } catch {
      return ListenVerdict(denial: error)
    }
  }

  /// Whether a document that a target names may be told; ends the target if not.
  func mayGet(
    _ path: ResourcePath, _ image: DocumentImage?, _ judge: ListenJudge, _ reference: TargetReference,
    _ commit: inout HubCommit
  ) -> Bool {
    let verdict = verdict(path, image, judge)
    if let denial = verdict.denial {
      commit.touch(reference.stream).snapshot.end(reference.target, cause: denial)
      return false
    }
    watch(verdict.reads, for: reference)
    return true
  }

  /// A document that a decision had read was written.
  func judgeAgain(_ reference: TargetReference, _ commit: inout HubCommit) {
    guard let denial = denial(of: reference) else { return }
    commit.touch(reference.stream).snapshot.end(reference.target, cause: denial)
  }

  /// The rules were replaced: what is no longer allowed ends at once.
  func judgeAll() {
    for stream in Array(streams.values) where stream.judge != nil {
      for target in Array(stream.targets.values) {
        let reference = TargetReference(stream: stream, target: target)
        guard let denial = denial(of: reference) else { continue }
        drop(target, of: stream)
        send([.removed(target.id, cause: denial)], to: stream)
      }
    }
  }

  /// Why a target may not be shown any more; nil when it may.
  private func denial(of reference: TargetReference) -> StoreError? {
    guard let judge = reference.stream.judge else { return nil }
    do throws(StoreError) {
      let verdict = try store.read(database) { view throws(StoreError) in
        try reference.target.verdict(of: judge, on: view)
      }
      if verdict.denial == nil { watch(verdict.reads, for: reference) }
      return verdict.denial
    } catch {
      return error
    }
  }

  /// Notes what a decision has read, for when it is written.
  private func watch(_ reads: [ResourcePath], for reference: TargetReference) {
    let news = reads.filter { !reference.target.guards.contains($0) }
    if news.isEmpty { return }
    index.removeGuards(reference)
    for path in news where !reference.target.guards.contains(path) { reference.target.guards.append(path) }
    index.addGuards(reference)
  }
}
