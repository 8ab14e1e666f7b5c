/// Path values: templates, `path(text)`, `bind`. Source: docs/spec/rules-language.md 3.10 and the official
/// emulator, which has the messages.

internal import DocModel

enum PathMethods {
  static let all: [MethodRow] = [
    .init(
      .bind, ["map"],
      { e, receiver, arguments in
        guard case .path(let segments, let count) = receiver, arguments[0].kind == .map else { return nil }
        return e.bind(segments, count, arguments[0], arguments.node)
      }
    )
  ]
}

extension Evaluation {
  /// Without white space at both ends, as Unicode has it.
  private static func trimmed(_ part: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
    guard part.contains(where: { $0 <= 0x20 || $0 >= 0x80 }) else { return part }
    let scalars = String(decoding: part, as: UTF8.self).unicodeScalars
    func width(_ scalars: some Sequence<Unicode.Scalar>) -> Int {
      scalars.prefix { $0.properties.isWhitespace }.reduce(0) { $0 + UTF8.width($1) }
    }
    let start = width(scalars)
    if start == part.count { return part.suffix(0) }
    return part.dropFirst(start).dropLast(width(scalars.reversed()))
  }

  /// `path(text)`: the segments between slashes, decoded; `{x}` and `{x=**}` are placeholders.
  func path(parsing text: ByteView, _ node: Int32) -> Operand {
    guard text.count > 0 else {
      return fault(.argument, node, "Empty Path Template is not allowed.")
    }
    var parts = text.buffer.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
    if parts.first?.isEmpty == true { parts = parts.dropFirst() }
    var segments: [PathSegment] = []
    for padded in parts {
      let part = Self.trimmed(padded)
      if part.isEmpty { return badTemplate(text, "Empty segment is not allowed.", node) }
      let bytes = ByteView(UnsafeRawBufferPointer(rebasing: part))
      guard part.first == UInt8(ascii: "{") else {
        guard SegmentDecoding.isNeeded(bytes) else {
          segments.append(PathSegment(text: bytes))
          continue
        }
        do throws(SegmentDecoding.Failure) {
          segments.append(PathSegment(text: arena.copy(try SegmentDecoding.decoded(bytes))))
        } catch {
          return fault(
            .argument, node, "Unable to decode \(bytes.text) to url. Error: URLDecoder: \(error.reason)")
        }
        continue
      }
      guard part.last == UInt8(ascii: "}"), part.count >= 2 else {
        return badTemplate(text, "The capture segment is not closed.", node)
      }
      let placeholder = Self.placeholder(bytes)
      guard Self.isIdentifier(placeholder.name.buffer) else {
        return badTemplate(
          text,
          "[Identifier [\(placeholder.name.text)] should start with letter, dollar sign, or underscore and "
            + "should not start with digit and must not contain spaces.", node)
      }
      if segments.contains(where: { $0.name.map { $0 == placeholder.name } ?? false }) {
        return fault(.argument, node, FaultText.secondPlaceholder(placeholder.name))
      }
      segments.append(PathSegment(name: placeholder.name, isGlob: placeholder.isGlob))
    }
    return .path(arena.copy(segments), segments.count)
  }

  private func badTemplate(_ text: ByteView, _ reason: String, _ node: Int32) -> Operand {
    fault(.argument, node, "Invalid Path Template \(text.text). \(reason)")
  }

  /// `{x}`, `{x=*}` or `{x=**}`.
  private static func placeholder(_ braced: ByteView) -> (name: ByteView, isGlob: Bool) {
    let inner = UnsafeRawBufferPointer(rebasing: braced.buffer[1..<braced.count - 1])
    if inner.count >= 3, inner.suffix(3).elementsEqual("=**".utf8) {
      return (ByteView(start: braced.start + 1, count: inner.count - 3), true)
    }
    if inner.count >= 2, inner.suffix(2).elementsEqual("=*".utf8) {
      return (ByteView(start: braced.start + 1, count: inner.count - 2), false)
    }
    return (ByteView(inner), false)
  }

  private static func isIdentifier(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let first = bytes.first, !first.isDigit else { return false }
    return bytes.allSatisfy { $0.isNamePart || $0 >= 0x80 }
  }

  /// Fills placeholders. Every key must name one that is still open; placeholders that no key names are
  /// left out of the result, also those that were filled before. Source: the official emulator.
  fileprivate func bind(
    _ segments: UnsafePointer<PathSegment>, _ count: Int, _ values: Operand, _ node: Int32
  ) -> Operand {
    var result: [PathSegment] = []
    var unknown: [String] = []
    for entry in entries(values) {
      guard let open = (0..<count).first(where: { segments[$0].name.map { $0 == entry.key } ?? false }) else {
        unknown.append(entry.key.text)
        continue
      }
      if segments[open].text != nil {
        return fault(.argument, node, "Variable \(entry.key.text) is already bound.")
      }
    }
    for index in 0..<count {
      let segment = segments[index]
      guard let name = segment.name else {
        result.append(segment)
        continue
      }
      guard segment.text == nil, let value = lookup(values, name) else { continue }
      if segment.isGlob {
        guard case .path(let inner, let innerCount) = value else {
          return fault(.type, node, FaultText.type(value.kind, expected: "path"))
        }
        if let unbound = unboundName(inner, innerCount) {
          return fault(.unboundVariable, node, FaultText.unbound(unbound))
        }
        for position in 0..<innerCount {
          result.append(PathSegment(name: name, isGlob: true, text: inner[position].text))
        }
      } else {
        guard let text = Conversions.text(value, self) else {
          return fault(.unsupportedOperation, node, Conversions.unsupportedText(value.kind))
        }
        if text.count == 0 {
          return fault(
            .argument, node, "Cannot bind empty value to path template variable \(name.text).")
        }
        result.append(PathSegment(name: name, isGlob: false, text: text))
      }
    }
    guard unknown.isEmpty else {
      return fault(
        .argument, node,
        "Variable(s) \(JavaOrder.sorted(unknown).joined(separator: ",")) do not exist in the path template.")
    }
    return .path(arena.copy(result), result.count)
  }
}
