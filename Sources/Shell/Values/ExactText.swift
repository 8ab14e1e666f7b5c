/// Texts as keys: names of fields are what their bytes are.

import DocModel

/// Equal only byte by byte. `String` takes the two ways to write "é" for one, which are two fields of a document.
struct ExactText: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ExactText, right: ExactText) -> Bool { left.text.hasSameBytes(as: right.text) }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
