/// Requests over HTTPS, by the program `curl`, which has the system's certificates.
///
/// What a request says travels through curl's standard input, so that keys stand in no process list.

import Curl

enum CurlHTTP {
  /// LIMIT: seconds of one request.
  private static let secondsMax = 60

  /// Sends a request and reads the whole answer. Blocks.
  ///
  /// - Parameter origin: `https://host`, perhaps with a port.
  static func send(_ request: ClientRequest, to origin: String) throws(HTTPFailure) -> ClientAnswer {
    // Not the user's own configuration: it may log what we say.
    let child: ChildProgram
    do throws(ProgramFailure) {
      child = try ChildProgram(["curl", "--disable", "--config", "-"])
    } catch {
      throw HTTPFailure(description: error.description, mayPass: false)
    }
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
      "url = \(CurlPost.quoted(origin + request.target))", "request = \(CurlPost.quoted(request.method))",
      "header = \"Expect:\"",
    ]
    for header in request.headers {
      lines.append("header = \(CurlPost.quoted("\(header.name): \(header.value)"))")
    }
    if request.method != "GET" {
      lines.append("data-raw = \(CurlPost.quoted(String(decoding: request.body, as: UTF8.self)))")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
