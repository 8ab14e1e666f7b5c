/// One HTTP/2 connection of the load generator, with one call under way.
///
/// Its frames are written by hand, and a token is coded when it is made: a client that codes it for every request takes nearly
/// as much of the machine as the server, and what both share would be measured. Windows, settings and pings are kept as
/// RFC 9113 asks; nothing that a server of gRPC does not send is understood.

internal import CNGHTTP2
internal import Glibc

final class LoadConnection {
  private enum Frame: UInt8 {
    case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
  }

  private unowned let load: Load
  private let number: Int
  let socket: Int32
  private let coder = HeaderCoder()
  private var inflater: OpaquePointer?
  /// What stands before each method's token once both tables have the rest.
  private var blocks: [(method: StaticString, block: [UInt8])] = []

  private var call: LoadCall?
  private var stream = -1
  private var answer: [UInt8] = []
  private var startedAt: UInt64 = 0
  private var beginsWork = true
  private var status: Int?
  var isBusy: Bool { call != nil }

  private var outgoing: [UInt8] = []
  /// Of the message that is being sent.
  private var sentBytes = 0
  private var windows = (connection: 65_535, stream: 65_535, initial: 65_535)
  private var buffer = [UInt8](repeating: 0, count: 1 << 17)
  /// The beginning of a frame that has not come to its end.
  private var heldBytes = 0
  /// Of answers, since the server was last told that it may send more.
  private var readBytes = 0

  private static let headBytes = 9
  private static let payloadBytesMax = 1 << 14
  private static let windowBytesMax = Int(Int32.max)

  init(_ number: Int, load: Load) throws(LoadError) {
    self.number = number
    self.load = load
    guard let socket = loopbackSocket(port: load.plan.port) else {
      throw LoadError.cannotConnect(port: load.plan.port)
    }
    self.socket = socket
    var one: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    _ = fcntl(socket, F_SETFL, O_NONBLOCK)
    nghttp2_hd_inflate_new(&inflater)
    outgoing += Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
    append(.settings, [0, 4] + Self.bytes(of: Self.windowBytesMax))
    append(.windowUpdate, Self.bytes(of: Self.windowBytesMax - 65_535))
  }

  func close() {
    nghttp2_hd_inflate_del(inflater)
    _ = Glibc.close(socket)
  }

  // MARK: calls

  func submit() throws(LoadError) {
    let call = load.plan.next(number, answer)
    answer.removeAll(keepingCapacity: true)
    self.call = call
    stream = stream < 0 ? 1 : stream + 2
    status = nil
    sentBytes = 0
    windows.stream = windows.initial
    if beginsWork { startedAt = monotonicNanoseconds() }
    beginsWork = call.endsWork
    let known = blocks.first { $0.method.utf8Start == call.method.utf8Start }
    let block = known?.block ?? newBlock(call.method)
    beginFrame(.headers, flags: 0x4, on: stream, payloadBytes: block.count + call.authorization.count)
    outgoing += block
    outgoing += call.authorization
    appendMessage()
    try flush()
  }

  /// Said once in full; from then on both tables have most of it.
  private func newBlock(_ method: StaticString) -> [UInt8] {
    let fields = HeaderCoder.fields("\(method)", authority: "127.0.0.1:\(load.plan.port)")
    let first = coder.block(fields)
    blocks.append((method, coder.block(fields)))
    return first
  }

  /// As much of the message, with gRPC's five bytes before it, as the server takes.
  private func appendMessage() {
    guard let message = call?.message else { return }
    let total = message.count + 5
    while sentBytes < total {
      let count = min(total - sentBytes, Self.payloadBytesMax, windows.connection, windows.stream)
      guard count > 0 else { return }
      beginFrame(.data, flags: sentBytes + count == total ? 1 : 0, on: stream, payloadBytes: count)
      var taken = count
      if sentBytes < 5 {
        let head = ([0] + Self.bytes(of: message.count))[sentBytes..<min(5, sentBytes + count)]
        outgoing += head
        taken -= head.count
        sentBytes += head.count
      }
      outgoing += message[(sentBytes - 5)..<(sentBytes - 5 + taken)]
      sentBytes += taken
      windows.connection -= count
      windows.stream -= count
    }
  }

  private func endCall() {
    guard let call else { return }
    self.call = nil
    if call.mayAbort, status == 10 {
      answer = []
      beginsWork = false
      return
    }
    if status != call.status { load.failures += 1 }
    guard call.endsWork else { return }
    load.calls += 1
    load.latencies.append(monotonicNanoseconds() - startedAt)
  }

  // MARK: bytes out

  private static func bytes(of number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private func beginFrame(_ type: Frame, flags: UInt8, on stream: Int, payloadBytes: Int) {
    for shift in [16, 8, 0] { outgoing.append(UInt8(truncatingIfNeeded: payloadBytes >> shift)) }
    outgoing.append(type.rawValue)
    outgoing.append(flags)
    for shift in [24, 16, 8, 0] { outgoing.append(UInt8(truncatingIfNeeded: stream >> shift)) }
  }

  private func append(_ type: Frame, flags: UInt8 = 0, _ payload: [UInt8]) {
    beginFrame(type, flags: flags, on: 0, payloadBytes: payload.count)
    outgoing += payload
  }

  /// Sends all frames in one piece: two small segments would measure the kernels' delays.
  private func flush() throws(LoadError) {
    var sent = 0
    while sent < outgoing.count {
      let written = outgoing.withUnsafeBytes {
        send(socket, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if written > 0 {
        sent += written
      } else if errno != EAGAIN {
        throw LoadError.protocolFailure("the server closed the connection")
      }
    }
    outgoing.removeAll(keepingCapacity: true)
  }

  // MARK: bytes in

  func receive() throws(LoadError) {
    let count = buffer.withUnsafeMutableBytes { [heldBytes] in
      recv(socket, $0.baseAddress.map { $0 + heldBytes }, $0.count - heldBytes, 0)
    }
    if count < 0, errno == EAGAIN { return }
    guard count > 0 else { throw LoadError.protocolFailure("the server closed the connection") }
    let end = heldBytes + count
    let wasBusy = isBusy
    let read = try readFrames(end)
    heldBytes = end - read
    if read > 0, heldBytes > 0 {
      buffer.withUnsafeMutableBytes { bytes in
        if let base = bytes.baseAddress { memmove(base, base + read, heldBytes) }
      }
    }
    if wasBusy, !isBusy { try submit() } else { try flush() }
  }

  /// Answers where the last whole one ends.
  private func readFrames(_ end: Int) throws(LoadError) -> Int {
    var start = 0
    while end - start >= Self.headBytes {
      let payloadBytes = Int(buffer[start]) << 16 | Int(buffer[start + 1]) << 8 | Int(buffer[start + 2])
      guard payloadBytes <= Self.payloadBytesMax else {
        throw LoadError.protocolFailure("a frame is too long")
      }
      let next = start + Self.headBytes + payloadBytes
      guard next <= end else { break }
      try read(buffer[start + 3], flags: buffer[start + 4], start + Self.headBytes..<next)
      start = next
    }
    return start
  }

  private func read(_ type: UInt8, flags: UInt8, _ payload: Range<Int>) throws(LoadError) {
    switch Frame(rawValue: type) {
    case .data:
      readBytes += payload.count
      if load.plan.keepsAnswers { answer += buffer[payload] }
      if readBytes > Self.windowBytesMax / 2 {
        append(.windowUpdate, Self.bytes(of: readBytes))
        readBytes = 0
      }
      if flags & 0x1 != 0 { endCall() }
    case .headers:
      guard flags & 0x4 != 0, flags & 0x28 == 0 else {
        throw LoadError.protocolFailure("headers in more than one frame, or with more than headers")
      }
      try readHeaders(payload)
      if flags & 0x1 != 0 { endCall() }
    case .reset: endCall()
    case .settings: if flags & 0x1 == 0 { try readSettings(payload) }
    case .ping: if flags & 0x1 == 0 { append(.ping, flags: 0x1, Array(buffer[payload])) }
    case .windowUpdate: readWindow(payload)
    case .goAway: throw LoadError.protocolFailure("the server closes the connection")
    case .priority, nil: break
    case .pushPromise, .continuation:
      throw LoadError.protocolFailure("a frame of type \(type) has no place here")
    }
  }

  private func readHeaders(_ payload: Range<Int>) throws(LoadError) {
    let isWell = buffer.withUnsafeBufferPointer { bytes in
      var rest = UnsafeBufferPointer(rebasing: bytes[payload])
      while true {
        var (field, flags) = (nghttp2_nv(), Int32(0))
        let taken = nghttp2_hd_inflate_hd2(inflater, &field, &flags, rest.baseAddress, rest.count, 1)
        guard taken >= 0 else { return false }
        rest = UnsafeBufferPointer(rebasing: rest[taken...])
        if UInt32(flags) & NGHTTP2_HD_INFLATE_EMIT.rawValue != 0, field.namelen == 11,
          memcmp(field.name, "grpc-status", 11) == 0
        {
          status = (0..<field.valuelen).reduce(0) { $0 * 10 + Int(field.value[$1]) - 48 }
        }
        if UInt32(flags) & NGHTTP2_HD_INFLATE_FINAL.rawValue != 0 { break }
      }
      return nghttp2_hd_inflate_end_headers(inflater) == 0
    }
    guard isWell else { throw LoadError.protocolFailure("the server's headers are malformed") }
  }

  private func readSettings(_ payload: Range<Int>) throws(LoadError) {
    for entry in stride(from: payload.lowerBound, to: payload.upperBound - 5, by: 6) {
      let value = buffer[(entry + 2)..<(entry + 6)].reduce(0) { $0 << 8 | Int($1) }
      switch Int(buffer[entry]) << 8 | Int(buffer[entry + 1]) {
      case 1: if value < 4_096 { throw LoadError.protocolFailure("the server keeps few headers") }
      case 4:
        windows.stream += value - windows.initial
        windows.initial = value
      default: break  // Limits that one call at a time does not reach.
      }
    }
    append(.settings, flags: 0x1, [])
    if isBusy { appendMessage() }
  }

  private func readWindow(_ payload: Range<Int>) {
    let value = buffer[payload].reduce(0) { $0 << 8 | Int($1) } & Self.windowBytesMax
    let place = payload.lowerBound - 4
    let stream = buffer[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) } & Self.windowBytesMax
    if stream == 0 { windows.connection += value } else if stream == self.stream { windows.stream += value }
    if isBusy { appendMessage() }
  }
}
