/// Whether a history could have happened one transaction after the other.
///
/// Nodes are what was committed; an edge says that one must come before another: it wrote what the other wrote
/// over (ww) or saw (wr), or saw what the other changed later (rw), where what is seen by a query is its whole
/// answer. No order exists exactly when the edges form a cycle.
/// Source: A. Adya, Weak Consistency, 1999: the direct serialization graph.

enum HistoryFault: Error, Equatable, CustomStringConvertible {
  /// A read saw what was never the state at its time.
  case wrongAnswer(String, HistoryRead)
  case cycle([String])

  var description: String {
    switch self {
    case .wrongAnswer(let name, let read): "\(name) saw what was never there: \(read)"
    case .cycle(let names): "no order of: \(names.joined(separator: " -> "))"
    }
  }
}

struct DependencyGraph {
  private let history: History
  /// Commits that wrote, in their order, with the state after each.
  private var commits: [(node: Int, time: Int64, written: Set<Int>, after: [Int: HistoryState])] = []
  private(set) var edges: [Set<Int>]

  init(_ history: History) {
    self.history = history
    edges = Array(repeating: [], count: history.nodes.count)
    var states: [Int: HistoryState] = [:]
    let writers = history.nodes.indices.filter { history.nodes[$0].time != nil }
      .sorted { history.nodes[$0].time ?? 0 < history.nodes[$1].time ?? 0 }
    for node in writers {
      guard let time = history.nodes[node].time else { continue }
      var written: Set<Int> = []
      for (document, n) in history.nodes[node].writes {
        if n == nil, states[document] == nil { continue }
        states[document] = n.map { HistoryState(n: $0, version: time) }
        written.insert(document)
      }
      commits.append((node, time, written, states))
    }
  }

  /// Throws what is wrong with a history, if anything is.
  static func check(_ history: History) throws(HistoryFault) {
    var graph = DependencyGraph(history)
    graph.addWrites()
    for node in history.nodes.indices {
      for read in history.nodes[node].reads { try graph.add(read, of: node) }
    }
    if let cycle = graph.cycle() { throw .cycle(cycle.map { history.nodes[$0].name }) }
  }

  private mutating func addEdge(_ first: Int, _ second: Int) {
    if first != second { edges[first].insert(second) }
  }

  private mutating func addWrites() {
    var last: [Int: Int] = [:]
    for commit in commits {
      for document in commit.written {
        if let earlier = last[document] { addEdge(earlier, commit.node) }
        last[document] = commit.node
      }
    }
  }

  private mutating func add(_ read: HistoryRead, of node: Int) throws(HistoryFault) {
    var answer = read.query.answer(on: [:])
    var seen = answer
    for commit in commits {
      let next = read.query.answer(on: commit.after)
      if commit.time <= read.time { seen = next }
      guard next != answer else { continue }
      answer = next
      if commit.time <= read.time { addEdge(commit.node, node) } else { addEdge(node, commit.node) }
    }
    if seen != read.answer { throw .wrongAnswer(history.nodes[node].name, read) }
  }

  /// Some cycle of edges; nil when there is none.
  func cycle() -> [Int]? {
    enum Colour { case white, grey, black }
    var colours = Array(repeating: Colour.white, count: edges.count)
    for root in edges.indices where colours[root] == .white {
      var path = [root]
      var open = [edges[root].sorted()]
      colours[root] = .grey
      while let node = path.last {
        guard let next = open[open.count - 1].popLast() else {
          colours[node] = .black
          path.removeLast()
          open.removeLast()
          continue
        }
        switch colours[next] {
        case .black: continue
        case .grey: return Array(path[(path.firstIndex(of: next) ?? 0)...])
        case .white:
          colours[next] = .grey
          path.append(next)
          open.append(edges[next].sorted())
        }
      }
    }
    return nil
  }
}
