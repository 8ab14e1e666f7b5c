/// TLS on the port: certificate and key, and what happens before the first byte of HTTP.
///
/// TLS lies below everything else: what comes out of it goes through the `ProtocolSniffer` like plain text. ALPN tells
/// clients that both versions of HTTP are spoken; which one it is, the first bytes say.

internal import Logging
internal import NIOCore
internal import TLS

/// The certificate and the key of a server.
public struct ServerTLS: Sendable {
  private let context: TLSContext
  private let validity: ClosedRange<Int64>?

  /// - Parameters:
  ///   - certificates: PEM: the server's certificate, then those that lead to one that clients trust.
  ///   - key: PEM: the private key of the first certificate.
  public init(certificates: [UInt8], key: [UInt8]) throws(ServerTLSError) {
    guard Self.holds("CERTIFICATE", certificates) else {
      throw .noCertificate(holdsKey: Self.holds("PRIVATE KEY", certificates))
    }
    guard let chain = TLSCertificate.chain(pem: certificates), let first = chain.first else {
      throw .brokenCertificate
    }
    let text = String(decoding: key, as: UTF8.self)
    guard Self.holds("PRIVATE KEY", key) else {
      throw .noKey(holdsCertificate: Self.holds("CERTIFICATE", key))
    }
    guard !text.contains("BEGIN ENCRYPTED PRIVATE KEY"), !text.contains("Proc-Type: 4,ENCRYPTED") else {
      throw .encryptedKey
    }
    guard let privateKey = TLSPrivateKey(pem: key) else { throw .brokenKey }
    guard privateKey.belongs(to: first) else { throw .keyOfAnother }
    do {
      context = try TLSContext(chain: chain, key: privateKey, protocols: ["h2", "http/1.1"])
    } catch {
      throw .refused(error.words)
    }
    validity = first.validity
  }

  /// Whether clients accept the certificate at a time, in seconds since 1970.
  public func isValid(atSeconds time: Int64) -> Bool {
    validity?.contains(time) ?? false
  }

  /// How the answer begins that clients get who speak plain text. Clients of ours know it.
  package static let plainTextAnswer = "This port speaks TLS only"

  /// Whether an answer in plain text says that TLS is spoken there.
  package static func isRefusal(_ answer: some Sequence<UInt8>) -> Bool {
    String(decoding: Array(answer), as: UTF8.self).contains(plainTextAnswer)
  }

  /// Whether there is a block of a kind in a PEM file; `PRIVATE KEY` finds those of one algorithm, too.
  private static func holds(_ kind: String, _ bytes: [UInt8]) -> Bool {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).contains {
      $0.hasPrefix("-----BEGIN ") && $0.contains("\(kind)-----")
    }
  }

  /// Puts TLS under the rest of a connection's handlers.
  func enter(_ channel: any Channel, _ logger: Logger?) throws {
    try channel.pipeline.syncOperations.addHandlers([
      PlainTextRefusal(logger), TLSHandler(context),
    ])
  }
}

/// Why there is no TLS with these files.
public enum ServerTLSError: Error, Equatable, Sendable {
  /// No PEM block of a certificate.
  case noCertificate(holdsKey: Bool)
  case brokenCertificate
  /// No PEM block of a private key.
  case noKey(holdsCertificate: Bool)
  /// It would need a password.
  case encryptedKey
  case brokenKey
  /// The key does not belong to the first certificate.
  case keyOfAnother
  case refused(String)
}

/// Looks at the first byte that a client sends, and tells who speaks plain text that this is the wrong place.
///
/// Source: RFC 8446 5.1: every TLS connection begins with a record of type 22.
final class PlainTextRefusal: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private static let handshakeRecord: UInt8 = 22
  private static let text = ServerTLS.plainTextAnswer + ": use https here, or a channel with TLS for gRPC.\n"
  private let logger: Logger?
  private var isRefused = false

  init(_ logger: Logger?) { self.logger = logger }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused else { return }
    guard unwrapInboundIn(data).readableBytesView.first != Self.handshakeRecord else {
      context.fireChannelRead(data)
      return context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
    isRefused = true
    logger?.notice(
      "a client speaks plain text to a port with TLS: it has to use https, and gRPC channels TLS",
      metadata: ["client": .string(context.channel.clientText)])
    // Clients of HTTP/2 show the beginning of what they do not understand.
    let answer =
      "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\n"
      + "content-length: \(Self.text.utf8.count)\r\n\r\n" + Self.text
    let channel = context.channel
    let context = NIOLoopBound(context, eventLoop: context.eventLoop)
    context.value.writeAndFlush(wrapOutboundOut(channel.allocator.buffer(string: answer)))
      .whenComplete { _ in context.value.close(mode: .output, promise: nil) }
    // What the client still sends is read and forgotten for a moment: closing at once would reset the connection, and the
    // client would not get to read why.
    channel.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
  }

  private static let patience = TimeAmount.seconds(2)
}

/// Why a handshake did not end well, for the log.
enum HandshakeReport {
  /// - Parameter error: what the pipeline was told; everything but failed handshakes is passed over.
  static func tell(_ error: any Error, _ channel: any Channel, _ logger: Logger?) {
    guard let logger, case TLSError.handshakeFailed(let words) = error else { return }
    let client = Logger.MetadataValue.string(channel.clientText)
    // Browsers open connections that they do not use, and scanners look who is there.
    guard !words.isEmpty else {
      return logger.debug("a client left during the TLS handshake", metadata: ["client": client])
    }
    logger.notice(
      "a client broke off the TLS handshake; most often it does not trust the certificate (docs/tls.md)",
      metadata: ["client": client, "reason": .string(words)])
  }
}

extension Channel {
  /// Who is at the other end.
  fileprivate var clientText: String { remoteAddress?.ipAddress ?? "unknown" }
}
