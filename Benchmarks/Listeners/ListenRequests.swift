/// What the benchmark of listeners sends, and what it reads in the answers.

import DocModel

private let database = "projects/bench/databases/(default)"

/// Listens to one document, as target 2.
func listenRequest(document path: String) -> [UInt8] {
  listenRequest { target in
    target.message(3) { $0.field(2, text: "\(database)/documents/\(path)") }
  }
}

/// Listens to a collection, as target 2; with a limit to the documents with the highest `number`.
func listenRequest(collection: String, limit: Int?) -> [UInt8] {
  listenRequest { target in
    target.message(2) { query in
      query.field(1, text: "\(database)/documents")
      query.message(2) { structured in
        structured.message(2) { $0.field(2, text: collection) }
        guard let limit else { return }
        structured.message(4) { order in
          order.message(1) { $0.field(2, text: "number") }
          order.field(2, varint: 2)
        }
        structured.message(5) { $0.field(1, varint: UInt64(limit)) }
      }
    }
  }
}

/// Listens, as target 2, to the documents of a collection whose `number` is in a range.
func listenRequest(collection: String, numbers: Range<Int>) -> [UInt8] {
  func bound(_ filters: inout WireWriter, _ comparison: UInt64, _ number: Int) {
    // CompositeFilter.filters, Filter.field_filter.
    filters.message(2) { filter in
      filter.message(2) { test in
        test.message(1) { $0.field(2, text: "number") }
        test.field(2, varint: comparison)
        test.message(3) { $0.field(2, varint: UInt64(number)) }
      }
    }
  }
  return listenRequest { target in
    target.message(2) { query in
      query.field(1, text: "\(database)/documents")
      query.message(2) { structured in
        structured.message(2) { $0.field(2, text: collection) }
        structured.message(3) { filter in
          filter.message(1) { filters in
            filters.field(1, varint: 1)
            // GREATER_THAN_OR_EQUAL and LESS_THAN.
            bound(&filters, 4, numbers.lowerBound)
            bound(&filters, 1, numbers.upperBound)
          }
        }
      }
    }
  }
}

private func listenRequest(_ target: (inout WireWriter) -> Void) -> [UInt8] {
  var writer = WireWriter()
  writer.field(1, text: database)
  writer.message(2) { message in
    target(&message)
    message.field(5, varint: 2)
  }
  return writer.bytes
}

/// A document of about 200 bytes that says its number.
func listenedDocument(_ number: Int) -> Fields {
  [
    "number": .integer(Int64(number)), "kind": .string("reading"),
    "text": .string(String(repeating: "morning practice ", count: 8)),
  ]
}

/// Sets one document.
func updateRequest(_ path: String, _ fields: Fields) -> [UInt8] {
  var writer = WireWriter()
  writer.message(1) { document in
    document.field(1, text: "\(database)/documents/\(path)")
    document.entries(of: fields, entryTag: FieldsView.documentEntryTag)
  }
  return writer.bytes
}

/// What one `ListenResponse` says, as far as a benchmark needs it.
enum ListenAnswer {
  /// A document in its newest state; the name lies in the message.
  case document(name: UnsafeRawBufferPointer)
  /// Everything up to here is one state.
  case consistent
  /// A target has ended, which no benchmark asks for.
  case ended
  case other

  init(_ message: UnsafeRawBufferPointer) {
    var outer = WireCursor(message)
    switch outer.tag() {
    case 2 << 3 | 2: self = Self.targetChange(outer.lengthDelimited())
    case 3 << 3 | 2:
      // DocumentChange.document.name: each the first field of its message.
      var change = WireCursor(outer.lengthDelimited())
      guard change.tag() == 1 << 3 | 2 else {
        self = .other
        return
      }
      var document = WireCursor(change.lengthDelimited())
      guard document.tag() == 1 << 3 | 2 else {
        self = .other
        return
      }
      self = .document(name: document.lengthDelimited())
    default: self = .other
    }
  }

  private static func targetChange(_ bytes: UnsafeRawBufferPointer) -> ListenAnswer {
    var change = WireCursor(bytes)
    // NO_CHANGE is the default, so it is not written.
    guard change.tag() == 1 << 3 else { return .consistent }
    return change.varint() == 2 ? .ended : .other
  }
}
