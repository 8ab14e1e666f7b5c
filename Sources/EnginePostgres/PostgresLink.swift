/// One connection to PostgreSQL, on which statements go out together and their answers come back in order.

internal import CPQ
internal import Platform
internal import Synchronization

/// Statements are prepared when they are first used. Nothing waits longer than it is told to: a server that has stopped
/// is one that cannot be reached.
///
/// `@unchecked Sendable`: used by one thread at a time; between uses it lies in a pool.
/// INVARIANT: after a failure that is not the server's own the link is not used again (`isOpen`).
final class PostgresLink: @unchecked Sendable {
  private let connection: OpaquePointer
  private var names: [String: String] = [:]
  private var nameCount = 0
  private(set) var isOpen = true
  let serverVersion: Int
  /// No other link of this process has it.
  let number = PostgresLink.count.add(1, ordering: .relaxed).newValue
  private static let count = Atomic<Int>(0)

  /// LIMIT: seconds that a server has for letting somebody in.
  static let connectSeconds: Int32 = 5

  init(_ address: PostgresAddress) throws(PostgresFailure) {
    guard let connection = docstore_pq_connect(address.connection, Self.connectSeconds) else {
      throw PostgresFailure(state: "53200", message: "there is no memory for a connection")
    }
    self.connection = connection
    serverVersion = Int(docstore_pq_version(connection))
    if docstore_pq_is_open(connection) == 0 {
      isOpen = false
      throw lost
    }
  }

  /// The link that is there, or a new one in its place.
  static func opened(
    _ link: inout PostgresLink?, _ address: PostgresAddress
  ) throws(PostgresFailure) -> PostgresLink {
    if let link, link.isOpen { return link }
    let new = try PostgresLink(address)
    try new.haveThisWatched()
    link = new
    return new
  }

  /// The server ends the session soon when this process, or the way to it, is gone, also while it waits for a row or for the
  /// rest of a statement: what the session has locked others wait for.
  private func haveThisWatched() throws(PostgresFailure) {
    // Not every system tells it that a client is gone, and a store without that is one nevertheless.
    for statement in PostgresTables.watchClient {
      do throws(PostgresFailure) { try run([statement], seconds: Double(Self.connectSeconds)) } catch {
        if error.isLost { throw error }
      }
    }
  }

  deinit { docstore_pq_close(connection) }

  private var lost: PostgresFailure {
    PostgresFailure(message: PostgresAddress.trimmed(String(cString: docstore_pq_message(connection))))
  }

  /// Sends statements together and waits for the answers of all. The first that fails fails them all; the server passes
  /// over those after it.
  ///
  /// - Parameters:
  ///   - seconds: how long the server has for it.
  ///   - isLong: whether the server is to be idle before each statement: only then it minds how long that takes to come
  ///     (`PostgresTables.limitIdleness`). For statements of one transaction.
  ///   - meanwhile: what is done while the server is at it.
  @discardableResult
  func run(
    _ statements: [PostgresStatement], seconds: Double, isLong: Bool = false, meanwhile: () -> Void = {}
  ) throws(PostgresFailure) -> [PostgresRows] {
    let deadline = SystemClock.milliseconds + seconds * 1_000
    do throws(PostgresFailure) {
      for (index, statement) in statements.enumerated() {
        try send(statement)
        guard isLong || index == statements.count - 1 else { continue }
        guard docstore_pq_sync(connection) != 0 else { throw lost }
      }
      meanwhile()
      let (rows, failure) = try receive(deadline, parts: isLong ? statements.count : 1)
      if let failure { throw failure }
      return rows
    } catch {
      if error.isLost { isOpen = false }
      throw error
    }
  }

  private func send(_ statement: PostgresStatement) throws(PostgresFailure) {
    let name: String
    if let known = names[statement.text] {
      name = known
    } else {
      name = "s\(nameCount)"
      nameCount += 1
      var types = statement.values.map(\.type)
      guard docstore_pq_prepare(connection, name, statement.text, Int32(types.count), &types) != 0 else {
        throw lost
      }
      names[statement.text] = name
    }
    let isSent = Self.withPointers(statement.values) { values, lengths, formats in
      docstore_pq_execute(connection, name, Int32(values.count), values, lengths, formats) != 0
    }
    if !isSent { throw lost }
  }

  private static func withPointers<R>(
    _ values: [PostgresValue], _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> R
  ) -> R {
    func add(_ index: Int, _ pointers: inout [UnsafePointer<CChar>?]) -> R {
      if index == values.count {
        return body(
          pointers, values.map { Int32($0.bytes.count) }, Array(repeating: 1, count: values.count))
      }
      return values[index].bytes.withUnsafeBytes { bytes in
        // An array without bytes has no address, and no address would be null.
        pointers.append(bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? empty)
        return add(index + 1, &pointers)
      }
    }
    var pointers: [UnsafePointer<CChar>?] = []
    return add(0, &pointers)
  }

  nonisolated(unsafe) private static let empty: UnsafePointer<CChar> = {
    let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    byte.initialize(to: 0)
    return UnsafePointer(byte)
  }()

  /// The answers up to the end of what was sent together. Those of statements that are prepared have no rows to ask for.
  private func receive(
    _ deadline: Double, parts: Int
  ) throws(PostgresFailure) -> (rows: [PostgresRows], failure: PostgresFailure?) {
    var rows: [PostgresRows] = []
    var failure: PostgresFailure?
    var partsLeft = parts
    while true {
      try wait(deadline)
      guard let result = docstore_pq_next(connection) else {
        if docstore_pq_is_open(connection) == 0 { throw lost }
        continue
      }
      let kind = docstore_pq_result_kind(result)
      if kind == DOCSTORE_PQ_SYNC.rawValue {
        docstore_pq_clear(result)
        partsLeft -= 1
        if partsLeft > 0 { continue }
        return (rows, failure)
      }
      let answer = PostgresRows(result)
      if kind == DOCSTORE_PQ_ROWS.rawValue {
        rows.append(answer)
      } else if kind != DOCSTORE_PQ_COMMAND_DONE.rawValue, kind != DOCSTORE_PQ_PASSED_OVER.rawValue {
        let found = Self.failure(result)
        // Nothing ends what was sent together where the connection itself is gone.
        if found.isLost { throw found }
        failure = failure ?? found
        // Which of them were prepared before it is not known.
        names = [:]
      }
    }
  }

  /// Waits for what sessions tell all that listen: the texts that have come, none when nothing came in time.
  func notices(seconds: Double) throws(PostgresFailure) -> [String] {
    var socket = pollfd(fd: docstore_pq_socket(connection), events: Int16(POLLIN), revents: 0)
    let count = poll(&socket, 1, Int32(seconds * 1_000))
    if count < 0, errno != EINTR { throw PostgresFailure(message: String(cString: strerror(errno))) }
    if count > 0, docstore_pq_receive(connection) == 0 || docstore_pq_is_open(connection) == 0 {
      isOpen = false
      throw lost
    }
    var texts: [String] = []
    while let notice = docstore_pq_next_notice(connection) {
      texts.append(notice.pointee.text.map { String(cString: $0) } ?? "")
      docstore_pq_free(notice)
    }
    return texts
  }

  private static func failure(_ result: OpaquePointer) -> PostgresFailure {
    PostgresFailure(
      state: docstore_pq_result_state(result).map { String(cString: $0) },
      message: PostgresAddress.trimmed(String(cString: docstore_pq_result_message(result))))
  }

  /// Returns when there is an answer to take.
  private func wait(_ deadline: Double) throws(PostgresFailure) {
    while true {
      let rest = docstore_pq_flush(connection)
      if rest < 0 { throw lost }
      if rest == 0, docstore_pq_must_wait(connection) == 0 { return }
      let left = deadline - SystemClock.milliseconds
      guard left > 0 else { throw PostgresFailure(message: "it does not answer") }
      var socket = pollfd(
        fd: docstore_pq_socket(connection), events: Int16(POLLIN) | (rest > 0 ? Int16(POLLOUT) : 0),
        revents: 0)
      let count = poll(&socket, 1, Int32(min(left.rounded(.up), 60_000)))
      if count < 0, errno != EINTR {
        throw PostgresFailure(message: String(cString: strerror(errno)))
      }
      if count > 0, socket.revents & ~Int16(POLLOUT) != 0, docstore_pq_receive(connection) == 0 { throw lost }
    }
  }
}
