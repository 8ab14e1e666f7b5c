/// A function behind an HTTP address that runs at certain times.

package import Client
package import JSON
public import Platform
package import TLS
public import Triggers

/// How one scheduled function is reached, and when.
public struct ScheduleEndpoint: Hashable, Sendable {
  /// Unique among the functions and triggers of a store.
  public var name: String
  public var schedule: Schedule
  /// By whose clocks the schedule is read.
  public var timeZone = TimeZoneRules.utc
  public var address: EndpointAddress
  /// Whose certificates are believed, of an `https` address.
  package var trust = TLSTrust.system
  /// Seconds that an attempt may take.
  public var timeout = 60
  /// Attempts at one run before it becomes a dead letter.
  public var attempts = 30

  public init(name: String, schedule: Schedule, address: EndpointAddress) {
    self.name = name
    self.schedule = schedule
    self.address = address
  }

  /// As `EndpointReader` reads it.
  package func write(to writer: inout JSONWriter) {
    writer.object { object in
      object.member("name") { $0.string(name) }
      object.member("schedule") { $0.string(schedule.text) }
      object.member("timeZone") { $0.string(timeZone.name) }
      object.member("endpoint") { $0.string(address.description) }
      object.member("timeout") { $0.integer(timeout) }
      object.member("attempts") { $0.integer(attempts) }
    }
  }
}
