/// One request and its answer on an HTTP/2 connection.

/// State of one stream. Belongs to its connection's event loop, like everything of a connection.
package final class HTTP2Stream {
  package let id: Int32
  package internal(set) var head = RequestHead()
  /// Body bytes that arrived and were not yet taken.
  package var inbound: [UInt8] = []
  /// The peer has sent everything.
  package internal(set) var isHalfClosed = false
  /// The stream exists for the peer; cleared when it ends or is reset.
  package internal(set) var isOpen = true
  /// Everything of the answer has been handed over.
  package internal(set) var isAnswered = false
  /// What the layer above keeps about this stream. It points back here; the cycle is broken when the
  /// stream closes, or by whoever takes the event that it was cancelled.
  var owner = HTTP2StreamOwner.nobody

  var outbound = OutboundQueue()
  var trailers: HeaderBlock?
  var hasResponseHead = false
  /// nghttp2 asked for data when there was none, and waits to be told.
  var isDeferred = false
  /// The writer was told to pause.
  var isPaused = false
  /// Place in the connection's list of open streams.
  var slot = 0

  init(id: Int32) { self.id = id }

  package var unsentBytes: Int { outbound.unsentBytes }
}

/// Who answers on a stream.
enum HTTP2StreamOwner {
  /// Nobody yet, or not any more.
  case nobody
  case call(GRPCCall)
  case request(HTTP2Request)
}

/// What happened on a connection, in order.
package enum HTTP2Event {
  /// A request's headers are complete. Its body, if any, follows.
  case request(HTTP2Stream)
  /// Bytes were appended to the stream's `inbound`.
  case body(HTTP2Stream)
  /// The peer has sent everything on this stream.
  case halfClosed(HTTP2Stream)
  /// A writer that was told to pause may go on.
  case writable(HTTP2Stream)
  /// The stream ended before its answer did: reset by the peer, or the connection was lost.
  case cancelled(HTTP2Stream)
}

/// How a DATA frame was filled.
enum DataFrameFill {
  case bytes(Int)
  case lastBytes(Int)
  case lastBytesBeforeTrailers(Int)
  case nothingYet
}
