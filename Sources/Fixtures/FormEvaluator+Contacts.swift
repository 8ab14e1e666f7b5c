/// Forms that draw how people and things are reached: `$email`, `$uuid`, `$url`, `$phone`.
///
/// What they give belongs to nobody: names of domains and numbers of telephones are those that are set aside for examples
/// (RFC 2606; 555-0100 to 555-0199 of the North American Numbering Plan). Part of the format's version 1: the same place draws
/// the same text.

internal import DocModel
internal import YAML

extension FormEvaluator {
  func contact(
    _ function: Function, _ argument: Argument, _ stream: inout RandomStream
  ) throws(YAMLError) -> String {
    switch (function, argument.value) {
    case (.email, .plain(.boolean(true))): Contact.address(&stream)
    case (.email, .plain(.string(let name))): try address(of: name, argument)
    case (.email, _): throw argument.error("$email takes true, or the name whose address it is")
    case (.uuid, .plain(.boolean(true))): Contact.uuid(&stream)
    case (.url, .plain(.boolean(true))): Contact.url(&stream)
    case (.phone, .plain(.boolean(true))): Contact.phone(&stream)
    case (_, _): throw argument.error("\(function.formName) takes true")
    }
  }

  private func address(of name: String, _ argument: Argument) throws(YAMLError) -> String {
    let local = Contact.local(of: name)
    guard !local.isEmpty else {
      throw argument.error("$email takes a name with a Latin letter or a digit; found '\(name)'")
    }
    return "\(local)@example.com"
  }
}

enum Contact {
  private static let domains = ["example.com", "example.net", "example.org"]

  /// As `maya.lindqvist4821@example.org`.
  static func address(_ stream: inout RandomStream) -> String {
    let name = local(of: WordLists.person(&stream))
    let number = stream.number(from: 10, through: 9999)
    return "\(name)\(number)@\(domains[stream.index(of: domains.count)])"
  }

  /// Of random bits, version 4 of RFC 9562.
  static func uuid(_ stream: inout RandomStream) -> String {
    var halves = (stream.next(), stream.next())
    halves.0 = halves.0 & 0xffff_ffff_ffff_0fff | 0x4000
    halves.1 = halves.1 & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000
    let digits = hex(halves.0) + hex(halves.1)
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return text
  }

  private static func hex(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// As `https://www.example.org/calm/harbour-4821`.
  static func url(_ stream: inout RandomStream) -> String {
    let domain = domains[stream.index(of: domains.count)]
    let words = WordLists.words
    let first = words[stream.index(of: words.count)]
    let second = words[stream.index(of: words.count)]
    return "https://www.\(domain)/\(first)/\(second)-\(stream.number(from: 1, through: 9999))"
  }

  /// As `+14155550142`, in the form of E.164.
  static func phone(_ stream: inout RandomStream) -> String {
    // A third digit of 1 behind another 1 is a service, as 911: the second and the third differ.
    let area = stream.number(from: 2, through: 9) * 100 + stream.number(from: 0, through: 8) * 10
    let digit = stream.number(from: 0, through: 8)
    let third = digit >= area / 10 % 10 ? digit + 1 : digit
    return "+1\(area + third)55501\(stream.index(of: 10))\(stream.index(of: 10))"
  }

  /// LIMIT: bytes before the @ of an address (RFC 5321).
  private static let localBytes = 64

  /// Lower case letters and digits of ASCII, a dot where something else stood: `Åsa Ø'Neil` is `asa.o.neil`.
  static func local(of name: String) -> String {
    var local = ""
    for scalar in name.unicodeScalars {
      let letters = letters(of: scalar)
      if letters.isEmpty {
        if !local.isEmpty, local.last != "." { local.append(".") }
      } else if local.utf8.count + letters.utf8.count <= localBytes {
        local += letters
      } else {
        break
      }
    }
    while local.last == "." { local.removeLast() }
    return local
  }

  /// Those of ASCII that stand for a scalar. Letters with a mark are found by their name in Unicode, which never changes:
  /// LATIN SMALL LETTER O WITH STROKE.
  private static func letters(of scalar: Unicode.Scalar) -> String {
    if scalar.isASCII {
      guard scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal else { return "" }
      return scalar.properties.lowercaseMapping
    }
    guard let name = scalar.properties.name?.split(separator: " "), name.first == "LATIN",
      let letter = name.firstIndex(of: "LETTER")
    else { return "" }
    let words = name[(letter + 1)...]
    switch words.first {
    case "SHARP": return "ss"
    case let word? where word.count <= 2 && (words.count == 1 || words.dropFirst().first == "WITH"):
      return word.lowercased()
    default: return ""
    }
  }
}
