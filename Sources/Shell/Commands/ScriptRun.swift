/// Running scripts: reading files, taking lines apart, saying where a statement failed.

import DocModel
import Platform

extension Session {
  /// LIMIT: scripts that read scripts.
  private static let scriptDepthMax = 16

  /// Runs the statements of a text; the first failure ends it.
  func run(block text: String, name: String? = nil) throws(ShellError) {
    guard scriptDepth < Self.scriptDepthMax else { throw .usage("scripts read each other too deep") }
    scriptDepth += 1
    defer { scriptDepth -= 1 }
    for piece in StatementAssembler.pieces(text) {
      try run(piece.text, name, piece.line)
      if exitStatus != nil { return }
    }
  }

  private func run(_ statement: String, _ name: String?, _ line: Int) throws(ShellError) {
    for statement in Self.parts(statement) {
      if exitStatus != nil { return }
      do throws(ShellError) {
        try Interruption.check()
        try execute(statement)
      } catch {
        guard let name else { throw error }
        var placed = error
        placed.places.append("\(name):\(line)")
        throw placed
      }
    }
  }

  /// Statements of one line have semicolons between them. What goes to a program of the system, behind `:!` or
  /// `| !`, is its own up to the end.
  static func parts(_ text: String) -> [String] {
    var parts: [String] = []
    var current: [UInt8] = []
    var scan = NestingScan(quotesWithBackticks: true)
    let bytes = Array(text.utf8)
    for (index, byte) in bytes.enumerated() {
      if scan.isOutermost,
        InputScanner.beginsProgram(bytes, at: index, isFirst: current.allSatisfy(InputScanner.isBlank))
      {
        return parts + [String(decoding: current + bytes[index...], as: UTF8.self)]
      }
      if scan.take(byte), byte == UInt8(ascii: ";"), scan.isOutermost {
        parts.append(String(decoding: current, as: UTF8.self))
        current = []
      } else {
        current.append(byte)
      }
    }
    return parts + [String(decoding: current, as: UTF8.self)]
  }
}
