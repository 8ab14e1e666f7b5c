/// The cases of a large suite on several cores, each part on a stage of its own.
///
/// Cases know nothing of each other, so parts that are run side by side and put together in their order are what one
/// after the other gives.

internal import Platform
internal import Rules

/// What came of some of the cases, in their order.
struct SuitePart: Sendable {
  var results: [CaseResult] = []
  var errors = SuiteErrors()
  var explanations: [ExplainedRequest] = []
  /// Requests that were refused because a condition had no value.
  var errorsSeen: [ErrorGate.Seen] = []
  /// Cases that passed, when the options ask for recordings.
  var recorded: [RecordedCase] = []
  /// Cells of grids that came to another letter than is written.
  var gridChanges: [GridChange] = []

  static func += (left: inout SuitePart, right: SuitePart) {
    left.results += right.results
    left.errors.add(right.errors)
    left.explanations += right.explanations
    left.errorsSeen += right.errorsSeen
    left.recorded += right.recorded
    left.gridChanges += right.gridChanges
  }
}

extension SuiteRunner {
  /// A stage costs about as much as a hundred cases.
  private static let casesOfWorkerMin = 400

  /// Plays cases, on as many threads as are worth it.
  mutating func play(_ cases: [TestCase], hides: Bool) throws(SuiteFailure) {
    let workers = min(options.workers, cases.count / Self.casesOfWorkerMin)
    guard workers > 1 else { return try play(cases[...], hides: hides) }
    let length = (cases.count + workers - 1) / workers
    let others = stride(from: length, to: cases.count, by: length).map { start in
      helper(cases[start..<min(start + length, cases.count)], hides: hides)
    }
    var failure: SuiteFailure?
    do throws(SuiteFailure) { try play(cases[..<length], hides: hides) } catch { failure = error }
    // All are waited for: they use what the caller closes.
    for other in others {
      do throws(SuiteFailure) { part += try other.wait({ $0 }).get() } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// A part that is played on a thread of its own, or here where there is none to have.
  private func helper(
    _ cases: ArraySlice<TestCase>, hides: Bool
  ) -> Monitor<Result<SuitePart, SuiteFailure>?> {
    let outcome = Monitor<Result<SuitePart, SuiteFailure>?>(nil)
    let (file, options, coverage) = (file, options, stage.coverage)
    let work: @Sendable () -> Void = {
      let played: Result<SuitePart, SuiteFailure>
      do throws(SuiteFailure) {
        var runner = try SuiteRunner(file, options: options, coverage: coverage)
        defer { runner.close() }
        try runner.play(cases, hides: hides)
        played = .success(runner.part)
      } catch {
        played = .failure(error)
      }
      outcome.change { $0 = played }
    }
    do throws(PlatformThread.Exhausted) {
      try PlatformThread.start(stackBytes: PlatformThread.largeStackBytes, work)
    } catch {
      work()
    }
    return outcome
  }
}
