/// The pieces of work of the benchmark of real traffic, as plans for the load generator.

import DocModel

private let documentsRoot = "projects/bench/databases/(default)/documents"

/// What one server is asked, with everything that goes on from round to round.
final class MixRequests {
  private var population: MixPopulation
  private var reads: MixReads
  /// Profile changes so far, and likes: each is another one.
  private var changes = 0
  private var likes = 0

  static let postCount = 1_000

  init(profiles: Int) {
    population = MixPopulation(count: profiles)
    reads = MixReads(population, seed: 11)
  }

  static func name(_ path: String) -> String { "\(documentsRoot)/\(path)" }

  // MARK: reads

  /// A guarded read of the mix.
  func read() -> LoadCall {
    let read = reads.next()
    return LoadCall(
      method: "GetDocument", authorization: population.authorization(of: read.reader),
      message: getRequest("users/u\(read.owner)"), status: read.isAllowed ? 0 : 7)
  }

  /// The same documents past the rules.
  func plainRead() -> LoadCall {
    LoadCall(
      method: "GetDocument", authorization: Self.owner, message: getRequest("users/u\(reads.next().owner)"))
  }

  static let owner = HeaderCoder.authorization(Array("Bearer owner".utf8))

  // MARK: writes

  /// Somebody changes the name that others see.
  func change() -> LoadCall {
    changes += 1
    let person = changes * 7_919 % population.count
    var writer = Self.commit()
    writer.message(2) { write in
      write.message(1) { document in
        document.field(1, text: Self.name("users/u\(person)"))
        document.entries(
          of: ["displayName": .string("Name \(changes)")], entryTag: FieldsView.documentEntryTag)
      }
      write.message(3) { $0.field(1, text: "displayName") }
      write.message(4) { $0.field(1, varint: 1) }
    }
    return LoadCall(
      method: "Commit", authorization: population.authorization(of: person), message: writer.bytes)
  }

  /// Somebody likes a post: the like, and the post's counter.
  func like() -> LoadCall {
    let (person, post) = nextLike()
    var writer = Self.commit()
    Self.like(&writer, of: post, by: person)
    return LoadCall(
      method: "Commit", authorization: population.authorization(of: person), message: writer.bytes)
  }

  /// A server's transaction: it reads the post, and then writes what a like writes. A call of two.
  func transactionalLike(after answer: [UInt8], on connection: Int) -> LoadCall {
    let transaction = Self.transaction(in: answer)
    guard let open = openLikes[connection], !transaction.isEmpty else {
      let (person, post) = openLikes[connection] ?? nextLike()
      openLikes[connection] = (person, post)
      var writer = WireWriter()
      writer.field(1, text: "projects/bench/databases/(default)")
      writer.field(2, text: Self.name("posts/p\(post)"))
      writer.message(5) { $0.message(3) { _ in } }
      return LoadCall(
        method: "BatchGetDocuments", authorization: Self.owner, message: writer.bytes, endsWork: false,
        mayAbort: true)
    }
    openLikes[connection] = nil
    var writer = Self.commit()
    Self.like(&writer, of: open.post, by: open.person)
    writer.field(3, bytes: transaction)
    return LoadCall(method: "Commit", authorization: Self.owner, message: writer.bytes, mayAbort: true)
  }

  private var openLikes: [Int: (person: Int, post: Int)] = [:]

  /// Forgets transactions that a run left open.
  func forgetTransactions() { openLikes = [:] }

  /// The token in the first message of a streamed answer; empty where there is none.
  static func transaction(in answer: [UInt8]) -> [UInt8] {
    answer.withUnsafeBytes { bytes in
      guard bytes.count > 5 else { return [] }
      var cursor = WireCursor(UnsafeRawBufferPointer(rebasing: bytes[5...]))
      while !cursor.isAtEnd, !cursor.isCorrupt {
        let tag = cursor.tag()
        if tag == 3 << 3 | 2 { return Array(cursor.lengthDelimited()) }
        cursor.skip(tag: tag)
      }
      return []
    }
  }

  /// Nobody likes a post twice.
  private func nextLike() -> (person: Int, post: Int) {
    defer { likes += 1 }
    return (likes % population.count, (likes + likes / population.count) % Self.postCount)
  }

  private static func commit() -> WireWriter {
    var writer = WireWriter()
    writer.field(1, text: "projects/bench/databases/(default)")
    return writer
  }

  private static func like(_ writer: inout WireWriter, of post: Int, by person: Int) {
    writer.message(2) { write in
      write.message(1) { document in
        document.field(1, text: name("posts/p\(post)/likes/u\(person)"))
        document.entries(of: ["userId": .string("u\(person)")], entryTag: FieldsView.documentEntryTag)
      }
      write.message(7) { transform in
        transform.field(1, text: "createdAt")
        transform.field(2, varint: 1)
      }
    }
    writer.message(2) { write in
      write.message(1) { $0.field(1, text: name("posts/p\(post)")) }
      write.message(3) { _ in }
      write.message(7) { transform in
        transform.field(1, text: "stats.likeCount")
        transform.message(3) { $0.field(2, varint: 1) }
      }
      write.message(4) { $0.field(1, varint: 1) }
    }
  }

  /// Documents of 600 bytes, past the rules. Each time they are others: a write that changes nothing costs next to nothing.
  func items(_ count: Int = 1) -> LoadCall {
    changes += count
    let turn = changes
    return LoadCall(
      method: "Commit", authorization: Self.owner,
      message: commitRequest("items", first: turn % 100_000, count: count) { post($0 + turn) })
  }
}
