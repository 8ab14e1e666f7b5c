/// Which file describes what: the descriptors that reflection serves, by name and by symbol.
///
/// The files themselves stay the bytes they are; only names are read out of them.
/// Source: google/protobuf/descriptor.proto.

internal import DocModel

/// Descriptor files of a set.
///
/// INVARIANT: symbols are full names without a leading dot; a file's dependencies are files of the set.
struct DescriptorIndex: Sendable {
  private var files: [String: File] = [:]
  private var fileOfSymbol: [String: String] = [:]
  /// By the extended message: the numbers of its extensions, and the files that hold them.
  private var extensions: [String: [Int32: String]] = [:]
  /// Full names, sorted.
  private(set) var services: [String] = []

  private struct File {
    let bytes: [UInt8]
    let dependencies: [String]
  }

  /// The committed descriptors. Read once, when somebody first asks.
  static let generated: DescriptorIndex = {
    let index = DescriptorIndex(fileDescriptorSet: DescriptorSet.bytes())
    index.checkInvariants()
    return index
  }()

  init(fileDescriptorSet bytes: [UInt8]) {
    bytes.withUnsafeBytes { set in
      for file in PlainFields.all(1, of: set) { add(file) }
    }
    services.sort { $0.precedesInBytes($1) }
  }

  /// Of a set that is whole, as ours is.
  func checkInvariants() {
    assert(!fileOfSymbol.keys.contains { $0.hasPrefix(".") }, "symbols have no leading dot")
    assert(
      files.values.allSatisfy { $0.dependencies.allSatisfy { files[$0] != nil } },
      "dependencies are of the set")
  }

  // MARK: asking

  /// A file and all it stands on, itself first; nil for a file that is not there.
  func file(named name: String) -> [[UInt8]]? {
    guard files[name] != nil else { return nil }
    var found: [[UInt8]] = []
    var seen: Set<String> = [name]
    var waiting = [name]
    while !waiting.isEmpty {
      guard let file = files[waiting.removeFirst()] else { continue }
      found.append(file.bytes)
      for dependency in file.dependencies where seen.insert(dependency).inserted {
        waiting.append(dependency)
      }
    }
    return found
  }

  /// The file of a message, enumeration, service or method.
  func file(of symbol: String) -> [[UInt8]]? { fileOfSymbol[symbol].flatMap(file(named:)) }

  func file(ofExtension number: Int32, of type: String) -> [[UInt8]]? {
    extensions[type]?[number].flatMap(file(named:))
  }

  /// Nil for a type that is not there.
  func extensionNumbers(of type: String) -> [Int32]? {
    if let known = extensions[type] { return known.keys.sorted() }
    return fileOfSymbol[type] == nil ? nil : []
  }

  // MARK: reading

  private mutating func add(_ file: UnsafeRawBufferPointer) {
    var name = ""
    var package = ""
    var dependencies: [String] = []
    PlainFields.forEach(file) { number, content in
      switch number {
      case 1: name = PlainFields.text(content)
      case 2: package = PlainFields.text(content)
      case 3: dependencies.append(PlainFields.text(content))
      default: break
      }
    }
    files[name] = File(bytes: Array(file), dependencies: dependencies)
    let prefix = package.isEmpty ? "" : package + "."
    PlainFields.forEach(file) { number, content in
      switch number {
      case 4: addMessage(content, prefix, file: name)
      case 5: fileOfSymbol[prefix + PlainFields.text(1, of: content)] = name
      case 6: addService(content, prefix, file: name)
      case 7: addExtension(content, file: name)
      default: break
      }
    }
  }

  private mutating func addMessage(_ message: UnsafeRawBufferPointer, _ prefix: String, file: String) {
    let full = prefix + PlainFields.text(1, of: message)
    fileOfSymbol[full] = file
    PlainFields.forEach(message) { number, content in
      switch number {
      case 3: addMessage(content, full + ".", file: file)
      case 4: fileOfSymbol[full + "." + PlainFields.text(1, of: content)] = file
      case 6: addExtension(content, file: file)
      default: break
      }
    }
  }

  private mutating func addService(_ service: UnsafeRawBufferPointer, _ prefix: String, file: String) {
    let full = prefix + PlainFields.text(1, of: service)
    fileOfSymbol[full] = file
    services.append(full)
    PlainFields.forEach(service) { number, content in
      if number == 2 { fileOfSymbol[full + "." + PlainFields.text(1, of: content)] = file }
    }
  }

  private mutating func addExtension(_ field: UnsafeRawBufferPointer, file: String) {
    let number = Int32(truncatingIfNeeded: PlainFields.number(3, of: field) ?? 0)
    let extended = PlainFields.text(2, of: field)
    extensions[String(extended.drop { $0 == "." }), default: [:]][number] = file
  }
}
