/// What the school's CRM says about a student.

internal import DocModel
internal import Platform

/// `crmStudents/{emailHash}`, read and found valid.
///
/// `email`: an address whose hash is the document's id. `programs`: different ids, at most `programsMax`. `ranks`: whole
/// numbers from 1, by program; one of a program that is not in `programs` opens nothing. Other fields are the CRM's.
struct StudentRecord {
  /// LIMIT: programs of one student.
  static let programsMax = 50

  let email: String
  let programs: [String]
  let ranks: Fields

  init(_ fields: Fields, at path: ResourcePath) throws(ShaolinFailure) {
    guard let email = fields.string("email"), email.contains("@") else {
      throw .invalidRecord(path, "email is no address")
    }
    guard Self.hash(email).hasSameBytes(as: path.lastSegment) else {
      throw .invalidRecord(path, "its id is not the SHA-256 of email in lower case")
    }
    guard let values = fields.array("programs"), values.count <= Self.programsMax else {
      throw .invalidRecord(path, "programs is no list of at most \(Self.programsMax) ids")
    }
    let programs = fields.strings("programs")
    guard programs.count == values.count, programs.allSatisfy(\.isDocumentID) else {
      throw .invalidRecord(path, "programs holds what is no id of a program")
    }
    // As paths, because those compare by their bytes.
    guard Set(programs.map { ResourcePath(unchecked: $0) }).count == programs.count else {
      throw .invalidRecord(path, "programs names one twice")
    }
    guard let ranks = fields.map("ranks"), ranks.count <= Self.programsMax else {
      throw .invalidRecord(path, "ranks is no map of at most \(Self.programsMax) programs")
    }
    for rank in ranks.entries {
      guard case .integer(let order) = rank.value, order >= 1 else {
        throw .invalidRecord(path, "the rank in \"\(rank.name)\" is no whole number from 1")
      }
    }
    (self.email, self.programs, self.ranks) = (email, programs, ranks)
  }

  /// The id of the record of an address: SHA-256 of it in lower case, as 64 hexadecimal digits.
  static func hash(_ email: String) -> String {
    Digest.sha256(email.lowercased().utf8).hexadecimal
  }
}

/// `enrolments/{emailHash}`: which user a record of the CRM is for, and what it gave. No rule lets a client see it.
struct Enrolment: Equatable {
  /// Stays while there is a record, whatever becomes of the profile: an address that changed hands enrols nobody else.
  var uid: String?
  /// What the user has by this record now.
  var programs: [String]
  /// How often the record has changed a profile; numbers the entries of the log.
  var changes: Int64

  init(_ fields: Fields?) {
    uid = fields?.documentID("uid")
    programs = fields?.strings("programs") ?? []
    changes = max(fields?.integer("changes") ?? 0, 0)
  }

  var fields: Fields {
    [
      "uid": uid.map { .string($0) } ?? .null, "programs": .array(programs.map { .string($0) }),
      "changes": .integer(changes),
    ]
  }
}
