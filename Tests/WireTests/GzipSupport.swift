import CZLIB

/// gzip as clients make it, by zlib.
func gzipped(_ bytes: [UInt8]) -> [UInt8] {
  var stream = z_stream()
  let opened = deflateInit2_(
    &stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
    Int32(MemoryLayout<z_stream>.size))
  precondition(opened == Z_OK)
  defer { deflateEnd(&stream) }
  return bytes.withUnsafeBufferPointer { input in
    [UInt8](unsafeUninitializedCapacity: Int(deflateBound(&stream, uLong(bytes.count)))) { output, count in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(output.count)
      let ended = deflate(&stream, Z_FINISH)
      precondition(ended == Z_STREAM_END)
      count = Int(stream.total_out)
    }
  }
}
