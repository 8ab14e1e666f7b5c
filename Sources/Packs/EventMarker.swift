/// How a function of a pack notes that it has handled an event, where doing it again would count twice.

internal import DocModel
internal import DocStore
internal import Triggers

/// `triggerEvents/{event id}`, committed together with what the event did: an event that has its marker is handled
/// already. Rules give clients no access to markers.
///
/// LIMIT: markers stay, one small document an event.
struct EventMarker {
  private let path: ResourcePath
  private let subject: ResourcePath
  private let time: Timestamp

  init(_ event: DocumentEvent) {
    path = ResourcePath(unchecked: "triggerEvents").appending(event.id)
    subject = event.path
    time = event.time
  }

  func isSet(_ reads: TransactionReads) throws(StoreError) -> Bool { try reads.fields(path) != nil }

  /// The write that sets it; refused, and the transaction made again, if another delivery was faster.
  var setting: Write { .create(path, ["path": .string(subject.text), "time": .timestamp(time)]) }
}
