/// The log of what admins change.
///
/// A change of the store says which user made it, and not the role. So each trigger is for changes that the rules allow
/// to admins alone, and names the statement that allowed it.

public import DocModel
internal import DocStore
public import Triggers

extension FitCoachTriggers {
  var audits: [DocumentTrigger] {
    get throws(InvalidArgument) {
      [
        try onDocumentWritten("plans/{plan}", name: "auditPlan") { try await audit($0, "plans.write") },
        try onDocumentWritten("users/{uid}/overrides/{id}", name: "auditOverride") {
          try await audit($0, $0.change == .deleted ? "overrides.delete" : "overrides.write")
        },
        try onDocumentUpdated("users/{uid}", name: "auditCoachOfUser") {
          if $0.before?["coachId"] != $0.after?["coachId"] { try await audit($0, "users.assign") }
        },
        try onDocumentWritten("coaches/{coach}", name: "auditCoach") { event in
          // Coaches change their own profiles.
          if event.change == .updated, event.author == .user(event.path.lastSegment) { return }
          try await audit(event, "coaches." + event.change.verb)
        },
        try onDocumentWritten("products/{product}", name: "auditProduct") { event in
          // An order takes its stock.
          if event.change == .updated, event.before?["lastOrderId"] != event.after?["lastOrderId"] { return }
          try await audit(event, "products." + event.change.verb)
        },
        try onDocumentUpdated("orders/{order}", name: "auditOrder") { try await audit($0, "orders.update") },
      ]
    }
  }

  /// Appends an event to `auditLog`, under the id of the change, so that another delivery finds it. What this program
  /// or a server with full rights wrote is nobody's, and is not logged.
  public func audit(_ event: DocumentEvent, _ statement: String) async throws {
    let who: String
    switch event.author {
    case .user(let uid): who = uid
    case .system, .administrator: return
    case .anonymous, .unknown: throw FitCoachFailure.unknownAuthor(event.path)
    }
    let entry = ResourcePath(unchecked: "auditLog").appending(event.id)
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      guard try reads.fields(entry) == nil else { return [] }
      return [
        .create(
          entry,
          [
            "who": .string(who), "what": .string(statement), "target": .string(event.path.text),
            "when": .timestamp(event.time),
          ])
      ]
    }
  }
}

extension DocumentEvent.Change {
  /// As statements of rules are named.
  fileprivate var verb: String {
    switch self {
    case .created: "create"
    case .updated: "update"
    case .deleted: "delete"
    }
  }
}

/// Why a trigger of the pack cannot do its work.
public enum FitCoachFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// Something that only admins may write was written by nobody who can be named.
  case unknownAuthor(ResourcePath)

  public var description: String {
    switch self {
    case .unknownAuthor(let path):
      "\(path) was changed by somebody whose id is not known, so auditLog has no event of it; add one by hand"
    }
  }
}
