/// A query as a client asks it: nothing checked, nothing implied.
///
/// Field paths are the texts that were sent and operands may be complaints, because the order in which
/// faults are reported is part of the protocol: only `QueryValidator` decides which of several is
/// answered. Wire fills this from `google.firestore.v1.StructuredQuery`; seeds and tests use the
/// convenience initialisers.

public import DocModel

/// The unchecked model of one query below one parent.
public struct StructuredQuery: Sendable {
  public var database: DatabaseID
  /// The root or a document; the collections looked at lie below it.
  public var parent: ResourcePath
  /// None means every collection directly under `parent`.
  public var from: [CollectionSelector]
  public var filter: Filter?
  public var orders: [Order]
  public var start: Cursor?
  public var end: Cursor?
  public var offset: Int
  public var limit: Int?
  /// Texts of field paths; nil for whole documents, empty for none of their fields.
  public var projection: [String]?
  /// A vector search over what the rest of the query matches.
  public var nearest: Nearest?

  public init(
    database: DatabaseID, parent: ResourcePath = .root, from: [CollectionSelector],
    where filter: Filter? = nil,
    orderBy orders: [Order] = [], start: Cursor? = nil, end: Cursor? = nil, offset: Int = 0,
    limit: Int? = nil,
    select projection: [String]? = nil, nearest: Nearest? = nil
  ) {
    self.database = database
    self.parent = parent
    self.from = from
    self.filter = filter
    self.orders = orders
    self.start = start
    self.end = end
    self.offset = offset
    self.limit = limit
    self.projection = projection
    self.nearest = nearest
  }

  /// Every document of one collection, to be narrowed by setting the other properties.
  public init(database: DatabaseID, collection: ResourcePath) {
    self.init(
      database: database, parent: collection.parent, from: [CollectionSelector(collection.lastSegment)])
  }

  /// Which collections below the parent.
  public struct CollectionSelector: Sendable {
    /// Empty for collections of every name ("kindless").
    public var collectionID: String
    /// Whether collections at any depth count, not only those directly under the parent.
    public var includesDescendants: Bool

    public init(_ collectionID: String, includesDescendants: Bool = false) {
      self.collectionID = collectionID
      self.includesDescendants = includesDescendants
    }
  }

  public enum Direction: Sendable, Hashable {
    case ascending, descending

    public var reversed: Direction { self == .ascending ? .descending : .ascending }
  }

  public struct Order: Sendable {
    public var path: String
    public var direction: Direction

    public init(_ path: String, _ direction: Direction = .ascending) {
      self.path = path
      self.direction = direction
    }
  }

  /// A position in the result: values for a prefix of the explicit orders.
  public struct Cursor: Sendable {
    public var values: [Operand]
    /// Just before the position rather than just after it.
    public var isBefore: Bool

    public init(_ values: [Operand], isBefore: Bool) {
      self.values = values
      self.isBefore = isBefore
    }

    public init(_ values: [Value], isBefore: Bool) {
      self.init(values.map { Operand($0) }, isBefore: isBefore)
    }
  }

  /// A value to compare with: canonical bytes of one `Value` message, or why there are none.
  public enum Operand: Sendable {
    case value([UInt8])
    case refused(InvalidArgument)

    /// Canonicalises what came over the wire; a fault is kept until its turn in the validation.
    /// `fieldPath` is what messages call the value.
    public init(wire message: UnsafeRawBufferPointer, fieldPath: String) {
      do throws(InvalidArgument) {
        self = .value(try Canonicalizer.value(message, named: fieldPath, for: .comparison))
      } catch {
        self = .refused(error)
      }
    }

    /// The same for a list of values to try, each of which may be an array itself.
    public init(wireList message: UnsafeRawBufferPointer, fieldPath: String) {
      do throws(InvalidArgument) {
        self = .value(try Canonicalizer.listOfValues(message, named: fieldPath))
      } catch {
        self = .refused(error)
      }
    }

    public init(_ value: Value) { self = .value(value.encoded) }

    /// What a request without the operand holds.
    public static var unset: Operand { .refused(QueryErrors.valueUnset) }
  }

  public indirect enum Filter: Sendable {
    case composite(CompositeOperator?, [Filter])
    case field(path: String, FieldOperator?, Operand)
    /// `path` is nil when the operand is not a field.
    case unary(path: String?, UnaryOperator?)
    /// A filter message without any of the three.
    case unset

    /// Fields must be in `operator` relation to an owned value.
    public static func field(_ path: String, _ comparison: FieldOperator, _ value: Value) -> Filter {
      .field(path: path, comparison, Operand(value))
    }

    public static func unary(_ path: String, _ test: UnaryOperator) -> Filter { .unary(path: path, test) }
    public static func all(_ filters: [Filter]) -> Filter { .composite(.and, filters) }
    public static func any(_ filters: [Filter]) -> Filter { .composite(.or, filters) }
  }

  /// Source: proto google/firestore/v1/query.proto, CompositeFilter.Operator.
  public enum CompositeOperator: Int, Sendable {
    case and = 1
    case or = 2
  }

  /// Source: proto google/firestore/v1/query.proto, FieldFilter.Operator.
  public enum FieldOperator: Int, Sendable, CaseIterable {
    case lessThan = 1
    case lessThanOrEqual = 2
    case greaterThan = 3
    case greaterThanOrEqual = 4
    case equal = 5
    case notEqual = 6
    case arrayContains = 7
    case `in` = 8
    case arrayContainsAny = 9
    case notIn = 10

    /// The proto's name, which messages quote.
    public var name: String {
      switch self {
      case .lessThan: "LESS_THAN"
      case .lessThanOrEqual: "LESS_THAN_OR_EQUAL"
      case .greaterThan: "GREATER_THAN"
      case .greaterThanOrEqual: "GREATER_THAN_OR_EQUAL"
      case .equal: "EQUAL"
      case .notEqual: "NOT_EQUAL"
      case .arrayContains: "ARRAY_CONTAINS"
      case .in: "IN"
      case .arrayContainsAny: "ARRAY_CONTAINS_ANY"
      case .notIn: "NOT_IN"
      }
    }

    /// Whether the operand is a list of values to try.
    public var takesList: Bool { self == .in || self == .arrayContainsAny || self == .notIn }
  }

  /// Source: proto google/firestore/v1/query.proto, UnaryFilter.Operator.
  public enum UnaryOperator: Int, Sendable, CaseIterable {
    case isNaN = 2
    case isNull = 3
    case isNotNaN = 4
    case isNotNull = 5
  }
}
