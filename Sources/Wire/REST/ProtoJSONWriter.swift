/// A JSON body as the message that it means, written while it is read; and what the message refuses.
///
/// Refusals name the place by the fields' proto names, as the service does:
/// `Invalid value at 'structured_query.limit.value' (TYPE_INT32), "x"`. All of a body are told at once.
/// Source: docs/spec/production-differences.md Q18, W16; texts of the service, recorded by others.

internal import DocModel

struct ProtoJSONWriter: JSONBodySink {
  /// An open object, list or map.
  struct Frame {
    enum Form { case message, list, map }
    let form: Form
    /// The place of the message in the schema; of lists and maps the one of their elements, -1 for scalars.
    let message: Int
    /// The field it fills; nil at the root.
    let field: ProtoSchema.Field?
    /// Whether the place names the field: not for elements of lists and entries of maps.
    let isNamed: Bool
    /// Where the lengths stand that are known when it ends, outermost first.
    var lengths: [Int] = []
    /// Elements begun so far, of lists and maps.
    var count = 0
    /// By the name of the group: which of its fields is set.
    var oneofs: [String: Int] = [:]
    /// A map's entry, which ends with its value.
    var isInEntry = false
  }

  let dialect: JSONDialect
  let schema: ProtoSchema
  private let root: Int
  /// With what places begin: the field of the request that the body fills.
  private let rootName: String
  /// Whether a name that is no field is passed over, with its value.
  private let ignoresUnknownNames: Bool
  private(set) var writer = WireWriter()
  var frames: [Frame] = []
  /// The keys so far of the maps among `frames`. Beside them: who looks at a frame holds a copy of it, and a set that two
  /// hold is copied whole for each key.
  private var keysOfMaps: [Set<[UInt8]>] = []
  /// Objects and lists that are passed over, because something around them was refused.
  private var skipped = 0
  private(set) var violations: [BadRequest] = []

  /// LIMIT: refusals that are told, and bytes of a value or name that one repeats.
  private static let violationsMax = 100
  private static let shownBytesMax = 1_500

  init(
    _ dialect: JSONDialect, _ fullName: String, rootName: String = "", ignoresUnknownNames: Bool = false,
    schema: ProtoSchema = .generated
  ) {
    self.ignoresUnknownNames = ignoresUnknownNames
    self.dialect = dialect
    self.schema = schema
    self.rootName = rootName
    root = schema.index(of: fullName) ?? 0
  }

  var refusal: GRPCStatus? {
    if violations.isEmpty { return nil }
    let text = violations.map(\.description).joined(separator: "\n")
    return GRPCStatus(.invalidArgument, text).with(BadRequest.detail(violations))
  }

  // MARK: refusing

  /// The place of the innermost frame, and of a field below it.
  func place(_ field: String? = nil) -> String {
    var place = rootName
    for frame in frames.dropFirst() {
      if frame.isNamed, let name = frame.field?.name { place += place.isEmpty ? name : "." + name }
      if frame.isInEntry { place += ".value" }
      if frame.count > 0 { place += "[\(frame.count - 1)]" }
    }
    guard let field else { return place }
    return place.isEmpty ? field : place + "." + field
  }

  private mutating func refuse(_ place: String, _ text: String) {
    violations.append(BadRequest(field: place, description: text))
  }

  /// Of refusals that nobody is told not even the text is made.
  mutating func refuseName(_ name: [UInt8], _ place: String, _ text: String) {
    guard violations.count < Self.violationsMax else { return }
    let at = place.isEmpty ? "" : " at '\(place)'"
    refuse(
      place,
      "Invalid JSON payload received. Unknown name \"\(Self.shown(String(decoding: name, as: UTF8.self)))\"\(at): \(text)"
    )
  }

  mutating func refuseValue(_ place: String, _ type: String, _ text: String) {
    guard violations.count < Self.violationsMax else { return }
    let at = place.isEmpty ? "" : " at '\(place)'"
    refuse(place, "Invalid value\(at) (\(type)), \(Self.shown(text))")
  }

  mutating func refuseValue(_ place: Place, _ type: String, _ text: @autoclosure () -> String) {
    guard violations.count < Self.violationsMax else { return }
    refuseValue(place(self), type, text())
  }

  private static func shown(_ text: String) -> String {
    text.utf8.count <= shownBytesMax ? text : String(text.prefix(shownBytesMax)) + "…"
  }

  // MARK: objects

  mutating func beginObject(_ name: [UInt8]) {
    if skipped > 0 {
      skipped += 1
      return
    }
    guard let top = frames.last else {
      return frames.append(Frame(form: .message, message: root, field: nil, isNamed: false))
    }
    switch top.form {
    case .map: beginEntry(name, of: top)
    case .list: beginElement(of: top)
    case .message: beginField(name, of: top)
    }
  }

  private mutating func beginField(_ name: [UInt8], of top: Frame) {
    guard let field = field(name, of: top) else {
      skipped += 1
      return
    }
    guard case .message(let message) = field.kind else {
      refuseValue(place(), field.name, "Starting an object on a scalar field")
      skipped += 1
      return
    }
    if field.isRepeated, schema.messages[message].isMapEntry {
      keysOfMaps.append([])
      return frames.append(Frame(form: .map, message: message, field: field, isNamed: true))
    }
    // The service takes an object for the only element of a list, and for what is written as a scalar.
    let described = schema.messages[message]
    if dialect == .emulator, field.isRepeated || described.isWrapper || described.isTimestamp {
      refuseValue(place(field.name), described.typeURL, "an object")
      skipped += 1
      return
    }
    guard maySet(field, name) else {
      skipped += 1
      return
    }
    open(field.number, Frame(form: .message, message: message, field: field, isNamed: true))
  }

  private mutating func beginElement(of top: Frame) {
    guard let field = top.field, top.message >= 0 else {
      refuseValue(place(), top.field?.name ?? "", "Starting an object on a scalar field")
      skipped += 1
      return
    }
    frames[frames.count - 1].count += 1
    open(field.number, Frame(form: .message, message: top.message, field: field, isNamed: false))
  }

  private mutating func beginEntry(_ key: [UInt8], of top: Frame) {
    guard let field = top.field, let value = entryValue(top), isNew(key) else {
      skipped += 1
      return
    }
    frames[frames.count - 1].count += 1
    guard case .message(let message) = value.kind else {
      refuseValue(place(), value.name, "Starting an object on a scalar field")
      skipped += 1
      return
    }
    var frame = Frame(form: .message, message: message, field: field, isNamed: false)
    frame.isInEntry = true
    frame.lengths = [openLength(field.number)]
    writer.field(1, bytes: key)
    open(value.number, frame)
  }

  private mutating func openLength(_ number: Int) -> Int {
    writer.tag(number, wireType: 2)
    writer.bytes.append(0)
    return writer.bytes.count - 1
  }

  private mutating func open(_ number: Int, _ frame: Frame) {
    var frame = frame
    frame.lengths.append(openLength(number))
    frames.append(frame)
  }

  mutating func endObject() {
    if skipped > 0 {
      skipped -= 1
      return
    }
    guard let frame = frames.popLast() else { return }
    if frame.form == .map { keysOfMaps.removeLast() }
    for length in frame.lengths.reversed() { writer.closeLength(at: length) }
  }

  // MARK: lists

  mutating func beginList(_ name: [UInt8]) {
    if skipped > 0 {
      skipped += 1
      return
    }
    guard let top = frames.last else {
      refuseName(name, "", Self.rootText)
      skipped += 1
      return
    }
    if top.form == .list, dialect == .production {
      // A list inside a list goes on with the same field.
      return frames.append(Frame(form: .list, message: top.message, field: top.field, isNamed: false))
    }
    guard top.form == .message else {
      refuseName(name, place(), Self.notRepeatingText)
      skipped += 1
      return
    }
    guard let field = field(name, of: top) else {
      skipped += 1
      return
    }
    var element = -1
    if case .message(let message) = field.kind { element = message }
    if element >= 0, field.isRepeated, schema.messages[element].isMapEntry {
      let shown = String(decoding: name, as: UTF8.self)
      refuseValue(place(), "Map", "Cannot bind a list to map for field '\(shown)'.")
      skipped += 1
      return
    }
    guard field.isRepeated else {
      refuseName(name, place(), Self.notRepeatingText)
      skipped += 1
      return
    }
    frames.append(Frame(form: .list, message: element, field: field, isNamed: true))
  }

  mutating func endList() { endObject() }

  private static let rootText = "Root element must be a message."
  private static let notRepeatingText = "Proto field is not repeating, cannot start list."

  // MARK: names

  /// The field of a name; nil, and refused, for a name that is none.
  private mutating func field(_ name: [UInt8], of top: Frame) -> ProtoSchema.Field? {
    let message = schema.messages[top.message]
    if let index = message.fieldOfName[String(decoding: name, as: UTF8.self)] { return message.fields[index] }
    if ignoresUnknownNames { return nil }
    refuseName(name, place(), name.isEmpty ? "Proto fields must have a name." : "Cannot find field.")
    return nil
  }

  /// Whether no other field of its group is set.
  private mutating func maySet(_ field: ProtoSchema.Field, _ name: [UInt8]) -> Bool {
    guard let oneof = field.oneof else { return true }
    let last = frames.count - 1
    if let other = frames[last].oneofs.updateValue(field.number, forKey: oneof),
      dialect == .production || other != field.number
    {
      let shown = String(decoding: name, as: UTF8.self)
      refuseValue(place(), "oneof", "oneof field '\(oneof)' is already set. Cannot set '\(shown)'")
      return false
    }
    return true
  }

  /// Whether a map has no such key yet. Of two the official emulator takes the last.
  private mutating func isNew(_ key: [UInt8]) -> Bool {
    if dialect == .emulator || keysOfMaps[keysOfMaps.count - 1].insert(key).inserted { return true }
    let shown = String(decoding: key, as: UTF8.self)
    refuseName(key, place(), "Repeated map key: '\(shown)' is already set.")
    return false
  }

  private func entryValue(_ map: Frame) -> ProtoSchema.Field? {
    schema.messages[map.message].fields.first { $0.number == 2 }
  }

  // MARK: scalars

  mutating func scalar(_ name: [UInt8], _ value: JSONScalar) {
    if skipped > 0 { return }
    guard let top = frames.last else { return refuseName(name, "", Self.rootText) }
    switch top.form {
    case .message: scalarField(name, value, of: top)
    case .list:
      guard let field = top.field else { return }
      if case .null = value, dialect == .production { return }
      frames[frames.count - 1].count += 1
      write(value, as: field.kind, number: field.number, at: { $0.place() }, name)
    case .map:
      guard let field = top.field, let inner = entryValue(top) else { return }
      if case .null = value, dialect == .production { return }
      guard isNew(name) else { return }
      frames[frames.count - 1].count += 1
      let length = openLength(field.number)
      writer.field(1, bytes: name)
      write(value, as: inner.kind, number: inner.number, at: { $0.place(inner.name) }, name)
      writer.closeLength(at: length)
    }
  }

  private mutating func scalarField(_ name: [UInt8], _ value: JSONScalar, of top: Frame) {
    guard let field = field(name, of: top) else { return }
    if case .null = value {
      guard case .enumeration(let index) = field.kind, schema.enumerations[index].isNullValue else { return }
    }
    if field.isRepeated, dialect == .emulator { return refuseValue(place(field.name), "", value.shown) }
    guard maySet(field, name) else { return }
    write(value, as: field.kind, number: field.number, at: { $0.place(field.name) }, name)
  }

  mutating func append(_ body: (inout WireWriter) -> Void) { body(&writer) }
}
