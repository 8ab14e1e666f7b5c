/// The methods a server knows, by path.

/// How many messages travel each way.
package enum GRPCMethodKind: Sendable {
  /// One request, then one answer.
  case unary
  /// One request, then any number of answers.
  case serverStreaming
  /// Any number both ways, from the moment the headers are there.
  case bidirectional
}

/// One method: its name, its shape, and what begins a call of it.
///
/// `begin` runs on the call's event loop. For unary and server-streaming methods it runs when the
/// request is complete; it may answer at once, or keep the call and answer later.
package final class GRPCMethod: Sendable {
  /// `google.firestore.v1.Firestore/GetDocument`
  package let name: String
  package let kind: GRPCMethodKind
  package let begin: @Sendable (ServerCall) -> Void
  /// Stands for the method where calls are counted; -1 where nobody counts.
  package let metric: Int

  package init(
    _ name: String, _ kind: GRPCMethodKind, metric: Int = -1,
    _ begin: @escaping @Sendable (ServerCall) -> Void
  ) {
    self.name = name
    self.kind = kind
    self.metric = metric
    self.begin = begin
  }

  /// The same where calls are counted.
  func counted(as metric: Int) -> GRPCMethod { GRPCMethod(name, kind, metric: metric, begin) }
}

/// All methods of a server.
package struct GRPCMethodTable: Sendable {
  private let methods: [[UInt8]: GRPCMethod]

  package init(_ list: [GRPCMethod]) {
    methods = Dictionary(
      list.map { (Array(("/" + $0.name).utf8), $0) }, uniquingKeysWith: { first, _ in first })
  }

  package func method(path: [UInt8]) -> GRPCMethod? { methods[path] }
}
