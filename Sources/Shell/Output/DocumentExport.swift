/// Documents as files that are read back without loss: lines of JSON, an array of JSON, or CSV.

import Client
import Conditions
import DocModel

/// The format of a file of documents, which its name says.
enum DocumentFormat {
  /// An object a line, of `.jsonl` and every name that is not one of the others.
  case lines
  case array
  case csv

  init(file: String) {
    let name = file.lowercased()
    self = name.hasSuffix(".json") ? .array : name.hasSuffix(".csv") ? .csv : .lines
  }
}

/// Owner: the session's thread.
final class DocumentExport {
  private let format: DocumentFormat
  private let emit: (String) -> Bool
  private(set) var count = 0
  private var last: String?
  /// Of CSV, whose first line has the fields of all.
  private var held: [ShellDocument] = []

  init(_ format: DocumentFormat, _ emit: @escaping (String) -> Bool) {
    self.format = format
    self.emit = emit
  }

  func take(_ document: ShellDocument) -> Bool {
    count += 1
    switch format {
    case .lines: return emit(ResultPrinter.line(document, PrintStyle()))
    case .array:
      defer { last = ResultPrinter.line(document, PrintStyle()) }
      return emit(last.map { $0 + "," } ?? "[")
    case .csv:
      held.append(document)
      return true
    }
  }

  func finish() {
    switch format {
    case .lines: break
    case .array:
      if !emit(last ?? "[") { return }
      _ = emit("]")
    case .csv:
      let names = ResultPrinter.names(held)
      if !emit(CSV.line(["__name__"] + names)) { return }
      for document in held {
        let cells = names.map { name in document.fields[name].map { CSV.exact($0) } ?? "" }
        if !emit(CSV.line([document.path.text] + cells)) { return }
      }
    }
  }
}

extension CSV {
  /// A cell that is read back as the same value: texts as they are, unless they would be read as something else.
  static func exact(_ value: Value) -> String {
    guard case .string(let text) = value else { return ValueText.literal(value) }
    let isPlain = CSVCell.value(text) == value && !text.unicodeScalars.contains(where: TextEscape.isHostile)
    return isPlain ? text : ValueText.literal(value)
  }
}
