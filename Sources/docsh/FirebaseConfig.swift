/// `firebase.json`: read in one place, so that every command takes the same text.

import Indexes
import JSON

enum FirebaseConfig {
  /// Says where a text is no JSON, and ends.
  static func read(_ path: String) throws -> JSONValue {
    let bytes = try FileAccess.required(path).bytes
    do throws(JSONError) { return try parse(bytes) } catch {
      let place = TextPlace(offset: error.offset, in: bytes)
      throw Terminal.end(ExitStatus.badInput, "\(path):\(place.line):\(place.column): \(error.message)")
    }
  }

  /// Nil, without a word, for what cannot be read.
  static func quietly(_ path: String) -> JSONValue? {
    (try? FileAccess.contents(of: path)).flatMap { try? parse($0) }
  }

  /// With comments, as the service's own command line takes them.
  private static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    try JSONReader.read(bytes, .file)
  }
}
