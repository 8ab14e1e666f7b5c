/// What a write must have left behind.

internal import DocModel
internal import DocStore
internal import Fixtures
internal import YAML

struct AfterCheck {
  let stage: Stage
  let request: Request

  /// What differs; fields that the suite does not name are not looked at.
  func lines(_ after: Overlay) throws(StageError) -> [FailureLine] {
    var lines: [FailureLine] = []
    for entry in after.entries {
      do throws(YAMLError) {
        lines += try self.lines(entry)
      } catch {
        throw .suite(error, entry.source)
      }
    }
    return lines
  }

  private func lines(_ entry: Overlay.Entry) throws(YAMLError) -> [FailureLine] {
    let stored = stage.current[entry.path] ?? nil
    var evaluator = stage.evaluator
    switch entry.change {
    case .removed:
      return stored == nil ? [] : difference(entry.path.text, "no document", "a document")
    case .whole(let form):
      let wanted = try evaluator.evaluate(form, at: DrawPlace(seed: 0))
      let document = stored.map { TypedValue.plain(.map($0)) }
      return matches(document, wanted)
        ? [] : difference(entry.path.text, ValueText.of(wanted), ValueText.of(document))
    case .fields(let changes):
      guard let stored else { return difference(entry.path.text, "a document", "no document") }
      var lines: [FailureLine] = []
      for change in try evaluator.evaluate(changes, at: DrawPlace(seed: 0)) {
        let found = TypedValue.plain(.map(stored)).value(at: change.path.segments)
        if !matches(found, change.value) {
          lines += difference(
            "\(entry.path.text) \(change.path.text)", ValueText.of(change.value), ValueText.of(found))
        }
      }
      return lines
    }
  }

  private func matches(_ found: TypedValue?, _ wanted: TypedValue) -> Bool {
    switch wanted {
    case .marker(.absent): return found == nil
    case .marker(.serverTime): return found == .plain(.timestamp(now))
    case .plain: return found == wanted
    case .map(let map):
      guard case .plain(.map(let fields)) = found, fields.count == map.entries.count else { return false }
      return map.entries.allSatisfy { matches(found?.value(at: [$0.name]), $0.value) }
    case .marker(.increment), .marker(.maximum), .marker(.minimum), .marker(.union), .marker(.remove):
      return false
    }
  }

  private var now: Timestamp { Timestamp(microseconds: request.time ?? stage.clock.now) }

  private func difference(_ place: String, _ expected: String, _ got: String) -> [FailureLine] {
    [
      FailureLine(label: "expected", text: "after it, \(place) is \(expected)"),
      FailureLine(label: "got", text: got),
    ]
  }
}

/// Values for reports.
enum ValueText {
  static func of(_ value: TypedValue?) -> String {
    switch value {
    case .none: "absent"
    case .plain(let value): of(value)
    case .marker(let marker): "{\(marker.formName): …}"
    case .map(let map):
      "{" + map.entries.map { "\($0.name): \(of($0.value))" }.joined(separator: ", ") + "}"
    }
  }

  static func of(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let number): String(number)
    case .double(let number): "{$double: \(number)}"
    case .timestamp(let instant): "{$time: \(instant.rfc3339)}"
    case .string(let text): "\"\(text)\""
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .reference(let name): "{$ref: \(name)}"
    case .geoPoint(let point): "{$geo: [\(point.latitude), \(point.longitude)]}"
    case .array(let elements): "[" + elements.map(of).joined(separator: ", ") + "]"
    case .vector(let elements): "a vector of \(elements.count)"
    case .map(let fields):
      "{" + fields.entries.map { "\($0.name): \(of($0.value))" }.joined(separator: ", ") + "}"
    }
  }
}
