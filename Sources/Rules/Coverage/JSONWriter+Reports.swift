/// What reports write of decisions: values, places, faults.

internal import DocModel
package import JSON

extension JSONWriter {
  /// A value as the official report writes it.
  package mutating func value(_ value: RecordedValue, in source: SourceText) {
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

  /// A number, or the names that protobuf's JSON form has for what JSON cannot say.
  private mutating func float(_ number: Double) {
    number.isFinite ? json(Array(Conversions.text(number).utf8)) : self.number(number)
  }

  /// Line and column count from one, offsets from zero in code points; the end is the last character.
  package mutating func position(_ span: Span, in source: SourceText) {
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
        $0.array(elements) { $0.value($1, in: source) }
      }
    }
  }

  private mutating func entries(_ entries: [RecordedValue.Entry], in source: SourceText) {
    object { json in
      if entries.isEmpty { return }
      json.member("fields") { json in
        json.object { json in
          for entry in entries {
            json.member(named: String(decoding: entry.key, as: UTF8.self)) {
              $0.value(entry.value, in: source)
            }
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
            json.member(named: String(decoding: status.key, as: UTF8.self)) { $0.string(status.status) }
          }
        }
      }
    }
  }

  private mutating func bounds(_ bounds: [RecordedValue.Bound], in source: SourceText) {
    object { json in
      json.member("simpleConstraints") { json in
        json.array(bounds) { json, bound in
          json.object { json in
            json.member("comparator") { $0.string(bound.comparator) }
            json.member("value") { $0.value(bound.value, in: source) }
          }
        }
      }
    }
  }

  private mutating func path(_ segments: [RecordedValue.Segment]) {
    object { json in
      if segments.isEmpty { return }
      json.member("segments") { $0.array(segments) { $0.segment($1) } }
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
