/// A document in place.

public import DocModel

/// One state of one document, as stored. Legal only inside the closure that handed it out.
public struct StoredDocument {
  /// Microseconds since the epoch.
  public let createTime: Int64
  /// The version of the commit that wrote this state.
  public let updateTime: Int64
  public let fields: FieldsView

  @inlinable
  public init(createTime: Int64, updateTime: Int64, fields: FieldsView) {
    self.createTime = createTime
    self.updateTime = updateTime
    self.fields = fields
  }
}
