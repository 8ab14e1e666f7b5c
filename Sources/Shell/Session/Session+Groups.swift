/// Groups of documents that have the same value in a field, and what is made of them.

import Client
import DocModel
import DocStore

/// Documents with one value in a field; behind a total, one document with it.
struct DocumentGroup {
  let key: Value
  var members: [ShellDocument]
}

extension Session {
  static func groups(
    _ documents: [ShellDocument], by field: FieldPath
  ) -> [DocumentGroup] {
    var places: [[UInt8]: Int] = [:]
    var groups: [DocumentGroup] = []
    for document in documents {
      let key = document.fields.value(at: field) ?? .null
      if let place = places[key.encoded] {
        groups[place].members.append(document)
      } else {
        places[key.encoded] = groups.count
        groups.append(DocumentGroup(key: key, members: [document]))
      }
    }
    return groups
  }

  static func added(up stage: Stage, _ flow: Flow) throws(ShellError) -> Flow {
    switch flow {
    case .documents(let documents): return .scalar(Totals.value(stage, documents))
    case .groups(let field, let groups):
      // One document a group, so that what comes next sees rows.
      return .groups(
        field,
        groups.map { group in
          let row = ShellDocument(
            path: .root, fields: [stage.column: Totals.value(stage, group.members)], createTime: 0,
            updateTime: 0)
          return DocumentGroup(key: group.key, members: [row])
        })
    case .scalar, .done: throw .usage("'\(stage.text)' takes documents")
    }
  }

  /// The columns of groups beside the field.
  static func columns(_ groups: [DocumentGroup]) -> [String] {
    let row = groups.first?.members.first.flatMap { $0.path.isRoot ? $0 : nil }
    return row?.fields.entries.map(\.name) ?? ["documents"]
  }

  static func cell(_ column: String, of group: DocumentGroup) -> Value {
    guard let row = group.members.first, row.path.isRoot else { return .integer(Int64(group.members.count)) }
    return row.fields[column] ?? .null
  }

  /// The groups in the order of their columns; those with equal ones stay in theirs.
  static func ordered(_ flow: Flow, by orders: [StructuredQuery.Order]) throws(ShellError) -> Flow {
    guard case .groups(let field, let groups) = flow else { throw .usage("'| order by' takes groups") }
    if groups.isEmpty { return flow }
    let columns = columns(groups)
    for order in orders where order.path != field.text && !columns.contains(order.path) {
      throw .usage(
        "groups have no column '\(order.path)'; there are \(([field.text] + columns).joined(separator: ", "))"
      )
    }
    let keys = groups.map { group in
      orders.map { ($0.path == field.text ? group.key : cell($0.path, of: group)).encoded }
    }
    let places = groups.indices.sorted { left, right in
      for (index, order) in orders.enumerated() {
        let comparison = compare(keys[left][index], keys[right][index])
        if comparison != 0 { return (comparison < 0) == (order.direction == .ascending) }
      }
      return left < right
    }
    return .groups(field, places.map { groups[$0] })
  }

  private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { left in
      right.withUnsafeBytes { ValueOrder.compare(ValueView(left), ValueView($0)) }
    }
  }
}
