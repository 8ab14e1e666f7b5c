/// Where pages come from, as browsers say it in `Origin`.

internal import DocModel

/// `scheme://host[:port]`.
///
/// INVARIANT: `text` is in small letters and without the port that its scheme has anyway, so that two texts are one origin
/// when they are equal.
struct PageOrigin: Hashable, Sendable {
  let text: String
  /// Whether the page was loaded from this machine.
  let isLoopback: Bool

  /// Nil for everything else: `null`, several origins, addresses with a path.
  init?(_ origin: String) {
    guard let mark = origin.firstRange(of: "://") else { return nil }
    let scheme = origin[..<mark.lowerBound].lowercased()
    guard let first = scheme.utf8.first, first.isLetter, scheme.utf8.allSatisfy(Self.isOfScheme)
    else { return nil }
    let rest = String(origin[mark.upperBound...])
    // What Android's web views say of pages in files.
    if rest.isEmpty, scheme == "file" {
      text = "file://"
      isLoopback = false
      return
    }
    guard let host = HostName(rest) else { return nil }
    let isWeb = scheme == "http" || scheme == "https"
    let usual = scheme == "http" ? 80 : scheme == "https" ? 443 : nil
    let port = host.port == usual ? nil : host.port
    text = "\(scheme)://\(host.name)" + (port.map { ":\($0)" } ?? "")
    isLoopback = isWeb && host.isLoopback
    assert(text == text.lowercased(), "two texts are one origin when they are equal")
  }

  private static func isOfScheme(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || "+-.".utf8.contains(byte)
  }
}

/// Pages that may do what pages of this machine may: an origin, `null`, or `*` for all.
public struct OriginPattern: Equatable, Sendable {
  enum Form: Equatable {
    case any
    /// Pages without an address: files, sandboxed frames.
    case null
    case page(PageOrigin)
  }

  let form: Form

  public init(_ text: String) throws(PatternError) {
    if text == "*" {
      form = .any
    } else if text == "null" {
      form = .null
    } else if let origin = PageOrigin(text) {
      form = .page(origin)
    } else {
      throw PatternError(description: "`\(text)` is no origin: " + Self.advice(text))
    }
  }

  /// Whether it takes every page of the web.
  public var isAny: Bool { form == .any }

  func matches(_ origin: String) -> Bool {
    switch form {
    case .any: true
    case .null: origin == "null"
    case .page(let page): PageOrigin(origin) == page
    }
  }

  private static func advice(_ text: String) -> String {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
      return "write the name as browsers send it, in Punycode (https://xn--…)"
    }
    guard let mark = text.firstRange(of: "://") else {
      return HostName(text) == nil
        ? "write scheme://host[:port], such as https://app.example"
        : "it lacks a scheme; write https://\(text) or http://\(text)"
    }
    let scheme = text[..<mark.lowerBound]
    let place = text[mark.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let origin = "\(scheme)://\(place)"
    guard origin != text, PageOrigin(origin) != nil else {
      return "write scheme://host[:port], such as https://app.example; patterns are not taken"
    }
    return "it has a path; write \(origin)"
  }
}
