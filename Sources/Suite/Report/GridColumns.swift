/// Columns of grids, as people write and read them.

extension String {
  /// With blanks behind it, where it is shorter.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  var withoutBlanksAtEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
