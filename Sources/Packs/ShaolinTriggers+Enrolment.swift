/// Users and their records in the school's CRM.

public import DocModel
internal import DocStore
public import Triggers

extension ShaolinTriggers {
  /// Gives a user whose address the CRM knows what the record says; anybody else stays as they are.
  ///
  /// A record that is not valid is reported when it is written, not by everybody whom it is about.
  public func enrolByAddress(_ event: DocumentEvent) async throws {
    let former = event.before?.string("email").map { StudentRecord.hash($0) }
    let present = event.after?.string("email").map { StudentRecord.hash($0) }
    // The former first: what it gave is taken back before another record gives.
    for hash in [former == present ? nil : former, present].compactMap({ $0 }) {
      switch try await follow(hash, event) {
      case .some(.sharedAddress(let record, let count)): throw ShaolinFailure.sharedAddress(record, count)
      case .some(.invalidRecord), .none: continue
      }
    }
  }

  /// Grants or revokes what a record of the CRM says, to the one user who has it. An invalid record changes nothing.
  public func applyStudentRecord(_ event: DocumentEvent) async throws {
    if let failure = try await follow(event.path.lastSegment, event) { throw failure }
  }

  /// Brings the profile of the user of a record in line with the record, notes it in the log, and tells the user.
  ///
  /// All in one commit, and only if the profile differs: that is why repeating it is harmless, and why it does not
  /// matter whether the user or the record was there first. Returns why it could do nothing.
  private func follow(
    _ emailHash: String, _ event: DocumentEvent
  ) async throws(StoreError) -> ShaolinFailure? {
    let source = ResourcePath(unchecked: "crmStudents").appending(emailHash)
    let place = ResourcePath(unchecked: "enrolments").appending(emailHash)
    var failure: ShaolinFailure?
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      failure = nil
      var record: StudentRecord?
      if let fields = try reads.fields(source) {
        do throws(ShaolinFailure) { record = try StudentRecord(fields, at: source) } catch {
          failure = error
          return []
        }
      }
      let stored = try reads.fields(place)
      var enrolment = Enrolment(stored)
      if enrolment.uid == nil, let record {
        let users = try reads.documents(Self.profiles(with: record.email, in: event.database))
        if users.count > 1 { failure = .sharedAddress(source, users.count) }
        guard users.count == 1 else { return [] }
        enrolment.uid = users[0].path.lastSegment
      }
      var writes = try grant(record, emailHash, &enrolment, event, reads)
      if record == nil { (enrolment.uid, enrolment.programs) = (nil, []) }
      if let stored, Enrolment(stored) == enrolment { return writes }
      if stored != nil || enrolment.uid != nil {
        writes.append(Write(place, .update(fields: enrolment.fields.encoded, mask: nil)))
      }
      return writes
    }
    return failure
  }

  /// Profiles that have an address. LIMIT: as the record has it or in lower case, as sign-in keeps them.
  private static func profiles(with email: String, in database: DatabaseID) -> StructuredQuery {
    var query = StructuredQuery(database: database, collection: ResourcePath(unchecked: "users"))
    query.filter = .field("email", .in, .array([.string(email), .string(email.lowercased())]))
    return query
  }

  /// What gives the user of an enrolment what the record says, or takes back what it gave.
  private func grant(
    _ record: StudentRecord?, _ emailHash: String, _ enrolment: inout Enrolment, _ event: DocumentEvent,
    _ reads: TransactionReads
  ) throws(StoreError) -> [Write] {
    guard let uid = enrolment.uid, let profile = try reads.fields(Self.user(uid)) else { return [] }
    let isTheirs = profile.string("email").map { StudentRecord.hash($0) } == emailHash
    let granted = isTheirs ? record : nil
    // Without a grant, what the record never gave is not its to take.
    guard granted != nil || !enrolment.programs.isEmpty else { return [] }
    enrolment.programs = granted?.programs ?? []
    let programs = Value.array(enrolment.programs.map { .string($0) })
    let standing: Fields = [
      "userType": try userType(of: profile, uid, isEnrolled: !enrolment.programs.isEmpty, event, reads),
      "programs": programs,
      "ranks": .map(granted?.ranks ?? [:]),
    ]
    guard standing.entries.contains(where: { profile[$0.name] != $0.value }) else { return [] }
    enrolment.changes &+= 1
    let hadPrograms = !(profile.array("programs") ?? []).isEmpty
    let change =
      enrolment.programs.isEmpty ? "revoked" : hadPrograms ? "changed" : "enrolled"
    let entry: Fields = [
      "uid": .string(uid), "change": .string(change), "programs": programs, "at": .timestamp(event.time),
    ]
    let id = "\(emailHash)-\(enrolment.changes)"
    var notice = entry
    notice["kind"] = .string("enrolment")
    return [
      .merge(Self.user(uid), standing, precondition: .exists(true)),
      .create(ResourcePath(unchecked: "auditLog").appending(id), entry),
      .create(Self.user(uid).appending("notifications").appending(id), notice),
    ] + (enrolment.programs.isEmpty ? try withoutStudent(uid, event, reads) : [])
  }

  /// What somebody is who trains, or no longer does. Who teaches, or is a parent, is that first of all.
  private func userType(
    of profile: Fields, _ uid: String, isEnrolled: Bool, _ event: DocumentEvent, _ reads: TransactionReads
  ) throws(StoreError) -> Value {
    let present = profile.string("userType") ?? "free"
    switch (present, isEnrolled) {
    case ("instructor", _), ("parent", _): return .string(present)
    case (_, true): return .string("enrolled")
    case ("enrolled", false):
      let courses = ResourcePath(unchecked: "purchases").appending(uid).appending("courses")
      var query = StructuredQuery(database: event.database, collection: courses)
      query.limit = 1
      return .string(try reads.documents(query).isEmpty ? "free" : "paid")
    case (_, false): return .string(present)
    }
  }

  /// What takes somebody off the lists of the instructors, who could go on reading the sessions otherwise.
  private func withoutStudent(
    _ uid: String, _ event: DocumentEvent, _ reads: TransactionReads
  ) throws(StoreError) -> [Write] {
    var query = StructuredQuery(database: event.database, collection: ResourcePath(unchecked: "users"))
    query.filter = .field("students", .arrayContains, .string(uid))
    return try reads.documents(query).map { instructor in
      let others = (instructor.fields.array("students") ?? []).filter { $0 != .string(uid) }
      return .merge(instructor.path, ["students": .array(others)], precondition: .exists(true))
    }
  }
}
