/// The entries under `schedules` of a `triggers.yaml`.

internal import Client
internal import DocModel
internal import Platform
internal import TLS
internal import Triggers
internal import YAML

extension EndpointReader {
  private static let scheduleKeys = [
    "name", "schedule", "timeZone", "endpoint", "timeout", "attempts", "ca_file", "insecure",
  ]

  /// The same for one that stands alone; its first mistake is thrown.
  static func schedule(_ node: YAMLNode, name: String? = nil) throws(YAMLError) -> ScheduleEndpoint {
    var errors: [YAMLError] = []
    let endpoint = schedule(node, name: name, &errors)
    if let error = errors.first { throw error }
    guard let endpoint else { throw node.error("a scheduled function cannot be read") }
    return endpoint
  }

  /// - Parameters:
  ///   - name: what it is called when it does not say so itself.
  ///   - file: the path of the one that it stands in; nil for the body of a request, which cannot say whom to trust.
  ///   - errors: gets all that is wrong with it.
  /// - Returns: nil where what it needs cannot be read.
  static func schedule(
    _ node: YAMLNode, name: String? = nil, file: String? = nil, _ errors: inout [YAMLError]
  ) -> ScheduleEndpoint? {
    let kind = "a scheduled function"
    guard let map = errors.noting({ () throws(YAMLError) in try node.map(kind) }) else { return nil }
    _ = errors.noting { () throws(YAMLError) in try map.refuseKeys(except: scheduleKeys) }
    let name = errors.noting { () throws(YAMLError) in try self.name(map, node, name, kind) }
    let times = errors.noting { () throws(YAMLError) in try self.times(try map.required("schedule")) }
    let address = errors.noting { () throws(YAMLError) in try self.address(try map.required("endpoint")) }
    var zone: TimeZoneRules?
    if let node = map["timeZone"] { zone = errors.noting { () throws(YAMLError) in try self.zone(node) } }
    var timeout: Int?
    if let node = map["timeout"] {
      timeout = errors.noting { () throws(YAMLError) in try self.timeout(node) }
    }
    var attempts: Int?
    if let node = map["attempts"] {
      attempts = errors.noting { () throws(YAMLError) in try self.attempts(node) }
    }
    var trust: TLSTrust?
    if let address {
      trust = errors.noting { () throws(YAMLError) in try self.trust(map, address, file) } ?? nil
    }
    guard let name, let times, let address else { return nil }
    var endpoint = ScheduleEndpoint(name: name, schedule: times, address: address)
    endpoint.timeZone = zone ?? endpoint.timeZone
    endpoint.timeout = timeout ?? endpoint.timeout
    endpoint.attempts = attempts ?? endpoint.attempts
    endpoint.trust = trust ?? endpoint.trust
    return endpoint
  }

  private static func times(_ node: YAMLNode) throws(YAMLError) -> Schedule {
    let text = try node.text()
    do throws(InvalidArgument) { return try Schedule(text) } catch { throw node.error(error.message) }
  }

  private static func zone(_ node: YAMLNode) throws(YAMLError) -> TimeZoneRules {
    let name = try node.text()
    do throws(TimeZoneError) { return try TimeZoneRules(named: name) } catch {
      throw node.error(error.description)
    }
  }
}
