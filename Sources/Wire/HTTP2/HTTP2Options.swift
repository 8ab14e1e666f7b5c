/// What one HTTP/2 connection grants its peer.

/// Limits of one connection. All sizes are bytes.
package struct HTTP2Options: Sendable {
  /// LIMIT: requests open at once on one connection; what comes above is refused and retried by clients.
  package var concurrentStreamsMax = 1_000
  /// LIMIT: a request's headers, counted as RFC 9113 6.5.2 does (name + value + 32 each).
  package var headerListBytesMax = 65_536
  /// What a client may send on one stream before it has to wait for us.
  package var streamWindowBytes = 1 << 20
  /// What a client may send on all streams together before it has to wait for us.
  package var connectionWindowBytes = 16 << 20
  /// LIMIT: acknowledgements of pings and settings that wait for a peer which does not read.
  package var unsentAcknowledgementsMax = 10_000
  /// A stream asks its writer to pause above this many unsent bytes, and to go on below half of it.
  package var unsentStreamBytesHigh = 256 << 10

  /// What is known of clients' tokens; nil where nobody keeps any.
  package var tokens: TokenCache?

  package init() {}
}
