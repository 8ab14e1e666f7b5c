/// One operation as the requests page of the emulators' UI reads it.
///
/// Source: the official emulator 1.19, asked; docs/spec/protocol.md 7.6 for what it has not. It tries rules again and
/// again while it fetches what they ask for and tells each try; here an operation is told once, as it was decided.

package import Access
internal import DocModel
package import DocStore
internal import JSON
internal import Rules

package enum EvaluationJSON {
  /// LIMIT: bytes of one operation; a larger one is told without its documents.
  static let bytesMax = 256 << 10

  /// Nil for what no rules judged, and for what the store cannot show any more.
  package static func object<Engine: StorageEngine>(_ entry: FeedEntry, in store: GuardedStore<Engine>)
    -> [UInt8]?
  {
    guard case .judged(let request, let decision, let rules) = entry.kind else { return nil }
    return
      (try? store.replay(entry) { replay in
        let explanation = replay.explain(by: rules)
        // Documents of now may lead elsewhere.
        let allows = explanation.isAllowed == decision.isAllowed ? explanation.allows : []
        let whole = object(entry, request, replay.request, decision, rules, allows, withDocuments: true)
        return whole.count <= bytesMax + rules.source.bytes.count
          ? whole : object(entry, request, replay.request, decision, rules, allows, withDocuments: false)
      }).flatMap { $0 }
  }

  private static func object(
    _ entry: FeedEntry, _ kept: KeptRequest, _ request: RuleRequest, _ decision: Decision, _ rules: Ruleset,
    _ allows: [AllowTrace], withDocuments: Bool
  ) -> [UInt8] {
    let path = pathText(request)
    let time = request.time.rfc3339
    let release = "projects/\(entry.database.project)/releases/cloud.firestore"
    var writer = JSONWriter()
    writer.object { object in
      object.member("rulesReleaseKey") { $0.string(release) }
      object.member("rulesReleaseName") { $0.string(release) }
      object.member("requestId") { $0.string(entry.id) }
      object.member("rules") { $0.string(String(decoding: rules.source.bytes, as: UTF8.self)) }
      object.member("time") { $0.string(Timestamp(microseconds: entry.time).rfc3339) }
      object.member("rulesContext") { writer in
        writer.object { context in
          context.member("path") { $0.string(path) }
          context.member("request") { $0.request(request, isOfCommit: kept.isOfCommit, withDocuments) }
          context.member("method") { $0.string("\(request.method.name)") }
          context.member("resource") { writer in
            if let query = request.query {
              writer.expression { $0.member("data") { $0.equalities(query) } }
            } else if withDocuments, let resource = request.resource {
              writer.expression(document: resource, pathSegments(request))
            } else {
              writer.undefined()
            }
          }
          context.member("time") { $0.string(time) }
        }
      }
      object.member("granularAllowOutcomes") { writer in
        writer.array(allows) { writer, trace in
          writer.object { allow in
            allow.member("line") { $0.integer(trace.position.line) }
            allow.member("outcome") { $0.boolean(trace.outcome == .granted) }
          }
        }
      }
      object.member("outcome") { $0.string(RequestReport.outcome(decision)) }
    }
    return writer.bytes
  }

  /// `/databases/D/documents/users/bob`; of a query `…/users/*`, of a group `…/**/users/*`.
  private static func pathText(_ request: RuleRequest) -> String {
    let root = "/databases/\(request.database)/documents"
    guard let query = request.query else { return root + "/" + request.path.text }
    let parent = query.parent.isRoot ? "" : "/" + query.parent.text
    return root + parent + (query.allDescendants ? "/**/" : "/") + (query.collectionID ?? "*") + "/*"
  }

  /// `databases`, `(default)`, `documents`, `users`, `bob`
  static func pathSegments(_ request: RuleRequest) -> [Substring] {
    ["databases", Substring(request.database), "documents"] + request.path.text.split(separator: "/")
  }
}

/// Values as the language of rules has them, which is not how documents are written.
extension JSONWriter {
  fileprivate mutating func request(_ request: RuleRequest, isOfCommit: Bool, _ withDocuments: Bool) {
    let segments = EvaluationJSON.pathSegments(request)
    expression { fields in
      fields.member("headers") { $0.expression { _ in } }
      fields.member("path") { writer in
        if request.query?.allDescendants == true { return writer.undefined() }
        writer.expression(path: segments)
      }
      fields.member("inTransaction") { $0.expression(boolean: isOfCommit) }
      fields.member("method") { $0.expression("stringValue", "\(request.method.name)") }
      fields.member("auth") { writer in
        guard let auth = request.auth else { return writer.nothing() }
        writer.expression { fields in
          fields.member("uid") { writer in
            auth.uidText.map { writer.expression("stringValue", $0) } ?? writer.nothing()
          }
          fields.member("token") { writer in writer.expression { $0.expressions(auth.claimFields) } }
        }
      }
      if let query = request.query { fields.member("query") { $0.query(query) } }
      if isOfCommit {
        fields.member("resource") { writer in
          guard withDocuments, let new = request.newResource else { return writer.nothing() }
          writer.expression(document: new, segments)
        }
      }
      fields.member("time") { $0.expression("timestampValue", request.time.rfc3339) }
    }
  }

  private mutating func query(_ query: QueryShape) {
    expression { fields in
      fields.member("allDescendants") { $0.expression(boolean: query.allDescendants) }
      fields.member("kind") { $0.expression("stringValue", query.collectionID ?? "*") }
      fields.member("limit") { writer in
        query.limit.map { writer.expression("intValue", String($0)) } ?? writer.nothing()
      }
      fields.member("offset") { $0.expression("intValue", String(query.offset)) }
      fields.member("orderBy") { writer in
        writer.expression { fields in
          for order in query.orderBy {
            let name = Array(order.field.text.utf8)
            name.withUnsafeBytes { name in
              fields.member(name) { $0.expression("stringValue", order.isDescending ? "DESC" : "ASC") }
            }
          }
        }
      }
    }
  }

  /// What a query says of every document that it can find.
  fileprivate mutating func equalities(_ query: QueryShape) {
    let tests = query.disjuncts.count == 1 ? query.disjuncts[0].tests.filter { $0.comparison == .equal } : []
    expression { fields in
      for test in tests {
        let name = Array(test.path.text.utf8)
        test.operand.withUnsafeBytes { operand in
          name.withUnsafeBytes { name in fields.member(name) { $0.expression(ValueView(operand)) } }
        }
      }
    }
  }

  /// A resource: its data, its name, its id.
  fileprivate mutating func expression(document: FieldsView, _ segments: [Substring]) {
    expression { fields in
      fields.member("data") { writer in writer.expression { $0.expressions(document) } }
      fields.member("__name__") { $0.expression(path: segments) }
      fields.member("id") { $0.expression("stringValue", String(segments.last ?? "")) }
    }
  }

  fileprivate mutating func undefined() { object { $0.member("undefined") { $0.object { _ in } } } }

  private mutating func nothing() { object { $0.member("nullValue") { $0.null() } } }

  private mutating func expression(boolean flag: Bool) {
    object { $0.member("boolValue") { $0.boolean(flag) } }
  }

  private mutating func expression(_ kind: StaticString, _ text: String) {
    object { $0.member(kind) { $0.string(text) } }
  }

  private mutating func expression(path segments: [Substring]) {
    object { object in
      object.member("pathValue") { writer in
        writer.object { path in
          path.member("segments") { writer in
            writer.array(segments) { writer, segment in
              writer.object { $0.member("simple") { $0.string(String(segment)) } }
            }
          }
        }
      }
    }
  }

  /// A map; an empty one has no fields.
  fileprivate mutating func expression(_ body: (inout ObjectWriter) -> Void) {
    object { object in
      object.member("mapValue") { writer in
        writer.object { map in map.member("fields") { $0.object(body) } }
      }
    }
  }

  /// Stored values nest at most `Limits.nestingMax` levels, which bounds the recursion.
  fileprivate mutating func expression(_ value: ValueView) {
    switch value.kind {
    case .null: nothing()
    case .boolean: expression(boolean: value.boolean)
    case .integer: expression("intValue", String(value.integer))
    case .double: object { $0.member("floatValue") { $0.number(value.double) } }
    case .timestamp: expression("timestampValue", value.timestamp.rfc3339)
    case .string: object { $0.member("stringValue") { $0.string(value.string) } }
    case .bytes: expression("bytesValue", Base64.text(value.byteString))
    case .reference:
      // `projects/P/databases/…`, of which rules see the path from `databases` on.
      expression(
        path: String(decoding: value.reference, as: UTF8.self).split(separator: "/").dropFirst(2).map { $0 })
    case .geoPoint:
      object { object in
        object.member("latlngValue") { writer in
          writer.object { point in
            point.member("latitude") { $0.number(value.geoPoint.latitude) }
            point.member("longitude") { $0.number(value.geoPoint.longitude) }
          }
        }
      }
    case .array: list("listValue", Array(value.array))
    case .vector:
      // A vector is stored as a map of its type and its values.
      let values = value.fields.first { $0.value.kind == .array }.map { Array($0.value.array) }
      list("vectorValue", values ?? [])
    case .map: expression { $0.expressions(value.fields) }
    }
  }

  private mutating func list(_ kind: StaticString, _ elements: [ValueView]) {
    object { object in
      object.member(kind) { writer in
        writer.object { list in list.member("values") { $0.array(elements) { $0.expression($1) } } }
      }
    }
  }
}

extension JSONWriter.ObjectWriter {
  fileprivate mutating func expressions(_ fields: FieldsView) {
    for entry in fields { member(entry.key) { $0.expression(entry.value) } }
  }
}
