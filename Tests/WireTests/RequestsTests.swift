/// The requests that a server keeps: over HTTP, and on the WebSocket of the emulators' UI.

import Access
import DocModel
import DocStore
import Glibc
import JSON
import Rules
import TestSupport
import Testing

@testable import Wire

/// A client of a WebSocket on a socket, which says nothing after the handshake.
final class WebSocketListener {
  private let descriptor: Int32
  private var received: [UInt8] = []
  /// The answer to the handshake.
  private(set) var head = ""

  init(_ port: Int, path: String = "/requests", host: String = "x", headers: [String] = []) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var timeout = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    let request = Array(
      (["GET \(path) HTTP/1.1", "Host: \(host)", "Connection: Upgrade", "Upgrade: websocket"] + headers
        + ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "", ""])
        .joined(separator: "\r\n").utf8)
    send(request)
    while head.isEmpty {
      if let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
        head = String(decoding: received[..<end.lowerBound], as: UTF8.self)
        received.removeFirst(end.upperBound)
      } else if !receive() {
        return
      }
    }
  }

  deinit { close(descriptor) }

  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  /// Says that there is nothing more to say, and counts what still comes.
  func bytesUntilEnd() -> Int {
    shutdown(descriptor, Int32(SHUT_WR))
    var count = received.count
    received = []
    while receive() {
      count += received.count
      received = []
    }
    return count
  }

  private func receive() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    received += buffer[..<count]
    return true
  }

  /// The next message; nil when the server has closed.
  func next() -> JSONValue? {
    while true {
      if let (length, start) = length(), received.count >= start + length {
        let message = Array(received[start..<start + length])
        received.removeFirst(start + length)
        return try? JSONReader.read(message)
      }
      if !receive() { return nil }
    }
  }

  /// Bytes of a frame that is not masked, and where they begin.
  private func length() -> (Int, Int)? {
    guard received.count >= 10 || (received.count >= 2 && received[1] < 126) else { return nil }
    switch received[1] {
    case 127: return (received[2..<10].reduce(0) { $0 << 8 | Int($1) }, 10)
    case 126: return (Int(received[2]) << 8 | Int(received[3]), 4)
    case let short: return (Int(short), 2)
    }
  }
}

@Suite("requests that a server keeps", .serialized)
struct RequestsTests {
  static let rules = """
    rules_version = '2';
    service cloud.firestore { match /databases/{db}/documents {
      match /a/{id} {
        allow get: if request.auth.uid == id;
        allow list: if request.query.limit <= 3;
        allow create: if request.resource.data.n > 1;
      }
    }}
    """

  static func bench(
    _ change: (inout FirestoreServerOptions) -> Void = { _ in }
  ) async throws -> HTTPBench {
    let bench = try await HTTPBench(feed: RequestFeed()) {
      $0.requestsPort = 0
      change(&$0)
    }
    bench.guarded.rulesets.setStandard(
      try #require(Ruleset.compile(source: rules, name: "a.rules").ruleset))
    return bench
  }

  static let documents = "/v1/projects/p/databases/(default)/documents"
  static let admin = "/emulator/v1/projects/p/databases/(default)"

  static func body(_ rules: String) -> String {
    let text = rules.replacing("\n", with: " ").replacing("\"", with: "\\\"")
    return "{\"rules\":{\"files\":[{\"name\":\"new.rules\",\"content\":\"\(text)\"}]}}"
  }

  private static func text(_ json: JSONValue?, _ path: StaticString...) -> String? {
    path.reduce(json) { $0?[$1] }?.text
  }

  @Test("the socket tells what rules judged so far, then each operation")
  func socket() async throws {
    let bench = try await Self.bench()
    let port = try #require(bench.server.requestsAddress?.port)
    let early = WebSocketListener(port)
    #expect(early.head.hasPrefix("HTTP/1.1 101"))
    #expect(early.next() == .array([]))
    try bench.set("a/x", project: "p")
    #expect(bench.ask("GET", Self.documents + "/a/x").status == 403)
    _ = bench.ask("GET", Self.documents + "/a/x", headers: ["Authorization: Bearer owner"])
    _ = bench.ask("POST", Self.documents + "/a?documentId=y", "{\"fields\":{\"n\":{\"integerValue\":\"2\"}}}")
    _ = bench.ask("GET", Self.documents + "/a?pageSize=2")
    let read = try #require(early.next())
    #expect(Self.text(read, "rulesContext", "method") == "get")
    #expect(Self.text(read, "rulesContext", "path") == "/databases/(default)/documents/a/x")
    #expect(Self.text(read, "outcome") == "error")
    #expect(Self.text(read, "rulesReleaseName") == "projects/p/releases/cloud.firestore")
    #expect(Self.text(read, "rules")?.hasPrefix("rules_version") == true)
    #expect(
      read["granularAllowOutcomes"]
        == .array([
          .object([
            .init(Array("line".utf8), .integer(4)),
            .init(Array("outcome".utf8), .boolean(false)),
          ])
        ]))
    #expect(read["rulesContext"]?["request"]?["mapValue"]?["fields"]?["auth"]?["nullValue"] == .null)
    let create = try #require(early.next())
    #expect(Self.text(create, "rulesContext", "method") == "create")
    #expect(Self.text(create, "outcome") == "allow")
    #expect(create["rulesContext"]?["resource"]?["undefined"] == .object([]))
    let new = create["rulesContext"]?["request"]?["mapValue"]?["fields"]?["resource"]?["mapValue"]?["fields"]
    #expect(Self.text(new, "data", "mapValue", "fields", "n", "intValue") == "2")
    let list = try #require(early.next())
    #expect(Self.text(list, "rulesContext", "path") == "/databases/(default)/documents/a/*")
    let query = list["rulesContext"]?["request"]?["mapValue"]?["fields"]?["query"]?["mapValue"]?["fields"]
    #expect(Self.text(query, "limit", "intValue") == "2")
    // Whoever comes later gets all of it at once.
    #expect(WebSocketListener(port).next() == .array([read, create, list]))
    await bench.server.stop()
    #expect(early.next() == nil)
  }

  @Test("other paths of the socket's port, and requests that are no upgrade, are not found")
  func refusals() async throws {
    let bench = try await Self.bench()
    let port = try #require(bench.server.requestsAddress?.port)
    #expect(WebSocketListener(port, path: "/other").head.hasPrefix("HTTP/1.1 404"))
    #expect(WebSocketListener(port, path: "/requests?x=1").head.hasPrefix("HTTP/1.1 101"))
    await bench.server.stop()
  }

  @Test(
    "pages of this machine may look, and programs; others may not",
    arguments: [
      (["Origin: http://localhost:4000"], "127.0.0.1:9150", true),
      (["Origin: http://127.0.0.1:4000"], "x", true),
      (["Origin: http://[::1]:4000"], "x", true), (["Origin: https://ui.localhost"], "x", true),
      ([], "x", true),
      (["Origin: http://192.168.1.5:4000"], "192.168.1.5:9150", false),
      (["Origin: https://ui.example"], "x", true), ([], "evil.example", false), ([], "ui.example", true),
      (["Origin: http://evil.example"], "127.0.0.1:9150", false),
      // A name of the web that leads here.
      (["Origin: http://evil.example:9150"], "evil.example:9150", false),
      (["Origin: http://localhost.evil.example"], "x", false),
      (["Origin: http://127.0.0.1.evil.example"], "x", false),
      (["Origin: null"], "x", false),
      (["Origin: http://localhost", "Origin: http://evil.example"], "x", false),
    ])
  func origins(headers: [String], host: String, isAdmitted: Bool) async throws {
    let origin = try OriginPattern("https://ui.example")
    let name = try HostPattern("ui.example")
    let bench = try await Self.bench {
      $0.allowedOrigins = [origin]
      $0.allowedHosts = [name]
    }
    let port = try #require(bench.server.requestsAddress?.port)
    let head = WebSocketListener(port, host: host, headers: headers).head
    #expect(head.hasPrefix(isAdmitted ? "HTTP/1.1 101" : "HTTP/1.1 403"), "\(head)")
    await bench.server.stop()
  }

  @Test("who pings and does not read is not answered without end")
  func pings() async throws {
    let bench = try await Self.bench()
    let port = try #require(bench.server.requestsAddress?.port)
    let page = WebSocketListener(port)
    let ping: [UInt8] = [0x89, 0x80 | 125, 0, 0, 0, 0] + [UInt8](repeating: 7, count: 125)
    let many = [UInt8]((0..<8_000).map { _ in ping }.joined())
    // 24 MB, more than all buffers on the way hold.
    for _ in 0..<23 { page.send(many) }
    let answered = page.bytesUntilEnd()
    #expect(answered > 1_000 && answered < 23 * many.count * 3 / 4, "\(answered)")
    await bench.server.stop()
  }

  @Test("no more pages are served than there may be")
  func connections() async throws {
    let bench = try await Self.bench()
    let port = try #require(bench.server.requestsAddress?.port)
    let pages = (0..<RequestsServer.connectionsMax).map { _ in WebSocketListener(port) }
    #expect(pages.allSatisfy { $0.head.hasPrefix("HTTP/1.1 101") })
    #expect(WebSocketListener(port).head == "")
    await bench.server.stop()
  }

  @Test("over HTTP: a list, an explanation, and what other rules would say")
  func http() async throws {
    let bench = try await Self.bench()
    let owner = ["Authorization: Bearer owner"]
    _ = bench.ask("GET", Self.documents + "/a/x", headers: owner)
    #expect(bench.ask("GET", Self.documents + "/a/x").status == 403)
    let list = try JSONReader.read(Array(bench.ask("GET", Self.admin + ":requests?last=5").body.utf8))
    let entries = try #require(list["requests"]?.elements)
    // The socket has made the server keep everything.
    #expect(entries.map { $0["method"]?.text } == ["GetDocument", "get"])
    #expect(entries.map { $0["target"]?.text } == ["a/x", "a/x"])
    #expect(entries.map { $0["user"]?.text } == ["admin", "anonymous"])
    #expect(entries[0]["status"]?.text == "NOT_FOUND")
    #expect(entries[1]["rule"]?["line"] == .integer(4))
    let id = try #require(entries[1]["id"]?.text)
    let why = bench.ask("POST", Self.admin + ":explainRequest?id=\(id)")
    #expect(why.status == 200 && why.body.contains("Null value error"), "\(why)")
    let loose = Self.rules.replacing("allow get: if request.auth.uid == id", with: "allow get: if true")
    let other = bench.ask("POST", Self.admin + ":explainRequest?id=\(id)", Self.body(loose))
    #expect(other.body.contains("\"was\":\"error\",\"is\":\"allow\""), "\(other)")
    let shadow = bench.ask("POST", Self.admin + ":shadowRequests", Self.body(loose))
    #expect(shadow.body.contains("\"judged\":1"), "\(shadow)")
    #expect(shadow.body.contains("\"was\":\"error\",\"becomes\":\"allow\""), "\(shadow)")
    let same = bench.ask("POST", Self.admin + ":shadowRequests", Self.body(Self.rules))
    #expect(same.body.contains("\"judged\":1") && same.body.contains("\"changes\":[]"), "\(same)")
    await bench.server.stop()
  }

  @Test(
    "what cannot be answered is refused",
    arguments: [
      ("GET", ":requests?after=x", "", 400), ("GET", ":requests?kind=x", "", 400),
      ("POST", ":explainRequest", "", 400), ("POST", ":explainRequest?id=ffff", "", 404),
      ("POST", ":explainRequest?id=0001", "{}", 400), ("POST", ":shadowRequests", "", 400),
      ("POST", ":shadowRequests", RequestsTests.body("service {"), 400),
    ])
  func errors(method: String, path: String, body: String, status: Int) async throws {
    let bench = try await Self.bench()
    #expect(bench.ask(method, Self.admin + path, body).status == status)
    await bench.server.stop()
  }

  @Test("a broken header errs, as in the rest of the administration")
  func callers() async throws {
    let bench = try await Self.bench()
    let headers = ["Authorization: nonsense"]
    let elsewhere = bench.ask("GET", Self.admin + ":securityRules", headers: headers).status
    #expect(elsewhere >= 400)
    for (method, path) in [
      ("GET", ":requests"), ("POST", ":explainRequest?id=0001"), ("POST", ":shadowRequests"),
    ] {
      #expect(bench.ask(method, Self.admin + path, headers: headers).status == elsewhere, "\(path)")
    }
    await bench.server.stop()
  }

  @Test("a store that keeps no requests has no such pages")
  func without() async throws {
    let bench = try await HTTPBench()
    #expect(bench.ask("GET", Self.admin + ":requests").status == 404)
    #expect(bench.server.requestsAddress == nil)
    await bench.server.stop()
  }
}
