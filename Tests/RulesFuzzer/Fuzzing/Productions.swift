/// The grammar: which texts make which kind of value.
///
/// A template's holes are a percent sign and a letter: one of `Kind`, or
/// `n` a number, `R` a pattern, `K` a key, `D` a document's path, `w` a field's name, `T` a type's name,
/// `U` a unit of time, `Z` a timestamp's text, `G` a replacement, `L` elements, `M` entries, `C` a comparison,
/// `E` an equality.

/// One way to make a value of a kind.
struct Production: Sendable {
  let kind: Kind
  let weight: Int
  let template: String
  let isOperator: Bool

  init(_ kind: Kind, _ weight: Int, _ template: String, isOperator: Bool = false) {
    self.kind = kind
    self.weight = weight
    self.template = template
    self.isOperator = isOperator
  }
}

enum Productions {
  /// By kind, with the sum of the weights.
  static let table: [Kind: (productions: [Production], weight: Int)] = {
    var table: [Kind: (productions: [Production], weight: Int)] = [:]
    let all = logic + comparisons + tests + numbers + texts + times + places + collections + unknowns
    for production in all {
      table[production.kind, default: ([], 0)].productions.append(production)
      table[production.kind, default: ([], 0)].weight += production.weight
    }
    return table
  }()

  private static func infix(_ kind: Kind, _ weight: Int, _ templates: String...) -> [Production] {
    templates.map { Production(kind, weight, $0, isOperator: true) }
  }

  private static func calls(_ kind: Kind, _ weight: Int, _ templates: String...) -> [Production] {
    templates.map { Production(kind, weight, $0) }
  }

  private static let logic =
    infix(.bool, 14, "%b && %b", "%b || %b") + infix(.bool, 6, "!%b", "%b ? %b : %b")
    + infix(.int, 1, "%b ? %i : %i") + infix(.string, 1, "%b ? %s : %s") + infix(.any, 2, "%b ? %a : %a")
    + infix(.list, 1, "%b ? %l : %l") + infix(.map, 1, "%b ? %m : %m") + calls(.bool, 1, "debug(%b)")

  private static let comparisons =
    infix(
      .bool, 3, "%n %C %n", "%n %E %n", "%s %C %s", "%s %E %s", "%a %E %a", "%l %E %l", "%m %E %m",
      "%i %E %i")
    + infix(
      .bool, 1, "%y %C %y", "%t %C %t", "%u %C %u", "%a %C %a", "%e %E %e", "%p %E %p", "%t %E %t",
      "%u %E %u",
      "%g %E %g", "%f %E %f", "%y %E %y", "%a %E null", "%a == %a == %b", "%n %C %n %E %b", "%d %E %i")

  private static let tests =
    infix(.bool, 2, "%a in %l", "%a in %e", "%s in %m", "%K in %m", "%a in [%L]", "%a is %T")
    + infix(
      .bool, 1, "%a in %a", "%s in %s", "%K in resource.data", "%K in request.resource.data", "%K in %f")
    + calls(.bool, 3, "%s.matches(%R)")
    + calls(
      .bool, 2, "%l.hasAll(%l)", "%l.hasAny(%l)", "%l.hasOnly(%l)", "%e.hasAll(%l)", "%e.hasAny(%e)",
      "%e.hasOnly(%l)", "%e.hasOnly(%e)", "%e.hasAll(%e)", "%e.hasAny(%l)")
    + calls(
      .bool, 1, "math.isNaN(%n)", "exists(%D)", "existsAfter(%D)", "exists(%a)", "%m.keys().hasAll([%L])",
      "%f.affectedKeys().hasOnly([%L])", "%m.keys().hasOnly([%L])", "%m.hasAll([%L])", "%a.hasAny(%a)",
      "math.isInfinite(%n)", "bool(%a)", "%a.nosuch()", "nosuch(%a)", "%s.startsWith(%s)", "nosuch",
      "%l.exists(%a, %a)")

  private static let numbers =
    infix(.int, 3, "%i + %i", "%i - %i", "%i * %i", "%i / %i", "%i % %i")
    + infix(.int, 1, "-%i", "%n + %n", "%n % %n", "%a + %a", "%a * %a", "%i - %i - %i", "%i * %i + %i")
    + calls(.int, 2, "%s.size()", "%l.size()", "%m.size()", "int(%s)", "int(%d)", "%l[%i]", "math.abs(%i)")
    + calls(
      .int, 1, "%e.size()", "%y.size()", "%a.size()", "math.round(%n)", "int(%a)", "int(%i)", "%t.year()",
      "%t.month()", "%t.day()", "%t.hours()", "%t.minutes()", "%t.seconds()", "%t.nanos()", "%t.dayOfWeek()",
      "%t.dayOfYear()", "%t.toMillis()", "%u.seconds()", "%u.nanos()", "math.abs(%n, %n)", "%m.get(%K, %i)",
      "%s.size(%a)", "%l.length", "%p.size()", "int()", "int(%b)", "int(%y)", "int(%t)", "int(%l)",
      "int(null)")
    + infix(.float, 3, "%d + %n", "%n * %d", "%d / %n", "%n - %d", "%d % %n")
    + infix(.float, 1, "-%d", "%b ? %d : %n")
    + calls(
      .float, 2, "math.ceil(%n)", "math.floor(%n)", "math.sqrt(%n)", "math.pow(%n, %n)", "math.abs(%d)",
      "float(%s)", "float(%i)")
    + calls(
      .float, 1, "float(%a)", "%g.latitude()", "%g.longitude()", "%g.distance(%g)", "math.abs(%a)",
      "math.ceil(%a)", "math.pow(%a, %a)", "%g.latitude", "math.sqrt()", "float(%b)", "float(%y)", "float(%m)"
    )

  private static let texts =
    infix(.string, 5, "%s + %s") + infix(.string, 1, "%s + %a")
    + calls(
      .string, 3, "%s.lower()", "%s.upper()", "%s.trim()", "%s.replace(%R, %s)", "%s[%i]", "%s[%i:%i]",
      "string(%n)", "string(%a)", "%l.join(%s)")
    + calls(
      .string, 1, "%y.toBase64()", "%y.toHexString()", "%p[%i]", "string(%p)", "string(%b)", "%m.get(%K, %s)",
      "%s.replace(%s, %s)", "request.auth.token[%K]", "get(%D).id", "request.path[%i]", "%s.concat(%s)",
      "%s.toLowerCase()", "debug(%s)", "string(%a, %a)", "%m[%K]", "%s.split(%R)[%i]", "%s[%i:]", "%s[:%i]",
      "%s[%a:%a]", "string(%t)", "string(%u)", "string(%y)", "string(%l)", "string(%m)", "string(%e)",
      "string(%g)",
      "string(%f)", "string(vector(%l))")
    + calls(.string, 2, "%s.replace(%R, %G)", "'abab'.replace('(a)(?P<n>b)?', %G)")
    + calls(
      .bytes, 2, "%s.toUtf8()", "hashing.md5(%s)", "hashing.sha256(%y)", "hashing.crc32(%s)",
      "hashing.crc32c(%y)")
    + calls(
      .bytes, 1, "%y[%i:%i]", "hashing.md5(%a)", "hashing.sha256(%s)", "hashing.crc32(%y)", "hashing.sha1(%s)"
    )

  private static let times =
    infix(.timestamp, 3, "%t + %u", "%t - %u", "%u + %t")
    + calls(
      .timestamp, 2, "timestamp.date(2024, %i, 29)", "timestamp.date(%i, %i, %i)", "timestamp.value(%i)",
      "%t.date()", "timestamp.date(2023, 12, %i)")
    + calls(.timestamp, 4, "timestamp.value(%Z)")
    + calls(.timestamp, 1, "timestamp.value(%s)", "timestamp.value(%a)", "timestamp.date(%i, %i)")
    + infix(.duration, 3, "%t - %t", "%u + %u", "%u - %u")
    + infix(.duration, 1, "-%u", "%u * %i")
    + calls(
      .duration, 2, "duration.value(%i, %U)", "duration.time(%i, %i, %i, %i)", "duration.abs(%u)", "%t.time()"
    )
    + calls(.duration, 1, "duration.value(%a, %s)", "duration.abs(%a)")

  private static let places =
    calls(.latlng, 2, "latlng.value(%n, %n)", "latlng.value(%d, %d)")
    + calls(
      .path, 2, "path(%s)", "/a/$(%s)", "/a/b/$(%a)", "%p.bind(%m)", "/a/{x}/$(%s)", "/$(%p)/x", "%D",
      "/{x}/{y}.bind({'x': %s, 'y': %s})")
    + calls(
      .path, 1, "path(%a)", "path(%p)", "path(%i)", "%p[%i:%i]", "%p[%i:]", "%p[%a:%i]", "/a/$(%i)",
      "path('a/{x}/b').bind(%m)", "path(%s + '/' + %s)", "get(%D).__name__")

  private static let collections =
    calls(.list, 4, "[%L]", "%l.concat(%l)", "%l.removeAll(%l)")
    + calls(
      .list, 2, "%l[%i:%i]", "%m.keys()", "%m.values()", "%s.split(%R)", "%m.get(%K, %l)", "%l.concat([%L])",
      "%l.removeAll([%L])")
    + calls(
      .list, 1, "%s.split(%s)", "%l[%a:%a]", "%l[:%i]", "%l[%i:]", "%e.toSet()", "%l.concat(%a)", "debug(%l)",
      "%l + %l", "%l.removeAll(%e)")
    + calls(
      .set, 3, "%l.toSet()", "[%L].toSet()", "%e.union(%e)", "%e.intersection(%e)", "%e.difference(%e)",
      "%f.addedKeys()", "%f.removedKeys()", "%f.changedKeys()", "%f.unchangedKeys()", "%f.affectedKeys()")
    + calls(.set, 1, "%e.union(%l)", "%e.difference(%a)", "%l.union(%l)")
    + calls(.map, 5, "{%M}") + calls(.map, 2, "%m.get(%K, %m)", "get(%D).data", "%m.get([%L], %m)")
    + calls(.map, 1, "%m[%K]", "%m.%w", "getAfter(%D).data", "debug(%m)", "get(%D)")
    + calls(.mapDiff, 4, "%m.diff(%m)", "{%M}.diff({%M})")
    + calls(.mapDiff, 1, "%m.diff(%a)", "request.resource.data.diff(resource.data)", "resource.data.diff(%m)")

  private static let unknowns =
    calls(.any, 4, "%b", "%i", "%d", "%s", "%l", "%m")
    + calls(.any, 2, "%y", "%t", "%u", "%g", "%p", "%e", "%f")
    + calls(
      .any, 2, "%m[%K]", "%m.%w", "%l[%i]", "%m.get(%K, %a)", "%m.get([%L], %a)", "resource.%w", "%a.%w",
      "%p[%K]", "%p.%w")
    + calls(
      .any, 1, "vector(%l)", "vector(%a)", "debug(%a)", "get(%D)", "getAfter(%D)", "get(%D).data[%K]",
      "%a[%a]",
      "%a[%a:%a]",
      "%f.size()", "%a.keys()", "%a.values()", "%a.get(%a)", "request.%w", "math", "get", "-%a", "!%a",
      "%m.get(%a, %a)")
    + infix(.any, 1, "%a + %a", "%a - %a", "%a / %a", "%a % %a")
    + calls(.null, 1, "null")
}
