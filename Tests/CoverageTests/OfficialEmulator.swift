/// The official emulator, where the machine has one: what our reports are compared with.

import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A running official emulator. Ends with the process that started it.
final class OfficialEmulator: Sendable {
  let base: String

  /// Nil where there is none; tests say that they skip.
  static let shared: OfficialEmulator? = start()
  static var isPresent: Bool { shared != nil }

  private init(port: Int) { base = "http://127.0.0.1:\(port)" }

  /// `FIRESTORE_EMULATOR_JAR`, or where the package of Debian-like systems puts it.
  private static var jar: String? {
    let folders = ["/usr/lib/google-cloud-sdk/platform/cloud-firestore-emulator"]
    let named = ProcessInfo.processInfo.environment["FIRESTORE_EMULATOR_JAR"]
    let candidates = [named].compactMap { $0 } + folders.map { $0 + "/cloud-firestore-emulator.jar" }
    return candidates.first { FileManager.default.fileExists(atPath: $0) }
  }

  private static func start() -> OfficialEmulator? {
    guard let jar, let port = freePort() else { return nil }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "java", "-Duser.language=en", "-cp", jar,
      "com.google.cloud.datastore.emulator.firestore.CloudFirestore", "start", "--host=127.0.0.1",
      "--port=\(port)",
    ]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let identifier = process.processIdentifier
    ending.withLock { $0 = identifier }
    atexit {
      let identifier = OfficialEmulator.ending.withLock { $0 }
      if identifier > 0 { kill(identifier, SIGTERM) }
    }
    let emulator = OfficialEmulator(port: port)
    for _ in 0..<150 {
      if emulator.send("GET", "/").status == 200 { return emulator }
      Thread.sleep(forTimeInterval: 0.2)
    }
    return nil
  }

  private static let ending = Mutex<Int32>(0)

  private static func freePort() -> Int? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        guard bind(descriptor, generic, length) == 0, getsockname(descriptor, generic, &length) == 0 else {
          return nil
        }
        return Int(UInt16(bigEndian: pointer.pointee.sin_port))
      }
    }
  }

  /// Sends one request and waits for its answer.
  @discardableResult
  func send(
    _ method: String, _ path: String, _ body: Any? = nil, as bearer: String? = nil
  ) -> (status: Int, json: Any?) {
    guard let url = URL(string: base + path) else { return (0, nil) }
    var request = URLRequest(url: url, timeoutInterval: 20)
    request.httpMethod = method
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    if let bearer { request.setValue("Bearer " + bearer, forHTTPHeaderField: "Authorization") }
    if let body { request.httpBody = try? JSONSerialization.data(withJSONObject: body) }
    let answer = Mutex<(Int, Data?)>((0, nil))
    let done = DispatchSemaphore(value: 0)
    URLSession.shared.dataTask(with: request) { data, response, _ in
      answer.withLock { $0 = ((response as? HTTPURLResponse)?.statusCode ?? 0, data) }
      done.signal()
    }.resume()
    done.wait()
    let (status, data) = answer.withLock { $0 }
    return (status, data.flatMap { try? JSONSerialization.jsonObject(with: $0) })
  }
}
