/// A server on this machine that answers as the Places API does.

import Synchronization
import Wire

/// Pages of a text search, one place, and whatever failures a test wants first.
final class PlacesServer: Sendable {
  /// What one request said.
  struct Seen: Sendable {
    let method: String
    let target: String
    let key: String?
    let body: String
  }

  private final class Journal: Sendable {
    private struct State {
      var seen: [Seen] = []
      var failures: [Int]
    }

    private let state: Mutex<State>

    init(failures: [Int]) { state = Mutex(State(failures: failures)) }

    var seen: [Seen] { state.withLock { $0.seen } }

    /// Notes a request; the status to fail it with, if any is left.
    func note(_ request: HTTPRequest) -> Int? {
      state.withLock { state in
        state.seen.append(
          Seen(
            method: request.method, target: String(decoding: request.target, as: UTF8.self),
            key: request.header("x-goog-api-key"), body: String(decoding: request.body, as: UTF8.self)))
        return state.failures.isEmpty ? nil : state.failures.removeFirst()
      }
    }
  }

  private let server: WireServer
  private let journal: Journal

  /// - Parameter failures: statuses of the first answers.
  init(failures: [Int] = []) async throws {
    let journal = Journal(failures: failures)
    var options = ServerOptions()
    options.port = 0
    options.eventLoopCount = 1
    server = try await WireServer.start(
      options,
      routes: ServerRoutes(methods: GRPCMethodTable([])) { exchange in
        let failure = journal.note(exchange.request)
        let body = Self.answer(exchange.request)
        exchange.respond(
          status: failure ?? (body == nil ? 404 : 200),
          headers: [("content-type", "application/json"), ("retry-after", "0")],
          body: Array((failure == nil ? body ?? "" : "").utf8))
      })
    self.journal = journal
  }

  var address: String { "127.0.0.1:\(server.address.port)" }
  var seen: [Seen] { journal.seen }

  func stop() async { await server.stop() }

  private static func answer(_ request: HTTPRequest) -> String? {
    let body = String(decoding: request.body, as: UTF8.self)
    switch String(decoding: request.target, as: UTF8.self) {
    case "/v1/places:searchText" where body.contains(#""pageToken":"2""#):
      return #"{"places": [\#(place("c"))]}"#
    case "/v1/places:searchText":
      return #"{"places": [\#(place("a")), \#(place("b"))], "nextPageToken": "2"}"#
    case "/v1/places/d": return place("d")
    default: return nil
    }
  }

  private static func place(_ id: String) -> String {
    #"{"id": "\#(id)", "displayName": {"text": "Studio \#(id)"}, "formattedAddress": "1 Askew Road","#
      + #" "location": {"latitude": 51.5, "longitude": -0.25}, "rating": 4.5, "userRatingCount": 12}"#
  }
}
