/// Requests and answers of HTTP/1.1 as a client sees them.

import DocModel

struct ClientRequest {
  var method = "GET"
  /// Path and query, escaped.
  var target: String
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []

  /// The request's bytes; the connection ends with the answer.
  func bytes(host: String) -> [UInt8] {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
    for header in headers { text += "\(header.name): \(header.value)\r\n" }
    if method != "GET" { text += "Content-Length: \(body.count)\r\n" }
    return Array((text + "\r\n").utf8) + body
  }
}

struct HTTPFailure: Error, CustomStringConvertible {
  let description: String
  /// Whether the same request may get through later.
  var mayPass = true
  /// Whether there was more than is taken.
  var isTooLarge = false
  /// Whether somebody is there who speaks TLS.
  var isTLS = false
}

struct ClientAnswer {
  let status: Int
  let body: [UInt8]
  private let headers: [(name: String, value: String)]

  /// The value of a header, by its name in lower case; nil when it is not there.
  func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// Reads a whole answer, of a connection that has ended. A body in chunks is put together.
  ///
  /// - Parameter address: who answered, for messages.
  init(_ bytes: [UInt8], from address: String) throws(HTTPFailure) {
    var reader = Reader(bytes: bytes, address: address)
    status = try reader.status()
    headers = try reader.headers()
    let headers = headers
    func value(_ name: String) -> String? { headers.first { $0.name == name }?.value }
    if value("transfer-encoding")?.lowercased().hasSuffix("chunked") == true {
      body = try reader.chunkedBody()
    } else {
      body = reader.rest
      if let count = value("content-length").flatMap({ Int($0) }), count != body.count {
        throw HTTPFailure(description: "`\(address)` hung up in the middle of its answer")
      }
    }
  }
}

/// Where an answer ends that says how long it is, on a connection that stays open.
struct AnswerEnd {
  private enum Length: Equatable {
    case unknown
    /// Of the whole answer.
    case bytes(Int)
    case chunks(from: Int)
    /// The connection's end is the answer's.
    case open
  }

  private var length = Length.unknown
  /// Where the search for the end of the headers goes on.
  private var searched = 0

  /// Whether the bytes so far are a whole answer. To be asked with ever more bytes of one answer.
  mutating func isReached(in bytes: [UInt8]) -> Bool {
    if length == .unknown { readHeaders(bytes) }
    switch length {
    case .unknown, .open: return false
    case .bytes(let count): return bytes.count >= count
    case .chunks(let start):
      guard bytes.count >= start + 5, bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8) else { return false }
      // A chunk may hold the same five bytes: only reading tells.
      var reader = Reader(bytes: bytes, address: "", index: start)
      return (try? reader.chunkedBody()) != nil
    }
  }

  private mutating func readHeaders(_ bytes: [UInt8]) {
    let mark = Array("\r\n\r\n".utf8)
    var index = max(0, searched - mark.count)
    while index + mark.count <= bytes.count, !bytes[index..<index + mark.count].elementsEqual(mark) {
      index += 1
    }
    searched = bytes.count
    guard index + mark.count <= bytes.count else { return }
    let start = index + mark.count
    length = .open
    for line in String(decoding: bytes[..<index], as: UTF8.self).split(separator: "\r\n").dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let value = parts[1].drop { $0 == " " }.lowercased()
      switch parts[0].lowercased() {
      case "transfer-encoding" where value.hasSuffix("chunked"):
        length = .chunks(from: start)
        return
      case "content-length":
        // A length that no answer has is left to whoever reads the answer.
        if let count = Int(value), (0...Int.max - start).contains(count) { length = .bytes(start + count) }
      default: break
      }
    }
  }
}

private struct Reader {
  let bytes: [UInt8]
  let address: String
  var index = 0

  /// LIMIT: header lines of an answer.
  private static let headersMax = 200

  private var failure: HTTPFailure { HTTPFailure(description: "what `\(address)` answers is no HTTP") }

  var rest: [UInt8] { Array(bytes[index...]) }

  private mutating func line() throws(HTTPFailure) -> String {
    guard let end = bytes[index...].firstIndex(of: 0x0A) else { throw failure }
    let text = String(decoding: bytes[index..<end], as: UTF8.self)
    index = end + 1
    return text.utf8.last == 0x0D ? String(text.unicodeScalars.dropLast()) : text
  }

  mutating func status() throws(HTTPFailure) -> Int {
    let words = try line().split(separator: " ")
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]),
      (100...599).contains(status)
    else { throw failure }
    return status
  }

  mutating func headers() throws(HTTPFailure) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    while headers.count <= Self.headersMax {
      let line = try line()
      if line.isEmpty { return headers }
      guard let colon = line.firstIndex(of: ":") else { throw failure }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers.append((line[..<colon].lowercased(), String(value)))
    }
    throw failure
  }

  mutating func chunkedBody() throws(HTTPFailure) -> [UInt8] {
    var body: [UInt8] = []
    while true {
      guard let size = Int(try line().prefix { $0 != ";" && $0 != " " }, radix: 16), size >= 0,
        size <= bytes.count - index
      else { throw failure }
      if size == 0 { return body }
      body.append(contentsOf: bytes[index..<index + size])
      index += size
      _ = try line()
    }
  }
}
