/// What of a file without errors is useless or too much.
///
/// Source: docs/spec/production-differences.md 3.2, 3.10, L16.

internal import DocModel
public import DocStore

public enum IndexFileReview {
  /// Warnings in the order of the file.
  ///
  /// - Parameter asked: what was asked of a server; nil when nobody knows, and then nothing is called unused.
  public static func problems(of file: IndexFile, asked: [QueryNeeds]? = nil) -> [IndexFileProblem] {
    var problems: [IndexFileProblem] = []
    for (number, entry) in file.composites.enumerated() {
      if let problem = composite(entry, number, file, asked) { problems.append(problem) }
    }
    for (number, entry) in file.overrides.enumerated() {
      if let problem = override(entry, file.overrides[..<number]) { problems.append(problem) }
    }
    return (problems + counts(file)).sorted { $0.place < $1.place }
  }

  /// The first thing to say about a composite.
  private static func composite(
    _ entry: IndexFile.Entry<CompositeIndex>, _ number: Int, _ file: IndexFile, _ asked: [QueryNeeds]?
  ) -> IndexFileProblem? {
    let index = entry.value
    func warning(_ message: String, fix: String) -> IndexFileProblem {
      IndexFileProblem(.warning, entry.place, message, fix: fix)
    }
    if let field = index.ownFields.first, index.isSingleField {
      return warning(
        "an index of one field is none of this list: the service refuses to create it",
        fix: index.definition.scope == .collection
          && FieldOverride.automatic.contains(FieldOverride.Index(.collection, field.mode))
          ? "remove it: the service has it anyway"
          : "make it an entry of `fieldOverrides` with `COLLECTION_GROUP`")
    }
    let earlier = file.composites[..<number].first { $0.value.isSame(as: index) }
    if let earlier {
      return warning("the same index is defined in line \(earlier.place.line)", fix: "remove one of the two")
    }
    let others = file.composites.map(\.value).enumerated().filter { $0.offset != number }.map(\.element)
    if index.definition.scope == .collection,
      others.contains(where: {
        $0.definition.scope == .collectionGroup && $0.isSame(as: index, ignoringScope: true)
      })
    {
      return warning(
        "the same index for the collection group serves single collections, too", fix: "remove this one")
    }
    if let asked,
      !asked.contains(where: { needs in
        IndexRequirement.members(for: needs, among: DefinedIndexes(composites: [index], overrides: []))
          .contains(index)
      })
    {
      return warning(
        "nothing of what the server was asked uses this index", fix: "remove it if nobody else asks for it")
    }
    if let parts = merged(index, others) {
      let names = parts.map { "\($0.definition)" }.joined(separator: " and ")
      return warning(
        "the same queries are served by merging \(names)",
        fix: "remove it if each of its equalities leaves few documents; keep it where they leave many")
    }
    return nil
  }

  /// Other indexes that together serve each query that this one serves with as many equalities as it can.
  private static func merged(_ index: CompositeIndex, _ others: [CompositeIndex]) -> [CompositeIndex]? {
    guard index.vector == nil, index.ownFields.count > 2, let last = index.ownFields.last,
      last.mode != .contains
    else { return nil }
    let prefix = index.ownFields.dropLast()
    let needs = QueryNeeds(
      collectionID: index.definition.collectionID, scope: index.definition.scope, orders: [last],
      nameDirection: index.nameDirection,
      disjuncts: [
        QueryNeeds.Disjunct(
          equalities: prefix.filter { $0.mode != .contains }.map(\.path),
          contains: prefix.first { $0.mode == .contains }?.path)
      ])
    let rest = DefinedIndexes(composites: others, overrides: [])
    guard IndexRequirement.missing(for: needs, among: rest) == nil else { return nil }
    return IndexRequirement.members(for: needs, among: rest).filter { $0.ownFields.count > 1 }
  }

  private static func override(
    _ entry: IndexFile.Entry<FieldOverride>, _ earlier: ArraySlice<IndexFile.Entry<FieldOverride>>
  ) -> IndexFileProblem? {
    let override = entry.value
    let same = earlier.first {
      $0.value.collectionID.hasSameBytes(as: override.collectionID) && $0.value.path == override.path
    }
    if let same {
      return IndexFileProblem(
        .warning, entry.place, "the same field is overridden in line \(same.place.line); the last one counts",
        fix: "put both lists into one")
    }
    let other = earlier.first {
      $0.value.expires && $0.value.collectionID.hasSameBytes(as: override.collectionID)
    }
    if override.expires, let other {
      return IndexFileProblem(
        .error, entry.place,
        "a collection group has one TTL policy; that of `\(override.collectionID)` is in line \(other.place.line)",
        fix: "remove one of the two, or `\"ttl\": true` of it")
    }
    if override.expires { return nil }
    if Set(override.indexes) == Set(FieldOverride.automatic), override.path != nil {
      return IndexFileProblem(
        .warning, entry.place, "the override lists what every field has anyway",
        fix: "remove it, unless another override of the collection is to be undone for this field")
    }
    let lost = FieldOverride.automatic.filter { !override.indexes.contains($0) }
    if override.indexes.contains(where: { $0.scope == .collectionGroup }),
      lost.count == FieldOverride.automatic.count
    {
      return IndexFileProblem(
        .warning, entry.place,
        "the override replaces the automatic indexes: queries over single collections by this field are refused",
        fix: "add `COLLECTION` entries, unless only collection groups are asked")
    }
    return nil
  }

  private static func counts(_ file: IndexFile) -> [IndexFileProblem] {
    var problems: [IndexFileProblem] = []
    if file.composites.count > IndexLimits.compositesWithoutBillingMax {
      let place = file.composites[IndexLimits.compositesWithoutBillingMax].place
      let isTooMuch = file.composites.count > IndexLimits.compositesMax
      problems.append(
        IndexFileProblem(
          isTooMuch ? .error : .warning, place,
          "a database has at most \(IndexLimits.compositesWithoutBillingMax) composites, with billing "
            + "\(IndexLimits.compositesMax); these are \(file.composites.count)", fix: ""))
    }
    if file.overrides.count > IndexLimits.overridesMax {
      problems.append(
        IndexFileProblem(
          .error, file.overrides[IndexLimits.overridesMax].place,
          "a database has at most \(IndexLimits.overridesMax) field overrides; these are \(file.overrides.count)",
          fix: ""))
    }
    return problems
  }
}

extension CompositeIndex {
  /// Whether two definitions are one index, also when only one of them writes the document's name.
  fileprivate func isSame(as other: CompositeIndex, ignoringScope: Bool = false) -> Bool {
    definition.collectionID.hasSameBytes(as: other.definition.collectionID) && ownFields == other.ownFields
      && (ignoringScope || definition.scope == other.definition.scope) && vector == other.vector
      && (vector != nil || nameDirection == other.nameDirection)
  }
}
