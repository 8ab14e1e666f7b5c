/// Properties: the same requests for every combination of values of small domains.

internal import DocModel
internal import YAML

struct PropertyReader {
  /// LIMIT: combinations of one property.
  private static let runsMax = 10_000
  /// LIMIT: elements of a `$someOf`, whose domain is every subset.
  private static let subsetElementsMax = 13

  let requests: RequestReader
  /// The row of the table around the property.
  let row: Row

  func runs(_ node: YAMLNode) throws(YAMLError) -> [TestCase.Run] {
    let map = try node.map("a property")
    try map.refuseKeys(except: ["forall", "given", "same", "runs"])
    let all = try combinations(try map.required("forall"))
    let same = try map.required("same")
    let count = try runCount(map["runs"], of: all.count)
    var runs: [TestCase.Run] = []
    // Evenly spread over the domain, first and last included.
    for index in 0..<count {
      let place = count == 1 ? 0 : index * (all.count - 1) / (count - 1)
      runs.append(try run(all[place], map["given"], same))
    }
    return runs
  }

  private func runCount(_ node: YAMLNode?, of all: Int) throws(YAMLError) -> Int {
    guard let node else { return all }
    if case .scalar(let scalar) = node.content, case .integer = scalar.value {
      return min(all, Int(try node.integer(in: 1...Int64(Self.runsMax))))
    }
    _ = try node.word(of: ["all"])
    return all
  }

  private func run(_ values: Row, _ given: YAMLNode?, _ same: YAMLNode) throws(YAMLError) -> TestCase.Run {
    let names = Row(names: row.names + values.names)
    var overlay: Overlay?
    if let given {
      overlay = try OverlayReader.read(
        try names.substitute(in: given), database: requests.database, source: requests.source)
    }
    var judged: [Request] = []
    for node in try same.elements() {
      judged.append(try requests.request(try names.substitute(in: node), persona: nil, expectsVerdict: false))
    }
    guard judged.count > 1 else { throw same.error("'same' compares two requests or more") }
    let title = values.names.map { "\($0.name) = \(FlowText.of($0.value))" }.joined(separator: ", ")
    return TestCase.Run(title: title, given: overlay, requests: judged)
  }

  // MARK: domains

  private func combinations(_ node: YAMLNode) throws(YAMLError) -> [Row] {
    var rows = [Row.none]
    for entry in try node.entries() {
      let domain = try domain(try row.substitute(in: entry.value))
      guard rows.count * domain.count <= Self.runsMax else {
        throw YAMLError("the property has more than \(Self.runsMax) combinations", at: entry.key.mark)
      }
      rows = rows.flatMap { row in domain.map { Row(names: row.names + [(entry.key.text, $0)]) } }
    }
    return rows
  }

  /// Every value of a list; with `$someOf`, every choice of its elements.
  private func domain(_ node: YAMLNode) throws(YAMLError) -> [YAMLNode] {
    if case .sequence(let elements) = node.content {
      guard !elements.isEmpty else { throw node.error("the domain is empty, so nothing would be tested") }
      return elements
    }
    let map = try node.map("a domain")
    try map.refuseKeys(except: ["$someOf", "min", "max"])
    let list = try map.required("$someOf")
    let elements = try list.elements()
    guard elements.count <= Self.subsetElementsMax else {
      throw list.error("$someOf in a property takes at most \(Self.subsetElementsMax) elements")
    }
    let least = try map["min"].map { node throws(YAMLError) in try node.integer(in: 0...Int64(elements.count))
    }
    let most = try map["max"].map { node throws(YAMLError) in try node.integer(in: 0...Int64(elements.count))
    }
    let sizes = Int(least ?? 0)...max(Int(least ?? 0), Int(most ?? Int64(elements.count)))
    return (0..<(1 << elements.count)).compactMap { choice in
      let chosen = elements.enumerated().filter { choice >> $0.offset & 1 == 1 }.map(\.element)
      return sizes.contains(chosen.count) ? YAMLNode(.sequence(chosen), like: list) : nil
    }
  }
}
