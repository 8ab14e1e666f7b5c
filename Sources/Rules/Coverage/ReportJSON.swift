/// JSON for reports, written by appending.

internal import DocModel

struct ReportJSON {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  mutating func object(_ body: (inout ReportJSON) -> Void) { enclosed("{", "}", body) }
  mutating func array(_ body: (inout ReportJSON) -> Void) { enclosed("[", "]", body) }

  private mutating func enclosed(
    _ open: StaticString, _ close: StaticString, _ body: (inout ReportJSON) -> Void
  ) {
    element()
    raw(open)
    needsComma = false
    body(&self)
    raw(close)
    needsComma = true
  }

  /// A member's name; its value is written next.
  mutating func key(_ name: String) {
    string(name)
    raw(":")
    needsComma = false
  }

  mutating func string(_ text: String) { string(Array(text.utf8)) }

  /// A text of UTF-8 bytes. `<` is escaped, so that the JSON can stand in a page.
  mutating func string(_ text: [UInt8]) {
    element()
    raw("\"")
    for byte in text {
      switch byte {
      case UInt8(ascii: "\""): raw("\\\"")
      case UInt8(ascii: "\\"): raw("\\\\")
      case UInt8(ascii: "<"): raw("\\u003c")
      case 0x0A: raw("\\n")
      case 0x0D: raw("\\r")
      case 0x09: raw("\\t")
      case 0..<0x20, 0x7F:
        let digits = Array("0123456789abcdef".utf8)
        raw("\\u00")
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    raw("\"")
  }

  mutating func integer(_ number: Int) {
    element()
    bytes += String(number).utf8
  }

  mutating func boolean(_ flag: Bool) {
    element()
    raw(flag ? "true" : "false")
  }

  mutating func null() {
    element()
    raw("null")
  }

  /// A number, or the names that protobuf's JSON form has for what JSON cannot say.
  mutating func float(_ number: Double) {
    guard number.isFinite else { return string(number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity") }
    element()
    bytes += Conversions.text(number).utf8
  }

  private mutating func element() {
    if needsComma { raw(",") }
    needsComma = true
  }

  private mutating func raw(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }
}

extension ReportJSON {
  /// A value as the official report writes it.
  mutating func value(_ value: RecordedValue, in source: SourceText) {
    object { json in
      switch value {
      case .null: json.member("nullValue") { $0.null() }
      case .boolean(let flag): json.member("boolValue") { $0.boolean(flag) }
      case .integer(let number): json.member("intValue") { $0.string(String(number)) }
      case .float(let number): json.member("floatValue") { $0.float(number.number) }
      case .string(let text): json.member("stringValue") { $0.string(text) }
      case .bytes(let bytes): json.member("bytesValue") { $0.string(Base64.text(bytes)) }
      case .timestamp(let time): json.member("timestampValue") { $0.string(time.rfc3339) }
      case .duration(let seconds, let nanoseconds):
        json.member("durationValue") { $0.string(ReportText.duration(seconds, nanoseconds)) }
      case .latlng(let latitude, let longitude):
        json.member("latlngValue") { json in
          json.object { json in
            json.member("latitude") { $0.float(latitude.number) }
            json.member("longitude") { $0.float(longitude.number) }
          }
        }
      case .path(let segments): json.member("pathValue") { $0.path(segments) }
      case .list(let elements): json.member("listValue") { $0.elements(elements, in: source) }
      case .set(let elements): json.member("setValue") { $0.elements(elements, in: source) }
      case .map(let entries): json.member("mapValue") { $0.entries(entries, in: source) }
      case .mapDiff(let statuses): json.member("mapDiffValue") { $0.statuses(statuses) }
      case .vector(let numbers):
        json.member("vectorValue") {
          $0.elements(numbers.map { .float($0) }, in: source)
        }
      case .constraint(let bounds): json.member("constraintValue") { $0.bounds(bounds, in: source) }
      case .error(let fault): json.member("undefined") { $0.fault(fault, in: source) }
      case .cut(let count): json.member("stringValue") { $0.string("… (\(count) more)") }
      }
    }
  }

  mutating func member(_ name: String, _ body: (inout ReportJSON) -> Void) {
    key(name)
    body(&self)
  }

  /// Line and column count from one, offsets from zero in code points; the end is the last character.
  mutating func position(_ span: Span, in source: SourceText) {
    let place = source.position(of: span.start)
    object { json in
      json.member("line") { $0.integer(place.line) }
      json.member("column") { $0.integer(place.column) }
      json.member("currentOffset") { $0.integer(source.characterOffset(of: span.start)) }
      json.member("endOffset") { $0.integer(source.characterOffset(of: span.end) - 1) }
    }
  }

  private mutating func elements(_ elements: [RecordedValue], in source: SourceText) {
    object { json in
      if elements.isEmpty { return }
      json.member("values") {
        $0.array { json in for element in elements { json.value(element, in: source) } }
      }
    }
  }

  private mutating func entries(_ entries: [RecordedValue.Entry], in source: SourceText) {
    object { json in
      if entries.isEmpty { return }
      json.member("fields") { json in
        json.object { json in
          for entry in entries {
            json.key(String(decoding: entry.key, as: UTF8.self))
            json.value(entry.value, in: source)
          }
        }
      }
    }
  }

  private mutating func statuses(_ statuses: [RecordedValue.KeyStatus]) {
    object { json in
      if statuses.isEmpty { return }
      json.member("keyStatuses") { json in
        json.object { json in
          for status in statuses {
            json.member(String(decoding: status.key, as: UTF8.self)) { $0.string(status.status) }
          }
        }
      }
    }
  }

  private mutating func bounds(_ bounds: [RecordedValue.Bound], in source: SourceText) {
    object { json in
      json.member("simpleConstraints") { json in
        json.array { json in
          for bound in bounds {
            json.object { json in
              json.member("comparator") { $0.string(bound.comparator) }
              json.member("value") { $0.value(bound.value, in: source) }
            }
          }
        }
      }
    }
  }

  private mutating func path(_ segments: [RecordedValue.Segment]) {
    object { json in
      if segments.isEmpty { return }
      json.member("segments") { json in
        json.array { json in for segment in segments { json.segment(segment) } }
      }
    }
  }

  private mutating func segment(_ segment: RecordedValue.Segment) {
    object { json in
      guard let name = segment.name else {
        return json.member("simple") { $0.string(segment.text ?? []) }
      }
      json.member(segment.isGlob ? "globCapture" : "capture") { json in
        json.object { json in
          json.member("variableName") { $0.string(name) }
          if let text = segment.text { json.member("boundValue") { $0.string(text) } }
        }
      }
    }
  }

  /// What a query's filters leave open has neither words nor place.
  private mutating func fault(_ fault: RecordedFault, in source: SourceText) {
    object { json in
      if fault.message.isEmpty { return }
      json.member("sourcePosition") { $0.position(fault.token, in: source) }
      json.member("causeMessage") { $0.string(fault.message) }
    }
  }
}
