/// The triggers of the martial arts school.
///
/// Each decides in one transaction from what is stored when it runs, and writes only what differs, so doing it again
/// changes nothing.
///
/// Source: apps/shaolin.md, Triggers; docs/packs/shaolin.md, What triggers do.

public import DocModel
public import DocStore
public import Triggers

public struct ShaolinTriggers<Engine: StorageEngine>: Sendable {
  let store: DocumentStore<Engine>

  public init(_ store: DocumentStore<Engine>) { self.store = store }

  /// All triggers of the pack, for one runner. Throws only if a pattern here is wrong.
  public var all: [DocumentTrigger] {
    get throws(InvalidArgument) {
      [
        try onDocumentWritten("users/{uid}", name: "enrolByAddress") { try await enrolByAddress($0) },
        try onDocumentWritten("crmStudents/{emailHash}", name: "applyStudentRecord") {
          try await applyStudentRecord($0)
        },
        try onDocumentWritten("users/{uid}/practiceSessions/{session}", name: "completeSession") {
          try await completeSession($0)
        },
      ]
    }
  }

  static func user(_ uid: String) -> ResourcePath { ResourcePath(unchecked: "users").appending(uid) }
}

/// Why a trigger of the pack cannot do its work.
public enum ShaolinFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// A record of the CRM that is not as records are: what is wrong with it.
  case invalidRecord(ResourcePath, String)
  /// Several profiles have the address of a record that nobody has yet: how many.
  case sharedAddress(ResourcePath, Int)

  public var description: String {
    switch self {
    case .invalidRecord(let path, let fault):
      "\(path) changes nothing: \(fault); correct the record in the CRM"
    case .sharedAddress(let path, let count):
      "\(path) enrols nobody: \(count) profiles have its address; leave it to one of them"
    }
  }
}
