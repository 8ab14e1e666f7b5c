/// A Ctrl-C of one test alone.

import DocStore
import Testing

/// What a test raises ends its own statements and scans, and not those of tests that run beside it.
struct OwnInterruption: TestTrait, SuiteTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await ScanInterruption.$own.withValue(ScanInterruption.Flag()) { try await function() }
  }
}

extension Trait where Self == OwnInterruption {
  static var ownInterruption: Self { Self() }
}
