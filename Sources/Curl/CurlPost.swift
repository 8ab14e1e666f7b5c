/// One POST over HTTPS by the program `curl`, which has the system's certificates and proxies.
///
/// What a request says travels through files that nobody else sees, so that keys stand in no process list.

internal import Synchronization

/// Whose certificates are believed.
package enum CurlTrust: Hashable, Sendable {
  /// What the system's authorities have signed.
  case system
  /// What the authorities of a PEM file have signed, and nobody else.
  case authorities(file: String)
  /// Anybody's: who answers may not be who was meant.
  case anybody
}

package enum CurlFailure: Error, Hashable, Sendable {
  /// The other side cannot prove who it is, or what would tell cannot be read.
  case untrusted(String)
  case unreachable(String)
  case timeout
  case hungUp
  /// There is no curl, or it cannot be given the request.
  case cannotRun(String)
}

package struct CurlAnswer: Hashable, Sendable {
  package let status: Int
  /// The beginning of the body.
  package let body: [UInt8]
}

package struct CurlPost: Sendable {
  /// LIMIT: bytes of an answer that are kept, with its headers; the rest is passed over.
  private static let answerBytesMax = 64 << 10

  /// `https://host:port/path`
  package var url: String
  package var headers: [(name: String, value: String)]
  package var body: [UInt8]
  /// How long all of it may take, and how long the connection.
  package var seconds: Int
  package var connectSeconds: Int
  package var trust: CurlTrust
  /// Whether it goes past the system's proxies.
  package var isDirect: Bool

  package init(
    url: String, headers: [(name: String, value: String)], body: [UInt8], seconds: Int, connectSeconds: Int,
    trust: CurlTrust, isDirect: Bool
  ) {
    self.url = url
    self.headers = headers
    self.body = body
    self.seconds = seconds
    self.connectSeconds = connectSeconds
    self.trust = trust
    self.isDirect = isDirect
  }

  /// Source: curl(1), --config. Redirects are answers like others.
  package var configuration: String {
    var lines = [
      "silent", "show-error", "include", "http1.1", "suppress-connect-headers", "globoff", "path-as-is",
      "proto = \"=https\"", "max-time = \(seconds)", "connect-timeout = \(min(seconds, connectSeconds))",
      "url = \(Self.quoted(url))", "request = \"POST\"", "data-binary = \"@-\"", "header = \"Expect:\"",
      "header = \"Connection: close\"",
    ]
    if isDirect { lines.append("noproxy = \"*\"") }
    switch trust {
    case .system: break
    case .authorities(let file): lines.append("cacert = \(Self.quoted(file))")
    case .anybody: lines.append("insecure")
    }
    for (name, value) in headers {
      // Without a value curl would take the header away.
      lines.append("header = \(Self.quoted(value.isEmpty ? name + ";" : "\(name): \(value)"))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  package static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Sends it and waits for the answer. Blocks; `cancellation` ends it early.
  package func send(_ cancellation: CurlCancellation) throws(CurlFailure) -> CurlAnswer {
    let child: ChildProgram
    do throws(ProgramFailure) {
      // Not the user's own configuration: it may log what we say.
      child = try ChildProgram(
        ["curl", "--disable", "--config", ChildProgram.filePath], file: Array(configuration.utf8))
    } catch {
      throw .cannotRun(error.description)
    }
    cancellation.begin(child)
    // curl reads all of its input before it writes anything, so neither waits for the other.
    child.write(body)
    let (output, complaint) = child.readAll(limit: Self.answerBytesMax, passesOver: true)
    let status = child.wait()
    guard status == 0 else { throw Self.failure(status, complaint) }
    guard let answer = Self.answer(output) else { throw .hungUp }
    return answer
  }

  /// Source: curl(1), EXIT CODES.
  static func failure(_ status: Int32, _ complaint: String) -> CurlFailure {
    // "curl: (60) SSL certificate problem: …"
    let words = complaint.split(separator: ") ", maxSplits: 1)
    let reason =
      complaint.hasPrefix("curl: (") && words.count == 2
      ? String(words[1]) : complaint.isEmpty ? "curl ended with \(status)" : complaint
    switch status {
    case 51, 60, 77, 82, 83, 90, 91: return .untrusted(reason)
    case 28 where !reason.hasPrefix("Connection"): return .timeout
    case 16, 18, 52, 55, 56, 92: return .hungUp
    case 128...: return .cannotRun("curl was ended by signal \(status - 128)")
    default: return .unreachable(reason)
    }
  }

  /// The last answer of those that are there: what comes before it announces it. Nil for what is no answer.
  static func answer(_ bytes: [UInt8]) -> CurlAnswer? {
    var rest = bytes[...]
    while true {
      let line = rest.prefix { $0 != 0x0D && $0 != 0x0A }
      let words = line.split(separator: 0x20, maxSplits: 2)
      guard words.count >= 2, words[0].starts(with: Array("HTTP/".utf8)),
        let status = Int(String(decoding: words[1], as: UTF8.self)), let end = headEnd(rest)
      else { return nil }
      rest = rest[end...]
      if !(100...199).contains(status) { return CurlAnswer(status: status, body: Array(rest)) }
    }
  }

  private static func headEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
    let mark: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]
    var index = bytes.startIndex
    while index + mark.count <= bytes.endIndex {
      if bytes[index..<(index + mark.count)].elementsEqual(mark) { return index + mark.count }
      index += 1
    }
    return nil
  }
}

/// Ends a request that is under way, or is about to begin.
package final class CurlCancellation: Sendable {
  private let state = Mutex<(child: ChildProgram?, isCancelled: Bool)>((nil, false))

  package init() {}

  fileprivate func begin(_ child: ChildProgram) {
    let isCancelled = state.withLock { state in
      state.child = child
      return state.isCancelled
    }
    if isCancelled { child.kill() }
  }

  package func cancel() {
    let child = state.withLock { state in
      state.isCancelled = true
      return state.child
    }
    child?.kill()
  }
}
