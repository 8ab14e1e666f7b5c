/// Tokens that are known by Huffman's code for them: a connection that finds them says what one says that decodes all, and each
/// request has its own user, however the bytes come.

import Access
import DocModel
import Rules
import TestSupport
import Testing

@testable import Wire

@Suite("tokens in Huffman's code")
struct CodedTokensTests {
  /// A connection, and what it says of its requests.
  private final class Server {
    let connection: HTTP2Connection
    /// Of each request.
    private(set) var heads: [RequestHead] = []
    private(set) var output: [UInt8] = []

    init(_ tokens: TokenCache?, streamsMax: Int = 1_000) {
      var options = HTTP2Options()
      options.tokens = tokens
      options.concurrentStreamsMax = streamsMax
      connection = HTTP2Connection(options)!
    }

    /// - Parameter answers: whether each request ends with a status.
    func take(_ bytes: [UInt8], pieces: Int, answers: Bool = false) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(pieces))
        rest = rest.dropFirst(pieces)
        if !piece.withUnsafeBytes({ connection.receive($0) }) { rest = [] }
        while let event = connection.nextEvent() {
          guard case .request(let stream) = event else { continue }
          heads.append(stream.head)
          if answers { connection.respond(stream, headOnly: GRPCHeaders.plain(httpStatus: 204)) }
        }
        _ = connection.output(atMost: 1 << 20) { output.append(contentsOf: $0) }
      }
    }

    /// Everything that a service can see.
    var said: [String] {
      heads.map { head in
        "\(String(decoding: head.path, as: UTF8.self)) \(head.listBytes) \(head.isGRPC) "
          + "\(head.authorization.map { String(decoding: $0.header, as: UTF8.self) } ?? "nobody") \(head.fields)"
      } + ["\(connection.isBroken) \(output)"]
    }
  }

  private static func bearer(_ user: String) -> String {
    "Bearer " + TokenReaderTests.token(#"{"sub":"\#(user)","name":"\#(String(repeating: user, count: 40))"}"#)
  }

  private static func remember(_ head: RequestHead, _ reader: TokenReader) {
    _ = try? reader.credentials(head.authorization, for: "p", nowSeconds: 150)
  }

  /// A cache that has read these headers as a client sends them.
  private static func cache(_ headers: [String]) -> TokenCache {
    let reader = TokenReader(.emulator)
    let server = Server(reader.cache)
    let client = HTTP2TestClient()
    for header in headers { client.request(path: "/a/B", body: [], extra: [("authorization", header)]) }
    server.take(client.output(), pieces: .max)
    for head in server.heads { remember(head, reader) }
    return reader.cache
  }

  private static let (alice, bob, carol) = (bearer("alice"), bearer("bob"), bearer("carol"))

  /// The `authorization` headers of requests that come together.
  private static let conversations: [[[String]]] = [
    [[alice], [bob], [alice], [alice], [carol], [bob]],
    [[], [alice], [], ["Bearer owner"], [alice]],
    // What stands in a token's place says nothing by itself.
    [["-"], [alice], ["-"]],
    [[alice, "-"], ["-", bob], ["-"]],
    [[alice, bob], [bob, alice]],
    [[carol, bob], [carol], [alice, carol], [carol], [bob]],
    [[String(repeating: "-", count: 300)], [bob]],
  ]

  private static func bytes(_ conversation: [[String]], isGRPC: Bool) -> [UInt8] {
    let client = HTTP2TestClient()
    var bytes: [UInt8] = []
    for (number, headers) in conversation.enumerated() {
      let headers = headers.map { ("authorization", $0) }
      if isGRPC {
        client.request(path: "/a/B\(number)", body: framed([1, 2, 3]), extra: headers)
      } else {
        client.request("POST", "/v1/\(number)", [5], headers: headers)
      }
      // By itself, and two at a time.
      if number % 3 != 1 { bytes += client.output() }
    }
    return bytes + client.output()
  }

  @Test(
    "a connection that knows the tokens says what one says that decodes them, whatever the pieces",
    arguments: conversations.indices, [true, false])
  func same(number: Int, isGRPC: Bool) {
    let bytes = Self.bytes(Self.conversations[number], isGRPC: isGRPC)
    for pieces in Array(1...40) + [64, 100, 333, 700, 1_000, .max] {
      let plain = Server(nil)
      plain.take(bytes, pieces: pieces)
      #expect(plain.heads.count == Self.conversations[number].count)
      let reader = TokenReader(.emulator, cache: Self.cache([Self.alice, Self.bob]))
      for _ in 0..<2 {
        let known = Server(reader.cache)
        known.take(bytes, pieces: pieces)
        #expect(known.said.elementsEqual(plain.said), "pieces of \(pieces) bytes")
        for head in known.heads { Self.remember(head, reader) }
      }
    }
  }

  @Test("a token is found by its code from its second request on, on another connection, too")
  func found() throws {
    let reader = TokenReader(.emulator)
    for round in 0..<3 {
      let server = Server(reader.cache)
      let client = HTTP2TestClient()
      for user in [Self.alice, Self.bob, Self.alice] {
        client.request(path: "/a/B", body: [], extra: [("authorization", user)])
        server.take(client.output(), pieces: .max)
        let sent = try #require(server.heads.last?.authorization)
        #expect(sent.header == Array(user.utf8))
        #expect((sent.known != nil) == (round > 0 || server.heads.count == 3))
        if let known = sent.known {
          #expect(known.spelling.bytes.count < known.headerBytes)
          // Made late, from the code: what rules see is what the header says.
          guard case .user(let facts?) = known.credentials else { return #expect(Bool(false)) }
          #expect(Array(facts.claimFields.bytes) == TokenReader.claims(of: Array(user.utf8)))
          #expect(facts.claimFields.value(named: "sub") != nil)
        }
        Self.remember(server.heads[server.heads.count - 1], reader)
      }
    }
    #expect(reader.cache.usage.tokens == 2)
  }

  @Test("a refused stream's token goes to nobody, and those behind it have their own")
  func refusedStreams() {
    let bytes = Self.bytes([[Self.alice], [Self.bob], [Self.alice], [Self.bob], [Self.bob]], isGRPC: true)
    for pieces in [50, 700, .max] {
      let plain = Server(nil, streamsMax: 2)
      let known = Server(Self.cache([Self.alice, Self.bob]), streamsMax: 2)
      for server in [plain, known] { server.take(bytes, pieces: pieces, answers: false) }
      #expect(known.said.elementsEqual(plain.said))
    }
  }

  @Test("bytes that are changed, cut, or come twice: the same as without")
  func damaged() {
    var random = SeededGenerator(seed: 17)
    let cache = Self.cache([Self.alice, Self.bob])
    for _ in 0..<1_000 {
      var bytes = Self.bytes(Self.conversations.randomElement(using: &random)!, isGRPC: true)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 24..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
        case 2: bytes.remove(at: place)
        default: bytes.insert(bytes[place], at: place)
        }
      }
      let (plain, known) = (Server(nil), Server(cache))
      let pieces = [3, 200, 1_000, Int.max].randomElement(using: &random)!
      for server in [plain, known] { server.take(bytes, pieces: pieces) }
      #expect(known.said.elementsEqual(plain.said))
    }
  }
}
