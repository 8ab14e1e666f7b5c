/// Statistics, achievements and reviews of practice.

public import DocModel
internal import DocStore
public import Triggers

extension ShaolinTriggers {
  /// Counts a session that has ended, awards what is reached by that, and sets the next review of what needs more
  /// practice.
  ///
  /// `countedSessions/{session}` is written in the same commit and stays when the session is deleted, so a session
  /// counts once, whether the event comes again or the owner makes the session again.
  public func completeSession(_ event: DocumentEvent) async throws {
    guard event.before?.timestamp("endTime") == nil,
      let session = PracticeSession(event.after, at: event.time)
    else { return }
    let user = event.path.parent.parent
    let counted = user.appending("countedSessions").appending(event.path.lastSegment)
    try await store.transaction(event.database) { (reads) throws(StoreError) in
      guard try reads.fields(counted) == nil else { return [] }
      var writes: [Write] = [.create(counted, session.fields)]
      let statistics = user.appending("achievements").appending("statistics")
      let totals = PracticeTotals(try reads.fields(statistics) ?? [:]).adding(session)
      writes.append(.merge(statistics, totals.fields))
      for milestone in Milestone.all where milestone.isReached(totals) {
        let achievement = user.appending("achievements").appending(milestone.id)
        guard try reads.fields(achievement) == nil else { continue }
        writes.append(.create(achievement, ["earnedAt": .timestamp(event.time)]))
      }
      for content in session.rated {
        guard let review = try review(of: content, after: session, by: user, event.database, reads) else {
          continue
        }
        let place = user.appending("achievements").appending(Review.prefix + content)
        if try reads.fields(place) != review {
          writes.append(Write(place, .update(fields: review.encoded, mask: nil)))
        }
      }
      return writes
    }
  }

  /// When a content is due again: two days after it needed more practice; twice as long after each later session in
  /// which it did not. Nil for one that never needed more.
  ///
  /// From the times of all counted sessions, so the order in which they are counted does not matter.
  private func review(
    of content: String, after session: PracticeSession, by user: ResourcePath, _ database: DatabaseID,
    _ reads: TransactionReads
  ) throws(StoreError) -> Fields? {
    var query = StructuredQuery(database: database, collection: user.appending("countedSessions"))
    query.orders = [.init("endTime", .descending)]
    query.filter = .field("needMore", .arrayContains, .string(content))
    query.limit = 1
    let needs = try reads.documents(query).compactMap { $0.fields.timestamp("endTime") }
    guard let need = (needs + session.times(of: content, in: session.needMore)).max() else { return nil }
    query.filter = .all([
      .field("rated", .arrayContains, .string(content)), .field("endTime", .greaterThan, .timestamp(need)),
    ])
    query.limit = Review.doublingsMax
    let later = try reads.documents(query).compactMap { $0.fields.timestamp("endTime") }
    let successes = (later + session.times(of: content, in: session.rated)).filter { $0 > need }
    return Review(content: content, successes: successes.count, practised: successes.max() ?? need).fields
  }
}
