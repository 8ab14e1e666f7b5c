/// Response headers in the shape nghttp2 takes.
///
/// Constant blocks (the head of every answer, the trailers of every success) are built once and lent
/// to the library, which then copies nothing; all others are copied when they are submitted.

internal import CNGHTTP2

/// A list of header fields in memory of its own.
///
/// `@unchecked Sendable`: nothing in it changes after `init`.
package final class HeaderBlock: @unchecked Sendable {
  let fields: UnsafeMutablePointer<nghttp2_nv>
  let count: Int
  private let text: UnsafeMutablePointer<UInt8>
  private let isConstant: Bool

  /// - Parameter isConstant: the block lives as long as the process, so the library need not copy it.
  package init(_ list: [(name: String, value: [UInt8])], isConstant: Bool = false) {
    self.isConstant = isConstant
    count = list.count
    fields = .allocate(capacity: max(list.count, 1))
    text = .allocate(capacity: max(list.reduce(0) { $0 + $1.name.utf8.count + $1.value.count }, 1))
    let flags =
      isConstant
      ? NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue | NGHTTP2_NV_FLAG_NO_COPY_VALUE.rawValue : 0
    var next = text
    for (index, field) in list.enumerated() {
      var name = field.name
      let nameStart = next
      next += name.withUTF8 { Self.copy($0, to: next) }
      let valueStart = next
      next += field.value.withUnsafeBufferPointer { Self.copy($0, to: next) }
      // What is long is said once: in the peer's table it would only take the place of what comes again.
      let isOnce = field.value.count > Self.repeatedBytesMax
      (fields + index).initialize(
        to: nghttp2_nv(
          name: nameStart, value: valueStart, namelen: valueStart - nameStart, valuelen: next - valueStart,
          flags: UInt8(truncatingIfNeeded: flags | (isOnce ? NGHTTP2_NV_FLAG_NO_INDEX.rawValue : 0))))
    }
  }

  /// LIMIT: bytes of a value that goes into the table of headers.
  private static let repeatedBytesMax = 200

  private static func copy(_ bytes: UnsafeBufferPointer<UInt8>, to place: UnsafeMutablePointer<UInt8>) -> Int
  {
    if let base = bytes.baseAddress { place.update(from: base, count: bytes.count) }
    return bytes.count
  }

  deinit {
    precondition(!isConstant, "a constant header block is never released")
    fields.deallocate()
    text.deallocate()
  }
}
