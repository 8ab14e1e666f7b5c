/// Injected faults as the administration tells them.

internal import JSON

/// The list of faults as JSON, and back.
package enum FaultAnswer {
  package static let tooMany =
    "there are \(FaultInjector.faultsMax) active faults; ':fault clear' removes some"

  package static func list(_ faults: [FaultReport]) -> [UInt8] {
    let values = faults.map { fault -> JSONValue in
      [
        "number": .int(fault.number), "rule": .text(fault.rule), "matched": .int(fault.matched),
        "struck": .int(fault.injected), "isOver": .boolean(fault.isOver),
      ]
    }
    return JSONWriter.bytes(of: ["faults": .array(values)])
  }

  /// The faults of an answer; nil when it is none.
  package static func read(_ body: [UInt8]) -> [FaultReport]? {
    guard let entries = (try? JSONReader.read(body))?["faults"]?.elements else { return nil }
    var faults: [FaultReport] = []
    for entry in entries {
      guard let number = entry["number"]?.int, let rule = entry["rule"]?.text,
        let matched = entry["matched"]?.int, let injected = entry["struck"]?.int
      else { return nil }
      faults.append(
        FaultReport(
          number: number, rule: rule, matched: matched, injected: injected,
          isOver: entry["isOver"]?.boolean == true))
    }
    return faults
  }
}
