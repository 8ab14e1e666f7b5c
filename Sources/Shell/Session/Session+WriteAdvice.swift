/// What is probably wrong with a write that succeeds: a field that was not there, with nearly the name of one that was.

import Client
import DocModel
import DocStore

extension Session {
  /// LIMIT: documents looked at before a write.
  private static let writesLookedAtMax = 20

  /// One line about the first such field; `before` gives a document as it was.
  func advice(on writes: [Write], _ before: (ResourcePath) -> ShellDocument?) -> String? {
    for write in writes.prefix(Self.writesLookedAtMax) {
      // What replaces a whole document names all of its fields.
      guard case .update(_, let mask?) = write.operation, let document = before(write.path) else { continue }
      let written = mask + write.transforms.map(\.path)
      for field in written where document.fields.value(at: field) == nil {
        // New fields are nothing unusual, and slips are seldom in the first letter: `tags` is no `age`.
        guard let near = nearField(field, [document]),
          near.lowercased().first == field.text.lowercased().first,
          !written.contains(where: { $0.text == near })
        else {
          continue
        }
        return
          "'\(write.path.printable)' had no field '\(field.text.printable)'; did you mean '\(near.printable)'?"
      }
    }
    return nil
  }
}
