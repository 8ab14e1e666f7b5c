/// Names of servers, as they stand in `Host`, in origins and behind `--allow-host`.

internal import DocModel
internal import Platform

/// A host and perhaps a port: `localhost:8080`, `[::1]`, `db.example.`.
///
/// INVARIANT: the name is in small letters, has no trailing dot, and consists of letters, digits, `-`, `_` and dots
/// unless it is an IPv6 address, which keeps its brackets.
struct HostName: Hashable, Sendable {
  let name: String
  let port: Int?
  /// The bytes of an IP address: 4 or 16; nil for a name.
  let address: [UInt8]?

  /// LIMIT: characters of a name and of one of its labels. Source: RFC 1035, 2.3.4.
  static let nameBytesMax = 255
  private static let labelBytesMax = 63

  /// Nil when the text is no host with a port.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    // A port adds up to six.
    guard !bytes.isEmpty, bytes.count <= Self.nameBytesMax + 6 else { return nil }
    let end: Int
    if bytes[0] == UInt8(ascii: "[") {
      guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      end = bracket + 1
      guard let address = Self.address6(bytes[1..<bracket]) else { return nil }
      self.address = address
      name = String(decoding: bytes[..<end], as: UTF8.self).lowercased()
    } else {
      end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
      guard let name = Self.name(bytes[..<end]) else { return nil }
      self.name = name
      address = Self.address4(name)
    }
    // A colon without a number is no port, but no mistake either.
    let rest = bytes[end...]
    let digits = rest.dropFirst()
    guard rest.isEmpty || rest.first == UInt8(ascii: ":"), digits.allSatisfy(\.isDigit) else { return nil }
    port = Int(String(decoding: digits, as: UTF8.self))
    guard digits.isEmpty || port.map({ $0 <= 65_535 }) == true else { return nil }
    checkInvariants()
  }

  func checkInvariants() {
    assert(name == name.lowercased(), "a name is in small letters")
    let isBracketed = name.hasPrefix("[")
    assert(isBracketed ? address?.count == 16 : !name.hasSuffix("."), "no dot at the end")
    assert(
      isBracketed || name.utf8.allSatisfy { Self.isOfName($0) || $0 == UInt8(ascii: ".") },
      "only such letters")
  }

  var isAddress: Bool { address != nil }

  /// Whether only this machine can be meant, whatever a name server says: browsers do not ask one for these names.
  var isLoopback: Bool {
    switch address?.count {
    case 4: address?[0] == 127
    case 16: address == [UInt8](repeating: 0, count: 15) + [1]
    default: name == "localhost" || name.hasSuffix(".localhost")
    }
  }

  private static func name(_ bytes: ArraySlice<UInt8>) -> String? {
    var bytes = bytes
    if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    guard bytes.count <= nameBytesMax else { return nil }
    let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy({ !$0.isEmpty && $0.count <= labelBytesMax && $0.allSatisfy(isOfName) })
    else { return nil }
    return String(decoding: bytes, as: UTF8.self).lowercased()
  }

  private static func isOfName(_ byte: UInt8) -> Bool { byte.isWordByte || byte == UInt8(ascii: "-") }

  /// Short forms (`127.1`) are taken, too: no browser asks a name server for a name that ends in a number.
  private static func address4(_ name: String) -> [UInt8]? {
    var address = in_addr()
    guard inet_aton(name, &address) != 0 else { return nil }
    return withUnsafeBytes(of: address.s_addr) { Array($0) }
  }

  /// A zone behind `%` says which cable, not which machine.
  private static func address6(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var address = in6_addr()
    let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
    guard inet_pton(AF_INET6, text, &address) == 1 else { return nil }
    return withUnsafeBytes(of: address) { Array($0) }
  }

  /// What this machine calls itself; empty when it does not say.
  static var ofThisMachine: String {
    var bytes = [CChar](repeating: 0, count: nameBytesMax + 1)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Why an origin or a host cannot be allowed. The text says what to write instead.
public struct PatternError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String
}

/// Names under which a server may be asked for beside its own: `db.example`, `*.example`, `*`.
public struct HostPattern: Equatable, Sendable {
  enum Form: Equatable {
    case any
    case name(String)
    /// All names below this one; begins with a dot.
    case below(String)
  }

  let form: Form

  /// A port is taken and forgotten: what may be forged is the name.
  public init(_ text: String) throws(PatternError) {
    if text == "*" {
      form = .any
    } else if text.hasPrefix("*."), let host = HostName(String(text.dropFirst(2))), !host.isAddress {
      form = .below("." + host.name)
    } else if let host = HostName(text) {
      form = .name(host.name)
    } else {
      throw PatternError(
        description: "`\(text)` is no host: write a name or an address, such as db.example, or *.example for"
          + " all names below it")
    }
  }

  /// Whether it takes every name, which leaves a server open to DNS rebinding.
  public var isAny: Bool { form == .any }

  func matches(_ host: HostName) -> Bool {
    switch form {
    case .any: true
    case .name(let name): host.name == name
    case .below(let suffix): host.name.hasSuffix(suffix) && host.name.utf8.count > suffix.utf8.count
    }
  }
}
