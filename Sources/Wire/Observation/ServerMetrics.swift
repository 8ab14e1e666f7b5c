/// What a server counts about its connections and calls.
///
/// INVARIANT: every call that began ends once, so `callsBegun` less the ended ones are the calls under way; that
/// number comes back to zero when nobody asks anything, which Scripts/connections checks.

package import DocModel
package import DocStore
package import Telemetry

package final class ServerMetrics: Sendable {
  /// How a call came.
  package enum Transport: Int, CaseIterable, Sendable {
    case grpc, rest, webChannel, http

    package var label: String { "\(self)".lowercased() }
  }

  /// What is not a method of the service: requests for methods that do not exist, and the rest of the port.
  package static let unknownMethod = "unknown"
  package static let otherMethods = [unknownMethod, "Emulator", "Page"]

  /// Names of methods without their service, each once; an index into it stands for a method.
  package let methods: [String]
  private let indexes: [String: Int]

  package let callsUnderWay = Metric()
  /// By method, transport and status.
  package let calls: CounterRow
  package let latencies: LatencyRow

  package let connectionsAccepted = Metric()
  package let connectionsRefused = Metric()
  package let connectionsOpen = LimitedMetric()
  package let bytesReceived = Metric()
  package let bytesSent = Metric()

  private static var statusCount: Int { 17 }

  /// - Parameter names: full names of methods, `google.firestore.v1.Firestore/GetDocument`.
  package init(methods names: [String]) {
    var methods: [String] = []
    var indexes: [String: Int] = [:]
    for name in names.map(Self.shortName) + Self.otherMethods where indexes[name] == nil {
      indexes[name] = methods.count
      methods.append(name)
    }
    self.methods = methods
    self.indexes = indexes
    calls = CounterRow(count: methods.count * Transport.allCases.count * Self.statusCount)
    latencies = LatencyRow(count: methods.count)
  }

  /// `GetDocument` of `google.firestore.v1.Firestore/GetDocument`.
  static func shortName(_ name: String) -> String {
    // By bytes: dozens of names are looked at when a server starts, and characters take a hundred times as long.
    guard let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
    return String(name[name.utf8.index(after: slash)...])
  }

  package func index(of name: String) -> Int {
    indexes[Self.shortName(name)] ?? indexes[Self.unknownMethod] ?? 0
  }

  package func began() { callsUnderWay.add() }

  package func ended(_ method: Int, _ transport: Transport, _ status: StatusCode, nanoseconds: UInt64) {
    callsUnderWay.subtract()
    calls.add(at: place(method, transport, status))
    latencies.add(nanoseconds: nanoseconds, at: method)
  }

  private func place(_ method: Int, _ transport: Transport, _ status: StatusCode) -> Int {
    (method * Transport.allCases.count + transport.rawValue) * Self.statusCount + Int(status.rawValue)
  }

  /// Calls that ended so.
  package func count(_ method: Int, _ transport: Transport, _ status: StatusCode) -> Int {
    calls[place(method, transport, status)]
  }
}
