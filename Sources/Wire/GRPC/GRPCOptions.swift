/// What one gRPC connection accepts.

internal import DocModel

/// LIMIT: how long calls may take whose client does not say how long it waits; streams in both directions as long as they
/// like. Source: docs/spec/pipelines.md 7 (60 s); clients of the service give streamed answers five minutes.
package struct DefaultDeadlines: Sendable {
  package var unarySeconds: UInt64 = 60
  package var streamingSeconds: UInt64 = 300

  package init() {}

  /// Nil for no end.
  func nanoseconds(_ kind: GRPCMethodKind) -> UInt64? {
    switch kind {
    case .unary: unarySeconds * 1_000_000_000
    case .serverStreaming: streamingSeconds * 1_000_000_000
    case .bidirectional: nil
    }
  }
}

package struct GRPCOptions: Sendable {
  /// LIMIT: bytes of one request message, decompressed.
  /// Source: docs/spec/production-differences.md L1 (the profile `emulator` uses 104,857,600).
  package var messageBytesMax = RequestLimits.bodyBytesMax
  /// LIMIT: bytes of unfinished requests of one connection together.
  package var bufferedBytesMax = 256 << 20
  package var http2 = HTTP2Options()
  /// How long calls may take whose client does not say how long it waits.
  package var deadlines = DefaultDeadlines()
  /// Runs work that would keep an event loop on another thread; nil does everything on the loop.
  package var offload: (@Sendable (@escaping @Sendable () -> Void) -> Void)?
  /// What all connections may hold together; nil for as much as they like.
  package var memory: MemoryBudget?
  /// Who counts and logs calls; nil for nobody.
  package var observer: CallObserver?

  package init() {}
}
