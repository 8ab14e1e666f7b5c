/// Counts, sums and averages of documents that the shell holds.

import Client
import DocModel

/// Counting and adding up in the shell, as the server does it: what is no number is passed over.
enum Totals {
  static func value(_ stage: Stage, _ documents: [ShellDocument]) -> Value {
    switch stage {
    case .count: .integer(Int64(documents.count))
    case .sum(let field): sum(numbers(field, documents))
    case .average(let field): average(numbers(field, documents))
    case .groupBy, .orderGroups, .limitGroups, .table, .format, .first, .ids, .each, .program: .null
    }
  }

  private static func numbers(_ field: FieldPath, _ documents: [ShellDocument]) -> [Value] {
    documents.compactMap { document in
      switch document.fields.value(at: field) {
      case .integer(let number): .integer(number)
      case .double(let number): .double(number)
      default: nil
      }
    }
  }

  private static func sum(_ numbers: [Value]) -> Value {
    var whole: Int64 = 0
    for number in numbers {
      guard case .integer(let integer) = number else { return .double(total(numbers)) }
      let (sum, overflow) = whole.addingReportingOverflow(integer)
      if overflow { return .double(total(numbers)) }
      whole = sum
    }
    return .integer(whole)
  }

  private static func total(_ numbers: [Value]) -> Double {
    numbers.reduce(0) { sum, number in
      switch number {
      case .integer(let integer): sum + Double(integer)
      case .double(let double): sum + double
      default: sum
      }
    }
  }

  private static func average(_ numbers: [Value]) -> Value {
    numbers.isEmpty ? .null : .double(total(numbers) / Double(numbers.count))
  }
}
