/// Asks the Places API: text searches, page by page, and single places.
///
/// INVARIANT: the key stands in one header of each request and in no message.
/// Source: Places API (New): Text Search, Place Details, errors.

public import DocModel
internal import JSON
internal import YAML

/// A request of HTTP, below some endpoint.
public struct PlacesRequest: Sendable, Hashable {
  public let method: String
  /// From the first slash on, escaped.
  public let path: String
  public let headers: [Header]
  public let body: [UInt8]

  public struct Header: Sendable, Hashable {
    public let name: String
    public let value: String

    init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }
}

/// What came back.
public struct PlacesAnswer: Sendable {
  public let status: Int
  /// What the header `Retry-After` says, where it says seconds.
  public let retryAfterSeconds: Int?
  public let body: [UInt8]

  public init(status: Int, retryAfterSeconds: Int? = nil, body: [UInt8]) {
    self.status = status
    self.retryAfterSeconds = retryAfterSeconds
    self.body = body
  }
}

/// No answer came: the network, the name, the certificate.
public struct PlacesTransportError: Error, Sendable {
  public let message: String
  /// Whether the same request may get through later.
  public let mayPass: Bool

  public init(_ message: String, mayPass: Bool) {
    self.message = message
    self.mayPass = mayPass
  }
}

/// Carries requests to an endpoint.
public protocol PlacesTransport {
  func send(_ request: PlacesRequest) async throws(PlacesTransportError) -> PlacesAnswer
}

/// Why a search has no result.
public enum PlacesFetchError: Error, Sendable, CustomStringConvertible {
  /// The key is no key.
  case badKey
  /// The API refused, or did not answer, in spite of all attempts.
  case refused(what: String, reason: String)
  /// An answer is no answer of the API.
  case unreadable(String)

  public var description: String {
    switch self {
    case .badKey: "the API key must be 1 to 500 letters of ASCII without blanks"
    case .refused(let what, let reason): "\(what): \(reason)"
    case .unreadable(let text): text
    }
  }
}

/// A circle that a search prefers.
public struct PlacesCircle: Sendable, Hashable {
  public let center: GeoPoint
  /// At most 50,000.
  public let metres: Double

  public init(center: GeoPoint, metres: Double) {
    self.center = center
    self.metres = metres
  }
}

public struct PlacesFetcher<Transport: PlacesTransport> {
  /// LIMIT: pages of one search. The API ends after three.
  private static var pagesMax: Int { 50 }
  /// LIMIT: attempts of one request, with 0.5, 1, 2 and 4 seconds between them unless the answer says more.
  private static var attemptsMax: Int { 5 }
  /// LIMIT: seconds that an answer may make us wait.
  private static var retryAfterSecondsMax: Int { 30 }

  private let transport: Transport
  private let apiKey: String
  private let language: String?
  private let near: PlacesCircle?
  private let pause: (Duration) async -> Void

  /// - Parameter pause: waits between attempts.
  public init(
    _ transport: Transport, apiKey: String, language: String? = nil, near: PlacesCircle? = nil,
    pause: @escaping (Duration) async -> Void
  ) throws(PlacesFetchError) {
    let isKey = (1...500).contains(apiKey.utf8.count) && apiKey.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    guard isKey else { throw .badKey }
    self.transport = transport
    self.apiKey = apiKey
    self.language = language
    self.near = near
    self.pause = pause
  }

  private static var fields: [String] {
    [
      "id", "displayName", "formattedAddress", "location", "rating", "userRatingCount", "businessStatus",
    ]
  }

  // MARK: what can be asked

  /// All pages of a text search, such as `yoga studio in Askew`.
  public func search(_ text: String) async throws(PlacesFetchError) -> [Place] {
    var places: [Place] = []
    var token: String?
    for number in 1...Self.pagesMax {
      let what = "page \(number) of `\(PlainText.line(text))`"
      let request = PlacesRequest(
        method: "POST", path: "/v1/places:searchText",
        headers: headers(mask: Self.fields.map { "places." + $0 } + ["nextPageToken"])
          + [PlacesRequest.Header("Content-Type", "application/json")],
        body: searchBody(text, token))
      let page = try await answer(request, what)
      places += page.places
      guard let next = page.nextPageToken, !next.isEmpty else { return places }
      guard next != token else {
        throw .refused(what: what, reason: "the endpoint names the same next page again and again")
      }
      token = next
    }
    throw .refused(
      what: "`\(PlainText.line(text))`", reason: "there are more than \(Self.pagesMax) pages")
  }

  /// One place by its id.
  public func place(_ id: String) async throws(PlacesFetchError) -> [Place] {
    var path = "/v1/places/" + PercentEncoding.part(id)
    if let language { path += "?languageCode=" + PercentEncoding.part(language) }
    let request = PlacesRequest(method: "GET", path: path, headers: headers(mask: Self.fields), body: [])
    return try await answer(request, "place `\(PlainText.line(id))`").places
  }

  private func headers(mask: [String]) -> [PlacesRequest.Header] {
    [.init("X-Goog-Api-Key", apiKey), .init("X-Goog-FieldMask", mask.joined(separator: ","))]
  }

  private func searchBody(_ text: String, _ token: String?) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { object in
      object.member("textQuery") { $0.string(text) }
      object.member("pageSize") { $0.integer(20) }
      if let language { object.member("languageCode") { $0.string(language) } }
      if let near { object.member("locationBias") { $0.value(near.json) } }
      if let token { object.member("pageToken") { $0.string(token) } }
    }
    return writer.bytes
  }

  // MARK: attempts

  private enum Outcome {
    case page([UInt8])
    /// With the time that the endpoint asks to be left alone, if it does.
    case tryAgain(reason: String, after: Duration)
    case refused(reason: String)
  }

  private func answer(_ request: PlacesRequest, _ what: String) async throws(PlacesFetchError) -> PlacesPage {
    var reason = ""
    for attempt in 1...Self.attemptsMax {
      switch await outcome(request) {
      case .page(let body): return try page(body, what)
      case .refused(let reason): throw .refused(what: what, reason: reason)
      case .tryAgain(let told, let after):
        reason = told
        if attempt < Self.attemptsMax { await pause(max(after, .milliseconds(250 << attempt))) }
      }
    }
    throw .refused(what: what, reason: "\(reason) (\(Self.attemptsMax) attempts)")
  }

  private func outcome(_ request: PlacesRequest) async -> Outcome {
    do throws(PlacesTransportError) {
      let answer = try await transport.send(request)
      if answer.status == 200 { return .page(answer.body) }
      let reason = reason(answer)
      guard answer.status == 429 || (500...599).contains(answer.status) else {
        return .refused(reason: reason)
      }
      let seconds = min(max(0, answer.retryAfterSeconds ?? 0), Self.retryAfterSecondsMax)
      return .tryAgain(reason: reason, after: .seconds(seconds))
    } catch {
      let reason = withoutKey(error.message)
      return error.mayPass ? .tryAgain(reason: reason, after: .zero) : .refused(reason: reason)
    }
  }

  private func page(_ body: [UInt8], _ what: String) throws(PlacesFetchError) -> PlacesPage {
    do throws(PlacesFailure) {
      return try PlacesPage.read(body, name: what)
    } catch {
      throw .unreadable(withoutKey(error.description))
    }
  }

  /// What a refusal says: `{"error": {"message": …, "status": …}}`.
  private func reason(_ answer: PlacesAnswer) -> String {
    let head = "the Places API answers \(answer.status)"
    do throws(PlacesFailure) {
      _ = try PlacesPage.read(answer.body, name: "answer")
      return head
    } catch {
      guard let told = error.diagnostics.first?.message, told.hasPrefix(PlacesPage.refusal) else {
        return head
      }
      return withoutKey("\(head): \(told.dropFirst(PlacesPage.refusal.count))")
    }
  }

  private func withoutKey(_ text: String) -> String {
    text.split(separator: apiKey, omittingEmptySubsequences: false).joined(separator: "…")
  }
}

extension PlacesCircle {
  fileprivate var json: JSONValue {
    let center: JSONValue = ["latitude": .double(center.latitude), "longitude": .double(center.longitude)]
    return ["circle": ["center": center, "radius": .double(metres)]]
  }
}
