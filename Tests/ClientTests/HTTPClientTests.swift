import NIOCore
import NIOPosix
import Testing

@testable import Client

@Suite(.timeLimit(.minutes(5))) struct HTTPClientTests {
  private func ask(
    _ answer: String?, _ end: CannedServer.End = .stays, change: (inout HTTPClient) -> Void = { _ in }
  ) async throws -> Result<HTTPAnswer, HTTPFailure> {
    let server = try await CannedServer(answer, end)
    var client = HTTPClient(HTTPOrigin(host: "127.0.0.1", port: server.port))
    client.seconds = 20
    change(&client)
    let result: Result<HTTPAnswer, HTTPFailure>
    do throws(HTTPFailure) {
      result = .success(
        try await client.send(HTTPRequest("POST", "/a?b", headers: [("x-y", "")], body: [0x7A])))
    } catch {
      result = .failure(error)
    }
    let asked = server.seen.joined()
    #expect(asked.hasPrefix("POST /a?b HTTP/1.1\r\nhost: 127.0.0.1:\(server.port)\r\nconnection: close\r\n"))
    #expect(
      asked.contains("\r\ncontent-length: 1\r\n") && asked.contains("\r\nx-y:")
        && asked.hasSuffix("\r\n\r\nz"))
    try await server.stop()
    return result
  }

  struct Row: Sendable {
    let answer: String
    let end: CannedServer.End
    /// Nil where the answer is none.
    let body: String?
    var failure: HTTPFailure?
  }

  static let rows: [Row] = [
    // An answer that says how long it is ends there, on a connection that stays open.
    Row(answer: "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello", end: .stays, body: "hello"),
    Row(answer: "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello and more", end: .stays, body: "hello"),
    Row(answer: "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", end: .stays, body: ""),
    Row(
      answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", end: .stays,
      body: "hello"),
    // A chunk that looks like the end of chunks.
    Row(
      answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\na\r\n0\r\n\r\n\r\n0\r\n\r\n",
      end: .stays,
      body: "a\r\n0\r\n\r\n"),
    Row(
      answer: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 No\r\ncontent-length: 3\r\n\r\nwhy", end: .stays,
      body: "why"),
    // One that does not ends with the connection.
    Row(answer: "HTTP/1.1 200 OK\r\n\r\nhello", end: .closes, body: "hello"),
    Row(answer: "HTTP/1.0 200 OK\r\n\r\n", end: .closes, body: ""),
    // What was cut off is no answer.
    Row(
      answer: "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nhello", end: .closes, body: nil, failure: .hungUp),
    Row(
      answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", end: .closes, body: nil,
      failure: .hungUp),
    Row(answer: "HTTP/1.1 200 OK\r\nx: y\r\n", end: .closes, body: nil, failure: .hungUp),
    Row(answer: "", end: .closes, body: nil, failure: .hungUp),
    Row(answer: "SSH-2.0 1\r\n\r\n", end: .stays, body: nil, failure: .notHTTP),
    Row(answer: "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", end: .stays, body: nil, failure: .notHTTP),
    Row(
      answer: "HTTP/1.1 400 Bad Request\r\ncontent-length: 33\r\n\r\nThis port speaks TLS only: use ...",
      end: .stays,
      body: nil, failure: .speaksTLS),
  ]

  @Test("where an answer ends, and what is none", arguments: rows)
  func answers(_ row: Row) async throws {
    switch try await ask(row.answer, row.end) {
    case .success(let answer): #expect(String(decoding: answer.body, as: UTF8.self) == row.body)
    case .failure(let failure): #expect(failure == row.failure)
    }
  }

  @Test("an answer beyond the limit is refused, or its rest passed over", arguments: [false, true])
  func large(passesOver: Bool) async throws {
    let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n"
    let result = try await ask(text) {
      $0.bytesMax = 7
      $0.passesOver = passesOver
    }
    switch result {
    case .success(let answer): #expect(passesOver && answer.body == Array("hellowo".utf8))
    case .failure(let failure): #expect(!passesOver && failure == .tooLarge(bytes: 7))
    }
  }

  @Test("whoever does not answer is given up in time")
  func silence() async throws {
    guard case .failure(.timeout(seconds: 1)) = try await ask(nil, change: { $0.seconds = 1 }) else {
      Issue.record("waited")
      return
    }
  }

  @Test("a request is given up by its task, and by its thread")
  func cancellation() async throws {
    let server = try await CannedServer(nil)
    let client = HTTPClient(HTTPOrigin(host: "127.0.0.1", port: server.port))
    let task = Task { () async -> HTTPFailure? in
      do throws(HTTPFailure) { _ = try await client.send(HTTPRequest("GET", "/")) } catch { return error }
      return nil
    }
    while server.seen.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    #expect(await task.value == .cancelled)
    let thread = NIOThreadPool(numberOfThreads: 1)
    thread.start()
    let failure = try await thread.runIfActive { () -> HTTPFailure? in
      do throws(HTTPFailure) { _ = try client.wait(HTTPRequest("GET", "/"), isGivenUp: { true }) } catch {
        return error
      }
      return nil
    }
    #expect(failure == .cancelled)
    try await thread.shutdownGracefully()
    try await server.stop()
  }

  @Test("nobody there, and somebody who speaks no TLS")
  func unreachable() async throws {
    let server = try await CannedServer("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
    let port = server.port
    await #expect(throws: HTTPFailure.self) {
      try await HTTPClient(HTTPOrigin(host: "127.0.0.1", port: port, isSecure: true)).send(
        HTTPRequest("GET", "/"))
    }
    try await server.stop()
    do throws(HTTPFailure) {
      _ = try await HTTPClient(HTTPOrigin(host: "127.0.0.1", port: port)).send(HTTPRequest("GET", "/"))
      Issue.record("answered")
    } catch {
      #expect(error == .unreachable("Connection refused"))
    }
  }
}
