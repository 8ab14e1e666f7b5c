/// Streams of browsers on a real port: what a client is answered from its handshake to its goodbye.
///
/// Source: docs/spec/streams.md 3.

import DocModel
import Testing

@testable import Wire

/// A client of one session, by polling, each request on a connection of its own.
private final class PollingClient {
  static let database = "projects/p/databases/(default)"
  let bench: HTTPBench
  let path: String
  var sid = ""
  var acknowledged = 0
  private var number = 0

  init(_ bench: HTTPBench, _ stream: String) {
    self.bench = bench
    path = "/google.firestore.v1.Firestore/\(stream)/channel"
  }

  static func form(_ messages: [(Int, String)], headers: String = "") -> String {
    let encoded = messages.map { "req\($0.0)___data__=" + escape($0.1) }
    return
      ((headers.isEmpty ? [] : ["headers=" + escape(headers)]) + ["count=\(messages.count)", "ofs=0"]
      + encoded)
      .joined(separator: "&")
  }

  private static func escape(_ text: String) -> String {
    text.utf8.map { byte in
      let hex = String(byte, radix: 16)
      return "%" + (hex.utf8.count == 1 ? "0" : "") + hex
    }.joined()
  }

  func shakeHands(_ messages: String..., headers: String = "") -> HTTPBench.Answer {
    let answer = bench.ask(
      "POST", path + "?VER=8&RID=1&CVER=22&t=1",
      Self.form(Array(messages.enumerated()).map { ($0.offset, $0.element) }, headers: headers))
    number = messages.count
    sid = answer.body.split(separator: "\"").dropFirst(3).first.map(String.init) ?? ""
    return answer
  }

  func send(_ messages: String...) -> HTTPBench.Answer {
    defer { number += messages.count }
    return send(numbered: messages.enumerated().map { (number + $0.offset, $0.element) })
  }

  func send(numbered messages: [(Int, String)]) -> HTTPBench.Answer {
    bench.ask("POST", "\(path)?VER=8&SID=\(sid)&RID=2&AID=\(acknowledged)", Self.form(messages))
  }

  /// What waits, or a sign of life after `hold` milliseconds.
  func poll(hold: Int = 30_000) -> String {
    bench.ask("GET", "\(path)?VER=8&SID=\(sid)&RID=rpc&AID=\(acknowledged)&CI=1&TYPE=xmlhttp&TO=\(hold)").body
  }

  /// Polls until some text has come.
  func poll(until text: String) -> String {
    var all = ""
    for _ in 0..<50 where !all.contains(text) {
      let piece = poll(hold: 5_000)
      all += piece
      acknowledged = Self.ids(piece).max() ?? acknowledged
    }
    return all
  }

  /// `[4,["noop"]]` and `[5,[{` say 4 and 5.
  static func ids(_ text: String) -> [Int] {
    text.split(separator: "[").compactMap { piece in
      piece.hasSuffix(",") ? Int(piece.dropLast()) : nil
    }
  }

  func terminate(_ method: String = "POST") -> HTTPBench.Answer {
    bench.ask(method, "\(path)?VER=8&SID=\(sid)&RID=9&TYPE=terminate")
  }
}

@Suite("WebChannel on a port", .serialized)
struct WebChannelServiceTests {
  private static let add = """
    {"database":"projects/p/databases/(default)","addTarget":{"documents":{"documents":\
    ["projects/p/databases/(default)/documents/c/a"]},"targetId":2}}
    """
  private static let open = #"{"database":"projects/p/databases/(default)"}"#

  private static func write(_ name: String, _ fields: String = "{}") -> String {
    """
    {"streamToken":"MA==","writes":[{"update":{"name":"projects/p/databases/(default)/documents/\(name)",\
    "fields":\(fields)}}]}
    """
  }

  @Test("a listener gets its first snapshot and what happens then")
  func listen() async throws {
    let bench = try await HTTPBench()
    let client = PollingClient(bench, "Listen")
    let hello = client.shakeHands(Self.add)
    #expect(
      hello.status == 200 && hello.body.hasPrefix("52\n[[0,[\"c\",\"")
        && hello.body.hasSuffix("\",\"\",8,12,30000]]]"))
    let first = client.poll(until: "resumeToken\":\"")
    // A number later where the poll was there before the first message, and was answered a noop.
    #expect(first.contains(#",[{"targetChange":{"targetChangeType":"ADD","targetIds":[2]}}]]"#))
    try bench.set("c/a")
    #expect(client.poll(until: "documentChange").contains(#"/documents/c/a","createTime""#))
    #expect(client.send(#"{"removeTarget":2}"#).body.hasPrefix("7\n[0,"))
    #expect(client.poll(until: "REMOVE").contains(#""targetIds":[2]"#))
    #expect(client.terminate().status == 200)
    #expect(client.terminate("GET").status == 400)
    await bench.server.stop()
  }

  @Test("writes are applied in the order of their numbers, whatever order they come in, and once")
  func write() async throws {
    let bench = try await HTTPBench()
    let client = PollingClient(bench, "Write")
    _ = client.shakeHands(Self.open)
    #expect(client.poll(until: "streamToken").contains(#"{"streamId":"1","streamToken":"MA=="}"#))
    let one = Self.write("c/a", #"{"n":{"integerValue":"1"}}"#)
    let two = Self.write("c/a", #"{"n":{"integerValue":"2"}}"#)
    for messages in [[(2, two)], [(2, two)], [(1, one)], [(1, one), (2, two)]] {
      #expect(client.send(numbered: messages).status == 200)
    }
    let answers = client.poll(until: "Mg==")
    #expect(answers.contains("MQ==") && answers.contains("commitTime") && !answers.contains("Mw=="))
    #expect(
      bench.ask("GET", "/v1/projects/p/databases/(default)/documents/c/a").body.contains(
        #""integerValue":"2""#))
    await bench.server.stop()
  }

  @Test("what was sent before a goodbye is carried out", arguments: ["POST", "GET"])
  func goodbye(method: String) async throws {
    let bench = try await HTTPBench()
    let client = PollingClient(bench, "Write")
    _ = client.shakeHands(Self.open)
    _ = client.send(Self.write("c/last"))
    #expect(client.terminate(method).status == 200)
    while try !bench.has("c/last") { try await Task.sleep(for: .milliseconds(5)) }
    while bench.server.webChannelSessionCount > 0 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(client.poll().contains("<BODY>Unknown SID</BODY>"))
    await bench.server.stop()
  }

  @Test(
    "a goodbye while a write waits loses none of those behind it, and the stream ends for those who count")
  func goodbyeInTurn() async throws {
    let bench = try await HTTPBench()
    let set = bench.ask(
      "POST", "/emulator/v1/projects/p:faults", #"{"rule":"delay 200ms on commit"}"#,
      headers: ["Authorization: Bearer owner"])
    #expect(set.status == 200, "\(set.body)")
    let client = PollingClient(bench, "Write")
    _ = client.shakeHands(Self.open)
    _ = client.send(Self.write("c/one"), Self.write("c/two"))
    #expect(client.terminate().status == 200)
    #expect(client.poll().contains("Unknown SID"))
    #expect(try !bench.has("c/two"), "the fault holds the writes back")
    while try !bench.has("c/two") { try await Task.sleep(for: .milliseconds(5)) }
    // Of the metrics' own request.
    while !bench.ask("GET", "/metrics").body.contains("docstore_requests_in_progress 1\n") {
      try await Task.sleep(for: .milliseconds(5))
    }
    await bench.server.stop()
  }

  @Test(
    "the end of a stream is told by the stream: its handshake succeeds",
    arguments: [
      ("Listen", add, "Authorization:Bearer nonsense\r\n", "INVALID_ARGUMENT"),
      ("Listen", #"{"database":"nonsense"}"#, "", "INVALID_ARGUMENT"),
      ("Listen", "{", "", "INVALID_ARGUMENT"),
      (
        "Write", #"{"writes":[{"delete":"x"}],"database":"projects/p/databases/(default)"}"#, "",
        "INVALID_ARGUMENT"
      ),
    ])
  func refused(stream: String, message: String, headers: String, status: String) async throws {
    let bench = try await HTTPBench()
    let client = PollingClient(bench, stream)
    #expect(client.shakeHands(message, headers: headers).status == 200)
    #expect(client.poll(until: "error").contains("\"status\":\"\(status)\""))
    await bench.server.stop()
  }

  @Test("the token in the handshake's form is whose stream it is")
  func user() async throws {
    let bench = try await HTTPBench()
    let rules = EmulatorHTTPTests.ruleset("request.auth.uid == 'alice'")
    #expect(bench.ask("PUT", EmulatorHTTPTests.verb + ":securityRules", rules).status == 200)
    for (headers, expected) in [(EmulatorHTTPTests.alice + "\r\n", "CURRENT"), ("", "\"code\":7")] {
      let client = PollingClient(bench, "Listen")
      _ = client.shakeHands(Self.add, headers: headers)
      #expect(client.poll(until: expected).contains(expected))
    }
    await bench.server.stop()
  }

  @Test("an empty-writes request ends a write stream with a word")
  func close() async throws {
    let bench = try await HTTPBench()
    let client = PollingClient(bench, "Write")
    _ = client.shakeHands(Self.open, #"{"streamToken":"MA=="}"#)
    #expect(client.poll(until: "close").contains("[3,[\"close\"]]"))
    await bench.server.stop()
  }

  @Test(
    "requests that are none",
    arguments: [
      ("GET", "Listen", "?SID=nobody&RID=rpc", "", 400),
      ("POST", "Listen", "?SID=nobody&RID=2", "count=0", 400),
      ("POST", "Listen", "?SID=nobody&TYPE=terminate", "", 400), ("GET", "Listen", "?VER=8&RID=rpc", "", 400),
      ("PUT", "Listen", "?VER=8", "", 400), ("POST", "Listen", "?VER=8&RID=1", "req0___data__=%", 400),
      ("POST", "Commit", "?VER=8&RID=1", "", 404), ("OPTIONS", "Listen", "", "", 200),
    ])
  func unknown(method: String, stream: String, query: String, body: String, status: Int) async throws {
    let bench = try await HTTPBench()
    let answer = bench.ask(method, "/google.firestore.v1.Firestore/\(stream)/channel" + query, body)
    #expect(answer.status == status)
    await bench.server.stop()
  }

  @Test("a session is of one stream, and malformed messages behind its beginning are answered 400")
  func malformed() async throws {
    let bench = try await HTTPBench()
    let client = PollingClient(bench, "Listen")
    _ = client.shakeHands(Self.add)
    let other = PollingClient(bench, "Write")
    other.sid = client.sid
    #expect(other.poll().contains("Unknown SID"))
    #expect(client.send("{").status == 400)
    #expect(client.send(numbered: [(1, #"{"removeTarget":2}"#)]).status == 200)
    #expect(client.send(numbered: [(5_000, "{}")]).status == 400, "too far ahead")
    #expect(client.poll().contains("Unknown SID"))
    await bench.server.stop()
  }

  @Test("an injected fault ends a browser's stream as it does any other")
  func fault() async throws {
    let bench = try await HTTPBench()
    let set = bench.ask(
      "POST", "/emulator/v1/projects/p:faults", #"{"rule":"drop listen after 2 messages"}"#,
      headers: ["Authorization: Bearer owner"])
    #expect(set.status == 200, "\(set.body)")
    let client = PollingClient(bench, "Listen")
    _ = client.shakeHands(Self.add)
    #expect(client.poll(until: "error").contains(#""status":"UNAVAILABLE""#))
    await bench.server.stop()
  }

  @Test("a flood of handshakes pushes out the quietest session without a back channel")
  func flood() async throws {
    let bench = try await HTTPBench { $0.webChannel.sessionsMax = 3 }
    let clients = (0..<5).map { _ in PollingClient(bench, "Listen") }
    for client in clients { #expect(client.shakeHands(Self.add).status == 200) }
    #expect(bench.server.webChannelSessionCount <= 3)
    #expect(clients[0].poll().contains("Unknown SID"))
    #expect(clients[4].poll(until: "CURRENT").contains("ADD"))
    await bench.server.stop()
  }

  @Test("sessions end by themselves when nothing is heard of the client")
  func silence() async throws {
    let bench = try await HTTPBench { $0.webChannel.idleMilliseconds = 50 }
    let client = PollingClient(bench, "Listen")
    _ = client.shakeHands(Self.add)
    while bench.server.webChannelSessionCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
    await bench.server.stop()
  }

  @Test("a server that stops ends open back channels cleanly")
  func stop() async throws {
    let bench = try await HTTPBench()
    let client = PollingClient(bench, "Listen")
    _ = client.shakeHands(Self.add)
    _ = client.poll(until: "CURRENT")
    async let held = Task.detached { client.poll() }.value
    try await Task.sleep(for: .milliseconds(100))
    await bench.server.stop()
    #expect(await held.hasSuffix("0\r\n\r\n"))
  }
}
