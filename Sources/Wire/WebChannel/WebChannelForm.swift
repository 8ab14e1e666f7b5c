/// What a WebChannel request carries: its parameters, and the form in its body.
///
/// Source: docs/spec/streams.md 3.1. The order of parameters is free.

internal import DocModel

/// The parameters of one request.
struct WebChannelParameters {
  /// The session; nil in a handshake.
  private(set) var sid: [UInt8]?
  private(set) var isTermination = false
  /// Acknowledges every array up to this one.
  private(set) var acknowledged: Int?
  /// Whether a back channel ends with the first arrays it brings.
  private(set) var isPolling = false
  /// How long a polling back channel may be held, in milliseconds, as the client wishes.
  private(set) var holdMilliseconds: Int?
  /// Headers that older clients put into the address instead of into the handshake's form.
  private(set) var headers: [UInt8] = []

  init(_ query: [HTTPTarget.Parameter]) {
    for parameter in query {
      if parameter.name.holds("SID") {
        sid = parameter.value
      } else if parameter.name.holds("AID") {
        acknowledged = Self.number(parameter.value)
      } else if parameter.name.holds("CI") {
        isPolling = parameter.value.holds("1")
      } else if parameter.name.holds("TO") {
        holdMilliseconds = Self.number(parameter.value)
      } else if parameter.name.holds("TYPE") {
        isTermination = parameter.value.holds("terminate")
      } else if parameter.name.holds("$httpHeaders") {
        headers = parameter.value
      }
    }
  }

  static func number(_ digits: some Collection<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 15 else { return nil }
    var number = 0
    for digit in digits {
      guard digit.isDigit else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    return number
  }
}

/// The form of a handshake or of a forward request: the client's messages with their numbers.
struct WebChannelForm {
  /// A client's message: its number in the session, and its JSON.
  struct Message: Equatable {
    let number: Int
    let json: [UInt8]
  }

  /// Header lines of a handshake, separated by CRLF.
  private(set) var headers: [UInt8] = []
  private(set) var messages: [Message] = []

  /// LIMIT: messages of one form. Clients send up to 1,000 waiting ones at once.
  static let messagesMax = 1_000

  struct Malformed: Error {}

  /// Reads a body. Messages are named `req<k>___data__`, and their number is `k` plus the form's `ofs`; a client that
  /// sends again lowers `ofs` and numbers from there, so `count` says nothing that the names do not.
  init(_ body: [UInt8]) throws(Malformed) {
    var base = 0
    var found: [Message] = []
    for pair in body.split(separator: UInt8(ascii: "&")) {
      let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, let value = PercentEncoding.decode(sides[1], plusIsBlank: true) else {
        throw Malformed()
      }
      let name = sides[0]
      if name.elementsEqual("headers".utf8) {
        headers = value
      } else if name.elementsEqual("ofs".utf8) {
        guard let number = WebChannelParameters.number(value) else { throw Malformed() }
        base = number
      } else if let index = try Self.index(name) {
        guard found.count < Self.messagesMax else { throw Malformed() }
        found.append(Message(number: index, json: value))
      }
    }
    messages = found.map { Message(number: base + $0.number, json: $0.json) }
  }

  /// The number in `req<k>___data__`; nil for the names of other fields.
  private static func index(_ name: ArraySlice<UInt8>) throws(Malformed) -> Int? {
    let end = Array("___data__".utf8)
    guard name.starts(with: "req".utf8), name.count > 3 + end.count, name.suffix(end.count).elementsEqual(end)
    else { return nil }
    guard let index = WebChannelParameters.number(name.dropFirst(3).dropLast(end.count)) else {
      throw Malformed()
    }
    return index
  }

  /// The value of a header among lines; names in any letter case.
  static func header(_ name: StaticString, in lines: [UInt8]) -> [UInt8]? {
    for line in lines.split(whereSeparator: { $0 == 0x0D || $0 == 0x0A }) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      guard line[..<colon].map({ (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }).holds(name) else { continue }
      return Array(line[(colon + 1)...].drop { $0 == 0x20 })
    }
    return nil
  }
}
