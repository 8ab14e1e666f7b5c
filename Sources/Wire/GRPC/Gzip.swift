/// gzip bodies of requests, unpacked by zlib.
///
/// A client may compress what it sends (`grpc-encoding: gzip`). Unpacking stops at a limit, and takes no more memory than
/// the limit allows, so a small body cannot unpack to a large one.

internal import CZLIB

package enum InflateError: Error {
  case corrupt
  /// The unpacked bytes would be more than the limit.
  case tooLarge
}

package enum Gzip {
  /// Unpacks one gzip member; bytes after it are refused.
  package static func inflate(_ packed: ArraySlice<UInt8>, limit: Int) throws(InflateError) -> [UInt8] {
    try packed.withUnsafeBufferPointer { packed throws(InflateError) in
      let member = try GzipMember(packed)
      var output: [UInt8] = []
      var room = 0
      while room < limit {
        room = min(limit, max(2 * room, 4 * packed.count, 1_024))
        output.reserveCapacity(room)
        if try member.unpack(to: &output, atMost: room - output.count) { return output }
      }
      // All the limit allows: nothing but the end may follow.
      var beyond: [UInt8] = []
      guard try member.unpack(to: &beyond, atMost: 1), beyond.isEmpty else { throw .tooLarge }
      return output
    }
  }
}

/// A gzip member on its way through zlib, which remembers the address of its stream.
private struct GzipMember: ~Copyable {
  private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

  /// The bytes must outlive the member.
  init(_ packed: UnsafeBufferPointer<UInt8>) throws(InflateError) {
    stream.initialize(to: z_stream())
    stream.pointee.next_in = packed.baseAddress
    stream.pointee.avail_in = UInt32(packed.count)
    // 16 more ask for the wrapper of gzip and no other.
    let opened = inflateInit2_(
      stream, MAX_WBITS + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    // Only memory can be missing.
    guard opened == Z_OK else { throw .tooLarge }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Appends what comes next, until `count` bytes are full or the member ends; whether it ended.
  func unpack(to output: inout [UInt8], atMost count: Int) throws(InflateError) -> Bool {
    var code = Z_OK
    output.append(addingCapacity: count) { span in
      span.withUnsafeMutableBufferPointer { buffer, filled in
        stream.pointee.next_out = buffer.baseAddress
        stream.pointee.avail_out = UInt32(buffer.count)
        code = CZLIB.inflate(stream, Z_NO_FLUSH)
        filled = buffer.count - Int(stream.pointee.avail_out)
      }
    }
    switch code {
    case Z_STREAM_END where stream.pointee.avail_in == 0: return true
    case Z_OK where stream.pointee.avail_out == 0: return false
    // It goes on behind the last byte, something follows its end, or zlib says what is wrong.
    default: throw .corrupt
    }
  }
}
