/// What one gRPC connection accepts.

internal import DocModel

package struct GRPCOptions: Sendable {
  /// LIMIT: bytes of one request message, decompressed.
  /// Source: spec/production-differences.md L1 (the profile `emulator` uses 104,857,600).
  package var messageBytesMax = RequestLimits.bodyBytesMax
  /// LIMIT: bytes of unfinished requests of one connection together.
  package var bufferedBytesMax = 256 << 20
  package var http2 = HTTP2Options()
  /// Who counts and logs calls; nil for nobody.
  package var observer: CallObserver?

  package init() {}
}
