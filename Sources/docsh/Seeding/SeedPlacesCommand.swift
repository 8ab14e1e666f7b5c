/// `docsh seed places`: shadow studios from what a search of places found.

import ArgumentParser
import Client
import DocModel
import DocStore
import Seeder

struct SeedPlacesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "places",
    abstract: "Write shadow studios from responses of the Places API, from files or a new search.",
    discussion: """
      Creates studios that are not there, brings those up to date that nobody has claimed, and leaves claimed ones \
      alone. Everything is read and checked first; an error anywhere means that nothing is written. The guide is \
      docs/places.md. Examples:

        docsh seed places found.json --host 127.0.0.1:8080
        docsh seed places found.json --data-dir data --dry-run --format json
        PLACES_API_KEY=… docsh seed places --query 'yoga studio in Askew' --host 127.0.0.1:8080
      """)

  @Argument(
    help: "Files with responses of the API: Text Search or Place Details.",
    completion: .file(extensions: ["json"]))
  var files: [String] = []

  @Option(help: "Search the API for this text, all pages. May be repeated.")
  var query: [String] = []

  @Option(help: ArgumentHelp("Ask the API for the place of this id. May be repeated.", valueName: "id"))
  var place: [String] = []

  @Option(
    help: ArgumentHelp(
      "The API key. Others on this machine can see it here: rather set \(Self.keyVariable).", valueName: "key"
    ))
  var apiKey: String?

  @Option(help: ArgumentHelp("The API's address.", valueName: "url"))
  var endpoint = "https://places.googleapis.com"

  @Option(help: ArgumentHelp("The language of names and addresses, such as en.", valueName: "code"))
  var language: String?

  @Option(
    help: ArgumentHelp(
      "Prefer places in this circle, metres up to 50000.", valueName: "latitude,longitude,metres"))
  var near: String?

  @OptionGroup(title: "Where to")
  var target: SeedTargetOptions

  @Flag(help: "Only read and check; compare and write nothing.")
  var check = false

  @Flag(help: "Show what would be written; write nothing.")
  var dryRun = false

  @Option(help: "The report: text or json.")
  var format = ReportFormat.text

  enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  private static let keyVariable = "PLACES_API_KEY"

  func validate() throws {
    try target.check(isNeeded: !check)
    if files.isEmpty, query.isEmpty, place.isEmpty {
      throw ValidationError("say which places: files, --query TEXT or --place ID")
    }
    guard let address = ServiceEndpoint(endpoint) else {
      throw ValidationError(
        "--endpoint must be http://HOST[:PORT] or https://HOST[:PORT], found `\(endpoint)`")
    }
    guard address.keepsSecrets else {
      throw ValidationError(
        "--endpoint `\(endpoint)`: the API key would travel unprotected; use https, or a server on 127.0.0.1")
    }
    _ = try circle()
  }

  func run() async throws {
    var places: [Place] = []
    for file in files { places += try Self.read(file) }
    if !query.isEmpty || !place.isEmpty { places += try await fetched() }
    let seeder = StudioSeeder(places)
    if check { return Terminal.say("\(seeder.count) studios, no errors") }
    let report = try await target.use(writesNothing: dryRun) { remote in
      var studios = remote
      return try await seed(seeder, &studios)
    } local: { store in
      var studios = StoreStudios(store, target.id)
      return try await seed(seeder, &studios)
    }
    switch format {
    case .text: Terminal.say(report.text)
    case .json: Terminal.write(report.json + [0x0A])
    }
  }

  private func seed<Target: StudioTarget>(
    _ seeder: StudioSeeder, _ studios: inout Target
  ) async throws -> StudioReport {
    let progress = ProgressLine()
    do throws(SeedFailure) {
      defer { progress.clear() }
      return try await seeder.seed(&studios, isDryRun: dryRun) { progress.show($0) }
    } catch {
      throw Seeding.complain(error)
    }
  }

  private static func read(_ file: String) throws -> [Place] {
    do {
      return try PlacesPage.read(try FileAccess.contents(of: file), name: file).places
    } catch let error as PlacesFailure {
      Terminal.report(error.description)
    } catch {
      Terminal.complain("\(error)")
    }
    throw ExitCode(ExitStatus.badInput)
  }

  // MARK: asking

  private func fetched() async throws -> [Place] {
    guard let key = apiKey ?? Environment.value(Self.keyVariable) else {
      throw Terminal.end(ExitStatus.usage, "no API key: set \(Self.keyVariable), or say --api-key KEY")
    }
    guard let address = ServiceEndpoint(endpoint) else { throw ExitCode(ExitStatus.usage) }
    do throws(PlacesFetchError) {
      let fetcher = try PlacesFetcher(
        EndpointTransport(endpoint: address), apiKey: key, language: language, near: try? circle()
      ) { try? await Task.sleep(for: $0) }
      var places: [Place] = []
      for id in place { places += try await fetcher.place(id) }
      for text in query { places += try await fetcher.search(text) }
      return places
    } catch {
      switch error {
      case .unreadable(let text): Terminal.report(text)
      case .badKey, .refused: Terminal.complain(error.description)
      }
      throw ExitCode(error.isInput ? ExitStatus.badInput : ExitStatus.unavailable)
    }
  }

  private func circle() throws -> PlacesCircle? {
    guard let near else { return nil }
    let parts = near.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 3, let latitude = parts[0], let longitude = parts[1], let metres = parts[2],
      GeoPoint(latitude: latitude, longitude: longitude).isValid, (0...50_000).contains(metres)
    else {
      throw ValidationError("--near takes LATITUDE,LONGITUDE,METRES such as 51.5,-0.23,4000; found `\(near)`")
    }
    return PlacesCircle(center: GeoPoint(latitude: latitude, longitude: longitude), metres: metres)
  }
}

extension PlacesFetchError {
  /// Whether what was given is at fault, and not the service.
  fileprivate var isInput: Bool {
    switch self {
    case .badKey, .unreadable: true
    case .refused: false
    }
  }
}

/// Requests of the Places API over HTTP or HTTPS.
struct EndpointTransport: PlacesTransport {
  let endpoint: ServiceEndpoint

  func send(_ request: PlacesRequest) async throws(PlacesTransportError) -> PlacesAnswer {
    do throws(HTTPFailure) {
      let answer = try await endpoint.send(
        HTTPRequest(
          request.method, request.path, headers: request.headers.map { ($0.name, $0.value) },
          body: request.body))
      return PlacesAnswer(
        status: answer.status, retryAfterSeconds: answer.header("retry-after").flatMap { Int($0) },
        body: answer.body)
    } catch {
      throw PlacesTransportError(error.text(of: endpoint.origin), mayPass: error.mayPass)
    }
  }
}
