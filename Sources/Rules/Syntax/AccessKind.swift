/// Which document access a call is.
package enum AccessKind: String {
  case get, exists, getAfter, existsAfter

  // Asked at every access.
  @inline(__always)
  var isAfter: Bool { self == .getAfter || self == .existsAfter }
  @inline(__always)
  package var wantsDocument: Bool { self == .get || self == .getAfter }
}
