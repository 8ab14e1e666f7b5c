/// Building the trie of patterns, before it is laid out for walks.

/// The trie while it grows.
struct TrieBuilder {
  struct Node {
    var literals: [(key: [UInt8], child: Int)] = []
    var capture: Int?
    var glob: Int?
    var blocks: [Int32] = []
  }

  private(set) var nodes = [Node()]

  mutating func insert(_ pattern: [PatternStep], block: Int32) {
    var node = 0
    for step in pattern { node = child(of: node, behind: step) }
    nodes[node].blocks.append(block)
  }

  private mutating func child(of node: Int, behind step: PatternStep) -> Int {
    switch step {
    case .literal(let bytes):
      if let known = nodes[node].literals.first(where: { $0.key == bytes }) { return known.child }
      nodes[node].literals.append((bytes, nodes.count))
    case .capture:
      if let known = nodes[node].capture { return known }
      nodes[node].capture = nodes.count
    case .glob:
      if let known = nodes[node].glob { return known }
      nodes[node].glob = nodes.count
    }
    nodes.append(Node())
    return nodes.count - 1
  }

  /// The node behind `/databases/{x}/documents` when no pattern begins otherwise.
  var documentsNode: Int? {
    guard let databases = only("databases", of: 0), nodes[databases].literals.isEmpty,
      nodes[databases].glob == nil, nodes[databases].blocks.isEmpty,
      let database = nodes[databases].capture
    else { return nil }
    return only("documents", of: database)
  }

  private func only(_ name: String, of node: Int) -> Int? {
    let node = nodes[node]
    guard node.literals.count == 1, node.capture == nil, node.glob == nil, node.blocks.isEmpty,
      node.literals[0].key.elementsEqual(name.utf8)
    else { return nil }
    return node.literals[0].child
  }
}
