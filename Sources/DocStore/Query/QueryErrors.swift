/// The texts in which queries are refused, each in one place.
///
/// Source: docs/spec/protocol.md 5.1 to 5.7 and docs/spec/production-differences.md L12, L13, Q3, Q6, Q15; texts
/// without a row there were asked of the official emulator (1.19.9), which gives production's. All are
/// `INVALID_ARGUMENT`.

public import DocModel

/// What is wrong with a query.
public enum QueryErrors {
  public static let valueUnset = InvalidArgument("Cannot convert firestore.v1.Value with type unset.")

  // MARK: where

  static let manySelectors = InvalidArgument(
    "StructuredQuery.from cannot have more than one collection selector.")
  static let negativeLimit = InvalidArgument("limit is negative")
  static let negativeOffset = InvalidArgument("offset is negative")
  static let groupBelowDocument = InvalidArgument(
    "collection group queries are only allowed at the root parent")
  static let kindlessOrder = InvalidArgument("kind is required for all orders except __key__ ascending")

  static func kindlessFilter(_ path: FieldPath) -> InvalidArgument {
    InvalidArgument("kind is required for filter: \(path.text)")
  }

  // MARK: filters

  /// Ours: the service's parser refuses such a message before it is a query.
  static let filterTooDeep = InvalidArgument("filters are nested too deeply")
  static let filterUnset = InvalidArgument("Unknown Filter type.")
  static let compositeOperatorUnset = InvalidArgument("Unsupported CompositeFilter operator.")
  static let fieldOperatorUnset = InvalidArgument("Unknown FieldFilter operator.")
  static let unaryOperatorUnset = InvalidArgument("Unknown UnaryFilter operator.")
  static let nameReserved = InvalidArgument("the name __key__ is reserved")
  static let typeReserved = InvalidArgument("the name __type__ is reserved")
  static let keyMember = InvalidArgument("Invalid property path member name \"__key__\".")
  static let pathTooLong = InvalidArgument("property path is longer than \(Limits.fieldNameBytesMax) bytes.")
  static let nameOperand = InvalidArgument("__key__ filter value must be a Key")
  static let manyNegations = InvalidArgument(
    "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.")
  static let notInWithDisjunction = InvalidArgument(
    "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.")
  static let manyArrayContains = InvalidArgument(
    "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction.")

  static let keyBesideInequalities = InvalidArgument(
    "Equality on key is not allowed if there are other inequality fields and key does not appear in inequalities."
  )

  static func addedBehindName(_ fields: Set<FieldPath>) -> InvalidArgument {
    let names = fields.map { $0.segments.joined(separator: ".") }.sorted { $0.precedesInBytes($1) }
    return InvalidArgument(
      "This query requires an index that has fields [\(names.joined(separator: ", "))] after __name__ and Firestore "
        + "does not currently support such an index. Please try the query again with additional ordering on those fields."
    )
  }

  static func reservedName(in path: FieldPath) -> InvalidArgument {
    let text = path.segments.map { segment in
      // A reserved name is quoted although its bytes would not need it.
      ResourceNameParser.isReserved(segment)
        ? "`\(segment)`" : FieldPath.field(segment)?.text ?? segment
    }
    return InvalidArgument("invalid reserved name in field path \(text.joined(separator: "."))")
  }

  static func listExpected(_ comparison: StructuredQuery.FieldOperator) -> InvalidArgument {
    InvalidArgument("'\(comparison.name)' requires an ArrayValue.")
  }

  static func listEmpty(_ comparison: StructuredQuery.FieldOperator) -> InvalidArgument {
    InvalidArgument("'\(comparison.name)' requires an non-empty ArrayValue.")
  }

  static func listTooLong(_ comparison: StructuredQuery.FieldOperator, max: Int) -> InvalidArgument {
    InvalidArgument("'\(comparison.name)' supports up to \(max) comparison values.")
  }

  /// Assumed: the text after the colon; only its beginning is recorded of production.
  static func otherDatabase(_ other: DatabaseID, than own: DatabaseID) -> InvalidArgument {
    InvalidArgument("mismatched databases within request: \(own.resourceName) vs. \(other.resourceName)")
  }

  static func operandTooLarge(_ path: FieldPath, isElement: Bool) -> InvalidArgument {
    InvalidArgument("value for \(path.text)\(isElement ? "[*]" : "") is too large to be used in a query")
  }

  /// Nil for a filter whose disjunctive form has no more disjuncts than are allowed.
  static func disjuncts(of filter: QueryFilter?) -> InvalidArgument? {
    let count = QueryDisjunct.count(of: filter)
    if count <= QueryLimits.disjunctionsMax { return nil }
    return InvalidArgument(
      "Too many disjunctions after normalization. Result had \(count) disjunctions which is more than the "
        + "maximum of \(QueryLimits.disjunctionsMax)")
  }

  static func manyInequalityFields(_ paths: [FieldPath]) -> InvalidArgument {
    let names = paths.map { $0.isDocumentName ? "__key__" : $0.text }.joined(separator: ", ")
    return InvalidArgument(
      "The query contains \(paths.count) distinct inequality fields: [\(names)]. A query may not have more "
        + "than \(QueryLimits.inequalityFieldsMax) distinct inequality fields.")
  }

  static func tooComplex(filters: Int, orders: Int, hasParent: Bool) -> InvalidArgument {
    InvalidArgument(
      "The query may not have more than \(QueryLimits.componentsMax) filters + sort orders + ancestor total. "
        + "Currently there are \(filters) filters, \(orders) sort orders, and "
        + (hasParent ? "one ancestor filter." : "no ancestor filter."))
  }

  // MARK: orders and cursors

  static let orderAfterName = InvalidArgument("order by clause cannot contain more fields after the key")
  static let longCursor = InvalidArgument("Cursor has too many values.")
  static let cursorName = InvalidArgument("Cursor __key__ value is not a document reference.")
  static let cursorDatabase = InvalidArgument("the cursor key is in a different partition than the query")

  static func duplicateOrder(_ path: FieldPath) -> InvalidArgument {
    InvalidArgument("order by clause cannot contain duplicate fields \(path.text)")
  }

  // MARK: lists

  static let negativePageSize = InvalidArgument("Page size must be nonnegative.")
  static let missingWithoutCollection = InvalidArgument("collection id must be set when show_missing is true")
  static let missingWithOrder = InvalidArgument("cannot specify an order when show_missing is true")
  /// Text that was never a token.
  static let pageToken = InvalidArgument("invalid page token")
  /// A token of another collection, order, mask or show_missing.
  static let foreignPageToken = InvalidArgument("Invalid page token.")

  static func orderText(_ text: String) -> InvalidArgument {
    InvalidArgument("Invalid order by clause \"\(text)\".")
  }
}
