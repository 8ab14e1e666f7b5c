/// The descriptors of the services' messages, as they are in the program.

internal import CDescriptors

enum DescriptorSet {
  /// LIMIT: unpacked bytes; ours are a good tenth of that.
  private static let bytesMax = 1 << 20

  /// A serialized `google.protobuf.FileDescriptorSet`, unpacked whenever somebody asks: both who do keep what they read.
  static func bytes() -> [UInt8] {
    var count = 0
    let start = descriptor_set(&count)
    let packed = Array(UnsafeRawBufferPointer(start: start, count: count))
    do throws(InflateError) { return try Gzip.inflate(packed[...], limit: bytesMax) } catch {
      preconditionFailure("the program's own descriptors cannot be unpacked: \(error)")
    }
  }
}
