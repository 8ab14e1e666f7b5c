/// A file of documents. Lines are read as they are written, so that their number does not matter; an array of JSON and
/// CSV are read whole.

import Conditions
import DocModel
import DocStore
import Platform

/// Owner: the session's thread.
final class ImportFile {
  private let path: String
  private let descriptor: Int32
  private let context: LanguageContext
  private var lines: InputLines
  private var number = 0
  private let collection: ResourcePath?
  /// Of a file that is read whole.
  private var writes: [Write]?
  private var taken = 0

  /// - Parameter collection: where documents without a path belong.
  init(_ path: String, _ context: LanguageContext, _ collection: ResourcePath?) throws(ShellError) {
    self.path = path
    self.context = context
    self.collection = collection
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    let code = errno
    lines = InputLines(descriptor)
    guard descriptor >= 0 else { throw unreadable(code) }
    let name = path.lowercased()
    if name.hasSuffix(".json") { writes = try array() }
    if name.hasSuffix(".csv") { writes = try csv() }
  }

  private func text() throws(ShellError) -> String {
    String(decoding: try ScriptFile.contents(path), as: UTF8.self)
  }

  private func write(_ value: Value, at place: String, hasForms: Bool = true) throws(ShellError) -> Write {
    do throws(ShellError) {
      return try ImportLine.write(value, context.database, collection, hasForms: hasForms)
    } catch {
      throw .usage("\(path): \(place): \(error.message)")
    }
  }

  /// `[{"__name__": "users/bob", …}]`, or what `| json` writes: `{"users/bob": {…}}`.
  private func array() throws(ShellError) -> [Write] {
    var parser = StatementParser(try text(), context)
    let value: Value
    do throws(ConditionError) {
      value = try parser.values.value()
      try parser.expectEnd()
    } catch {
      throw .usage("\(path): character \(error.offset + 1): \(error.message)")
    }
    var writes: [Write] = []
    switch value {
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        writes.append(try write(element, at: "element \(index)"))
      }
    case .map(let documents):
      for entry in documents.entries {
        guard case .map(var fields) = entry.value else {
          throw .usage("\(path): '\(entry.name)' is no document: {\"users/bob\": {…}}")
        }
        fields["__name__"] = .string(entry.name)
        writes.append(try write(.map(fields), at: entry.name))
      }
    default: throw .usage("\(path): expected an array of documents")
    }
    return writes
  }

  private func csv() throws(ShellError) -> [Write] {
    guard let records = CSVCell.records(try text()) else { throw .usage("\(path): a quotation has no end") }
    guard let names = records.first else { return [] }
    // Beside a path an id is a field.
    let nameColumns = names.contains("__name__") ? ["__name__"] : ["id"]
    var writes: [Write] = []
    for (index, record) in records.enumerated().dropFirst() {
      guard record.count == names.count else {
        throw .usage(
          "\(path): record \(index): \(record.count) cells, where the first line has \(names.count) names")
      }
      var fields = Fields()
      for (name, cell) in zip(names, record) {
        let isName = nameColumns.contains(name)
        if isName, !cell.isEmpty { fields[name] = .string(cell) }
        if !isName, let value = CSVCell.value(cell, database: context.database) { fields[name] = value }
      }
      writes.append(try write(.map(fields), at: "record \(index)", hasForms: false))
    }
    return writes
  }

  deinit { close(descriptor) }

  /// Reads all lines for their mistakes, and begins again. A pipe cannot be read twice; its mistakes are found when
  /// the lines before are written.
  func check() throws(ShellError) {
    guard writes == nil, lseek(descriptor, 0, SEEK_CUR) == 0 else { return }
    while try next() != nil {}
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw unreadable(errno) }
    lines = InputLines(descriptor)
    number = 0
  }

  /// What the next line writes; nil at the end.
  func next() throws(ShellError) -> Write? {
    if let writes {
      defer { taken += 1 }
      return taken < writes.count ? writes[taken] : nil
    }
    while true {
      try Interruption.check()
      number += 1
      switch lines.next() {
      case .line(let line):
        if line.isEmpty { continue }
        do throws(ShellError) { return try ImportLine.write(line, context, collection) } catch {
          throw .usage("\(path):\(number): \(error.message)")
        }
      case .end: return nil
      case .interrupted: throw ShellError(.interrupted, "interrupted")
      case .tooLong:
        throw .usage("\(path):\(number): the line is longer than \(InputLines.lineBytesMax >> 20) MiB")
      case .failed(let code): throw unreadable(code)
      }
    }
  }

  private func unreadable(_ code: Int32) -> ShellError {
    .unknown("cannot read `\(TextEscape.printable(path))`: \(String(cString: strerror(code)))")
  }
}
