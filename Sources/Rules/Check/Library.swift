/// What the library offers, as far as the checker needs it: names, argument counts and types.
///
/// Source: names and counts asked of the official compiler one by one; types from its warnings where
/// observed, otherwise from the reference, and `any` where neither says.
package enum Library {
  /// A function or method.
  package struct Signature {
    /// Types of the receiver; `any` for functions.
    package let receiver: StaticType
    package let parameters: [StaticType]
    package let result: StaticType
    /// The types of each parameter, where the official compiler lists them in an order of their own.
    let listed: String?

    init(
      on receiver: StaticType = .any, _ parameters: [StaticType] = [], _ result: StaticType,
      listed: String? = nil
    ) {
      self.receiver = receiver
      self.parameters = parameters
      self.result = result
      self.listed = listed
    }
  }

  package static let namespaces: Set<String> = ["math", "timestamp", "duration", "latlng", "hashing"]

  /// Of the package `firestore`, which rules of files have.
  static let documentsFunctions: [String: Signature] = [
    "get": Signature([.path], .any), "exists": Signature([.path], .bool),
  ]

  static let globals: Set<String> = ["request", "resource"]

  package static let functions: [String: Signature] = [
    "get": Signature([.path], .any), "getAfter": Signature([.path], .any),
    "exists": Signature([.path], .any), "existsAfter": Signature([.path], .any),
    "int": Signature([[.int, .float, .string]], .int),
    "float": Signature([[.int, .float, .string]], .float),
    "string": Signature(
      [.printable], .string, listed: "[int, float, null, string, bool, path]"),
    "path": Signature([.string], .path),
    "debug": Signature([.any], .any),
    "vector": Signature([.list], .vector),
  ]

  /// By `namespace.name`.
  package static let namespaceFunctions: [String: Signature] = [
    "math.abs": Signature([.number], .number), "math.ceil": floats(1, .float),
    "math.floor": floats(1, .float), "math.round": floats(1, .int), "math.isNaN": floats(1, .bool),
    "math.pow": floats(2, .float), "math.sqrt": floats(1, .float),
    "timestamp.date": Signature([.int, .int, .int], .timestamp),
    "timestamp.value": Signature([[.int, .string]], .timestamp),
    "duration.abs": Signature([.duration], .duration),
    "duration.time": Signature([.int, .int, .int, .int], .duration),
    "duration.value": Signature([.int, .string], .duration),
    "latlng.value": floats(2, .latlng),
    "hashing.crc32": hash, "hashing.crc32c": hash, "hashing.md5": hash, "hashing.sha256": hash,
  ]

  private static func floats(_ count: Int, _ result: StaticType) -> Signature {
    Signature(Array(repeating: .number, count: count), result, listed: "[float, int]")
  }

  private static let hash = Signature([[.string, .bytes]], .bytes, listed: "[bytes, string]")

  package static let methods: [String: Signature] = [
    "size": Signature(on: .sized, [], .int),
    "lower": Signature(on: .string, [], .string), "upper": Signature(on: .string, [], .string),
    "trim": Signature(on: .string, [], .string), "matches": Signature(on: .string, [.string], .bool),
    "replace": Signature(on: .string, [.string, .string], .string),
    "split": Signature(on: .string, [.string], .list), "toUtf8": Signature(on: .string, [], .bytes),
    "hasAll": Signature(on: .collection, [.collection], .bool),
    "hasAny": Signature(on: .collection, [.collection], .bool),
    "hasOnly": Signature(on: .collection, [.collection], .bool),
    "concat": Signature(on: .list, [.list], .list), "join": Signature(on: .list, [.string], .string),
    "removeAll": Signature(on: .list, [.list], .list), "toSet": Signature(on: .list, [], .set),
    "difference": Signature(on: .set, [.set], .set), "intersection": Signature(on: .set, [.set], .set),
    "union": Signature(on: .set, [.set], .set),
    "keys": Signature(on: .map, [], .list), "values": Signature(on: .map, [], .list),
    "get": Signature(on: .map, [[.string, .list], .any], .any), "diff": Signature(on: .map, [.map], .mapDiff),
    "addedKeys": Signature(on: .mapDiff, [], .set), "removedKeys": Signature(on: .mapDiff, [], .set),
    "changedKeys": Signature(on: .mapDiff, [], .set), "unchangedKeys": Signature(on: .mapDiff, [], .set),
    "affectedKeys": Signature(on: .mapDiff, [], .set),
    "date": Signature(on: .timestamp, [], .timestamp), "time": Signature(on: .timestamp, [], .duration),
    "year": Signature(on: .timestamp, [], .int), "month": Signature(on: .timestamp, [], .int),
    "day": Signature(on: .timestamp, [], .int), "hours": Signature(on: .timestamp, [], .int),
    "minutes": Signature(on: .timestamp, [], .int),
    "seconds": Signature(on: [.timestamp, .duration], [], .int),
    "nanos": Signature(on: [.timestamp, .duration], [], .int),
    "dayOfWeek": Signature(on: .timestamp, [], .int),
    "dayOfYear": Signature(on: .timestamp, [], .int), "toMillis": Signature(on: .timestamp, [], .int),
    "latitude": Signature(on: .latlng, [], .float), "longitude": Signature(on: .latlng, [], .float),
    "distance": Signature(on: .latlng, [.latlng], .float),
    "toBase64": Signature(on: .bytes, [], .string), "toHexString": Signature(on: .bytes, [], .string),
    "bind": Signature(on: .path, [.map], .path),
  ]

  /// Methods whose first argument is a pattern that the official compiler tries when it is a literal.
  static let patternMethods: Set<String> = ["matches", "split"]

  /// What to write instead of names from other languages.
  static let foreignMethods: [String: String] = [
    "includes": "write `value in list`", "contains": "write `value in list`, or `text.matches('.*part.*')`",
    "containsKey": "write `'key' in map`", "hasOwnProperty": "write `'key' in map`",
    "has": "write `'key' in map`",
    "indexOf": "write `value in list`, or `text.matches('.*part.*')`",
    "startsWith": "write `text.matches('^start.*')`", "endsWith": "write `text.matches('.*end$')`",
    "length": "write `.size()`", "count": "write `.size()`", "isEmpty": "write `.size() == 0`",
    "toLowerCase": "write `.lower()`", "toUpperCase": "write `.upper()`", "lowercase": "write `.lower()`",
    "toString": "write `string(value)`", "toInt": "write `int(value)`", "equals": "write `==`",
    "isString": "write `value is string`", "isNumber": "write `value is number`",
    "isBool": "write `value is bool`",
    "isInt": "write `value is int`", "isList": "write `value is list`", "isMap": "write `value is map`",
    "substring": "write `text[from:to]`", "slice": "write `value[from:to]`", "charAt": "write `text[index]`",
    "abs": "write `math.abs(value)`",
    "exists": "write `'field' in map`, or `exists(/databases/…)` for documents",
    "map": "the language has no loops", "filter": "the language has no loops",
    "any": "the language has no loops",
    "all": "the language has no loops", "every": "the language has no loops",
    "some": "the language has no loops",
    "forEach": "the language has no loops", "find": "the language has no loops",
    "reduce": "the language has no loops",
    "getTime": "write `.toMillis()`", "now": "write `request.time`",
    "test": "write `text.matches('pattern')`",
    "match": "write `text.matches('pattern')`", "push": "values never change",
  ]

  static let foreignFunctions: [String: String] = [
    "math.max": "write `a > b ? a : b`", "math.min": "write `a < b ? a : b`",
    "timestamp.now": "write `request.time`",
    "math.isInfinite": "compare with a number", "math.trunc": "write `int(value)`",
    "timestamp.time": "write `timestamp.value(milliseconds)`",
    "date": "write `timestamp.date(year, month, day)`",
    "Date": "write `request.time`, or `timestamp.date(year, month, day)`",
    "exist": "write `exists`",
    "isSignedIn": "declare it: `function isSignedIn() { return request.auth != null; }`",
    "bool": "there is no `bool()`; compare instead", "len": "write `value.size()`",
    "size": "write `value.size()`",
    "length": "write `value.size()`", "abs": "write `math.abs(value)`", "now": "write `request.time`",
    "Boolean": "compare instead", "parseInt": "write `int(value)`", "str": "write `string(value)`",
    "getData": "write `get(path).data`", "isNaN": "write `math.isNaN(value)`",
  ]

  static let foreignVariables: [String: String] = [
    "auth": "request.auth", "now": "request.time", "uid": "request.auth.uid", "user": "request.auth",
    "userId": "request.auth.uid", "data": "resource.data", "newData": "request.resource.data",
    "undefined": "null", "nil": "null", "None": "null", "True": "true", "False": "false", "TRUE": "true",
    "FALSE": "false",
  ]
}
