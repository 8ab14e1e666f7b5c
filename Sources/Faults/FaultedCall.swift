/// What injected faults ask of a call: which it is, whose, about what.

package import Access
package import DocModel
package import DocStore
internal import Rules

/// A call that a fault may affect.
package struct FaultedCall: Sendable {
  package let call: InjectedFault.Call
  package let database: DatabaseID
  package let caller: InjectedFault.Caller
  /// Documents and collections that it names; `**` stands for the depths of a collection group.
  package let paths: [[String]]

  package init(
    _ call: InjectedFault.Call, _ database: DatabaseID, _ credentials: Credentials, paths: [[String]]
  ) {
    self.call = call
    self.database = database
    caller = InjectedFault.Caller(credentials)
    self.paths = paths
  }

  /// The path of a query, or of a document.
  package static func path(_ query: StructuredQuery) -> [String] {
    var path = segments(query.parent.text)
    guard let from = query.from.first else { return path }
    if from.includesDescendants { path.append("**") }
    if !from.collectionID.isEmpty { path.append(from.collectionID) }
    return path
  }

  package static func segments(_ path: String) -> [String] { path.split(separator: "/").map(String.init) }
}

extension InjectedFault.Caller {
  init(_ credentials: Credentials) {
    switch credentials {
    case .admin: self = .administrator
    case .user(let auth): self = auth?.uidText.map { .user($0) } ?? .anonymous
    }
  }
}
