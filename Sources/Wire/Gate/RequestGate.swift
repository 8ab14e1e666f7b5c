/// Which requests are served at all: under which name, and for pages from where.
///
/// A browser lets any page of the web send requests to this machine. So a server asks two things of each request
/// over HTTP, beside what rules ask. Under which name was it asked for: a page that has its own name lead here
/// (DNS rebinding) passes for our own and needs no origin. And where does the page come from: with a user's token or none
/// any page may ask, as the official emulator has it, because rules judge that; past the rules, with an administrator's
/// token or through an administrative endpoint, only pages of this machine may.
///
/// A pure value: it decides from header values alone. gRPC is not asked: a call that names an origin is refused.
/// docs/browser-access.md has the rules in tables.

package import Access
package import DocModel

package struct RequestGate: Sendable {
  private let origins: [OriginPattern]
  private let hosts: [HostPattern]
  private let machineNames: Set<String>
  private let tokenChecks: TokenChecks
  private let access: AdministratorAccess

  /// - Parameters:
  ///   - machineName: what the machine calls itself, with or without a domain.
  ///   - tokenChecks: which tokens are an administrator's.
  ///   - access: who else is, and who may administrate.
  package init(
    allowedOrigins: [OriginPattern] = [], allowedHosts: [HostPattern] = [], machineName: String? = nil,
    tokenChecks: TokenChecks = .claims, access: AdministratorAccess = AdministratorAccess()
  ) {
    self.access = access
    self.tokenChecks = tokenChecks
    origins = allowedOrigins
    hosts = allowedHosts
    guard let host = HostName(machineName ?? HostName.ofThisMachine) else {
      machineNames = []
      return
    }
    // Behind `.local` a network asks its machines and no name server of the world.
    let short = host.name.prefix { $0 != "." }
    machineNames = [host.name, "\(short).local"]
  }

  // MARK: the name

  /// Why a request for this host is not served; nil when it is.
  ///
  /// - Parameter host: the `Host` header, or `:authority`; nil when there is none, which no browser can do.
  package func refusal(host: String?) -> GRPCStatus? {
    guard let host else { return nil }
    guard let asked = HostName(host) else {
      return GRPCStatus(
        .permissionDenied,
        "the host header `\(Self.shown(host))` is neither a name nor an address; a name beside this machine's has to be"
          + " allowed with --allow-host NAME, against DNS rebinding")
    }
    if asked.isAddress || asked.isLoopback || !asked.name.utf8.contains(UInt8(ascii: ".")) { return nil }
    if machineNames.contains(asked.name) || hosts.contains(where: { $0.matches(asked) }) { return nil }
    return GRPCStatus(
      .permissionDenied,
      "`\(Self.shown(asked.name))` is not known as a name of this server: any page can have its name lead here (DNS"
        + " rebinding). If it is yours, start the server with --allow-host \(asked.name)")
  }

  // MARK: the page

  /// Whether pages of an origin may use administrative endpoints and administrators' tokens.
  ///
  /// - Parameter origin: the `Origin` header; nil when there is none: a program, or no page of another origin.
  package func mayAdministrate(origin: String?) -> Bool {
    guard let origin else { return true }
    return PageOrigin(origin)?.isLoopback == true || origins.contains { $0.matches(origin) }
  }

  /// Why credentials are not taken from a page; nil when they are.
  ///
  /// Who reads credentials from elsewhere than the request's own headers asks here, too: WebChannel's handshake
  /// has them in its body.
  ///
  /// - Parameters:
  ///   - authorization: the value that will count as the `authorization` header.
  ///   - origin: `HTTPRequest.origin` of the request that brought it.
  package func refusal(authorization: [UInt8]?, origin: String?) -> GRPCStatus? {
    guard let origin, !mayAdministrate(origin: origin),
      TokenReader.isAdministrator(authorization, tokenChecks)
        || TokenReader.holdsKey(authorization, of: access)
    else { return nil }
    return Self.refusal(
      origin, "pages of `\(Self.shown(origin))` may not pass by the rules with an administrator's token")
  }

  /// Why an administrative endpoint does not answer; nil when it does: pages of other origins may not ask, and where there
  /// is a key nobody may who does not show it.
  ///
  /// - Parameter authorization: the header.
  package func refusal(administration source: RequestSource, authorization: [UInt8]?) -> GRPCStatus? {
    if let refusal = refusal(page: source) { return refusal }
    if access.isOpen || TokenReader.holdsKey(authorization, of: access) { return nil }
    guard access.key == nil else {
      return GRPCStatus(
        .permissionDenied,
        "administration of this server needs its key: send `Authorization: Bearer KEY`, with the key of the file that"
          + " --admin-key-file names")
    }
    return GRPCStatus(
      .permissionDenied,
      "administration is off on a server that other machines reach: start it with --admin-key-file FILE and send its"
        + " key, or with --allow-owner to let everybody")
  }

  /// Why a page may not look at what is for this machine's pages; nil when it may, and for programs.
  package func refusal(page source: RequestSource) -> GRPCStatus? {
    if let origin = source.origin {
      guard !mayAdministrate(origin: origin) else { return nil }
      return Self.refusal(origin, "pages of `\(Self.shown(origin))` may not administrate this server")
    }
    guard source.isOfOtherPage, !origins.contains(where: \.isAny) else { return nil }
    return GRPCStatus(
      .permissionDenied,
      "pages of other origins may not administrate this server, and this request names none. Ask with fetch() from a"
        + " page of this machine, or open the address by itself")
  }

  private static func refusal(_ origin: String, _ what: String) -> GRPCStatus {
    let name = origin == "null" ? origin : PageOrigin(origin)?.text ?? "ORIGIN"
    return GRPCStatus(
      .permissionDenied,
      what
        + ": only pages of this machine may. If they are yours, start the server with --allow-origin \(name)")
  }

  /// LIMIT: bytes of a client's text in a refusal.
  private static let shownBytesMax = 200

  private static func shown(_ text: String) -> String {
    guard text.utf8.count > shownBytesMax else { return text }
    return String(decoding: text.utf8.prefix(shownBytesMax), as: UTF8.self) + "…"
  }
}

/// What a request says of the page that sent it.
package struct RequestSource: Equatable, Sendable {
  /// Browsers name it in requests that change something, and in all that a page of another origin can read.
  package let origin: String?
  /// A page of another origin had this fetched as a picture, a script or a frame, without naming itself.
  package let isOfOtherPage: Bool

  /// - Parameters:
  ///   - method: in capitals.
  ///   - values: the headers of a name.
  init(method: String, _ values: (String) -> [String]) {
    origin = Self.only(values("origin"))
    // Who follows a link leaves the page, and the page does not get to see where to.
    let isLink =
      (method == "GET" || method == "HEAD") && values("sec-fetch-mode") == ["navigate"]
      && values("sec-fetch-dest") == ["document"]
    let site = values("sec-fetch-site")
    // Ports and subdomains of one site are different origins.
    isOfOtherPage = !isLink && (site.contains("cross-site") || site.contains("same-site"))
  }

  /// The one value; several are joined to a text that is none: one of them is forged.
  static func only(_ values: [String]) -> String? { values.isEmpty ? nil : values.joined(separator: ", ") }
}

extension HTTPRequest {
  /// What it says of the page that sent it.
  package var source: RequestSource { RequestSource(method: method, values) }

  /// The `Origin` header, for `RequestGate`.
  package var origin: String? { RequestSource.only(values("origin")) }

  /// The `Host` header, for `RequestGate`. Over HTTP/2 it is `:authority`.
  package var host: String? { RequestSource.only(values("host")) }
}
