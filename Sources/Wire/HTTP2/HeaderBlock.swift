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
      let name = next
      for byte in field.name.utf8 {
        next.pointee = byte
        next += 1
      }
      let value = next
      for byte in field.value {
        next.pointee = byte
        next += 1
      }
      (fields + index).initialize(
        to: nghttp2_nv(
          name: name, value: value, namelen: field.name.utf8.count, valuelen: field.value.count,
          flags: UInt8(truncatingIfNeeded: flags)))
    }
  }

  deinit {
    precondition(!isConstant, "a constant header block is never released")
    fields.deallocate()
    text.deallocate()
  }
}
