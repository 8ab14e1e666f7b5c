/// The headers of a request, as far as this server asks for them.

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// What a header block said. Routing and tracing headers are passed over: nothing depends on them.
package struct RequestHead {
  package var method: [UInt8] = []
  package var path: [UInt8] = []
  package var authorization: [UInt8]?
  package var contentType: [UInt8] = []
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
    case 7 where name.holds(":method"): method = cache.method.bytes(value)
    case 12 where name.holds("content-type"): contentType = cache.contentType.bytes(value)
    case 12 where name.holds("grpc-timeout"): timeout = cache.timeout.bytes(value)
    case 13 where name.holds("authorization"): authorization = cache.authorization.bytes(value)
    case 14 where name.holds("docstore-cause"): cause = Array(value)
    case 13 where name.holds("grpc-encoding"): encoding = cache.encoding.bytes(value)
    default: break
    }
  }
}

/// The last value of each header, so that a client which repeats itself costs no allocation.
struct HeaderCache {
  var path = RepeatedBytes()
  var method = RepeatedBytes()
  var contentType = RepeatedBytes()
  var timeout = RepeatedBytes()
  var authorization = RepeatedBytes()
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
