/// The texts in which queries are refused, each in one place.
///
/// Source: docs/spec/protocol.md 5.1 to 5.7 and docs/spec/production-differences.md L12, L13, Q3, Q6, Q15; texts
/// without a row there were asked of the official emulator (1.19.9), which gives production's. All are
/// `INVALID_ARGUMENT`.

public import DocModel

/// What is wrong with a query.
public enum QueryComplaint {
  public static let valueUnset = Complaint("Cannot convert firestore.v1.Value with type unset.")

  // MARK: where

  static let manySelectors = Complaint("StructuredQuery.from cannot have more than one collection selector.")
  static let negativeLimit = Complaint("limit is negative")
  static let negativeOffset = Complaint("offset is negative")
  static let groupBelowDocument = Complaint("collection group queries are only allowed at the root parent")
  static let kindlessOrder = Complaint("kind is required for all orders except __key__ ascending")

  static func kindlessFilter(_ path: FieldPath) -> Complaint {
    Complaint("kind is required for filter: \(path.text)")
  }

  // MARK: filters

  /// Ours: the service's parser refuses such a message before it is a query.
  static let filterTooDeep = Complaint("filters are nested too deeply")
  static let filterUnset = Complaint("Unknown Filter type.")
  static let compositeOperatorUnset = Complaint("Unsupported CompositeFilter operator.")
  static let fieldOperatorUnset = Complaint("Unknown FieldFilter operator.")
  static let unaryOperatorUnset = Complaint("Unknown UnaryFilter operator.")
  static let nameReserved = Complaint("the name __key__ is reserved")
  static let typeReserved = Complaint("the name __type__ is reserved")
  static let keyMember = Complaint("Invalid property path member name \"__key__\".")
  static let pathTooLong = Complaint("property path is longer than \(Limits.fieldNameBytesMax) bytes.")
  static let nameOperand = Complaint("__key__ filter value must be a Key")
  static let manyNegations = Complaint(
    "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.")
  static let notInWithDisjunction = Complaint(
    "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.")
  static let manyArrayContains = Complaint(
    "A maximum of 1 'ARRAY_CONTAINS' filter is allowed per disjunction.")

  static let keyBesideInequalities = Complaint(
    "Equality on key is not allowed if there are other inequality fields and key does not appear in inequalities."
  )

  static func addedBehindName(_ fields: Set<FieldPath>) -> Complaint {
    let names = fields.map { $0.segments.joined(separator: ".") }.sorted { $0.precedesInBytes($1) }
    return Complaint(
      "This query requires an index that has fields [\(names.joined(separator: ", "))] after __name__ and Firestore "
        + "does not currently support such an index. Please try the query again with additional ordering on those fields."
    )
  }

  static func reservedName(in path: FieldPath) -> Complaint {
    let text = path.segments.map { segment in
      // A reserved name is quoted although its bytes would not need it.
      ResourceNameParser.isReserved(Array(segment.utf8))
        ? "`\(segment)`" : FieldPath.field(segment)?.text ?? segment
    }
    return Complaint("invalid reserved name in field path \(text.joined(separator: "."))")
  }

  static func listExpected(_ comparison: StructuredQuery.FieldOperator) -> Complaint {
    Complaint("'\(comparison.name)' requires an ArrayValue.")
  }

  static func listEmpty(_ comparison: StructuredQuery.FieldOperator) -> Complaint {
    Complaint("'\(comparison.name)' requires an non-empty ArrayValue.")
  }

  static func listTooLong(_ comparison: StructuredQuery.FieldOperator, max: Int) -> Complaint {
    Complaint("'\(comparison.name)' supports up to \(max) comparison values.")
  }

  /// Assumed: the text after the colon; only its beginning is recorded of production.
  static func otherDatabase(_ other: DatabaseID, than own: DatabaseID) -> Complaint {
    Complaint("mismatched databases within request: \(own.resourceName) vs. \(other.resourceName)")
  }

  static func operandTooLarge(_ path: FieldPath, isElement: Bool) -> Complaint {
    Complaint("value for \(path.text)\(isElement ? "[*]" : "") is too large to be used in a query")
  }

  /// Nil for a filter whose disjunctive form has no more disjuncts than are allowed.
  static func disjuncts(of filter: QueryFilter?) -> Complaint? {
    let count = QueryDisjunct.count(of: filter)
    if count <= QueryLimits.disjunctionsMax { return nil }
    return Complaint(
      "Too many disjunctions after normalization. Result had \(count) disjunctions which is more than the "
        + "maximum of \(QueryLimits.disjunctionsMax)")
  }

  static func manyInequalityFields(_ paths: [FieldPath]) -> Complaint {
    let names = paths.map { $0.isDocumentName ? "__key__" : $0.text }.joined(separator: ", ")
    return Complaint(
      "The query contains \(paths.count) distinct inequality fields: [\(names)]. A query may not have more "
        + "than \(QueryLimits.inequalityFieldsMax) distinct inequality fields.")
  }

  static func tooComplex(filters: Int, orders: Int, hasParent: Bool) -> Complaint {
    Complaint(
      "The query may not have more than \(QueryLimits.componentsMax) filters + sort orders + ancestor total. "
        + "Currently there are \(filters) filters, \(orders) sort orders, and "
        + (hasParent ? "one ancestor filter." : "no ancestor filter."))
  }

  // MARK: orders and cursors

  static let orderAfterName = Complaint("order by clause cannot contain more fields after the key")
  static let longCursor = Complaint("Cursor has too many values.")
  static let cursorName = Complaint("Cursor __key__ value is not a document reference.")
  static let cursorDatabase = Complaint("the cursor key is in a different partition than the query")

  static func duplicateOrder(_ path: FieldPath) -> Complaint {
    Complaint("order by clause cannot contain duplicate fields \(path.text)")
  }

  // MARK: lists

  static let negativePageSize = Complaint("Page size must be nonnegative.")
  static let missingWithoutCollection = Complaint("collection id must be set when show_missing is true")
  static let missingWithOrder = Complaint("cannot specify an order when show_missing is true")
  /// Text that was never a token.
  static let pageToken = Complaint("invalid page token")
  /// A token of another collection, order, mask or show_missing.
  static let foreignPageToken = Complaint("Invalid page token.")

  static func orderText(_ text: String) -> Complaint { Complaint("Invalid order by clause \"\(text)\".") }
}
