/// Values that the client SDKs make with calls: instants, and the server's time.

internal import DocModel
internal import DocStore

extension ValueTextReader {
  /// What calls of the SDKs may stand behind.
  private static let owners = ["admin.firestore.", "firebase.firestore.", "FieldValue.", "AggregateField."]

  /// Takes the beginning of a call, up to its bracket, and says which one it is; nil, and nothing taken, for others.
  package mutating func callee(among names: [String]) -> String? {
    let start = index
    _ = eatWord("new")
    skipBlanks()
    for owner in Self.owners { _ = eat(owner) }
    let name = take { $0.isWordByte || $0 == UInt8(ascii: ".") }
    guard speaksSQL, names.contains(name), eat("(") else {
      index = start
      return nil
    }
    return name
  }

  /// Takes the end of a call.
  package mutating func endCall() throws(ConditionError) {
    _ = eat(",")
    guard eat(")") else { throw error("expected ')'") }
  }

  /// Nil, and nothing taken, where no call that makes a value begins. `new Date()` is a clock of the app, which may mean
  /// the server's.
  mutating func called() throws(ConditionError) -> Value? {
    let start = index
    let names = ["Date", "Timestamp.fromDate", "Timestamp.fromMillis", "Timestamp.now"]
    guard let name = callee(among: serverTime == nil ? names : names + ["serverTimestamp"]) else {
      return nil
    }
    switch name {
    case "serverTimestamp":
      try endCall()
      return serverTime
    case "Timestamp.now":
      try endCall()
      return .timestamp(Timestamp(microseconds: now()))
    case "Date" where eat(")"):
      index = start
      return nil
    default: break
    }
    let place = index
    let argument = try value()
    try endCall()
    switch (name, argument) {
    case ("Timestamp.fromDate", .timestamp): return argument
    case ("Date", .string(let text)):
      if let instant = Self.instant(text) { return .timestamp(instant) }
    case ("Date", .integer(let number)), ("Timestamp.fromMillis", .integer(let number)):
      let (microseconds, isTooFar) = number.multipliedReportingOverflow(by: 1_000)
      if !isTooFar { return .timestamp(Timestamp(microseconds: microseconds)) }
    default: break
    }
    throw error("expected an instant such as \"2026-03-01T09:00:00Z\"", at: place)
  }
}
