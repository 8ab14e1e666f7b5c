/// Commands to GitHub's runner, which shows them beside the lines of a pull request.

internal import Rules

package enum WorkflowCommand {
  /// One line: `::error file=a.rules,line=3::text`.
  ///
  /// Source: the workflow commands of GitHub Actions: `%`, CR and LF are escaped, in properties `:` and `,` too.
  package static func line(
    _ name: String, _ properties: [(name: String, value: String)], _ text: String
  ) -> String {
    let list = properties.map { "\($0.name)=\(escaped($0.value, isProperty: true))" }
    return "::\(name) \(list.joined(separator: ","))::\(escaped(text, isProperty: false))"
  }

  private static func escaped(_ text: String, isProperty: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": result += "%25"
      case "\r": result += "%0D"
      case "\n": result += "%0A"
      case ":" where isProperty: result += "%3A"
      case "," where isProperty: result += "%2C"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
