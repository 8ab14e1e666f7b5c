/// Values of a file, compiled: what does not depend on names or draws is computed once.

internal import DocModel
public import YAML

/// One value of a file, ready to be evaluated any number of times.
public struct Form: Sendable {
  indirect enum Content: Sendable {
    case constant(TypedValue)
    /// A text with names in it.
    case text(Interpolation)
    case list([Form])
    case map([MapEntry])
    case like(Like)
    case from(From)
    case call(Call)
  }

  let content: Content
  /// Where the value stands in the file.
  public let mark: YAMLMark

  var constant: TypedValue? {
    guard case .constant(let value) = content else { return nil }
    return value
  }

  struct MapEntry: Sendable {
    let key: KeyText
    let mark: YAMLMark
    let value: Form
  }

  /// A map's key: literal, or with names in it.
  enum KeyText: Sendable {
    case fixed(String)
    case dynamic(Interpolation)
  }

  /// A key that is a field path.
  enum PathText: Sendable {
    case fixed(FieldPath)
    case dynamic(Form)
  }

  /// `{$like: NAME, PATH: VALUE, ...}`
  struct Like: Sendable {
    let template: Form
    let changes: Changes
  }

  /// `{$from: PATH, ...}`
  struct From: Sendable {
    let path: Form
    /// How many segments the path has in the file; names may not add any.
    let segmentCount: Int
    let selection: Selection
    let changes: Changes

    enum Selection: Sendable {
      case whole
      case picked([PathText], [YAMLMark])
      case field(PathText, YAMLMark)
    }
  }

  /// A function of the values of its arguments.
  struct Call: Sendable {
    let function: Function
    let arguments: [Argument]
    /// Whether the one argument is a list that stands for all of them.
    let isSpread: Bool
  }

  struct Argument: Sendable {
    /// The step from the form to the argument, for the place of draws; empty when there is only one.
    let label: String
    let form: Form
  }
}

/// Field paths and the values that replace what stands there.
public struct Changes: Sendable {
  struct Change: Sendable {
    let path: Form.PathText
    let mark: YAMLMark
    let value: Form
  }

  let changes: [Change]

  var isEmpty: Bool { changes.isEmpty }
}

/// The forms that compute a value from arguments.
enum Function: String, CaseIterable, Sendable {
  case time, geo, ref, bytes, vector, int, double, size, ids
  case repeated = "repeat"
  case add, subtract, join, concat
  case inc, max, min, union, remove
  case pick, weighted, someOf, boolean, timeBetween, geoNear, name, words
  case email, uuid, url, phone
  case drawnInt, drawnDouble, weightedMap

  /// Whether the value depends on the place.
  var draws: Bool {
    switch self {
    case .pick, .weighted, .weightedMap, .someOf, .boolean, .timeBetween, .geoNear, .name, .words, .email,
      .uuid, .url, .phone, .drawnInt, .drawnDouble:
      true
    case .time, .geo, .ref, .bytes, .vector, .int, .double, .size, .ids, .repeated, .add, .subtract, .join,
      .concat, .inc, .max, .min, .union, .remove:
      false
    }
  }

  /// Whether it is a transform, which only commits can apply.
  var isTransform: Bool {
    switch self {
    case .inc, .max, .min, .union, .remove: true
    case .time, .geo, .ref, .bytes, .vector, .int, .double, .size, .ids, .repeated, .add, .subtract, .join,
      .concat, .pick, .weighted, .weightedMap, .someOf, .boolean, .timeBetween, .geoNear, .name, .words,
      .email, .uuid, .url, .phone, .drawnInt, .drawnDouble:
      false
    }
  }

  /// The key that writes it.
  var formName: String {
    switch self {
    case .drawnInt: "$int"
    case .drawnDouble: "$double"
    case .weightedMap: "$weighted"
    case .time, .geo, .ref, .bytes, .vector, .int, .double, .size, .ids, .repeated, .add, .subtract, .join,
      .concat, .inc, .max, .min, .union, .remove, .pick, .weighted, .someOf, .boolean, .timeBetween, .geoNear,
      .name, .words, .email, .uuid, .url, .phone:
      "$" + rawValue
    }
  }

  /// The function that `$name` writes, before its argument is looked at.
  init?(formName: String) {
    guard formName.hasPrefix("$"), let function = Function(rawValue: String(formName.dropFirst())) else {
      return nil
    }
    switch function {
    case .drawnInt, .drawnDouble, .weightedMap: return nil
    default: self = function
    }
  }
}

/// Which forms a kind of file has.
public struct FormVocabulary: Sendable {
  /// `$pick` and the other forms whose value depends on a seed.
  public let hasDraws: Bool
  /// `$inc`, `$max`, `$min`, `$union`, `$remove`.
  public let hasTransforms: Bool

  public init(hasDraws: Bool, hasTransforms: Bool) {
    self.hasDraws = hasDraws
    self.hasTransforms = hasTransforms
  }

  /// Seeds write documents as a whole.
  public static let seeds = FormVocabulary(hasDraws: true, hasTransforms: false)
  /// Requests of suites may transform; nothing in a suite is random.
  public static let suites = FormVocabulary(hasDraws: false, hasTransforms: true)

  func has(_ function: Function) -> Bool {
    (hasDraws || !function.draws) && (hasTransforms || !function.isTransform)
  }

  /// All form keys, for suggestions.
  var formNames: [String] {
    var names = ["$like", "$from", "$serverTime", "$absent"]
    for function in Function.allCases where has(function) && Function(formName: function.formName) == function
    {
      names.append(function.formName)
    }
    if hasDraws { names.append("$weighted") }
    return names
  }
}
