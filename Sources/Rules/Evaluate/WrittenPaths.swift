/// What a write says of the fields it changes: `request.writeFields` and `request.transforms`.

public import DocModel

/// The paths that a commit's writes to one document name. Neither is in the public reference of rules; the official
/// emulator, whose engine is the service's, has both, and what is here was asked of it.
public struct WrittenPaths: Sendable {
  /// The masks of all writes; nil when one of them writes the whole document.
  public var mask: [FieldPath]?
  /// Of the transforms, in their order.
  public var transforms: [FieldPath]

  public init(mask: [FieldPath]?, transforms: [FieldPath]) {
    self.mask = mask
    self.transforms = transforms
  }

  /// `request.transforms`, nil when it is null.
  var transformTexts: [String]? {
    transforms.isEmpty ? nil : transforms.map { $0.segments.joined(separator: ".") }
  }

  /// `request.writeFields`, nil when it is null: the transforms, then the mask.
  var fieldTexts: [String]? {
    guard let mask else { return transformTexts }
    return (transformTexts ?? []) + MaskTree(mask).texts(below: "")
  }
}

/// A mask as the official engine keeps and lists it: hash tables of names, one in the other.
private struct MaskTree {
  /// Every name once, in the order of their coming; nil for a field that is written whole.
  private var children: [(name: String, tree: MaskTree?)] = []

  init(_ paths: [FieldPath]) { self.init(paths.map { $0.segments[...] }) }

  private init(_ paths: [ArraySlice<String>]) {
    var whole: Set<String> = []
    for path in paths where path.count == 1 && whole.insert(path[path.startIndex]).inserted {
      children.append((path[path.startIndex], nil))
    }
    // Fields below one that is written whole say nothing more.
    var order: [String] = []
    var below: [String: [ArraySlice<String>]] = [:]
    for path in paths where path.count > 1 && !whole.contains(path[path.startIndex]) {
      let name = path[path.startIndex]
      if below[name] == nil { order.append(name) }
      below[name, default: []].append(path.dropFirst())
    }
    for name in order { children.append((name, MaskTree(below[name] ?? []))) }
  }

  func texts(below prefix: String) -> [String] {
    JavaOrder.sorted(children, byName: \.name).flatMap { name, tree -> [String] in
      let text = prefix + name.replacing("\\", with: "\\\\").replacing(".", with: "\\.")
      return tree?.texts(below: text + ".") ?? [text]
    }
  }
}
