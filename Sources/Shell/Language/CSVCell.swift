/// Cells of CSV as values: what reads as a value of the shell is that value, everything else is a text.

import Conditions
import DocModel

enum CSVCell {
  /// Nil for an empty cell, which is no field.
  static func value(_ cell: String, database: DatabaseID = DatabaseID(project: "-")) -> Value? {
    if cell.isEmpty { return nil }
    // `007` is a number of something, not a number.
    let digits = cell.drop { $0 == "-" || $0 == "+" }
    if digits.hasPrefix("0"), digits.dropFirst().first.map({ $0.isNumber }) == true { return .string(cell) }
    // Now is another time when the file is read.
    if cell.hasPrefix("@now") || cell.hasPrefix("+") { return .string(cell) }
    var reader = ValueTextReader(cell, database: database, now: 0)
    guard let value = try? reader.value() else { return .string(cell) }
    return reader.index == reader.text.count ? value : .string(cell)
  }

  /// The records of a text, by RFC 4180; nil where a quotation has no end.
  static func records(_ text: String) -> [[String]]? {
    var records: [[String]] = []
    var record: [String] = []
    var cell: [UInt8] = []
    var isQuoted = false
    var bytes = text.utf8.makeIterator()
    var next = bytes.next()
    func end() {
      record.append(String(decoding: cell, as: UTF8.self))
      cell = []
    }
    while let byte = next {
      next = bytes.next()
      switch byte {
      case UInt8(ascii: "\"") where isQuoted && next == byte:
        cell.append(byte)
        next = bytes.next()
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ",") where !isQuoted: end()
      case 0x0D where !isQuoted && next == 0x0A: break
      case 0x0A where !isQuoted:
        end()
        if record != [""] { records.append(record) }
        record = []
      default: cell.append(byte)
      }
    }
    if isQuoted { return nil }
    end()
    if record != [""] { records.append(record) }
    return records
  }
}
