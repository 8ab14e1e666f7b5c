/// Whether a server would be reached from the whole of the internet.

import Platform

enum PublicAddress {
  /// A public address that a server on `host` is reached at, as text; nil when there is none. Of `0.0.0.0` and `::` those of
  /// the machine's interfaces count, of a name those that it leads to.
  static func reached(at host: String) -> String? {
    if host == "0.0.0.0" || host == "::" {
      return interfaces.first { isPublic($0) && (host == "::" || $0.count == 4) }.map(text)
    }
    return resolved(host).first(where: isPublic).map(text)
  }

  /// - Parameter bytes: four of them, or sixteen.
  ///
  /// Source: the registries of special-purpose addresses, RFC 6890.
  static func isPublic(_ bytes: [UInt8]) -> Bool {
    if bytes.count == 16 {
      let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
      if isMapped { return isPublic(Array(bytes[12...])) }
      let isOfDocuments = bytes.starts(with: [0x20, 0x01, 0x0D, 0xB8])
      // Global unicast. What is beside it is this machine, its network, or a group.
      return bytes[0] & 0xE0 == 0x20 && !isOfDocuments
    }
    guard bytes.count == 4 else { return false }
    // Addresses of documents and of tests, which no network forwards.
    let isOfDocuments = [[192, 0, 2], [198, 51, 100], [203, 0, 113], [192, 0, 0]].contains(Array(bytes[..<3]))
    if isOfDocuments { return false }
    switch (bytes[0], bytes[1]) {
    case (0, _), (10, _), (127, _), (169, 254), (192, 168), (172, 16...31), (100, 64...127), (198, 18...19),
      (224..., _):
      return false
    default: return true
    }
  }

  private static var interfaces: [[UInt8]] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    return sequence(first: first) { $0?.pointee.ifa_next }.compactMap { entry in
      entry?.pointee.ifa_addr.flatMap { bytes(UnsafePointer($0)) }
    }
  }

  private static func resolved(_ host: String) -> [[UInt8]] {
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, nil, &first) == 0 else { return [] }
    defer { freeaddrinfo(first) }
    return sequence(first: first) { $0?.pointee.ai_next }.compactMap { entry in
      entry?.pointee.ai_addr.flatMap { bytes(UnsafePointer($0)) }
    }
  }

  private static func bytes(_ address: UnsafePointer<sockaddr>) -> [UInt8]? {
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
        withUnsafeBytes(of: address.pointee.sin_addr) { Array($0) }
      }
    case AF_INET6:
      address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
        withUnsafeBytes(of: address.pointee.sin6_addr) { Array($0) }
      }
    default: nil
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    var buffer = [CChar](repeating: 0, count: 64)
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "?" }
    return buffer.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "?" }
  }
}
