/// The pattern that makes backtracking engines hang: `(a+)+$` against `a`, a hundred thousand times.

import DocModel
import Rules

/// Milliseconds for one decision; nil when the rule does not compile or grants.
func hostilePatternBenchmark(bytes: Int = 100_000, rounds: Int = 9) -> (median: Double, best: Double)? {
  let rules = """
    rules_version = '2';
    service cloud.firestore { match /databases/{database}/documents {
      match /texts/{id} { allow create: if request.resource.data.text.matches('(a+)+$'); }
    }}
    """
  guard let ruleset = Ruleset.compile(source: rules, name: "pattern.rules").ruleset else { return nil }
  // The last character is none that the pattern takes, so that every way of dividing the text fails.
  let text = String(repeating: "a", count: bytes - 1) + "b"
  let fields = ["text": .string(text)] as Fields
  return fields.encoded.withUnsafeBytes { encoded in
    let documents = DocumentAccess()
    let request = RuleRequest(
      method: .create, path: ResourcePath(unchecked: "texts/t"), auth: nil,
      time: Timestamp(seconds: 1_772_355_600, nanoseconds: 0), newResource: FieldsView(document: encoded))
    var granted = 0
    let time = Stopwatch.measure(rounds: rounds, count: 1) {
      documents.beginRequest()
      if ruleset.decide(request, documents: documents).isAllowed { granted += 1 }
    }
    return granted == 0 ? (time.median / 1e6, time.best / 1e6) : nil
  }
}
