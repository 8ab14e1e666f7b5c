/// Who calls whom: recursion and the depth of calls.
///
/// Source: observed. A function that calls itself and a cycle of several are different messages, and
/// are errors even if nothing calls them.
struct CallGraph {
  let functions: [FunctionSyntax]
  /// Callees of each function, by number, in the order of the calls.
  let calls: [[Int]]

  func diagnostics() -> [Diagnostic] {
    var found: [Diagnostic] = []
    let components = cycles()
    for component in components {
      guard let first = component.min() else { continue }
      if component.count > 1 {
        found.append(CheckMessages.callCycle(component.sorted().map { functions[$0].name }))
      }
      if calls[first].contains(first) { found.append(CheckMessages.recursion(functions[first].name)) }
      for other in component where other != first && calls[other].contains(other) {
        found.append(CheckMessages.recursion(functions[other].name))
      }
    }
    if components.isEmpty, let chain = tooLongChain() {
      found.append(CheckMessages.callsTooDeep(chain.map { functions[$0].name }))
    }
    return found
  }

  /// Strongly connected components with a cycle (Tarjan, without recursion: a file may declare a
  /// thousand functions that call each other in a row).
  private func cycles() -> [[Int]] {
    var order = [Int](repeating: -1, count: functions.count)
    var low = order
    var onStack = [Bool](repeating: false, count: functions.count)
    var stack: [Int] = []
    var components: [[Int]] = []
    var counter = 0
    for root in functions.indices where order[root] < 0 {
      var path: [(function: Int, next: Int)] = [(root, 0)]
      while let (function, next) = path.last {
        if next == 0 {
          order[function] = counter
          low[function] = counter
          counter += 1
          stack.append(function)
          onStack[function] = true
        }
        if next < calls[function].count {
          path[path.count - 1].next += 1
          let callee = calls[function][next]
          if order[callee] < 0 {
            path.append((callee, 0))
          } else if onStack[callee] {
            low[function] = min(low[function], order[callee])
          }
          // `next` must not be read as zero again for a function already numbered.
          continue
        }
        path.removeLast()
        if let caller = path.last?.function { low[caller] = min(low[caller], low[function]) }
        guard low[function] == order[function] else { continue }
        var component: [Int] = []
        while let member = stack.popLast() {
          onStack[member] = false
          component.append(member)
          if member == function { break }
        }
        if component.count > 1 || calls[function].contains(function) { components.append(component) }
      }
    }
    return components
  }

  /// A chain of one function more than may be on the stack, if there is one. Only for graphs
  /// without cycles.
  private func tooLongChain() -> [Int]? {
    var height = [Int](repeating: 0, count: functions.count)
    var tallestCallee = [Int](repeating: -1, count: functions.count)
    for root in functions.indices where height[root] == 0 {
      var path: [(function: Int, next: Int)] = [(root, 0)]
      while let (function, next) = path.last {
        if next < calls[function].count {
          path[path.count - 1].next += 1
          if height[calls[function][next]] == 0 { path.append((calls[function][next], 0)) }
          continue
        }
        path.removeLast()
        for callee in calls[function] where height[callee] >= height[function] {
          height[function] = height[callee]
          tallestCallee[function] = callee
        }
        height[function] += 1
      }
    }
    guard let start = functions.indices.first(where: { height[$0] > RulesChecker.Limits.callStackMax }) else {
      return nil
    }
    var chain: [Int] = []
    var function = start
    while function >= 0, chain.count <= RulesChecker.Limits.callStackMax {
      chain.append(function)
      function = tallestCallee[function]
    }
    return chain
  }
}
