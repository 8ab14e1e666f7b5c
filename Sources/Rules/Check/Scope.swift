/// Where names are declared and looked up.
///
/// The order of lookup for a variable: parameters and `let`s of the function, captures of the
/// enclosing matches innermost first, globals. Functions have a name space of their own: enclosing
/// matches innermost first, the service, the file, then the library. A function sees the scope it is
/// declared in, not its caller's.
/// Source: observed; `function get(x)` hides the library's `get`.
final class Scope {
  /// A capture and where it is.
  struct Capture {
    let match: Int
    let segment: Int
    /// `{x=**}` binds a path, `{x}` a string.
    let isGlob: Bool
  }

  let parent: Scope?
  /// Whether the scope is in `service cloud.firestore`, which our own remarks about `request` and
  /// `resource` are for.
  let isFirestore: Bool
  var functions: [String: FunctionSyntax] = [:]
  var captures: [String: Capture] = [:]

  init(parent: Scope?, isFirestore: Bool) {
    self.parent = parent
    self.isFirestore = isFirestore
  }

  func function(named name: String) -> FunctionSyntax? { functions[name] ?? parent?.function(named: name) }

  func capture(named name: String) -> Capture? { captures[name] ?? parent?.capture(named: name) }

  /// Every function name that can be called from here, for suggestions.
  var functionNames: [String] { Array(functions.keys) + (parent?.functionNames ?? []) }

  /// Every capture that can be read from here, for suggestions.
  var captureNames: [String] { Array(captures.keys) + (parent?.captureNames ?? []) }
}

/// A piece of the ruleset with expressions in it, and the scope it sees.
struct ScopedCode {
  /// What the expressions belong to.
  enum Owner {
    case function(FunctionSyntax)
    case allow(AllowSyntax)
  }

  let owner: Owner
  let scope: Scope
}
