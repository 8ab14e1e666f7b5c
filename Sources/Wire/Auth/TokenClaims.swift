/// The claims of a token, as they are written: few of them are asked for.

internal import DocModel
internal import DocStore
internal import JSON

struct TokenClaims: Sendable {
  /// Where the claims are that are asked for in every token; 0 where one is not said.
  private struct Places {
    var (subject, audience, issuer, issued, expiry) = (0, 0, 0, 0, 0)

    /// Of two claims with one name the last counts.
    mutating func take(_ name: UnsafeRawBufferPointer, _ place: Int) {
      guard name.count == 3 else { return }
      if name.holds("sub") { subject = place }
      if name.holds("aud") { audience = place }
      if name.holds("iss") { issuer = place }
      if name.holds("iat") { issued = place }
      if name.holds("exp") { expiry = place }
    }
  }

  private let tape: JSONTape
  private let places: Places

  /// Nil for what is no object.
  init?(_ tape: JSONTape) {
    guard tape.isObject else { return nil }
    self.tape = tape
    places = tape.withView { tape in
      var places = Places()
      tape.forEachMember { places.take($0, $1) }
      return places
    }
  }

  /// All of them, in the stored form of a document's fields.
  var stored: [UInt8] { tape.storedFields ?? [] }

  // MARK: what every token says

  var subject: String? { text(at: places.subject) }
  var issuer: String? { text(at: places.issuer) }
  var issuedSeconds: Int64? { seconds(at: places.issued) }
  var expirySeconds: Int64? { seconds(at: places.expiry) }
  var saysAudience: Bool { places.audience > 0 }
  var saysIssuer: Bool { places.issuer > 0 }

  /// A service account names itself twice.
  var issuesItself: Bool {
    guard let issuer, let subject else { return false }
    return issuer.hasSameBytes(as: subject)
  }

  /// The project of an identity provider's token: its `aud`, where that is what `iss` has behind `prefix`.
  func project(behind prefix: StaticString) -> String? {
    tape.withView { tape in
      guard let project = tape.text(at: places.audience), let issuer = tape.text(at: places.issuer),
        issuer.count == prefix.utf8CodeUnitCount + project.count,
        UnsafeRawBufferPointer(rebasing: issuer.prefix(prefix.utf8CodeUnitCount)).holds(prefix),
        WireCursor.areEqual(UnsafeRawBufferPointer(rebasing: issuer.suffix(project.count)), project)
      else { return nil }
      return String(decoding: project, as: UTF8.self)
    }
  }

  /// One text, or several.
  var audiences: [String] {
    tape.withView { tape in
      let place = places.audience
      var texts: [String] = []
      var next = place
      if case .array = tape.entries[place].kind { next += 1 }
      while next > 0, next < tape.end(of: place) {
        if let text = tape.text(at: next) { texts.append(String(decoding: text, as: UTF8.self)) }
        next = tape.end(of: next)
      }
      return texts
    }
  }

  // MARK: what some say

  /// Nil for what is no text.
  func text(_ name: StaticString) -> String? { text(at: place(of: name)) }

  /// A time; without its fraction, where it has one.
  func seconds(_ name: StaticString) -> Int64? { seconds(at: place(of: name)) }

  private func place(of name: StaticString) -> Int {
    tape.withView { tape in
      var found = 0
      tape.forEachMember { if $0.holds(name) { found = $1 } }
      return found
    }
  }

  private func text(at place: Int) -> String? {
    tape.withView { tape in tape.text(at: place).map { String(decoding: $0, as: UTF8.self) } }
  }

  private func seconds(at place: Int) -> Int64? {
    tape.withView { tape in
      switch tape.entries[place].kind {
      case .integer(let seconds): return seconds
      case .double(let seconds): return Int64(exactly: seconds.rounded(.down))
      case .null, .boolean, .string, .unescaped, .array, .object: return nil
      }
    }
  }
}

extension JSONTape.View {
  /// The names in the outermost object, and the places of their values.
  fileprivate func forEachMember(_ body: (UnsafeRawBufferPointer, Int) -> Void) {
    var place = 1
    while place < entries.count {
      body(string(at: place), place + 1)
      place = end(of: place + 1)
    }
  }

  /// The text at a place; nil where something else stands, such as the outermost object.
  fileprivate func text(at place: Int) -> UnsafeRawBufferPointer? {
    switch entries[place].kind {
    case .string, .unescaped: string(at: place)
    case .null, .boolean, .integer, .double, .array, .object: nil
    }
  }
}
