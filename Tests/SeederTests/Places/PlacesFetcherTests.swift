/// What is asked of the Places API, and what is made of its answers.

import DocModel
import Seeder
import Synchronization
import Testing

@Suite("asking the Places API")
struct PlacesFetcherTests {
  private static func place(_ id: String) -> String {
    #"{"id": "\#(id)", "displayName": {"text": "M"}, "formattedAddress": "1", "location": {"latitude": 1}}"#
  }

  private static func ok(_ body: String) -> Result<PlacesAnswer, PlacesTransportError> {
    .success(PlacesAnswer(status: 200, body: Array(body.utf8)))
  }

  private static func status(_ status: Int, after: Int? = nil, _ body: String = "") -> Result<
    PlacesAnswer, PlacesTransportError
  > {
    .success(PlacesAnswer(status: status, retryAfterSeconds: after, body: Array(body.utf8)))
  }

  /// Answers in order, and keeps what it was asked; the last answer stays.
  private final class Script: PlacesTransport, Sendable {
    private struct State {
      var answers: [Result<PlacesAnswer, PlacesTransportError>]
      var requests: [PlacesRequest] = []
      var pauses: [Duration] = []
    }
    private let state: Mutex<State>

    init(_ answers: [Result<PlacesAnswer, PlacesTransportError>]) {
      state = Mutex(State(answers: answers))
    }

    var requests: [PlacesRequest] { state.withLock { $0.requests } }
    var pauses: [Duration] { state.withLock { $0.pauses } }

    func send(_ request: PlacesRequest) async throws(PlacesTransportError) -> PlacesAnswer {
      let answer = state.withLock { state in
        state.requests.append(request)
        return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
      }
      return try answer.get()
    }

    func pause(_ duration: Duration) { state.withLock { $0.pauses.append(duration) } }
  }

  private static func fetcher(
    _ script: Script, key: String = "k3y", language: String? = nil, near: PlacesCircle? = nil
  ) throws(PlacesFetchError) -> PlacesFetcher<Script> {
    try PlacesFetcher(script, apiKey: key, language: language, near: near) { script.pause($0) }
  }

  @Test("a search asks page after page, with the key and the fields that studios need")
  func pages() async throws {
    let script = Script([
      Self.ok(#"{"places": [\#(Self.place("a")), \#(Self.place("b"))], "nextPageToken": "t\"1"}"#),
      Self.ok(#"{"places": [\#(Self.place("c"))], "nextPageToken": "t2"}"#), Self.ok("{}"),
    ])
    let fetcher = try Self.fetcher(
      script, language: "en",
      near: PlacesCircle(center: GeoPoint(latitude: 51.5, longitude: -0.25), metres: 900))
    #expect(try await fetcher.search("yoga \"in\" Askew").map(\.id) == ["a", "b", "c"])
    let requests = script.requests
    #expect(requests.count == 3)
    #expect(requests.allSatisfy { $0.method == "POST" && $0.path == "/v1/places:searchText" })
    #expect(
      requests[0].headers.map { "\($0.name): \($0.value)" } == [
        "X-Goog-Api-Key: k3y",
        "X-Goog-FieldMask: places.id,places.displayName,places.formattedAddress,places.location,places.rating,"
          + "places.userRatingCount,places.businessStatus,nextPageToken",
        "Content-Type: application/json",
      ])
    let circle =
      #""locationBias":{"circle":{"center":{"latitude":51.5,"longitude":-0.25},"radius":900.0}}"#
    let first = #"{"textQuery":"yoga \"in\" Askew","pageSize":20,"languageCode":"en",\#(circle)"#
    #expect(
      requests.map { String(decoding: $0.body, as: UTF8.self) } == [
        first + "}", first + #","pageToken":"t\"1"}"#, first + #","pageToken":"t2"}"#,
      ])
    #expect(script.pauses.isEmpty)
  }

  @Test("one place is asked for by its id, escaped")
  func details() async throws {
    let script = Script([Self.ok(Self.place("a/b"))])
    #expect(try await Self.fetcher(script, language: "de").place("a/b é").map(\.id) == ["a/b"])
    #expect(script.requests.map(\.path) == ["/v1/places/a%2Fb%20%C3%A9?languageCode=de"])
    #expect(script.requests[0].method == "GET" && script.requests[0].body.isEmpty)
    #expect(script.requests[0].headers[1].value.hasPrefix("id,displayName,"))
  }

  @Test("too many requests, servers that fail and networks are tried again, later each time")
  func retries() async throws {
    let script = Script([
      Self.status(429, after: 7), Self.status(503),
      .failure(PlacesTransportError("no network", mayPass: true)),
      Self.status(500, after: 100_000), Self.ok(Self.place("a")),
    ])
    #expect(try await Self.fetcher(script).place("a").count == 1)
    #expect(script.pauses == [.seconds(7), .seconds(1), .seconds(2), .seconds(30)])
  }

  @Test("after five attempts the last reason is told")
  func gaveUp() async throws {
    let script = Script([Self.status(503, #"{"error": {"message": "overloaded"}}"#)])
    let told = await refusal { try await Self.fetcher(script).place("a") }
    #expect(told == "place `a`: the Places API answers 503: overloaded (5 attempts)")
    #expect(script.requests.count == 5)
    #expect(script.pauses == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4)])
  }

  @Test(
    "other refusals are told at once",
    arguments: [
      (
        status(403, #"{"error": {"code": 403, "message": "API key k3y not valid.", "status": "X"}}"#),
        "place `a`: the Places API answers 403: API key … not valid."
      ),
      (status(404, "<html>"), "place `a`: the Places API answers 404"),
      (status(302), "place `a`: the Places API answers 302"),
      (
        .failure(PlacesTransportError("bad certificate for k3y", mayPass: false)),
        "place `a`: bad certificate for …"
      ),
    ])
  func refusals(answer: Result<PlacesAnswer, PlacesTransportError>, message: String) async throws {
    let script = Script([answer])
    #expect(await refusal { try await Self.fetcher(script).place("a") } == message)
    #expect(script.requests.count == 1)
  }

  @Test("an answer that is none names page, line and column")
  func unreadable() async throws {
    let script = Script([
      Self.ok(#"{"places": [], "nextPageToken": "t"}"#), Self.ok("{\"places\": [\n {\"id\": 5}]}"),
    ])
    let told = await refusal { try await Self.fetcher(script).search("yoga") }
    #expect(told?.hasPrefix("page 2 of `yoga`:2:9: error: `id` of a place is a text; found a number") == true)
  }

  @Test("an endpoint that names the same page for ever does not keep us")
  func endless() async throws {
    let script = Script([Self.ok(#"{"places": [], "nextPageToken": "t"}"#)])
    let told = await refusal { try await Self.fetcher(script).search("yoga") }
    #expect(told == "page 2 of `yoga`: the endpoint names the same next page again and again")
  }

  @Test(
    "what is no key is not sent",
    arguments: ["", "a b", "a\r\nX: y", "é", String(repeating: "k", count: 501)])
  func keys(key: String) {
    #expect(throws: PlacesFetchError.self) { try Self.fetcher(Script([Self.ok("{}")]), key: key) }
  }

  private func refusal(_ body: () async throws -> [Place]) async -> String? {
    do {
      _ = try await body()
      return nil
    } catch {
      return "\(error)"
    }
  }
}
