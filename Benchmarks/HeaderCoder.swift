/// Headers as nghttp2's clients code them (RFC 7541).

internal import CNGHTTP2

final class HeaderCoder {
  private var deflater: OpaquePointer?

  init() { nghttp2_hd_deflate_new(&deflater, 4_096) }

  deinit { nghttp2_hd_deflate_del(deflater) }

  /// - Parameter isKept: whether the tables of both ends keep what comes again, as they do unless somebody asks for the
  ///   contrary. They never keep a path, nor a token.
  func block(_ fields: [(name: String, value: [UInt8])], isKept: Bool = true) -> [UInt8] {
    var text: [UInt8] = []
    for field in fields { text += Array(field.name.utf8) + field.value }
    let flags = (isKept ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX).rawValue
    return text.withUnsafeMutableBufferPointer { text in
      var next = text.baseAddress
      let pairs = fields.map { field in
        let pair = nghttp2_nv(
          name: next, value: next.map { $0 + field.name.utf8.count }, namelen: field.name.utf8.count,
          valuelen: field.value.count, flags: UInt8(truncatingIfNeeded: flags))
        next = next.map { $0 + field.name.utf8.count + field.value.count }
        return pair
      }
      let bound = nghttp2_hd_deflate_bound(deflater, pairs, pairs.count)
      return [UInt8](unsafeUninitializedCapacity: bound) { bytes, count in
        count = max(0, nghttp2_hd_deflate_hd(deflater, bytes.baseAddress, bound, pairs, pairs.count))
      }
    }
  }

  /// A token by itself: it stands behind any other header. Empty for none.
  static func authorization(_ header: [UInt8]) -> [UInt8] {
    header.isEmpty ? [] : HeaderCoder().block([("authorization", header)])
  }

  /// What every call of a method says.
  static func fields(
    _ method: String, authority: String
  ) -> [(name: String, value: [UInt8])] {
    [
      (":method", "POST"), (":scheme", "http"), (":path", "/google.firestore.v1.Firestore/" + method),
      (":authority", authority), ("content-type", "application/grpc"), ("te", "trailers"),
    ].map { ($0.0, Array($0.1.utf8)) }
  }
}
