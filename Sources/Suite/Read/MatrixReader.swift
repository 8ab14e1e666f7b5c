/// Matrices: every cell of a grid is a case.

internal import DocModel
internal import Fixtures
internal import Platform
internal import YAML

struct MatrixReader {
  private static let keys = CaseHead.keys + ["grid", "given"]

  let requests: RequestReader
  let states: [(name: String, overlay: Overlay)]
  let operations: [NamedNode]
  let limits: CaseLimits
  let source: YAMLSource

  func read(_ node: YAMLNode) -> (cases: [TestCase], errors: [YAMLError]) {
    var cases: [TestCase] = []
    var errors: [YAMLError] = []
    do throws(YAMLError) {
      let map = try node.map("a matrix")
      try map.refuseKeys(except: Self.keys)
      let head = try CaseHead(map, limits: limits)
      let name = try map.required("name").literal()
      let grid = try Grid(try map.required("grid"), requests, in: source)
      var given: Overlay?
      if let node = map["given"] {
        given = try OverlayReader.read(node, database: requests.database, source: source)
      }
      for row in grid.rows {
        do throws(YAMLError) {
          cases += try read(row, grid.personas, name, head, given)
        } catch {
          errors.append(error)
        }
      }
    } catch {
      errors.append(error)
    }
    return (cases, errors)
  }

  private func read(
    _ row: Grid.GridRow, _ personas: [Persona], _ name: String, _ head: CaseHead, _ given: Overlay?
  ) throws(YAMLError) -> [TestCase] {
    let state = try row.state.map { name throws(YAMLError) in try self.state(name) }
    let request = try operation(row.operation)
    let overlays = [given, state].compactMap { $0 }
    let overlay = overlays.count == 2 ? overlays[0] + overlays[1] : overlays.first
    return zip(personas, row.cells).map { persona, cell in
      var own = request
      own.persona = persona
      own.expectation = Self.expectation(cell)
      let names = [row.state?.text, row.operation.text, persona.name].compactMap { $0 }
      return TestCase(
        kind: .cell, place: TestCase.Place(state: row.state?.text, operation: row.operation.text),
        names: [name, names.joined(separator: " × ")], tags: head.tags,
        exception: head.exception, limits: head.limits, given: overlay, body: .steps([own]), source: source,
        mark: cell.mark)
    }
  }

  private func state(_ name: Grid.Name) throws(YAMLError) -> Overlay {
    if let state = states.first(where: { $0.name.hasSameBytes(as: name.text) }) { return state.overlay }
    let known = states.map(\.name)
    throw YAMLError(
      "no state is called '\(name.text)'\(Spelling.suggestion(for: name.text, among: known))", at: name.mark)
  }

  private func operation(_ name: Grid.Name) throws(YAMLError) -> Request {
    guard let operation = operations.first(where: { $0.name.hasSameBytes(as: name.text) }) else {
      let known = operations.map(\.name)
      throw YAMLError(
        "no operation is called '\(name.text)'\(Spelling.suggestion(for: name.text, among: known))",
        at: name.mark)
    }
    let reader = RequestReader(
      database: requests.database, clock: requests.clock, personas: requests.personas,
      ruleIDs: requests.ruleIDs, source: operation.source)
    do throws(YAMLError) {
      return try reader.request(operation.node, persona: .anonymous, expectsVerdict: false)
    } catch {
      // The operation's own error was reported where it stands.
      throw .consequence(at: name.mark)
    }
  }

  private static func expectation(_ cell: Grid.Cell) -> Expectation {
    let verdict: Expectation.Verdict =
      switch cell.symbol {
      case "A": .allow
      case ".": .deny([.condition, .unmatched])
      case "!": .deny([.error, .limit])
      case "?": .deny([.unprovable])
      case "D": .deny([])
      default: .anything
      }
    return Expectation(verdict, text: String(cell.symbol), mark: cell.mark)
  }
}
