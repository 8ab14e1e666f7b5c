/// Requests over HTTPS, by the program `curl`, which has the system's certificates.
///
/// What a request says travels through curl's standard input, so that keys stand in no process list.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

enum CurlHTTP {
  /// LIMIT: seconds of one request.
  private static let secondsMax = 60

  /// Sends a request and reads the whole answer. Blocks.
  ///
  /// - Parameter origin: `https://host`, perhaps with a port.
  static func send(_ request: ClientRequest, to origin: String) throws(HTTPFailure) -> ClientAnswer {
    // Not the user's own configuration: it may log what we say.
    let child = try Child(["curl", "--disable", "--config", "-"])
    // curl reads all of its configuration before it writes anything, so neither waits for the other.
    child.write(Array(configuration(request, origin).utf8))
    let (output, complaint) = child.readAll(limit: PlainHTTP.answerBytesMax)
    let status = child.wait()
    guard status == 0 else {
      let reason = complaint.isEmpty ? "curl ended with \(status)" : complaint
      throw HTTPFailure(description: "`\(origin)`: \(reason)", mayPass: mayPass(status))
    }
    return try ClientAnswer(output, from: origin)
  }

  /// Names, connections and time run out; certificates, addresses and missing programs stay what they are.
  private static func mayPass(_ status: Int32) -> Bool {
    [5, 6, 7, 16, 18, 28, 52, 55, 56, 92].contains(status)
  }

  /// Source: curl(1), --config. Answers come as they are on the wire, as HTTP/1.1, headers first.
  private static func configuration(_ request: ClientRequest, _ origin: String) -> String {
    var lines = [
      "silent", "show-error", "include", "raw", "http1.1", "suppress-connect-headers",
      "proto = \"=https\"", "max-time = \(secondsMax)", "max-filesize = \(PlainHTTP.answerBytesMax)",
      "url = \(quoted(origin + request.target))", "request = \(quoted(request.method))",
      "header = \"Expect:\"",
    ]
    for header in request.headers { lines.append("header = \(quoted("\(header.name): \(header.value)"))") }
    if request.method != "GET" {
      lines.append("data-raw = \(quoted(String(decoding: request.body, as: UTF8.self)))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func quoted(_ text: String) -> String {
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
}

/// A program that is run once, with its input given and its output taken.
private struct Child {
  private let id: pid_t
  /// Ours of the three connections. Sockets, because a program that is gone then is an error and no signal.
  private let input: Int32
  private let output: Int32
  private let complaints: Int32

  init(_ arguments: [String]) throws(HTTPFailure) {
    var pairs: [(ours: Int32, its: Int32)] = []
    for _ in 0..<3 {
      var ends: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
      else {
        for pair in pairs { Self.close(pair) }
        throw HTTPFailure(description: "no connection to a program: \(FileAccess.systemMessage())")
      }
      pairs.append((ends[0], ends[1]))
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, pair) in pairs.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, pair.its, Int32(number))
    }
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id = pid_t()
    let code = posix_spawnp(&id, arguments[0], &actions, nil, &words, environ)
    for pair in pairs { Glibc.close(pair.its) }
    guard code == 0 else {
      for pair in pairs { Glibc.close(pair.ours) }
      throw HTTPFailure(
        description: "the program `\(arguments[0])`, which is needed for https, cannot be run: "
          + String(cString: strerror(code)), mayPass: false)
    }
    self.id = id
    input = pairs[0].ours
    output = pairs[1].ours
    complaints = pairs[2].ours
  }

  private static func close(_ pair: (ours: Int32, its: Int32)) {
    Glibc.close(pair.ours)
    Glibc.close(pair.its)
  }

  /// Gives all of the input, and its end.
  func write(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(input, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        break
      }
    }
    Glibc.close(input)
  }

  /// Output up to its end, and the first line of complaints. Beyond the limit the program is cut off.
  func readAll(limit: Int) -> (output: [UInt8], complaint: String) {
    let bytes = Self.read(output, limit: limit)
    let complaint = Self.read(complaints, limit: 4_096)
    Glibc.close(output)
    Glibc.close(complaints)
    let line = String(decoding: complaint.prefix { $0 != 0x0A }, as: UTF8.self)
    return (bytes, line)
  }

  private static func read(_ descriptor: Int32, limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let count = Glibc.read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
      if count > 0 {
        bytes.append(contentsOf: chunk[..<count])
      } else if count == 0 || errno != EINTR {
        break
      }
    }
    return bytes
  }

  /// How the program ended; 128 and more for a signal.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { return -1 }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}
