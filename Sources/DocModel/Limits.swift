/// Every number that the service promises or refuses, in one place, each with its source and with who is
/// held to it. docs/limits.md has the table with the answers.
///
/// "Both": the profiles agree, because the service and the official emulator do. "Production": only the
/// service refuses, so only that profile does (`ServiceProfile.limits`). Limits of the rules language are in
/// `Rules`; limits that are ours alone stand where they are kept and bear the word LIMIT.

/// Names, fields and values.
public enum Limits {
  /// A collection id or document id, UTF-8 bytes. Both. Source: docs/spec/protocol.md 2.3.
  public static let idBytesMax = 1_500
  /// Collection and document pairs in one name. Both. Source: docs/spec/production-differences.md L5.
  public static let namePairsMax = 100
  /// A field name, or the dotted path to a nested one. Both. Source: docs/spec/protocol.md 2.3.
  public static let fieldNameBytesMax = 1_500
  /// A string or bytes value. Both. Source: docs/spec/protocol.md 2.3.
  public static let valueBytesMax = 1_048_487
  /// Levels of maps and arrays below a field. Both. Source: docs/spec/protocol.md 2.3, 3.7.
  public static let nestingMax = 20
  /// Levels that untrusted bytes are read to before they are given up: deeper than `nestingMax`, because a
  /// reserved name further down is the error that wins. Protobuf parsers stop at 100 nested messages,
  /// and a map level takes three. Source: docs/spec/protocol.md 3.7, 4.1.
  public static let nestingReadMax = 33
  /// A document by the storage formula of docs/spec/protocol.md 3.6. Both, with different words.
  /// Source: docs/spec/production-differences.md L2.
  public static let documentBytesMax = 1_048_576
  /// Elements of a vector. Both. Source: docs/spec/protocol.md 2.3.
  public static let vectorElementsMax = 2_048
}

/// Requests as they arrive.
public enum RequestLimits {
  /// The body of a request, over gRPC and REST. Production. Source: docs/spec/production-differences.md L1.
  public static let bodyBytesMax = 11_534_336
  /// A gRPC message of the official emulator. Emulator. Source: docs/spec/protocol.md 1.1.
  public static let emulatorMessageBytesMax = 104_857_600
  /// A REST body of the official emulator. Emulator. Source: docs/spec/protocol.md 2.3.
  public static let emulatorBodyBytesMax = 16_777_216
  /// Documents on a page of a list, and the most that can be asked for. Production; the emulator's pages are
  /// as long as is asked. Source: docs/spec/production-differences.md L15.
  public static let listPageDefault = 100
  public static let listPageMax = 300
}

/// Queries and aggregations.
public enum QueryLimits {
  /// Disjuncts of the normal form. Both. Source: docs/spec/protocol.md 2.3.
  public static let disjunctionsMax = 30
  /// Values of `in` and `array-contains-any`. Both. Source: docs/spec/protocol.md 2.3.
  public static let listValuesMax = 30
  /// Values of `not-in`. Both. Source: docs/spec/protocol.md 2.3.
  public static let notInValuesMax = 10
  /// Fields with ranges and negations. Both. Source: docs/spec/production-differences.md L13.
  public static let inequalityFieldsMax = 10
  /// Both. Source: docs/spec/protocol.md 1.14; docs/spec/production-differences.md L14.
  public static let aggregationsMax = 5
  /// Filters, orders and the parent together. Both. Source: docs/spec/production-differences.md L12.
  public static let componentsMax = 100
  /// Results of a vector search. Both. Source: docs/spec/protocol.md 2.3.
  public static let nearestMax = 1_000
  /// Composite filters inside composite filters. Protobuf itself stops at 100 levels of messages, two a
  /// filter; this keeps trees built otherwise from exhausting the stack. LIMIT: ours.
  public static let filterDepthMax = 100
  /// Bytes of order keys and paths one query may hold while it sorts. LIMIT: ours; a query beyond it is
  /// answered `RESOURCE_EXHAUSTED`.
  public static let sortBytesMax = 256 << 20
}

/// Commits and transactions.
public enum WriteLimits {
  /// Field transforms of one document in one commit. Production. Source: docs/spec/production-differences.md W4.
  public static let transformsMax = 500
  /// Stored bytes and index entries of one commit together. Production. Recorded of the service: 29,650,337
  /// pass, 29,654,463 do not. Source: docs/spec/production-differences.md L10.
  public static let chargedBytesMax = 29_652_000
  /// What deleting a document is charged, in hundredths of what creating it is.
  /// Source: docs/spec/production-differences.md L10.
  public static let deleteChargePercent = 115
  // Writes of a commit are not counted, in neither profile. Source: docs/spec/production-differences.md W5.
}

/// Transactions and reads of the past.
public enum TransactionLimits {
  /// A transaction that nobody used for so long is over. Production; the official emulator waits 60 seconds.
  /// Source: docs/spec/production-differences.md T11.
  public static let idleSeconds: Int64 = 120
  public static let emulatorIdleSeconds: Int64 = 60
  /// A transaction is over so long after its beginning. Both. Source: docs/spec/production-differences.md T12.
  public static let lifetimeSeconds: Int64 = 270
  /// After it began; until then an ended transaction is known to have existed. Both.
  /// Source: docs/spec/production-differences.md T12.
  public static let rememberedSeconds: Int64 = 300
  /// How far back reads go. Both. Source: docs/spec/production-differences.md L17.
  public static let readTimeSeconds: Int64 = 3_600
  /// Transactions remembered at a time. Those that ended first are forgotten for new ones; when all are open, beginning
  /// one more is refused. LIMIT: ours.
  public static let countMax = 100_000
  /// Open transactions that may write: of one user (nobody signed in is one), of all users, and of all administrators
  /// together, who are one caller. The rest is this program's own. LIMIT: ours.
  public static let userMax = 1_000
  public static let usersMax = 40_000
  public static let administratorsMax = 50_000
}

/// Indexes and what they hold of a document.
public enum IndexLimits {
  /// Entries of one document in all indexes. Production. Source: docs/spec/production-differences.md L8.
  public static let entriesMax = 40_000
  /// One entry by the formula of docs/spec/protocol.md 3.6. Production. Recorded of the service for fields of
  /// single collections with a long text: 5,529 pass, 5,531 do not. Beside a value that is not cut the parent
  /// document's name does not count. Source: docs/spec/production-differences.md L7, L9.
  public static let entryBytesMax = 5_529
  /// An entry of a composite, or of a collection group. Production. Source: the documentation's 7.5 KiB.
  public static let wideEntryBytesMax = 7_680
  /// A document's name, relative to its database, when anything of it is indexed. Production. Recorded of the
  /// service: 4,622 pass, 5,000 do not. Source: docs/spec/production-differences.md L7.
  public static let nameBytesMax = 4_999
  /// What an index holds of a value. Both. Source: docs/spec/protocol.md 3.6.
  public static let valueBytesMax = 1_500
  /// Composites of a database with billing; without it 200. Told by `docsh indexes check`, never enforced.
  /// Source: docs/spec/production-differences.md L16.
  public static let compositesMax = 1_000
  public static let compositesWithoutBillingMax = 200
  /// Field overrides of a database. Told by `docsh indexes check`. Source: docs/spec/production-differences.md L16.
  public static let overridesMax = 200
  /// Fields of one composite. Source: docs/spec/production-differences.md L16.
  public static let fieldsMax = 100
}
