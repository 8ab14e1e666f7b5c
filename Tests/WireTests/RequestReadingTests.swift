import DocModel
import DocStore
import FirestoreProtos
import SwiftProtobuf
import Testing

@testable import Wire

private typealias V1Write = Google_Firestore_V1_Write
private typealias V1Query = Google_Firestore_V1_StructuredQuery

/// The generated types write what our readers read.
@Suite("requests, read by hand")
struct RequestReadingTests {
  static let database = DatabaseID(project: "p")
  static let root = "projects/p/databases/(default)/documents/"

  func read<Result>(
    _ message: some SwiftProtobuf.Message, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result {
    let bytes: [UInt8] = try message.serializedBytes()
    return try bytes.withUnsafeBytes(body)
  }

  @Test("GetDocument: every field")
  func getDocument() throws {
    var message = Google_Firestore_V1_GetDocumentRequest()
    message.name = Self.root + "c/\u{e9}"
    message.mask.fieldPaths = ["a", "b.c"]
    message.readTime.seconds = 5
    message.readTime.nanos = 7_000
    let request = try read(message) { try GetDocumentRequest($0) }
    #expect(request.name == message.name)
    #expect(request.mask == ["a", "b.c"])
    #expect(request.consistency == .readTime(Timestamp(seconds: 5, nanoseconds: 7_000)))
  }

  @Test("a mask without paths is not the absence of a mask")
  func emptyMask() throws {
    var message = Google_Firestore_V1_GetDocumentRequest()
    message.name = "n"
    #expect(try read(message) { try GetDocumentRequest($0) }.mask == nil)
    message.mask = Google_Firestore_V1_DocumentMask()
    #expect(try read(message) { try GetDocumentRequest($0) }.mask == [])
  }

  @Test("BatchGet: names in order, and the transaction it begins")
  func batchGet() throws {
    var message = Google_Firestore_V1_BatchGetDocumentsRequest()
    message.database = "d"
    message.documents = ["b", "a", "b"]
    message.newTransaction.readOnly.readTime.seconds = 9
    let request = try read(message) { try BatchGetRequest($0) }
    #expect(request.documents == ["b", "a", "b"])
    #expect(request.consistency == .newTransaction(.readOnly(at: Timestamp(seconds: 9, nanoseconds: 0))))
    message.newTransaction.readWrite.retryTransaction.append(contentsOf: [1, 2])
    #expect(
      try read(message) { try BatchGetRequest($0) }.consistency
        == .newTransaction(.readWrite(retrying: [1, 2])))
  }

  @Test("ListDocuments: every field, and what is not said")
  func listDocuments() throws {
    var message = Google_Firestore_V1_ListDocumentsRequest()
    let empty = try read(message) { try ListDocumentsRequest($0) }
    #expect(empty.mask == nil && empty.pageSize == 0 && empty.consistency == .latest && !empty.showMissing)
    message.parent = "p"
    message.collectionID = "c"
    message.pageSize = -7
    message.pageToken = "t"
    message.orderBy = "a desc"
    message.mask.fieldPaths = ["a"]
    message.showMissing = true
    message.readTime.seconds = 5
    let request = try read(message) { try ListDocumentsRequest($0) }
    #expect(request.parent == "p" && request.collectionID == "c" && request.pageSize == -7)
    #expect(request.pageToken == "t" && request.orderBy == "a desc" && request.mask == ["a"])
    #expect(request.showMissing && request.consistency == .readTime(Timestamp(seconds: 5, nanoseconds: 0)))
    message.transaction.append(contentsOf: [1, 2])
    #expect(try read(message) { try ListDocumentsRequest($0) }.consistency == .transaction([1, 2]))
  }

  @Test("ListCollectionIds: every field; a time that is too precise is refused")
  func listCollectionIDs() throws {
    var message = Google_Firestore_V1_ListCollectionIdsRequest()
    message.parent = "p"
    message.pageSize = 3
    message.pageToken = "t"
    #expect(try read(message) { try ListCollectionIDsRequest($0) }.consistency == .latest)
    message.readTime.nanos = 1_000
    let request = try read(message) { try ListCollectionIDsRequest($0) }
    #expect(request.parent == "p" && request.pageSize == 3 && request.pageToken == "t")
    #expect(request.consistency == .readTime(Timestamp(seconds: 0, nanoseconds: 1_000)))
    message.readTime.nanos = 1
    #expect(throws: MessageFields.tooPrecise) { try read(message) { try ListCollectionIDsRequest($0) } }
  }

  @Test("BeginTransaction and Rollback: a transaction may write unless it says otherwise")
  func transactions() throws {
    var begin = Google_Firestore_V1_BeginTransactionRequest()
    func choice() throws -> TransactionChoice { try read(begin) { try BeginTransactionRequest($0) }.choice }
    begin.database = "d"
    #expect(try choice() == .readWrite(retrying: []))
    begin.options = .init()
    #expect(try choice() == .readWrite(retrying: []))
    begin.options.readOnly = .init()
    #expect(try choice() == .readOnly(at: nil))
    begin.options.readOnly.readTime.seconds = 4
    #expect(try choice() == .readOnly(at: Timestamp(seconds: 4, nanoseconds: 0)))
    begin.options.readWrite.retryTransaction.append(contentsOf: [9])
    #expect(try choice() == .readWrite(retrying: [9]))
    begin.options.readWrite.concurrencyMode = .optimistic
    #expect(try choice() == .optimistic(retrying: [9]))
    begin.options.readWrite.concurrencyMode = .pessimistic
    #expect(try choice() == .readWrite(retrying: [9]))
    var rollback = Google_Firestore_V1_RollbackRequest()
    rollback.database = "d"
    rollback.transaction.append(contentsOf: [3, 4])
    let request = try read(rollback) { try RollbackRequest($0) }
    #expect(request.database == "d" && request.transaction == [3, 4])
  }

  private func write(_ change: (inout V1Write) -> Void) throws -> Write {
    var message = V1Write()
    change(&message)
    return try read(message) { try WireWrite($0).checked(in: Self.database).write }
  }

  @Test("an update keeps its fields as bytes in the stored form, its mask and its condition")
  func update() throws {
    let write = try write { message in
      message.update.name = Self.root + "c/d"
      message.update.fields["b"] = .with { $0.integerValue = 7 }
      message.update.fields["a"] = .with { $0.stringValue = "x" }
      message.updateMask.fieldPaths = ["a", "`b c`.d"]
      message.currentDocument.updateTime.seconds = 3
    }
    #expect(write.path.text == "c/d")
    #expect(write.precondition == .updateTime(3_000_000))
    guard case .update(let fields, let mask) = write.operation else { return #expect(Bool(false)) }
    #expect(Fields(encoded: fields) == ["a": .string("x"), "b": .integer(7)])
    #expect(mask == [FieldPath(segments: ["a"]), FieldPath(segments: ["b c", "d"])].compactMap { $0 })
  }

  @Test("every transform is read with its operand")
  func transforms() throws {
    let write = try write { message in
      message.update.name = Self.root + "c/d"
      message.updateTransforms = [
        .with {
          $0.fieldPath = "t"
          $0.setToServerValue = .requestTime
        },
        .with {
          $0.fieldPath = "i"
          $0.increment.integerValue = 2
        },
        .with {
          $0.fieldPath = "x"
          $0.maximum.doubleValue = 1.5
        },
        .with {
          $0.fieldPath = "n"
          $0.minimum.integerValue = -1
        },
        .with {
          $0.fieldPath = "u"
          $0.appendMissingElements.values = [.with { $0.stringValue = "a" }]
        },
        .with {
          $0.fieldPath = "r"
          $0.removeAllFromArray.values = [.with { $0.nullValue = .nullValue }]
        },
      ]
    }
    #expect(write.transforms.map(\.path.text) == ["t", "i", "x", "n", "u", "r"])
    let operands = write.transforms.map { transform -> [[UInt8]] in
      switch transform.operation {
      case .serverTime: []
      case .increment(let value), .maximum(let value), .minimum(let value): [value]
      case .appendMissing(let values), .removeAll(let values): values
      }
    }
    #expect(
      operands == [
        [], [Value.integer(2).encoded], [Value.double(1.5).encoded], [Value.integer(-1).encoded],
        [Value.string("a").encoded], [Value.null.encoded],
      ])
  }

  @Test("delete, verify and the old transform")
  func otherOperations() throws {
    let deletion = try write {
      $0.delete = Self.root + "c/d"
      $0.currentDocument.exists = true
    }
    guard case .delete = deletion.operation else { return #expect(Bool(false)) }
    #expect(deletion.precondition == .exists(true))
    let verification = try write {
      $0.verify = Self.root + "c/d"
      $0.currentDocument.exists = false
    }
    guard case .verify = verification.operation else { return #expect(Bool(false)) }
    let transform = try write { message in
      message.transform.document = Self.root + "c/d"
      message.transform.fieldTransforms = [
        .with {
          $0.fieldPath = "a"
          $0.increment.integerValue = 1
        }
      ]
    }
    guard case .update(let fields, let mask) = transform.operation else { return #expect(Bool(false)) }
    #expect(fields.isEmpty && mask == [] && transform.transforms.count == 1)
  }

  @Test(
    "writes that the message alone condemns",
    arguments: [
      (V1Write(), "empty write operation"),
      (
        .with { $0.delete = Self.root + "c" },
        "Document name \"\(Self.root)c\" lacks \"/\" at index \(Self.root.utf8.count + 1)."
      ),
      (
        .with {
          $0.delete = Self.root + "c/d"
          $0.updateMask.fieldPaths = ["a"]
        }, "a delete must not specify a document mask."
      ),
      (
        .with {
          $0.verify = Self.root + "c/d"
          $0.updateMask.fieldPaths = ["a"]
        }, "a verify must not specify a document mask."
      ),
      (.with { $0.transform.document = Self.root + "c/d" }, "The list of FieldTransform must not be empty."),
      (
        .with {
          $0.update.name = Self.root + "c/d"
          $0.updateMask.fieldPaths = [""]
        }, "Invalid empty property path string."
      ),
      (
        .with {
          $0.update.name = Self.root + "c/d"
          $0.updateTransforms = [.with { $0.fieldPath = "a" }]
        }, "Operation type must be specified for field transformation."
      ),
      (
        .with { $0.update.name = "projects/q/databases/(default)/documents/c/d" },
        "Document \"projects/q/databases/(default)/documents/c/d\" is not in database \"projects/p/databases/(default)\"."
      ),
    ] as [(Google_Firestore_V1_Write, String)])
  func refused(message: Google_Firestore_V1_Write, complaint: String) {
    #expect(throws: InvalidArgument(complaint)) {
      try read(message) { try WireWrite($0).checked(in: Self.database) }
    }
  }

  @Test("a query with everything in it")
  func query() throws {
    var message = V1Query()
    message.select.fields = [.with { $0.fieldPath = "a" }]
    message.from = [
      .with {
        $0.collectionID = "c"
        $0.allDescendants = true
      }
    ]
    message.where.compositeFilter.op = .or
    message.where.compositeFilter.filters = [
      .with {
        $0.fieldFilter.field.fieldPath = "n"
        $0.fieldFilter.op = .notIn
        $0.fieldFilter.value.arrayValue.values = [.with { $0.integerValue = 1 }]
      },
      .with {
        $0.unaryFilter.field.fieldPath = "u"
        $0.unaryFilter.op = .isNotNull
      },
    ]
    message.orderBy = [
      .with {
        $0.field.fieldPath = "n"
        $0.direction = .descending
      }
    ]
    message.startAt.values = [.with { $0.integerValue = 9 }]
    message.startAt.before = true
    message.offset = 3
    message.limit.value = 4
    let query = try read(message) { try QueryReader.read($0, database: Self.database, parent: .root) }
    #expect(query.projection == ["a"])
    #expect(query.from.map(\.collectionID) == ["c"] && query.from[0].includesDescendants)
    #expect(query.orders.map(\.path) == ["n"] && query.orders[0].direction == .descending)
    #expect(query.offset == 3 && query.limit == 4)
    #expect(query.start?.isBefore == true && query.end == nil)
    guard case .composite(.or, let filters)? = query.filter, filters.count == 2,
      case .field("n", .notIn, .value(let operand)) = filters[0], case .unary("u", .isNotNull) = filters[1]
    else { return #expect(Bool(false)) }
    #expect(operand == Value.array([.integer(1)]).encoded)
  }

  @Test("an absent limit is none, a limit of 0 is 0")
  func limits() throws {
    var message = V1Query()
    #expect(
      try read(message) { try QueryReader.read($0, database: Self.database, parent: .root) }.limit == nil)
    message.limit.value = 0
    #expect(try read(message) { try QueryReader.read($0, database: Self.database, parent: .root) }.limit == 0)
  }

  @Test("deep filters end with an error, not with the stack")
  func deepFilters() throws {
    var filter: [UInt8] = []
    for _ in 0..<20_000 {
      var composite = WireWriter()
      composite.field(2, bytes: filter)
      var outer = WireWriter()
      outer.field(1, bytes: composite.bytes)
      filter = outer.bytes
      if filter.count > 200_000 { break }
    }
    var query = WireWriter()
    query.field(3, bytes: filter)
    #expect(throws: QueryReader.tooDeep) {
      try query.bytes.withUnsafeBytes { try QueryReader.read($0, database: Self.database, parent: .root) }
    }
  }

  @Test("random and truncated bytes are read or refused, never more")
  func randomBytes() throws {
    var commit = Google_Firestore_V1_CommitRequest()
    commit.database = "projects/p/databases/(default)"
    commit.writes = [
      .with {
        $0.update.name = Self.root + "c/d"
        $0.update.fields["a"] = .with { $0.stringValue = "x" }
      }
    ]
    let good: [UInt8] = try commit.serializedBytes()
    var random = SeededGenerator(seed: 0xC0DE)
    for round in 0..<20_000 {
      var bytes = good
      if round < good.count { bytes.removeLast(round) }
      for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      bytes.withUnsafeBytes { bytes in
        if let request = try? CommitRequest(bytes) {
          _ = try? WriteList.read(request.writes, in: Self.database)
        }
        _ = try? GetDocumentRequest(bytes)
        _ = try? BatchGetRequest(bytes)
        _ = try? QueryReader.read(bytes, database: Self.database, parent: .root)
      }
    }
  }
}
