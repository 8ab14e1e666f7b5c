/// Keeps the keys of tokens as they are published.
///
/// A file is read again when it is another one, an address when its answer says so, or a token has a key that is not known. While
/// keys cannot be had those of before stay, and it is said once.
///
/// State and its owner: the thread, but for what wakes it.

import Client
import DocModel
import Functions
import Platform
import Wire

final class KeyKeeper: Sendable {
  private let keys: TokenKeys
  private let sources: [(account: String?, source: KeySource)]
  private let isAsked = Monitor(false)

  /// LIMIT: seconds between two looks, whatever an answer says.
  private static let addressSeconds = 60.0...3_600.0
  /// LIMIT: seconds after one that failed.
  private static let retrySeconds = 5.0
  private static let fileSeconds = 2.0
  private static let answerSeconds = 10

  init(_ keys: TokenKeys, _ sources: [(account: String?, source: KeySource)]) {
    self.keys = keys
    self.sources = sources
  }

  /// Reads the files, and starts the thread that looks after all of them.
  func begin() throws(InvalidArgument) {
    var places = sources.map { Place(account: $0.account, source: $0.source) }
    for index in places.indices {
      if case .file = places[index].source { try places[index].look(keys) }
    }
    keys.whenUnknown { [isAsked] in isAsked.change { $0 = true } }
    let begun = places
    do throws(PlatformThread.Exhausted) {
      try PlatformThread.start { [self] in keep(begun) }
    } catch { throw InvalidArgument("the keys of tokens cannot be kept: \(error)") }
  }

  /// Never ends.
  private func keep(_ begun: [Place]) {
    var places = begun
    while true {
      for index in places.indices where places[index].dueAt <= SystemClock.milliseconds {
        do throws(InvalidArgument) {
          try places[index].look(keys)
          if places[index].hasFailed {
            Terminal.complain("keys of tokens: \(places[index].source.text) can be read again")
          }
          places[index].hasFailed = false
        } catch {
          if !places[index].hasFailed { Terminal.complain(error.message) }
          places[index].hasFailed = true
          places[index].dueAt = SystemClock.milliseconds + Self.retrySeconds * 1_000
        }
      }
      keys.endAsking()
      let next = places.map(\.dueAt).min() ?? .infinity
      let pause = max(1, Int(min(next - SystemClock.milliseconds, Self.addressSeconds.upperBound * 1_000)))
      let wasAsked = isAsked.wait(atMost: pause) { isAsked -> Void? in
        guard isAsked else { return nil }
        isAsked = false
        return ()
      }
      if wasAsked != nil { for index in places.indices { places[index].dueAt = 0 } }
    }
  }

  /// One set and where it comes from.
  private struct Place: Sendable {
    let account: String?
    let source: KeySource
    var dueAt = 0.0
    var hasFailed = false
    private var last: [UInt8] = []

    init(account: String?, source: KeySource) {
      self.account = account
      self.source = source
    }

    mutating func look(_ keys: TokenKeys) throws(InvalidArgument) {
      let (bytes, seconds) = try contents()
      dueAt = SystemClock.milliseconds + seconds * 1_000
      if bytes == last { return }
      do throws(InvalidArgument) { keys.set(try KeySet(bytes), ofAccount: account) } catch {
        throw InvalidArgument("keys of tokens: \(source.text): \(error.message)")
      }
      last = bytes
    }

    /// What is there, and for how many seconds it is right.
    private func contents() throws(InvalidArgument) -> (bytes: [UInt8], seconds: Double) {
      switch source {
      case .file(let path):
        do throws(FileFailure) {
          return (try FileContents.read(path, bytesMax: KeySet.bytesMax), fileSeconds)
        } catch {
          throw InvalidArgument("keys of tokens: cannot read `\(path)`: \(error.reason)")
        }
      case .address(let address):
        var client = HTTPClient(
          HTTPOrigin(host: address.host, port: address.port, isSecure: address.isSecure))
        client.seconds = answerSeconds
        client.bytesMax = KeySet.bytesMax
        let answer: HTTPAnswer
        do throws(HTTPFailure) { answer = try client.wait(HTTPRequest("GET", address.target)) } catch {
          throw InvalidArgument("keys of tokens: \(error.text(of: source.text))")
        }
        guard answer.status == 200 else {
          throw InvalidArgument("keys of tokens: \(source.text) answers with \(answer.status)")
        }
        return (answer.body, KeyKeeper.seconds(answer.header("cache-control") ?? ""))
      }
    }
  }

  /// How long an answer may be kept. Source: RFC 9111, 5.2.2.1.
  static func seconds(_ cacheControl: String) -> Double {
    let directives = cacheControl.split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
    let age = directives.first { $0.hasPrefix("max-age=") }.flatMap { Double($0.dropFirst("max-age=".count)) }
    return min(max(age ?? 0, addressSeconds.lowerBound), addressSeconds.upperBound)
  }
}
