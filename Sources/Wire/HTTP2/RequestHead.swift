/// The headers of a request: those that gRPC calls need, and of other requests all.

internal import Platform

/// What a header block said. Routing and tracing headers of gRPC calls are passed over: nothing depends on them.
package struct RequestHead {
  package var method: [UInt8] = []
  package var path: [UInt8] = []
  package var authorization: Authorization?
  package var contentType: [UInt8] = []
  /// The content type is gRPC's: the request is a call, and nothing else of this server.
  package private(set) var isGRPC = false
  /// Every header in order, `:authority` as `host`; empty for gRPC calls.
  package var fields: [(name: String, value: String)] = []
  /// The request comes from a page of a browser.
  package private(set) var hasOrigin = false
  /// `docstore-cause`: what made the client write, for triggers.
  package var cause: [UInt8]?
  /// `grpc-timeout`, undecoded; empty when absent.
  package var timeout: [UInt8] = []
  /// `grpc-encoding`; empty when absent.
  package var encoding: [UInt8] = []
  /// Size of the block as RFC 9113 6.5.2 counts it.
  package var listBytes = 0

  package init() {}

  /// Adds one field. `cache` shares the bytes of values that come again and again.
  mutating func take(
    name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, sharing cache: inout HeaderCache
  ) {
    switch name.count {
    case 5 where name.holds(":path"): path = cache.path.bytes(value)
    case 6 where name.holds("origin"): hasOrigin = true
    case 7 where name.holds(":method"): method = cache.method.bytes(value)
    case 12 where name.holds("content-type"):
      contentType = cache.contentType.bytes(value)
      isGRPC = contentType.starts(with: "application/grpc")
    case 12 where name.holds("grpc-timeout"): timeout = cache.timeout.bytes(value)
    case 13 where name.holds("authorization"): authorization = cache.authorization.take(value, cache.tokens)
    case 14 where name.holds("docstore-cause"): cause = Array(value)
    case 13 where name.holds("grpc-encoding"): encoding = cache.encoding.bytes(value)
    default: break
    }
  }
}

/// The headers of the block that is being read, until it is known whether anybody wants them: they come one by one, and
/// whether a request is a gRPC call stands in one of them.
///
/// INVARIANT: `lengths` holds a name's and a value's length for each header, and `bytes` as many bytes.
struct HeldHeaders {
  private var bytes: [UInt8] = []
  private var lengths: [(name: Int, value: Int)] = []

  mutating func append(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
    // Other pseudo-headers than the host have places of their own.
    if name.first == UInt8(ascii: ":"), !name.holds(":authority") { return }
    bytes.append(contentsOf: name)
    bytes.append(contentsOf: value)
    lengths.append((name.count, value.count))
  }

  /// Forgets them, but not the memory they took, which the next request needs.
  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    lengths.removeAll(keepingCapacity: true)
  }

  func checkInvariants() {
    assert(
      lengths.reduce(0) { $0 + $1.name + $1.value } == bytes.count, "lengths and bytes are of one another")
  }

  /// The headers as a service sees them.
  var fields: [(name: String, value: String)] {
    checkInvariants()
    var fields: [(name: String, value: String)] = []
    fields.reserveCapacity(lengths.count)
    var next = 0
    for length in lengths {
      let name = bytes[next..<next + length.name]
      let value = bytes[next + length.name..<next + length.name + length.value]
      next += length.name + length.value
      let isHost = name.first == UInt8(ascii: ":")
      fields.append(
        (isHost ? "host" : String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self)))
    }
    return fields
  }
}

/// The last value of each header, so that a client which repeats itself costs no allocation.
struct HeaderCache {
  let tokens: TokenCache?
  var path = RepeatedBytes()
  var method = RepeatedBytes()
  var contentType = RepeatedBytes()
  var timeout = RepeatedBytes()
  var authorization = RepeatedAuthorization()
  var encoding = RepeatedBytes()
}

/// One remembered value.
struct RepeatedBytes {
  private var last: [UInt8] = []

  mutating func bytes(_ value: UnsafeRawBufferPointer) -> [UInt8] {
    if !value.holds(last) { last = Array(value) }
    return last
  }
}

extension UnsafeRawBufferPointer {
  func holds(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    guard let baseAddress, count > 0 else { return true }
    return memcmp(baseAddress, text.utf8Start, count) == 0
  }

  func holds(_ bytes: [UInt8]) -> Bool {
    guard count == bytes.count else { return false }
    guard let baseAddress, count > 0 else { return true }
    return bytes.withUnsafeBytes { other in
      other.baseAddress.map { memcmp(baseAddress, $0, count) == 0 } ?? false
    }
  }
}

extension [UInt8] {
  func holds(_ text: StaticString) -> Bool {
    withUnsafeBytes { $0.holds(text) }
  }

  func starts(with text: StaticString) -> Bool {
    withUnsafeBytes {
      $0.count >= text.utf8CodeUnitCount
        && UnsafeRawBufferPointer(rebasing: $0[..<text.utf8CodeUnitCount]).holds(text)
    }
  }
}
