/// The proxy that the environment names for servers elsewhere, as curl and others understand it.
///
/// Source: curl(1), ENVIRONMENT: `https_proxy`, `all_proxy` and `no_proxy`, in either letter case.

internal import DocModel
internal import NIOCore
internal import Platform

struct HTTPProxy: Equatable {
  var address: HTTPOrigin
  /// `user:password`
  var credentials: String?

  /// The proxy for a host; nil for none.
  static func ofSystem(for host: String) throws(HTTPFailure) -> HTTPProxy? {
    try of(host) { name in getenv(name).map { String(cString: $0) } }
  }

  /// - Parameter value: of a variable of the environment.
  static func of(_ host: String, _ value: (String) -> String?) throws(HTTPFailure) -> HTTPProxy? {
    func text(_ name: String) -> String? {
      [name, name.uppercased()].lazy.compactMap(value).first { !$0.isEmpty }
    }
    guard let proxy = text("https_proxy") ?? text("all_proxy"), !isExcepted(host, text("no_proxy") ?? "")
    else { return nil }
    return try HTTPProxy(proxy)
  }

  /// Whether `no_proxy` names a host: itself, a domain that it is in, or all.
  private static func isExcepted(_ host: String, _ exceptions: String) -> Bool {
    let host = host.lowercased()
    return exceptions.lowercased().split { $0 == "," || $0 == " " }.contains { entry in
      let name = entry.drop { $0 == "." }
      return entry == "*" || host == name || host.hasSuffix("." + name)
    }
  }

  /// `http://user:password@host:port`; without a scheme it is http, without a port 1080.
  private init(_ text: String) throws(HTTPFailure) {
    var rest = text[...]
    if let scheme = text.firstRange(of: "://") {
      guard text[..<scheme.lowerBound].lowercased() == "http" else {
        throw .unreachable(
          "the proxy `\(text[..<scheme.lowerBound])://…` of the environment is not of the kind http://")
      }
      rest = text[scheme.upperBound...]
    }
    rest = rest.prefix { $0 != "/" }
    if let at = rest.lastIndex(of: "@") {
      credentials = String(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    let hasPort = rest.contains(":") && !rest.hasSuffix("]")
    do throws(HTTPOrigin.Malformed) {
      address = try HTTPOrigin(hasPort ? String(rest) : "\(rest):1080")
    } catch {
      throw .unreachable("the proxy that the environment names: \(error)")
    }
  }

  /// Asks the proxy for a way through; done when what is sent reaches the server.
  func tunnel(_ channel: any Channel, to server: HTTPOrigin) -> EventLoopFuture<Void> {
    channel.eventLoop.preconditionInEventLoop()
    let opened = channel.eventLoop.makePromise(of: Void.self)
    var text = "CONNECT \(server.authority) HTTP/1.1\r\nHost: \(server.authority)\r\n"
    if let credentials { text += "Proxy-Authorization: Basic \(Base64.text(Array(credentials.utf8)))\r\n" }
    do {
      try channel.pipeline.syncOperations.addHandler(TunnelHandler(opened))
      channel.writeAndFlush(ByteBuffer(string: text + "\r\n"), promise: nil)
    } catch {
      opened.fail(error)
    }
    return opened.futureResult
  }
}

/// Waits for a proxy's answer and goes away.
///
/// State and its owner: the channel's event loop.
private final class TunnelHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer

  /// LIMIT: bytes of a proxy's answer.
  private static let answerBytesMax = 16 << 10

  private let opened: EventLoopPromise<Void>
  private var answer: [UInt8] = []

  init(_ opened: EventLoopPromise<Void>) { self.opened = opened }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.eventLoop.assertInEventLoop()
    answer += unwrapInboundIn(data).readableBytesView
    // The server says nothing before it is spoken to, so nothing follows the answer.
    guard answer.suffix(4).elementsEqual("\r\n\r\n".utf8) else {
      if answer.count > Self.answerBytesMax { fail("its answer has no end") }
      return
    }
    let words = answer.prefix { $0 != 0x0D }.split(separator: 0x20)
    guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8), words[1].elementsEqual("200".utf8) else {
      return fail("it answers " + String(decoding: answer.prefix { $0 != 0x0D }.prefix(100), as: UTF8.self))
    }
    let opened = opened
    context.pipeline.syncOperations.removeHandler(context: context).cascade(to: opened)
  }

  private func fail(_ reason: String) {
    opened.fail(HTTPFailure.unreachable("the proxy opens no way: \(reason)"))
  }

  func channelInactive(context: ChannelHandlerContext) {
    fail("it hung up")
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { fail("\(error)") }
}
