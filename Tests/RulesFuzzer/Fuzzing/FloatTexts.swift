/// What the official emulator prints for floats: as many digits as the Java it runs on finds necessary.

internal import Rules

/// Texts that were asked for, one number at a time, apart from any case.
///
/// Used by one worker.
final class FloatTexts {
  /// LIMIT: numbers kept. When full, all of them go.
  private static let knownMax = 10_000

  private let official: OfficialEmulator
  private var known: [UInt64: String] = [:]

  /// - Parameter official: a project of its own, since the rules are replaced.
  init(_ official: OfficialEmulator) { self.official = official }

  /// Nil when it was not asked for.
  func text(of number: Double) -> String? { known[number.bitPattern] }

  /// Asks for the texts of further numbers.
  func learn(_ numbers: [Double]) throws(ConnectionError) {
    if known.count + numbers.count > Self.knownMax { known.removeAll() }
    let rules = numbers.enumerated().map { index, number in
      "match /n\(index)/{id} { allow get: if {}[string(float('\(number)'))]; }\n"
    }
    let source =
      "rules_version = '2';\nservice cloud.firestore { match /databases/{database}/documents {\n"
      + rules.joined() + "}}\n"
    guard try official.load(source) == .accepted else {
      throw ConnectionError(description: "the rules that print floats do not compile")
    }
    for (index, number) in numbers.enumerated() {
      let place = Place(project: official.project, collection: "n\(index)")
      let answer = try official.judge(RESTRequest("GET", place.fill("/v1/§root/§/x")))
      guard let text = Self.text(in: answer) else {
        throw ConnectionError(description: "the emulator does not print \(number): \(answer)")
      }
      known[number.bitPattern] = text
    }
  }

  /// `1.0` of `Property 1.0 is undefined on object. for 'get' @ L3`
  static func text(in answer: Answer) -> String? {
    guard case .denied(let entries) = answer, let entry = entries.last, entry.hasPrefix("Property "),
      let end = entry.firstRange(of: " is undefined on object.")
    else { return nil }
    return String(entry[entry.index(entry.startIndex, offsetBy: 9)..<end.lowerBound])
  }
}
