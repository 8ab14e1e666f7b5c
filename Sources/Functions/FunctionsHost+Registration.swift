/// Functions that are registered over HTTP: those of a functions emulator, and endpoints and schedules of our own.

internal import Access
internal import DocModel
internal import DocStore
internal import Triggers
internal import YAML

extension FunctionsHost {
  /// A reader's error with its place.
  private static func placed<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as YAMLError {
      throw EmulatorFailure(
        400, "INVALID_ARGUMENT", "body:\(error.mark.line):\(error.mark.column): \(error.text)")
    }
  }

  func register(_ request: EmulatorRequest, _ project: String, _ key: String) throws -> EmulatorAnswer {
    try Self.placed {
      let tree = try YAMLNode(json: request.body)
      let name = project == "-" ? key : project + "/" + key
      if try Self.isSchedule(tree) {
        guard project == "-" else {
          throw EmulatorFailure(
            400, "INVALID_ARGUMENT", "a scheduled function is of all projects: register it below projects/-")
        }
        let endpoint = try EndpointReader.schedule(tree, name: name)
        try Self.check(endpoint.name, [name])
        try register(endpoint, isKept: true)
        return .empty
      }
      guard try tree.map("a registration")["eventTrigger"] != nil else {
        var endpoint = try EndpointReader.endpoint(tree, name: name)
        try Self.check(endpoint.name, [name, key])
        endpoint.name = name
        if project != "-" { endpoint.project = endpoint.project ?? project }
        try register(endpoint, isKept: true)
        return .empty
      }
      let endpoint = try EndpointReader.firstGeneration(tree, name: name, to: try address(project, key))
      try registerPassing(endpoint)
      return .empty
    }
  }

  private static func check(_ name: String, _ known: [String]) throws {
    if known.contains(where: { $0.hasSameBytes(as: name) }) { return }
    throw EmulatorFailure(
      400, "INVALID_ARGUMENT", "the body's name is not \"\(known.last ?? "")\"")
  }

  func registerSecond(_ request: EmulatorRequest, _ project: String) throws -> EmulatorAnswer {
    guard let key = request.value("eventarcTriggerId"), !key.isEmpty else {
      throw EmulatorFailure(400, "INVALID_ARGUMENT", "the parameter eventarcTriggerId is missing")
    }
    return try Self.placed {
      let name = project == "-" ? key : project + "/" + key
      var (endpoint, echo) = try EndpointReader.secondGeneration(
        try YAMLNode(json: request.body), name: name, to: try address(project, key))
      if project != "-" { endpoint.project = project }
      try registerPassing(endpoint)
      return EmulatorAnswer(status: 200, body: echo)
    }
  }

  /// Where the functions emulator takes events of a key.
  private func address(_ project: String, _ key: String) throws -> EndpointAddress {
    guard let sink else {
      throw EmulatorFailure(
        400, "FAILED_PRECONDITION",
        "no functions emulator is known: start with --functions-emulator HOST:PORT, "
          + "or register an endpoint with its address")
    }
    let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~")
    let isPlain = (project + key).allSatisfy(plain.contains)
    guard isPlain else {
      throw EmulatorFailure(400, "INVALID_ARGUMENT", "\"\(key)\" is no key of a function")
    }
    return EndpointAddress(
      host: sink.host, port: sink.port, target: "/functions/projects/\(project)/triggers/\(key)")
  }
}
